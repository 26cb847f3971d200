#!/bin/bash
# Makes the emulated machine that "make check-pmu" boots: an arm64 Debian with PostgreSQL and perf,
# whose hardware counters QEMU counts exactly. Needs root and the network; installs what it needs
# with apt. Nothing is done when the image is there and this script has not changed.
#
#   tests/pmu/image.sh          make the image where it is missing
#   tests/pmu/image.sh --check  only say whether it is there (exit 1: it is not)
#
# Result, in $CPUTOP_PMU_CACHE (/var/tmp/cputop-pmu): Image, initrd.gz, root.ext4, packages.txt,
# root (the guest's files, from which cputop is cross-built) and stamp.
set -euo pipefail

cache=${CPUTOP_PMU_CACHE:-/var/tmp/cputop-pmu}
here=$(cd "$(dirname "$0")" && pwd -P)
packages=(
	linux-perf postgresql
	libc6-dev libuv1-dev libpq-dev libncurses-dev libjansson-dev
	python3-minimal tmux procps busybox-static util-linux ncurses-base
)
# What the kernel needs to find its disk, the shared folder and the output port.
modules=(virtio_pci virtio_blk virtio_console virtio-rng ext4 9p 9pnet_virtio)
# Program and Debian package of what this machine needs.
tools=(
	qemu-system-aarch64 qemu-system-arm
	aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
	qemu-aarch64-static qemu-user-static
	mmdebstrap mmdebstrap
	arch-test arch-test
	mke2fs e2fsprogs
	cpio cpio
	modprobe kmod
	autoreconf autoconf
	automake automake
	pkg-config pkg-config
)
binfmt=/proc/sys/fs/binfmt_misc
work=
mounted=
registered=

say()
{
	printf 'pmu-image: %s\n' "$*" >&2
}

fail()
{
	say "$*"
	exit 1
}

cleanup()
{
	[ -z "$registered" ] || echo -1 >$binfmt/qemu-aarch64 || true
	[ -z "$mounted" ] || umount $binfmt || true
	[ -z "$work" ] || rm -rf --one-file-system "$work"
}

wanted_stamp()
{
	cat "$here/image.sh" "$here/guest-init.sh" "$here/initrd-init.sh" | sha256sum | cut -d' ' -f1
}

is_made()
{
	[ -s "$cache/stamp" ] && [ "$(cat "$cache/stamp")" = "$(wanted_stamp)" ]
}

