# Lint: the sources themselves, read with find and awk.
lint_scripts = \
	tests/lint/banned.sh \
	tests/lint/format.sh \
	tests/lint/headers.sh \
	tests/lint/includes.sh \
	tests/lint/man.sh \
	tests/lint/selftest.sh \
	tests/lint/sizes.sh
TESTS += $(lint_scripts)
EXTRA_DIST += $(lint_scripts) .clang-format .editorconfig tests/lib/tap.sh \
	tests/lint/banned.awk \
	tests/lint/includes.awk \
	tests/lint/lint.sh \
	tests/lint/sizes.awk \
	tests/lint/strip.awk
