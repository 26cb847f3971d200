# shellcheck shell=bash disable=SC2154 # in the emulated machine, after guest.sh
# An ordinary user who may not count the kernel; perf stat of root beside cputop, and a client that
# reconnects all the time.
paranoid 2
mkdir -m 777 /tmp/o

say "live"
tmux -f /dev/null new-session -d -x 120 -y 40 "setpriv --reuid=nobody --regid=nogroup \
	--clear-groups ./cputop -v skiplocked --warmup 1 --rate 50 2>/tmp/live.err"
tmux set-option -g status off
screen_has()
{
	tmux capture-pane -p >/tmp/screen 2>/dev/null || exit 1
	grep -qE -- "$1" /tmp/screen
}
wait_until 120 screen_has '^TOTAL +[0-9]+\.[0-9]+ '
cp /tmp/screen $out/screen
tmux send-keys q
wait_until 30 sh -c '! pgrep -x cputop >/dev/null'
tmux kill-server
cat $out/screen /tmp/live.err

say "batch"
batch as_nobody ./cputop -b -v skiplocked --rate 80 --warmup 6 --measure 12 --poll-interval 1 \
	--json /tmp/o/user.json -o /tmp/o
wait_phase "warm-up"
server=$(pgrep -f '^[^ ]*/postgres -D ')
data=$(tr '\0' '\n' <"/proc/$server/cmdline" | sed -n '/^-D$/{n;p;}')
port=$(tr '\0' '\n' <"/proc/$server/cmdline" | sed -n 's/^port=//p')
sed -i '1i host all all 127.0.0.1/32 trust' "$data/pg_hba.conf"
kill -HUP "$server"
mkfifo /tmp/go
for role in worker producer database; do
	case $role in
	database) pids=$({ echo "$server"; pids_below "$server"; } | joined) ;;
	*) pids=$(pgrep -f "cputop-load $role" | joined) ;;
	esac
	python3 ./perfstat.py "$out/$role" "$pids" </tmp/go &
	perfs+=($!)
done
exec 7>/tmp/go
# Its connections come after perf: perf attaches to no process that may be gone.
wait_until 60 test -e $out/database.attached
echo "select 1;" >/tmp/one.sql
/usr/lib/postgresql/15/bin/pgbench -C -R 6 -T 300 -n -f /tmp/one.sql -h 127.0.0.1 -p "$port" \
	-U postgres cputop >/tmp/pgbench.out 2>&1 &
pgbench=$!
wait_phase "\\] postgres skiplocked: window"
say "window"
wait_phase "^cputop: window 0"
kill "$pgbench"
exec 7>&-
wait "${perfs[@]}"
say "perf has ended"
batch_end user
cp /tmp/o/user.json /tmp/o/*/before.json /tmp/o/*/after.json $out/
cat /tmp/pgbench.out
say "end"
