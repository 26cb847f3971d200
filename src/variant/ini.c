#include "config.h"

#include "variant/ini.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/xalloc.h"
#include "model/variant.h"

/* Each key with the values it may have. */
static int set_title(struct variant *v, const char *value, struct err *err)
{
	if (!value[0] || strlen(value) >= sizeof(v->title))
		return err_set(err, -EINVAL, "title takes 1 to %zu characters",
			       sizeof(v->title) - 1);
	memcpy(v->title, value, strlen(value) + 1);
	return 0;
}

static int set_claim(struct variant *v, const char *value, struct err *err)
{
	if (strcmp(value, "shared") == 0)
		v->claim = CLAIM_SHARED;
	else if (strcmp(value, "per-name") == 0)
		v->claim = CLAIM_PER_NAME;
	else
		return err_set(err, -EINVAL, "claim is shared or per-name, not '%s'", value);
	return 0;
}

static int set_complete(struct variant *v, const char *value, struct err *err)
{
	if (strcmp(value, "single") == 0)
		v->complete = COMPLETE_SINGLE;
	else if (strcmp(value, "batch") == 0)
		v->complete = COMPLETE_BATCH;
	else
		return err_set(err, -EINVAL, "complete is single or batch, not '%s'", value);
	return 0;
}

static int set_like(struct variant *v, const char *value, struct err *err)
{
	if (!value[0] || value[0] == '.' || strchr(value, '/') || strlen(value) >= sizeof(v->like))
		return err_set(err, -EINVAL, "like takes the name of a built-in variant");
	memcpy(v->like, value, strlen(value) + 1);
	return 0;
}

static int yes_no(bool *out, const char *key, const char *value, struct err *err)
{
	*out = strcmp(value, "yes") == 0;
	if (*out || strcmp(value, "no") == 0)
		return 0;
	return err_set(err, -EINVAL, "%s is yes or no, not '%s'", key, value);
}

static int set_prepared(struct variant *v, const char *value, struct err *err)
{
	return yes_no(&v->prepared, "prepared", value, err);
}

static int set_keys(struct variant *v, const char *value, struct err *err)
{
	return yes_no(&v->keys, "keys", value, err);
}

static int set_history(struct variant *v, const char *value, struct err *err)
{
	return yes_no(&v->history, "history", value, err);
}

static const struct ini_key {
	const char *name;
	bool required;
	int (*set)(struct variant *v, const char *value, struct err *err);
} ini_keys[] = {
	{"title", true, set_title},        {"claim", true, set_claim},
	{"complete", false, set_complete}, {"prepared", false, set_prepared},
	{"keys", false, set_keys},         {"like", false, set_like},
	{"history", false, set_history},
};
#define INI_KEYS (sizeof(ini_keys) / sizeof(ini_keys[0]))

/* Cuts blanks off both ends, in place. */
static char *trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

static void cut_comment(char *s)
{
	for (char *c = s; *c; c++)
		if ((*c == '#' || *c == ';') && (c == s || isspace((unsigned char)c[-1]))) {
			*c = '\0';
			return;
		}
}

static int set_key(struct variant *v, unsigned *seen, const char *key, const char *value,
		   struct err *err)
{
	for (size_t i = 0; i < INI_KEYS; i++) {
		if (strcmp(ini_keys[i].name, key) != 0)
			continue;
		if (*seen & 1u << i)
			return err_set(err, -EINVAL, "%s is there twice; take one away", key);
		*seen |= 1u << i;
		return ini_keys[i].set(v, value, err);
	}
	return err_set(err, -EINVAL,
		       "unknown key '%s'; there are title, claim, complete, prepared, keys, "
		       "like and history",
		       key);
}

static int section(const char *line, bool *in_section, struct err *err)
{
	if (strcmp(line, "[external]") == 0)
		return err_set(err, -EINVAL,
			       "external variants are not known to this version; write SQL");
	if (strcmp(line, "[variant]") != 0)
		return err_set(err, -EINVAL, "unknown section %s; there is [variant]", line);
	if (*in_section)
		return err_set(err, -EINVAL, "[variant] is there twice; take one away");
	*in_section = true;
	return 0;
}

static int parse_line(struct variant *v, unsigned *seen, bool *in_section, char *line,
		      struct err *err)
{
	char *value;

	cut_comment(line);
	line = trim(line);
	if (!*line)
		return 0;
	if (*line == '[')
		return section(line, in_section, err);
	value = strchr(line, '=');
	if (!value)
		return err_set(err, -EINVAL, "'%s' is not \"name = value\"", line);
	if (!*in_section)
		return err_set(err, -EINVAL, "'%s' stands before [variant]", line);
	*value++ = '\0';
	return set_key(v, seen, trim(line), trim(value), err);
}

static int check_required(unsigned seen, const char *file, struct err *err)
{
	for (size_t i = 0; i < INI_KEYS; i++)
		if (ini_keys[i].required && !(seen & 1u << i))
			return err_set(err, -EINVAL, "%s: %s is missing in [variant]; add it", file,
				       ini_keys[i].name);
	return 0;
}

int ini_parse(struct variant *v, const char *file, const char *text, size_t len, struct err *err)
{
	bool in_section = false;
	unsigned seen = 0, number = 0;
	int rc = 0;

	v->claim = CLAIM_SHARED;
	v->complete = COMPLETE_SINGLE;
	v->prepared = v->history = true;
	v->keys = false;
	while (len > 0 && rc == 0) {
		const char *newline = memchr(text, '\n', len);
		size_t n = newline ? (size_t)(newline - text) : len;
		char *line = xstrndup(text, n);

		number++;
		rc = parse_line(v, &seen, &in_section, line, err);
		if (rc < 0)
			err_prefix(err, "%s:%u", file, number);
		free(line);
		n += newline ? 1 : 0;
		text += n;
		len -= n;
	}
	return rc < 0 ? rc : check_required(seen, file, err);
}
