# The live screen in a terminal, without a server.
term_scripts = tests/term/faults.sh tests/unit/startup.sh
TESTS += $(term_scripts)
EXTRA_DIST += $(term_scripts) tests/term/term.sh tests/lib/pty_faults.py
