# The command line: no server, no terminal.
cli_scripts = \
	tests/cli/check.sh \
	tests/cli/completion.sh \
	tests/cli/get-mysql.sh \
	tests/cli/help-vs-man.sh \
	tests/cli/options.sh \
	tests/cli/rcfile.sh
TESTS += $(cli_scripts)
EXTRA_DIST += $(cli_scripts) tests/lib/tap.sh
include tests/cli/schema.mk
