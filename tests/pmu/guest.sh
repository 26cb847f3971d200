# shellcheck shell=bash
# For scripts that run in the emulated machine.
out=/lab/out
err=/tmp/err
export HOME=/tmp/home XDG_CONFIG_HOME=/tmp/home/config XDG_STATE_HOME=/tmp/home/state
mkdir -p -m 777 /tmp/home

# Says when, by the machine's own clock.
say()
{
	echo "$(cut -d' ' -f1 /proc/uptime) $*"
}

as_nobody()
{
	setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
}

paranoid()
{
	echo "$1" >/proc/sys/kernel/perf_event_paranoid
}

# wait_until SECONDS COMMAND...
wait_until()
{
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -le $end ] || return 1
		sleep 0.05
	done
}

# Until the progress of the cputop in the background says so.
says()
{
	grep -qE -- "$1" "$err" || ! kill -0 "$cputop" 2>/dev/null
}

wait_phase()
{
	wait_until 120 says "$1" && grep -qE -- "$1" "$err" || {
		say "never: $1"
		cat "$err"
		exit 1
	}
}

# cputop -b in the background.
batch()
{
	: >"$err"
	chmod 666 "$err"
	"$@" 2>"$err" >/tmp/table &
	cputop=$!
}

batch_end()
{
	local status=0
	wait "$cputop" || status=$?
	cat "$err" /tmp/table
	cp /tmp/table "$out/$1.table"
	[ "$status" -eq 0 ] || exit "$status"
}

# pids_below PID: its children, theirs and so on.
pids_below()
{
	local pid
	for pid in $(cat "/proc/$1"/task/*/children 2>/dev/null); do
		echo "$pid"
		pids_below "$pid"
	done
}

joined()
{
	paste -sd, -
}

# Takes counters away from everybody else, on the whole CPU, while COMMAND runs: take_counters NUMBER
# COMMAND... There are 6 general ones and one for cycles.
take_counters()
{
	local n=$1 events=instructions:D
	shift
	if [ "$n" -gt 6 ]; then
		events=cycles:D
	fi
	while [ "$n" -gt 1 ]; do
		events+=,instructions:D
		n=$((n - 1))
	done
	perf stat -a -x, -e "$events" "$@"
}

# The same until let_counters.
hold_counters()
{
	rm -f /tmp/hold
	mkfifo /tmp/hold
	take_counters "$1" cat /tmp/hold 2>"$2" &
	holder=$!
	exec 8>/tmp/hold
}

let_counters()
{
	exec 8>&-
	wait "$holder"
}
