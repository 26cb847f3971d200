# What users run beside cputop.

bashcompdir = $(datadir)/bash-completion/completions
dist_bashcomp_DATA = contrib/completions/cputop.bash
EXTRA_DIST += .ci/run COPYING CONTRIBUTING.md NEWS README.md contrib/get-mysql \
	contrib/quickstart

# JSON Schemas of what cputop writes.
dist_pkgdata_DATA = contrib/check.schema.json contrib/samples.schema.json contrib/sizes.schema.json contrib/snapshot.schema.json
