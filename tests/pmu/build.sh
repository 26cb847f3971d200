#!/bin/bash
# Cross-builds cputop and the programs of this folder for the emulated machine, from the sources of
# the build tree in $top_builddir, against the libraries of its image. What is built is kept in the
# cache by the hash of the sources; its folder is printed.
set -euo pipefail

cache=${CPUTOP_PMU_CACHE:-/var/tmp/cputop-pmu}
root=$cache/root
host=aarch64-linux-gnu
programs=(cputop cputop-load cputop-keeper tests/pmu/counted tests/pmu/known)
work=$(mktemp -d "${TMPDIR:-/tmp}/cputest-pmu-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
unset MAKEFLAGS MAKELEVEL MFLAGS TESTS CC CFLAGS

# What decides about the result: no test but these programs, no manual, nothing that autotools made.
hash_sources()
{
	(
		cd "$work/src"
		find src ui workload contrib/icount tests/pmu/*.c configure.ac Makefile.am -type f |
			LC_ALL=C sort | xargs sha256sum
		cat "$cache/stamp" "$0"
	) | sha256sum | cut -c 1-16
}

build()
{
	export PKG_CONFIG_SYSROOT_DIR=$root
	export PKG_CONFIG_LIBDIR=$root/usr/lib/$host/pkgconfig:$root/usr/share/pkgconfig
	mkdir "$work/build"
	cd "$work/build"
	"$work/src/configure" -q --host=$host --enable-debug --without-icount --without-mysql \
		CC="$host-gcc --sysroot=$root" CFLAGS='-g -O1'
	make -s -j"$(nproc)" "${programs[@]}"
	mkdir "$work/out"
	cp "${programs[@]}" "$work/out/"
	cp -r "$work/src/workload/variants" "$work/out/"
}

make -s -C "$top_builddir" distdir distdir="$work/src" >&2
chmod -R u+w "$work/src"
out=$cache/built/$(hash_sources)
if [ ! -d "$out" ]; then
	build >&2
	mkdir -p "$cache/built"
	# A few are kept, so that going back and forth costs nothing.
	find "$cache/built" -mindepth 1 -maxdepth 1 -type d -mtime +7 -exec rm -rf {} +
	mv -T "$work/out" "$out.new.$$"
	mv -T "$out.new.$$" "$out"
fi
echo "$out"
