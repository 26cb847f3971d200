# shellcheck shell=sh disable=SC2034,SC2154 # variables of tap.sh and of the test
# For tests of the whole program with a real PostgreSQL. Source tests/lib/tap.sh first. Everything
# that cputop makes is below $ct_tmp, which also stands in the environment of each of its
# processes: that tells them from everybody else's.

ct_tmp=$tap_dir/tmp
mkdir "$ct_tmp" && chmod 711 "$tap_dir" "$ct_tmp"
TMPDIR=$ct_tmp
HOME=$tap_dir
XDG_CONFIG_HOME=$tap_dir/config
XDG_STATE_HOME=$tap_dir/state
export TMPDIR HOME XDG_CONFIG_HOME XDG_STATE_HOME
# Most tests are about one database; those about others say so.
CPUTOP_DIALECTS=postgres
export CPUTOP_DIALECTS
# What comes from the environment is said; where MySQL is must not be.
case ${MYSQL_BIN:-} in
*/bin)
	CPUTOP_MYSQL_PREFIX=${MYSQL_BIN%/bin}
	export CPUTOP_MYSQL_PREFIX
	unset MYSQL_BIN
	;;
esac
unset SUDO_USER
ct=$top_builddir/cputop
ct_pid=

ct_find_pg()
{
	for ct_dir in ${PG_BIN:+"$PG_BIN"} $(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -Vr); do
		if [ -x "$ct_dir/postgres" ] && [ -x "$ct_dir/initdb" ]; then
			echo "$ct_dir"
			return 0
		fi
	done
	return 1
}
ct_pg=$(ct_find_pg) || tap_skip_all "PostgreSQL is not installed"

ct_json()
{
	/usr/bin/python3 "$top_srcdir/tests/lib/jq.py" "$@"
}

# ct_batch ARGS...: cputop -b in the background; standard output and error in $tap_dir/out, err.
ct_batch()
{
	# The child opens it anew, but the first look at it may come before that.
	: >"$tap_dir/err"
	"$ct" -b "$@" >"$tap_dir/out" 2>"$tap_dir/err" &
	ct_pid=$!
}

# ct_run ARGS...: cputop with these arguments; its status is in ct_status.
ct_run()
{
	ct_status=0
	timeout -k 5 120 "$ct" "$@" >"$tap_dir/out" 2>"$tap_dir/err" </dev/null || ct_status=$?
}

ct_says()
{
	grep -qE -- "$1" "$tap_dir/err"
}

# ct_wait_phase REGEX [SECONDS]: until the progress on standard error says so.
ct_wait_phase()
{
	ct_end=$(($(date +%s) + ${2:-30}))
	until ct_says "$1"; do
		kill -0 "$ct_pid" 2>/dev/null || return 1
		[ "$(date +%s)" -le "$ct_end" ] || return 1
		sleep 0.01
	done
}

ct_wait()
{
	ct_status=0
	wait "$ct_pid" || ct_status=$?
}

# Pids of the processes that cputop started, itself included; a zombie counts as gone.
ct_ours()
{
	/usr/bin/python3 "$top_srcdir/tests/lib/ours.py" "$ct_tmp" "$@"
}

ct_none()
{
	[ -z "$(ct_ours)" ]
}

# ct_pid_of REGEX: the pid of one of our processes by its command line.
ct_pid_of()
{
	ct_ours "$1" | sed -n 1p
}

# ct_let_in: a way into the private server for clients that know no password, which only whom its data
# belong to can make; its port is in ct_port, its pid in ct_server. Waits until it is open.
ct_let_in()
{
	ct_server=$(ct_pid_of '^[^ ]*/postgres -D ')
	ct_data=$(tr '\0' '\n' <"/proc/$ct_server/cmdline" | sed -n '/^-D$/{n;p;}')
	ct_port=$(tr '\0' '\n' <"/proc/$ct_server/cmdline" | sed -n 's/^port=//p')
	sed -i '1i host all all 127.0.0.1/32 trust' "$ct_data/pg_hba.conf"
	kill -HUP "$ct_server"
	wait_until 5 "$ct_pg/psql" -h 127.0.0.1 -p "$ct_port" -U postgres -w -qAtc 'select 1' cputop \
		>/dev/null
}

# No directory of a session is left.
ct_clean()
{
	[ -z "$(ls -A "$ct_tmp")" ]
}

# ct_no_cgroup PID...: no cgroup of these cputops is left.
ct_no_cgroup()
{
	for ct_p in "$@"; do
		[ -z "$(find /sys/fs/cgroup -maxdepth 4 -type d -name "cputop-$ct_p-*" 2>/dev/null)" ] ||
			return 1
	done
}

ct_kill_all()
{
	for ct_p in $(ct_ours); do
		kill -9 "$ct_p" 2>/dev/null || :
	done
}
tap_cleanup()
{
	if command -v term_stop >/dev/null 2>&1; then
		term_stop
	fi
	ct_kill_all
}
