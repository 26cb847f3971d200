/* The command line and the environment. A message about a value comes from the option's own
 * function; what is added here is whose value it is and where to look. */
#include "config.h"

#include "lib/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/options_internal.h"
#include "lib/strbuf.h"

struct parse {
	const struct option_table *table;
	void *target;
	int argc;
	char **argv;
	int next; /* the next argument to look at */
	int operands;
	struct err *err;
};

static int complain(struct err *err, const struct option_table *t, const char *what)
{
	return err_set(err, -EINVAL, "%s; see %s --help", what, t->program);
}

int option_set_text(const struct option_spec *spec, void *target, const char *value,
		    struct err *err)
{
	if (spec->arg)
		return spec->set(target, value, err);
	if (strcmp(value, "yes") == 0)
		return spec->set(target, NULL, err);
	if (strcmp(value, "no") == 0)
		return 0;
	return err_set(err, -EINVAL, "not yes or no: '%s'", value);
}

/* Stores a value given on the command line. */
static int apply(struct parse *p, const struct option_spec *spec, const char *value)
{
	struct err why = {0};

	if (spec->set(p->target, value, &why) == 0)
		return 0;
	return err_set(p->err, -EINVAL, "--%s: %s; see %s --help", spec->name, why.text,
		       p->table->program);
}

static const char *take_argument(struct parse *p)
{
	return p->next < p->argc ? p->argv[p->next++] : NULL;
}

static int missing_value(struct parse *p, const struct option_spec *spec)
{
	return err_set(p->err, -EINVAL, "--%s needs a value (%s); see %s --help", spec->name,
		       spec->arg, p->table->program);
}

static int ambiguous(struct parse *p, const char *name, size_t len)
{
	const struct option_table *t = p->table;
	const char *separator = ": ";
	struct strbuf text;
	int rc;

	strbuf_init(&text);
	strbuf_addf(&text, "option --%.*s may mean several", (int)len, name);
	for (size_t i = 0; i < t->n; i++) {
		if (strncmp(t->specs[i].name, name, len) == 0) {
			strbuf_addf(&text, "%s--%s", separator, t->specs[i].name);
			separator = ", ";
		}
	}
	rc = complain(p->err, t, text.buf);
	strbuf_release(&text);
	return rc;
}

/* The option of this name or with this beginning; NULL with err otherwise. */
static const struct option_spec *find_long(struct parse *p, const char *name, size_t len)
{
	const struct option_table *t = p->table;
	const struct option_spec *found = NULL;
	size_t matches = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (strncmp(t->specs[i].name, name, len) != 0)
			continue;
		if (t->specs[i].name[len] == '\0')
			return &t->specs[i];
		found = &t->specs[i];
		matches++;
	}
	if (matches == 1)
		return found;
	if (matches)
		ambiguous(p, name, len);
	else
		err_set(p->err, -EINVAL, "unknown option --%.*s; see %s --help", (int)len, name,
			t->program);
	return NULL;
}

static int parse_long(struct parse *p, const char *text)
{
	size_t len = strcspn(text, "=");
	const char *value = text[len] ? text + len + 1 : NULL;
	const struct option_spec *spec = find_long(p, text, len);

	if (!spec)
		return -EINVAL;
	if (!spec->arg && value)
		return err_set(p->err, -EINVAL, "--%s takes no value; see %s --help", spec->name,
			       p->table->program);
	if (spec->arg && !value)
		value = take_argument(p);
	if (spec->arg && !value)
		return missing_value(p, spec);
	return apply(p, spec, value);
}

static const struct option_spec *find_letter(const struct option_table *t, char letter)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->specs[i].letter && t->specs[i].letter == letter)
			return &t->specs[i];
	return NULL;
}

/* "bn5": each letter without argument is followed by the next one, the first with an argument takes
 * the rest, or the next word. */
static int parse_letters(struct parse *p, const char *letters)
{
	for (; *letters; letters++) {
		const struct option_spec *spec = find_letter(p->table, *letters);
		const char *value;
		int rc;

		if (!spec)
			return err_set(p->err, -EINVAL, "unknown option -%c; see %s --help",
				       *letters, p->table->program);
		if (spec->arg) {
			value = letters[1] ? letters + 1 : take_argument(p);
			return value ? apply(p, spec, value) : missing_value(p, spec);
		}
		rc = apply(p, spec, NULL);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Operands move to the front; their place was read already, so nothing unread is overwritten. */
static void keep_operand(struct parse *p, char *word)
{
	p->argv[1 + p->operands++] = word;
}

int options_parse(const struct option_table *t, void *target, int argc, char **argv, int *operands,
		  struct err *err)
{
	struct parse p = {t, target, argc, argv, 1, 0, err};
	int rc = 0;

	while (rc == 0 && p.next < argc) {
		char *word = argv[p.next++];

		if (strcmp(word, "--") == 0) {
			while (p.next < argc)
				keep_operand(&p, argv[p.next++]);
		} else if (strncmp(word, "--", 2) == 0) {
			rc = parse_long(&p, word + 2);
		} else if (word[0] == '-' && word[1]) {
			rc = parse_letters(&p, word + 1);
		} else {
			keep_operand(&p, word);
		}
	}
	*operands = p.operands;
	return rc;
}

/* The value of NAME or CPUTOP_NAME, the latter first; *variable is the one that is set. */
static const char *from_env(const char *name, struct strbuf *variable)
{
	const char *value;

	strbuf_reset(variable);
	if (strncmp(name, "CPUTOP_", 7) != 0)
		strbuf_addstr(variable, "CPUTOP_");
	strbuf_addstr(variable, name);
	value = getenv(variable->buf);
	if (value && *value)
		return value;
	strbuf_reset(variable);
	strbuf_addstr(variable, name);
	value = getenv(name);
	return value && *value ? value : NULL;
}

int options_from_env(const struct option_table *t, void *target, void (*used)(void *, const char *),
		     void *arg, struct err *err)
{
	struct strbuf variable;
	int rc = 0;

	strbuf_init(&variable);
	for (size_t i = 0; rc == 0 && i < t->n; i++) {
		const struct option_spec *spec = &t->specs[i];
		const char *value = spec->env ? from_env(spec->env, &variable) : NULL;
		struct err why = {0};

		if (!value)
			continue;
		if (option_set_text(spec, target, value, &why) < 0)
			rc = err_set(err, -EINVAL, "variable %s: %s; see %s --help", variable.buf,
				     why.text, t->program);
		else if (used)
			used(arg, variable.buf);
	}
	strbuf_release(&variable);
	return rc;
}
