# Manual pages (mdoc).
dist_man_MANS += \
	man/cputop-icount.1 \
	man/cputop-load.1 \
	man/cputop-snapshot.5 \
	man/cputop-variant.5 \
	man/cputop.1 \
	man/cputoprc.5
