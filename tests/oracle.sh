#!/bin/bash
# Shows cputop built with Oracle's libmysqlclient instead of MariaDB Connector/C, and the tests with
# MySQL passing with it. Debian has that library in sid only: sid is put into a folder, once, with a
# compiler and MySQL's server, and cputop is built and run inside. 760 MB. Needs root, mmdebstrap and
# a tree in which autoreconf has run; installs nothing.
#
#   tests/oracle.sh            or: sudo make check-oracle
#
# The folder is $CPUTOP_ORACLE_CACHE (/var/tmp/cputop-oracle); remove it to have a newer sid.
set -euo pipefail

cache=${CPUTOP_ORACLE_CACHE:-/var/tmp/cputop-oracle}
source=$(cd "$(dirname "$0")/.." && pwd -P)
root=$cache/root
packages=gcc,make,libc6-dev,pkgconf,procps,libuv1-dev,libpq-dev,libjansson-dev,libncurses-dev
packages=$packages,libcmocka-dev,libmysqlclient-dev,mysql-server-core

fail()
{
	printf 'oracle: %s\n' "$*" >&2
	exit 1
}

# From where apt of this machine has Debian, and the way it goes there.
make_root()
{
	local mirror o options=()
	# shellcheck disable=SC2016 # for apt-get
	mirror=$(apt-get indextargets --format '$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)' \
		'Created-By: Packages' | sed -n 's/^Debian|main|[a-z]*|//p' | head -n 1)
	[ -n "$mirror" ] || fail "apt of this machine names no archive of Debian's; run apt-get update"
	while read -r o; do
		options+=(--aptopt="${o%;}")
	done < <(apt-config dump |
		grep -iE '^Acquire::([a-z]+::Proxy|Check-Valid-Until|Check-Date|[a-z]+::Verify)[^ ]* ".+"')
	rm -rf --one-file-system "$root.new"
	mkdir -p "$cache"
	mmdebstrap --mode=root --variant=minbase --include="$packages" "${options[@]}" \
		sid "$root.new" "$mirror" >"$cache/mmdebstrap.log" 2>&1 ||
		fail "mmdebstrap failed: $(tail -n 3 "$cache/mmdebstrap.log" | tr '\n' ' ')"
	mkdir "$root.new/source" "$root.new/build"
	mv "$root.new" "$root"
}

# Inside. What MariaDB's tests skip is shown, and why.
inside()
{
	cd /build
	[ -e config.status ] || /source/configure -q --enable-debug --without-icount
	grep -q 'HAVE_LIBMYSQLCLIENT 1' config.h || fail "configure has not taken Oracle's library"
	tests=
	for t in db db_waits load threads; do
		tests="$tests tests/integration/test_${t}_mysql tests/integration/test_${t}_mariadb"
	done
	make -s -j"$(nproc)"
	make -s check check_PROGRAMS="$tests" TESTS="$tests"
	./cputop check | sed -n '/^clients/p'
	./cputop -b -D mysql -v skiplocked --warmup 2 --measure 5
	! ./cputop -b -D mariadb || fail "there is a client for MariaDB"
}

if [ "${1:-}" = inside ]; then
	inside
	exit
fi
[ "$(id -u)" -eq 0 ] || fail "a folder with a Debian in it takes root; run it with sudo"
[ -x "$source/configure" ] || fail "no configure in $source; run autoreconf -i there"
command -v mmdebstrap >/dev/null || fail "no mmdebstrap here; on Debian: apt-get install mmdebstrap"
[ -d "$root" ] || make_root
# With the last of it the mounts go, and whatever still runs.
# shellcheck disable=SC2016 # for the inner shell
exec unshare --mount --pid --fork --kill-child sh -ec '
	mount --bind "$1" "$2/source"
	mount --rbind /dev "$2/dev"
	mount -t proc proc "$2/proc"
	exec chroot "$2" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 /source/tests/oracle.sh inside
' sh "$source" "$root"
