# bash completion for cputop(1). A test compares its options with those of cputop --help.

_cputop()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=''
	local options='--dialect --variant --base --batch --delay --iterations --warmup --measure
		--repeat --names --rate --backlog --workers --concurrency --poll-interval --pool --hot-names
		--hot-share --seed --completed --history --mutex-keys --hold --blocked --queued --payload --enqueue --enqueue-batch --counters --cpu-source --json --output --postgres-bin
		--mysql-bin --mariadb-bin --postgres-port --mysql-port --mariadb-port --set
		--fresh-server --server-user --user --keep --no-mouse --list-variants --help --version'
	local letters='-D -v -b -d -n -o -h -V'

	COMPREPLY=()
	((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
	# "=" is a word of its own in COMP_WORDS: --name=VALUE
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	if [[ ${COMP_WORDS[1]-} == check ]] && ((COMP_CWORD > 1)); then
		_cputop_check "$cur" "$prev"
		return
	fi
	case $prev in
	-D | --dialect)
		_cputop_list 'postgres mariadb mysql'
		;;
	-v | --variant | --base)
		_cputop_list "$(_cputop_variants)"
		[[ $prev == --base ]] || _cputop_files -d
		;;
	--enqueue)
		mapfile -t COMPREPLY < <(compgen -W 'pool tx' -- "$cur")
		;;
	--counters)
		mapfile -t COMPREPLY < <(compgen -W 'auto perf icount none' -- "$cur")
		;;
	--cpu-source)
		mapfile -t COMPREPLY < <(compgen -W 'auto clocks cgroup' -- "$cur")
		;;
	--rate)
		mapfile -t COMPREPLY < <(compgen -W 'max 0 20 200 2000' -- "$cur")
		;;
	--set)
		mapfile -t COMPREPLY < <(compgen -W 'postgres: mariadb: mysql:' -- "$cur")
		compopt -o nospace 2>/dev/null
		;;
	--server-user | --user)
		mapfile -t COMPREPLY < <(compgen -u -- "$cur")
		;;
	--json)
		_cputop_files -f
		;;
	-o | --output | --postgres-bin | --mysql-bin | --mariadb-bin)
		_cputop_files -d
		;;
	-d | --delay | -n | --iterations | --warmup | --measure | --repeat | --names | --backlog | \
		--concurrency | --poll-interval | --pool | --hot-names | --hot-share | --seed | \
		--postgres-port | --mysql-port | --mariadb-port) ;; # a number: nothing to offer
	*)
		mapfile -t COMPREPLY < <(compgen -W "$options $letters" -- "$cur")
		((COMP_CWORD != 1)) || [[ -z $cur || check != "$cur"* ]] || COMPREPLY+=(check)
		;;
	esac
}

# The verb check: it has options of its own.
_cputop_check()
{
	local cur=$1 check_options='--need --json --help -h'
	case $2 in
	--need)
		_cputop_list 'cpu clock cgroup instructions cycles perf icount postgres mysql mariadb'
		;;
	--json)
		_cputop_files -f
		;;
	*)
		mapfile -t COMPREPLY < <(compgen -W "$check_options" -- "$cur")
		;;
	esac
}

# The built-in variants, from the cputop that is being completed.
_cputop_variants()
{
	"${COMP_WORDS[0]}" --list-variants 2>/dev/null </dev/null | awk '$1 ~ /^[A-Za-z0-9]/ { print $1 }'
}

# The last item of a list separated by commas.
_cputop_list()
{
	local before='' last=$cur
	if [[ $cur == *,* ]]; then
		before=${cur%,*},
		last=${cur##*,}
	fi
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "$last")
}

_cputop_files()
{
	local found
	mapfile -t found < <(compgen "$1" -- "$cur")
	COMPREPLY+=("${found[@]}")
	compopt -o filenames 2>/dev/null
}

complete -F _cputop cputop
