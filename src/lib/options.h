/*
 * The option parser. One declarative table of struct option_spec feeds the command line, --help,
 * the environment, the rc file and the test that compares it with the man page. The parser knows
 * nothing of what the options mean: each spec has a function that checks one value and stores it.
 */
#ifndef CPUTOP_OPTIONS_H
#define CPUTOP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct err;
struct strbuf;

enum option_source { OPTION_DEFAULT, OPTION_RC, OPTION_ENV, OPTION_ARGV };

struct option_spec {
	const char *name;     /* long name, without "--" */
	char letter;          /* short name or 0 */
	const char *arg;      /* name of its argument in the help, NULL when it takes none */
	const char *env;      /* variable (also read with the prefix CPUTOP_), NULL for none */
	const char *defaults; /* default as shown in the help, NULL for none */
	const char *help;     /* one line */
	bool in_rc;           /* may stand in the rc file and is written by W */
	/* Checks value (NULL for options without argument; "yes"/"no" in rc and environment are
	 * translated: "no" does not call it) and stores it in target. Returns 0 or -EINVAL with
	 * err: why, without the option's name. */
	int (*set)(void *target, const char *value, struct err *err);
	/* Appends the current value as it would be given, or nothing when it is unset; NULL when
	 * never written. */
	void (*get)(const void *target, struct strbuf *out);
};

struct option_table {
	const char *program;
	const char *usage; /* "cputop [options]\n       cputop ..." */
	const struct option_spec *specs;
	size_t n;
};

/* Parses argv[1..]. GNU style: -x V, -xV, --name V, --name=V, --, unambiguous prefixes of long
 * names, options and operands mixed. *operands is the number of operands, moved to
 * argv[1..*operands] in order. Returns 0 or -EINVAL with err "--rate: not a number: 'x'; see cputop
 * --help" or "unknown option --foo; see ...": what to do is added to the text of the option's set.
 */
int options_parse(const struct option_table *t, void *target, int argc, char **argv, int *operands,
		  struct err *err);
/* Sets each option whose variable (NAME or CPUTOP_NAME, the latter wins) is set and not empty, and
 * tells used(arg, variable) of each. Call before options_parse. */
int options_from_env(const struct option_table *t, void *target, void (*used)(void *, const char *),
		     void *arg, struct err *err);
/* Reads "name = value" lines ('#' comments, blank lines; see cputoprc(5)). A missing file is no
 * error. err names file and line. */
int options_from_rc(const struct option_table *t, void *target, const char *path, struct err *err);
/* Parses rc text of len bytes (for options_from_rc and the fuzzer); name is used in messages. */
int options_rc_text(const struct option_table *t, void *target, const char *name, const char *text,
		    size_t len, struct err *err);
/* Writes all in_rc options with a value, as options_from_rc reads them, beside path and renames;
 * makes the folders above it. 0 or -errno. */
int options_write_rc(const struct option_table *t, const void *target, const char *path,
		     struct err *err);
void options_help(const struct option_table *t, FILE *out);

#endif
