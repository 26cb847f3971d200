# What users run beside cputop.

bashcompdir = $(datadir)/bash-completion/completions
dist_bashcomp_DATA = contrib/completions/cputop.bash
EXTRA_DIST += .ci/run COPYING CONTRIBUTING.md NEWS README.md contrib/quickstart