# Are the programs there that a run of the tests needs, beside the image?
has_tools()
{
	for ((i = 0; i < ${#tools[@]}; i += 2)); do
		PATH=$PATH:/usr/sbin:/sbin command -v "${tools[i]}" >/dev/null || return 1
	done
}

install_tools()
{
	local need=()
	for ((i = 0; i < ${#tools[@]}; i += 2)); do
		command -v "${tools[i]}" >/dev/null || need+=("${tools[i + 1]}")
	done
	[ ${#need[@]} -gt 0 ] || return 0
	say "installing ${need[*]}"
	apt-get update -q >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${need[@]}" >&2
}

# Foreign programs run here for as long as this script does.
register_binfmt()
{
	if [ ! -e $binfmt/register ]; then
		mount -t binfmt_misc binfmt_misc $binfmt
		mounted=1
	fi
	if [ ! -e $binfmt/qemu-aarch64 ]; then
		cat /usr/lib/binfmt.d/qemu-aarch64.conf >$binfmt/register
		registered=1
	fi
}

# Debian's sources as apt of this machine has them, and the way it reaches them (a proxy, an
# unchecked date): arrays sources and options.
read_apt()
{
	local has o
	has=$(apt-get indextargets --format '$(CODENAME)' 'Created-By: Packages')
	[ -n "$has" ] || apt-get update -q >&2
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mapfile -t sources < <(
		apt-get indextargets --format '$(ORIGIN)|$(CODENAME)|$(REPO_URI)|$(COMPONENT)' \
			'Created-By: Packages' |
			awk -F'|' -v c="$codename" '$1 == "Debian" && $4 == "main" &&
				($2 == c || index($2, c "-") == 1) { print "deb " $3 " " $2 " " $4 }' |
			sort -u
	)
	[ ${#sources[@]} -gt 0 ] || fail "apt of this machine names no Debian source for $codename"
	options=()
	while read -r o; do
		options+=(--aptopt="${o%;}")
	done < <(apt-config dump |
		grep -iE '^Acquire::([a-z]+::Proxy|Check-Valid-Until|Check-Date|[a-z]+::Verify)[^ ]* ".+"')
}

# Fetches and unpacks the kernel without installing it: that would make an initramfs, slowly.
write_kernel_hook()
{
	cat >"$work/kernel-hook" <<'HOOK'
#!/bin/sh
set -e
export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
k=$(apt-cache depends linux-image-arm64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' |
	head -n 1)
mkdir "$2/deb"
cd "$2/deb"
apt-get download "$k:arm64"
dpkg-deb -x ./*.deb "$2/kernel"
HOOK
	chmod +x "$work/kernel-hook"
}

make_root()
{
	local include
	say "installing ${#packages[@]} packages and what they need, $codename arm64"
	include=$(IFS=,; echo "${packages[*]}")
	write_kernel_hook
	# No cluster is made: cputop makes its own.
	mmdebstrap --mode=root --architectures=arm64 --variant=minbase --include="$include" \
		"${options[@]}" --aptopt='Acquire::Languages "none"' \
		--aptopt='APT::Install-Recommends "false"' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--essential-hook='mkdir -p "$1/etc/postgresql-common"' \
		--essential-hook='echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.conf"' \
		--customize-hook="$work/kernel-hook \"\$1\" $work" \
		"$codename" "$work/root" "${sources[@]}" >"$work/mmdebstrap.log" 2>&1 || {
		tail -n 40 "$work/mmdebstrap.log" >&2
		fail "mmdebstrap failed"
	}
	chroot "$work/root" dpkg-query -W -f '${Package} ${Version}\n' >"$work/packages.txt"
	rm -rf "$work"/root/var/cache/apt/archives/*.deb "$work"/root/var/lib/apt/lists/*
	relative_links "$work/root"
	mkdir -p "$work/root/lab"
	install -m 755 "$here/guest-init.sh" "$work/root/sbin/guest-init"
	printf '127.0.0.1 localhost guest\n::1 localhost\n' >"$work/root/etc/hosts"
	echo guest >"$work/root/etc/hostname"
}

# The linker of this machine would follow absolute links out of the guest's files, and then take
# static libraries.
relative_links()
{
	local link
	find "$1/usr/lib/aarch64-linux-gnu" -type l -lname '/*' | while read -r link; do
		ln -sfnr "$1$(readlink "$link")" "$link"
	done
}

# A small initramfs: busybox, the modules and a script that switches to the disk.
make_initrd()
{
	local kernel=$work/kernel ird=$work/initrd version ko how
	version=$(ls "$kernel/lib/modules")
	grep -qx 'CONFIG_HW_PERF_EVENTS=y' "$kernel/boot/config-$version" ||
		fail "kernel $version has no HW_PERF_EVENTS"
	cp "$kernel/boot/vmlinuz-$version" "$work/Image"
	mkdir -p "$ird"/{bin,dev,proc,sys,newroot,modules}
	cp "$work/root/bin/busybox" "$ird/bin/busybox"
	ln -s busybox "$ird/bin/sh"
	install -m 755 "$here/initrd-init.sh" "$ird/init"
	depmod -b "$kernel" "$version" 2>/dev/null || true
	: >"$ird/modules/order"
	for m in "${modules[@]}"; do
		modprobe -d "$kernel" -S "$version" --show-depends "$m" >"$work/needs" ||
			fail "kernel $version has no $m"
		while read -r how ko _; do
			[ "$how" = insmod ] && [ ! -e "$ird/modules/${ko##*/}" ] || continue
			cp "$ko" "$ird/modules/"
			echo "${ko##*/}" >>"$ird/modules/order"
		done <"$work/needs"
	done
	(cd "$ird" && find . | cpio -o -H newc --quiet) | gzip -1 >"$work/initrd.gz"
}

make_disk()
{
	local size
	size=$(($(du -sm --apparent-size "$work/root" | cut -f1) + 2048))
	truncate -s "${size}M" "$work/root.ext4"
	mke2fs -q -F -t ext4 -O ^has_journal -E lazy_itable_init=0,lazy_journal_init=0 \
		-d "$work/root" "$work/root.ext4"
}

if [ "${1:-}" = --check ]; then
	is_made && has_tools
	exit
fi
PATH=$PATH:/usr/sbin:/sbin
stamp=$(wanted_stamp)
if is_made && has_tools; then
	say "up to date: $cache"
	exit 0
fi
[ "$(id -u)" = 0 ] || fail "must be root to make the image in $cache"
umask 022
install_tools
is_made && exit 0
mkdir -p "$cache"
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
work=$(mktemp -d "$cache/new.XXXXXX")
chmod 755 "$work"
register_binfmt
read_apt
make_root
say "$SECONDS s: the packages are installed"
make_initrd
make_disk
rm -rf --one-file-system "$cache"/{stamp,Image,initrd.gz,root.ext4,packages.txt,root,built}
mv "$work"/{Image,initrd.gz,root.ext4,packages.txt,root} "$cache/"
echo "$stamp" >"$cache/stamp"
say "$SECONDS s: done, $(du -sh --exclude='new.*' "$cache" | cut -f1) in $cache"
