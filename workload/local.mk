# cputop-load, and the built-in variants.
variantsdir = $(pkgdatadir)/variants
