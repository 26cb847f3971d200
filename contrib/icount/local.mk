# The icount tool and the command that uses it alone. The tool is a static program on Valgrind's
# core, so it takes none of our flags. Valgrind looks for everything in one folder: links to its own
# files, and the tool; here as icount/ beside cputop, installed as $(pkglibexecdir)/icount.
bin_PROGRAMS += cputop-icount
cputop_icount_SOURCES = contrib/icount/cputop_icount.c
cputop_icount_LDADD = libcputop.a $(UV_LIBS) -lm
noinst_HEADERS = contrib/icount/icount_file.h
EXTRA_DIST += contrib/icount/icount.c

icount_platform = $(ICOUNT_ARCH)-linux
icount_tool = icount/icount-$(icount_platform)
icount_cflags = -O2 -g -std=gnu99 -Wall -fno-strict-aliasing -fno-builtin \
	-fno-stack-protector -fno-pie \
	-I$(VALGRIND_INCLUDE) -I$(top_srcdir)/contrib/icount \
	-DVGA_$(ICOUNT_ARCH)=1 -DVGO_linux=1 -DVGP_$(ICOUNT_ARCH)_linux=1 -DVGPV_$(ICOUNT_ARCH)_linux_vanilla=1
icount_ldflags = -static -no-pie -nodefaultlibs -nostartfiles -u _start \
	-Wl,-Ttext-segment=$(ICOUNT_TEXT) -Wl,--build-id=none
icount_archives = $(VALGRIND_ARCHIVES)/libcoregrind-$(icount_platform).a \
	$(VALGRIND_ARCHIVES)/libvex-$(icount_platform).a

if ICOUNT
noinst_DATA = $(icount_tool)

contrib/icount/icount.o: contrib/icount/icount.c contrib/icount/icount_file.h
	$(AM_V_CC)$(MKDIR_P) contrib/icount && \
	$(CC) $(icount_cflags) -c -o $@ $(srcdir)/contrib/icount/icount.c

$(icount_tool): contrib/icount/icount.o $(icount_archives)
	$(AM_V_CCLD)rm -rf icount && $(MKDIR_P) icount && \
	ln -s $(VALGRIND_LIBEXEC)/* icount/ && rm -f $@ && \
	$(CC) $(icount_ldflags) -o $@ contrib/icount/icount.o $(icount_archives) -lgcc \
		`ls $(VALGRIND_ARCHIVES)/libgcc-sup-$(icount_platform).a 2>/dev/null`

install-exec-local: $(icount_tool)
	$(MKDIR_P) '$(DESTDIR)$(pkglibexecdir)/icount'
	for file in $(VALGRIND_LIBEXEC)/*; do \
		ln -sf "$$file" '$(DESTDIR)$(pkglibexecdir)/icount/' || exit 1; \
	done
	rm -f '$(DESTDIR)$(pkglibexecdir)/$(icount_tool)'
	$(INSTALL_PROGRAM) $(icount_tool) '$(DESTDIR)$(pkglibexecdir)/icount/'

uninstall-local:
	rm -rf '$(DESTDIR)$(pkglibexecdir)/icount'

clean-local:
	rm -rf icount contrib/icount/icount.o
endif
