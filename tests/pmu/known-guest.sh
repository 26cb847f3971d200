# shellcheck shell=bash disable=SC2154 # in the emulated machine, after guest.sh
# Programs of known length, below the keeper.
all="200000000 8 8 8 12000000"

paranoid 2
say "user only"
# shellcheck disable=SC2086 # words
as_nobody ./counted "$PWD/known" $all >$out/user.json || exit 1
paranoid -1
say "with the kernel"
./counted "$PWD/known" 300000000 0 0 0 0 >$out/kernel.json || exit 1

say "the counters of the parts do not fit"
take_counters 4 sleep 3 2>$out/four.perf &
sleep 1
./counted "$PWD/known" 500000000 0 0 0 0 >$out/four.json || exit 1
wait

# While the loop runs somebody has all counters for a moment, or half the time.
for share in 0.15 2.5; do
	say "all counters are taken for $share s"
	./counted "$PWD/known" 600000000 0 0 0 0 >"$out/all-$share.json" &
	counted=$!
	sleep 1
	take_counters 7 sleep "$share" 2>"$out/all-$share.perf"
	wait $counted || exit 1
done
cat $out/*
# One document of all.
{
	separator='{'
	for name in user kernel four all-0.15 all-2.5; do
		printf '%s"%s": ' "$separator" "$name"
		cat "$out/$name.json"
		separator=,
	done
	echo '}'
} >$out/known.json
