/*
 * The names that --set may give. What keeps the server private is cputop's to set: under every name
 * that the server would take for it.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "server/engine.h"

/* Servers take a dash for an underscore, and capitals for small letters. Returns how much of name
 * text begins like it. */
static size_t same_until(const char *text, const char *name)
{
	size_t i = 0;

	for (; text[i] && name[i]; i++) {
		char c = name[i] == '-' ? '_' : name[i];

		if (strncasecmp(text + i, &c, 1) != 0)
			break;
	}
	return i;
}

/* What stands behind the modifiers: port in loose_port. */
static const char *without_modifiers(const struct server_ops *ops, const char *name)
{
	for (const char *const *m = ops->modifiers; m && *m;) {
		size_t len = strlen(*m);

		if (same_until(*m, name) == len && name[len]) {
			name += len;
			m = ops->modifiers;
		} else {
			m++;
		}
	}
	return name;
}

static bool is_reserved(const struct server_ops *ops, const char *name)
{
	for (const char *const *r = ops->reserved; *r; r++) {
		size_t same = same_until(*r, name);

		/* Where a name may be cut short, what is left stands for the whole. */
		if (!name[same] && (!(*r)[same] || ops->modifiers))
			return true;
	}
	return false;
}

bool server_same_setting(const struct server_ops *ops, const char *name, const char *given)
{
	const char *plain = without_modifiers(ops, given);
	size_t same = same_until(name, plain);

	return !name[same] && !plain[same];
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

bool server_names_setting(const struct server_ops *ops, const char *text, const char *name)
{
	const char *plain = without_modifiers(ops, name);
	size_t len = strlen(plain);

	for (const char *at = text; *at; at++) {
		if (same_until(at, plain) == len && !is_name_char(at[len]) &&
		    (at == text || !is_name_char(at[-1])))
			return true;
	}
	return false;
}

int server_check_setting(const struct server_ops *ops, const struct server_setting *set,
			 struct err *err)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	if (!set->name[0] || strspn(set->name, allowed) != strlen(set->name))
		return err_set(err, -EINVAL, "--set: '%s' is not the name of a setting", set->name);
	if (is_reserved(ops, set->name) || is_reserved(ops, without_modifiers(ops, set->name)))
		return err_set(err, -EINVAL,
			       "--set: %s is cputop's to set, to keep the server private",
			       set->name);
	return 0;
}
