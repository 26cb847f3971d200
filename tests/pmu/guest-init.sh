#!/bin/bash
# The emulated machine's first program: runs /lab/run.sh in the folder that is shared with the
# machine outside, leaves its status there and switches the machine off. There is no network but
# loopback and no init system.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root USER=root LOGNAME=root SHELL=/bin/bash TERM=xterm LANG=C.UTF-8
mkdir -p /dev/pts /dev/shm
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ln -sfn /proc/self/fd /dev/fd
ln -sfn /proc/self/fd/0 /dev/stdin
ln -sfn /proc/self/fd/1 /dev/stdout
ln -sfn /proc/self/fd/2 /dev/stderr
mkdir -p /run/lock
busybox ifconfig lo 127.0.0.1 up
hostname guest
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 lab /lab || echo "guest: no shared folder"
out=/dev/console
for port in /sys/class/virtio-ports/*; do
	if [ "$(cat "$port/name")" = lab.out ]; then
		out=/dev/${port##*/}
	fi
done
cd /lab || out=/dev/console
setsid -w bash /lab/run.sh </dev/null >"$out" 2>&1
status=$?
cd /
dmesg >/lab/dmesg 2>/dev/null
echo "$status" >/lab/status.new && mv /lab/status.new /lab/status
sync
echo u >/proc/sysrq-trigger
busybox poweroff -f
