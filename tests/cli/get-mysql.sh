#!/bin/sh
# contrib/get-mysql without a network: what it refuses, what it says, and that nothing is left. The
# run that fetches is a stage of .ci/run.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"

get_mysql=$(cd "$top_srcdir" && pwd -P)/contrib/get-mysql
real=${MYSQL_BIN:-}
unset CPUTOP_MYSQL_PREFIX MYSQL_BIN http_proxy HTTP_PROXY all_proxy ALL_PROXY
export HOME="$tap_dir/home"
export XDG_CACHE_HOME="$tap_dir/cache"
mkdir "$HOME"
prefix=$tap_dir/below/prefix

# get ARGUMENT...: sets said and status.
get()
{
	status=0
	said=$(sh "$get_mysql" "$@" </dev/null 2>&1) || status=$?
}

# refused NAME STATUS REGEX ARGUMENT...: this status, and no more than one line after what is being
# done.
refused()
{
	name=$1
	wanted=$2
	regex=$3
	shift 3
	get "$@"
	tap_is "$name: status" "$status" "$wanted"
	tap_like "$name: message" "$said" "^get-mysql: $regex"
	tap_is "$name: one line" "$(printf '%s\n' "$said" | grep -vc '^get-mysql: fetching ')" 1
}

# --- usage ----------------------------------------------------------------------------------------

get -h
tap_is "-h: status" "$status" 0
tap_like "-h names the options" "$said" 'get-mysql --remove \[--prefix DIR\]'
refused "an unknown option" 2 "unknown argument '--force'; see" --force
refused "a word too much" 2 "unknown argument 'there'" there
refused "no folder" 2 '--prefix: no folder given' --prefix
refused "an empty folder" 2 '--prefix: the folder.s name is empty' --prefix ''
refused "a blank in the folder" 2 'a blank, .*choose another --prefix' --prefix "$tap_dir/a b"
refused "the root" 2 '/ cannot be the prefix' --prefix //
mkdir "$tap_dir/mine"
: >"$tap_dir/mine/file"
refused "a folder with files" 2 ".*/mine holds other files; choose" --prefix "$tap_dir/mine"
refused "removing it" 2 ".*/mine was not made by get-mysql; nothing removed" \
	--remove --prefix "$tap_dir/mine"
tap_ok "it is as it was" test -e "$tap_dir/mine/file"
refused "a file in its place" 1 'cannot make .*/file/x; choose' --prefix "$tap_dir/mine/file/x"
refused "removing what is not there" 0 'there is no .*/prefix; nothing' --remove --prefix "$prefix"

# --- removing -------------------------------------------------------------------------------------

# made DIR: what a run makes, in small.
made()
{
	mkdir -p "$1/root/usr/sbin" "$1/new"
	ln -s root/usr/sbin "$1/bin"
	ln -s root/usr/share root/usr/lib "$1"
	echo incomplete >"$1/.get-mysql"
}

made "$tap_dir/cache/cputop/mysql"
CPUTOP_MYSQL_PREFIX=$tap_dir/by-variable
export CPUTOP_MYSQL_PREFIX
made "$CPUTOP_MYSQL_PREFIX"
refused "--remove" 0 'removed what was in .*/by-variable$' --remove
tap_ok "the folder is gone" test ! -e "$CPUTOP_MYSQL_PREFIX"
tap_ok "no other is" test -e "$tap_dir/cache/cputop/mysql/.get-mysql"
unset CPUTOP_MYSQL_PREFIX
made "$prefix"
: >"$prefix/notes"
status=0
said=$(cd "$tap_dir" && sh "$get_mysql" --remove --prefix below/prefix/ 2>&1) || status=$?
tap_is "with a file of others in it" "$(ls -A "$prefix")" notes
tap_like "which is said" "$said" 'stays: other files are in it'
rm -r "$prefix"
rmdir "$tap_dir/below"

# --- what is missing ------------------------------------------------------------------------------

mkdir "$tap_dir/bin"
for tool in id sed stat dirname mkdir rmdir rm flock; do
	ln -s "$(command -v "$tool")" "$tap_dir/bin/$tool"
done
shell=$(command -v sh)
status=0
said=$(PATH=$tap_dir/bin "$shell" "$get_mysql" --prefix "$prefix" 2>&1) || status=$?
tap_is "without apt: status" "$status" 1
tap_is "without apt: message" "$said" "get-mysql: no apt-get here, which this needs; install apt"
tap_ok "without apt: nothing is left" test ! -e "$tap_dir/below"

