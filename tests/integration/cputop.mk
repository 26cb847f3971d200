# The whole program with a real PostgreSQL.
integration_scripts += \
	tests/integration/batch.sh \
	tests/integration/dialects.sh \
	tests/integration/encodings.sh \
	tests/integration/errors.sh \
	tests/integration/faults.sh \
	tests/integration/keys.sh \
	tests/integration/live.sh \
	tests/integration/live_faults.sh \
	tests/integration/filled.sh tests/integration/once.sh \
	tests/integration/once.sh \
	tests/integration/plans.sh \
	tests/integration/signals.sh \
	tests/integration/soak.sh \
	tests/integration/switch.sh \
	tests/integration/watching.sh \
	tests/integration/work.sh
EXTRA_DIST += tests/integration/cputop.sh tests/lib/jq.py tests/lib/ours.py tests/lib/screen.py
root_scripts += tests/integration/root_clocks.sh tests/integration/root_errors.sh
