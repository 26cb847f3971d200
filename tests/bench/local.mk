# Figures for people: make bench. Never part of a check; each takes some minutes.
bench_scripts = \
	tests/bench/counting.sh \
	tests/bench/max.sh \
	tests/bench/observe.sh \
	tests/bench/pgbench-replay.sh \
	tests/bench/rate.sh \
	tests/bench/ratio.sh
EXTRA_DIST += $(bench_scripts) tests/bench/bench.sh tests/bench/duel.py \
	tests/bench/counting-guest.sh tests/bench/observe.py

bench: all
	@status=0; for t in $(bench_scripts); do \
		echo "== $$t"; \
		top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
			$(SHELL) '$(srcdir)'/$$t || status=1; \
	done; exit $$status
.PHONY: bench
