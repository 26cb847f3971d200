#!/bin/bash
# Boots the emulated machine and runs a script in it:
#
#   boot.sh PROGRAMS-DIR RESULTS-DIR SCRIPT [VAR=VALUE...]
#
# The script finds the programs, the folder's own guest.sh and itself in /opt/t, runs there as root
# without a terminal, and what it leaves in /lab/out comes back in RESULTS-DIR. What it prints is
# printed; its status is this one's (124: out of time, 125: the machine ended without a status). The
# disk is fresh each time.
#
#   PMU_ICOUNT   -icount, or "off"               (shift=2,sleep=on)
#   PMU_LIMIT    seconds of this machine's time  (900)
set -euo pipefail

cache=${CPUTOP_PMU_CACHE:-/var/tmp/cputop-pmu}
here=$(cd "$(dirname "$0")" && pwd -P)
programs=$1
results=$2
script=$3
shift 3
icount=${PMU_ICOUNT:-shift=2,sleep=on}
limit=${PMU_LIMIT:-900}
run=$(mktemp -d "${TMPDIR:-/tmp}/cputest-boot-XXXXXX")
qemu=
reader=

cleanup()
{
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	[ -z "$reader" ] || kill "$reader" 2>/dev/null || true
	rm -rf "$run"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

mkdir -p "$run/share/out" "$run/t" "$results"
chmod 777 "$run/share/out"
cp -r "$programs/." "$run/t/"
cp "$here/guest.sh" "$here"/*.py "$script" "$run/t/"
tar -C "$run/t" --owner=0 --group=0 -cf "$run/share/t.tar" .
cat >"$run/share/run.sh" <<END
mkdir -p /opt/t && tar -C /opt/t -xf /lab/t.tar && cd /opt/t && chmod -R a+rX . || exit 99
export $(printf '%q ' "BOOTED=1" "$@")
. ./guest.sh
. ./${script##*/}
END

mkfifo "$run/out"
cat "$run/out" &
reader=$!
clock=(-icount "$icount")
accel=tcg,thread=single
if [ "$icount" = off ]; then
	clock=()
	accel=tcg,thread=multi
fi
TMPDIR=$run qemu-system-aarch64 -nodefaults -display none -monitor none -no-reboot \
	-machine virt,gic-version=3 -accel "$accel" "${clock[@]}" -cpu cortex-a57 -smp 1 -m 2G \
	-kernel "$cache/Image" -initrd "$cache/initrd.gz" \
	-append "console=ttyAMA0 loglevel=4 panic=-1 mitigations=off audit=0" \
	-drive "file=$cache/root.ext4,format=raw,if=none,id=root,snapshot=on" \
	-device virtio-blk-pci,drive=root -device virtio-rng-pci \
	-fsdev "local,id=lab,path=$run/share,security_model=none" \
	-device virtio-9p-pci,fsdev=lab,mount_tag=lab \
	-chardev "file,id=out,path=$run/out" \
	-device virtio-serial-pci -device virtserialport,chardev=out,name=lab.out \
	-serial "file:$run/console" </dev/null 2>"$run/qemu.err" &
qemu=$!

late=
end=$((SECONDS + limit))
while kill -0 "$qemu" 2>/dev/null; do
	if [ $SECONDS -ge $end ]; then
		late=1
		kill "$qemu" 2>/dev/null || true
		break
	fi
	sleep 0.1
done
wait "$qemu" || true
qemu=
# The reader ends once every writer has; be one, if qemu never was.
exec 8<>"$run/out"
exec 8>&-
wait "$reader" 2>/dev/null || true
reader=

cp -r "$run/share/out/." "$results/"
if [ -n "$late" ]; then
	echo "boot: out of time after $limit s"
	tail -n 5 "$run/console"
	exit 124
fi
if [ ! -s "$run/share/status" ]; then
	echo "boot: the machine ended without a status"
	cat "$run/qemu.err"
	tail -n 30 "$run/console"
	exit 125
fi
exit "$(cat "$run/share/status")"
