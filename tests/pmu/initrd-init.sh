#!/bin/busybox sh
# The emulated machine's initramfs: loads the modules, mounts the disk, goes there.
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs devtmpfs /dev
while read -r m; do
	$b insmod "/modules/$m" || echo "initrd: $m failed"
done </modules/order
n=0
while [ ! -b /dev/vda ] && [ $n -lt 100 ]; do
	$b sleep 0.1
	n=$((n + 1))
done
$b mount -t ext4 /dev/vda /newroot || {
	echo "initrd: no disk"
	$b poweroff -f
}
for dir in dev proc sys; do
	$b mount --move /$dir /newroot/$dir
done
exec $b switch_root /newroot /sbin/guest-init