# --- no network -----------------------------------------------------------------------------------

# sources LINE: apt's configuration has this archive and nothing else.
sources()
{
	printf '%s\n' "$1" >"$tap_dir/sources.list"
}

APT_CONFIG=$tap_dir/apt.conf
export APT_CONFIG
cat >"$APT_CONFIG" <<-END
	Dir::Etc::parts "/dev/null";
	Dir::Etc::main "/dev/null";
	Dir::Etc::sourcelist "$tap_dir/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Acquire::Retries "0";
	Acquire::http::Proxy "DIRECT";
END

no_network()
{
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	sources "deb http://127.0.0.1:1/debian $codename main"
	refused "no network" 1 'MySQL cannot be fetched.*apt-get update.*apt said: .*127\.0\.0\.1' \
		--prefix "$prefix"
	tap_ok "no network: nothing is left" test ! -e "$tap_dir/below"
	made "$prefix"
	get --prefix "$prefix"
	tap_is "what a killed run left goes too" "$(ls -A "$prefix")" ''
	rm -r "$tap_dir/below"
	sources '# nothing'
	refused "no archive" 1 "apt's configuration names no archive; add" --prefix "$prefix"
}

# Who can write to the wire cannot give us a program.
unsigned()
{
	arch=$(dpkg --print-architecture)
	dists=$tap_dir/debian/dists/sid
	mkdir -p "$dists/main/binary-$arch"
	printf '%s\n' 'Package: mysql-server-core' 'Version: 99' "Architecture: $arch" \
		'Filename: x.deb' 'Size: 1' >"$dists/main/binary-$arch/Packages"
	printf '%s\n' 'Suite: sid' 'Codename: sid' 'Origin: Debian' "Architectures: $arch" \
		'Components: main' "Date: $(LC_ALL=C date -R -u)" 'SHA256:' \
		" $(sha256sum "$dists/main/binary-$arch/Packages" | cut -d ' ' -f 1) $(
			wc -c <"$dists/main/binary-$arch/Packages"
		) main/binary-$arch/Packages" >"$dists/Release"
	sources "deb [trusted=yes] file:$tap_dir/debian bookworm main"
	refused "an archive without signature" 1 'MySQL cannot be fetched.*not signed' --prefix "$prefix"
	tap_ok "an archive without signature: nothing is left" test ! -e "$tap_dir/below"
}

# Another one at work is waited for, and said so.
two_at_once()
{
	sources '# nothing'
	mkdir -p "$prefix"
	mkfifo "$tap_dir/hold"
	flock "$prefix" sh -c ": >'$tap_dir/held'; read -r line <'$tap_dir/hold'" &
	holder=$!
	wait_until 10 test -e "$tap_dir/held"
	sh "$get_mysql" --prefix "$prefix" >"$tap_dir/second" 2>&1 &
	second=$!
	tap_ok "another one is waited for" wait_until 10 grep -q 'waiting for another' "$tap_dir/second"
	rm -r "$tap_dir/below"
	echo go >"$tap_dir/hold"
	wait "$holder"
	status=0
	wait "$second" || status=$?
	tap_is "then it goes on: status" "$status" 1
	tap_like "in the folder that is there then" "$(cat "$tap_dir/second")" 'names no archive'
	tap_ok "two at once: nothing is left" test ! -e "$tap_dir/below"
}

if command -v apt-get >/dev/null && [ -e /usr/share/keyrings/debian-archive-keyring.gpg ]; then
	no_network
	unsigned
	two_at_once
else
	tap_skip "without network" "not a Debian: no apt-get or no debian-archive-keyring"
fi

# --- it is there ----------------------------------------------------------------------------------

# With the sources above, anything but a finished one fails.
real=${real%/}
real=${real%/bin}
[ -n "$real" ] || real=/var/cache/cputop/mysql
if [ -e "$real/.get-mysql" ]; then
	began=$(date +%s%N)
	get --prefix "$real"
	took=$((($(date +%s%N) - began) / 1000000))
	tap_like "it is there" "$said" '^get-mysql: it is there: '
	tap_is "it is there: the last line" "$(printf '%s\n' "$said" | tail -n 1)" "$real/bin/mysqld"
	tap_ok "in less than a second ($took ms)" test "$took" -lt 1000
	tap_like "it runs" "$("$real/bin/mysqld" --no-defaults --version)" 'mysqld +Ver [0-9.]+'
else
	tap_skip "a second run" "nothing made by get-mysql in $real, nor where MYSQL_BIN says"
fi
tap_done
