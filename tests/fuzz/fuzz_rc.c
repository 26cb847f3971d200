/* The rc file, and the command line made of the same lines. */
#include "config.h"

#include <errno.h>

#include "fuzz/fuzz.h"
#include "lib/format.h"
#include "lib/options.h"

#define WORDS_MAX 64

struct target {
	unsigned calls;
	unsigned flags;
};

static int set_number(void *target, const char *value, struct err *err)
{
	double number;

	((struct target *)target)->calls++;
	if (!parse_double(value, &number))
		return err_set(err, -EINVAL, "not a number: '%s'", value);
	return 0;
}

static int set_text(void *target, const char *value, struct err *err)
{
	(void)err;
	((struct target *)target)->calls += value[0] != '\0';
	return 0;
}

static int set_flag(void *target, const char *value, struct err *err)
{
	(void)err;
	FUZZ_CHECK(!value);
	((struct target *)target)->flags++;
	return 0;
}

static const struct option_spec specs[] = {
	{"rate", 'r', "R", NULL, NULL, "", true, set_number, NULL},
	{"repeat", 0, "N", NULL, NULL, "", false, set_number, NULL},
	{"name", 'n', "NAME", NULL, NULL, "", true, set_text, NULL},
	{"batch", 'b', NULL, NULL, NULL, "", true, set_flag, NULL},
};
static const struct option_table table = {"cputop", "cputop", specs,
					  sizeof(specs) / sizeof(specs[0])};

static void parse_words(char *text, size_t size)
{
	char *argv[WORDS_MAX + 1], program[] = "cputop";
	struct target target = {0};
	struct err err = {0};
	int argc = 1, operands = -1, rc;

	argv[0] = program;
	for (size_t i = 0; i < size && argc < WORDS_MAX; i += strlen(text + i) + 1)
		argv[argc++] = text + i;
	argv[argc] = NULL;
	rc = options_parse(&table, &target, argc, argv, &operands, &err);
	fuzz_check_err(rc, &err);
	FUZZ_CHECK(operands >= 0 && operands < argc);
	for (int i = 1; i <= operands; i++)
		FUZZ_CHECK(argv[i] >= text && argv[i] < text + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target target = {0};
	struct err err = {0};
	char *text, *words;
	int rc;

	if (size > FUZZ_MAX)
		return 0;
	text = fuzz_copy(data, size);
	rc = options_rc_text(&table, &target, "rc", text, size, &err);
	fuzz_check_err(rc, &err);
	FUZZ_CHECK(rc < 0 || !memchr(text, '\0', size));
	FUZZ_CHECK(target.calls + target.flags <= size);

	/* the lines as words, each ended by NUL */
	words = xmalloc(size + 1);
	if (size)
		memcpy(words, text, size);
	words[size] = '\0';
	for (size_t i = 0; i < size; i++)
		if (words[i] == '\n')
			words[i] = '\0';
	parse_words(words, size);
	free(words);
	free(text);
	return 0;
}
