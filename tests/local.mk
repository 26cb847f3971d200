# Tests. make check: unit, cli, lint, corpus, term (no server, no root). make check-integration: PostgreSQL.
TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/contrib/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
AM_TESTS_ENVIRONMENT = CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	CC='$(CC)'; export CC;

include tests/unit/local.mk
include tests/cli/local.mk
include tests/lint/local.mk
include tests/term/local.mk
include tests/fuzz/local.mk
include tests/integration/local.mk
include tests/pmu/local.mk
include tests/bench/local.mk

# The same with Oracle's client for MySQL, in a Debian of its own; as root.
check-oracle:
	$(top_srcdir)/tests/oracle.sh
EXTRA_DIST += tests/oracle.sh
.PHONY: check-oracle
