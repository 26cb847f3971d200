#include "config.h"

#include "app/option_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"

int value_number(const char *s, double min, double max, double *out, struct err *err)
{
	double v;

	if (!parse_double(s, &v))
		return err_set(err, -EINVAL, "not a number: '%s'", s);
	if (v < min || v > max)
		return err_set(err, -EINVAL, "%s is out of range; use %.9g to %.9g", s, min, max);
	*out = v;
	return 0;
}

int value_count(const char *s, uint64_t min, uint64_t max, unsigned *out, struct err *err)
{
	uint64_t v;

	if (!parse_u64(s, &v))
		return err_set(err, -EINVAL, "not a whole number: '%s'", s);
	if (v < min || v > max)
		return err_set(err, -EINVAL, "%s is out of range; use %llu to %llu", s,
			       (unsigned long long)min, (unsigned long long)max);
	*out = (unsigned)v;
	return 0;
}

int value_seconds(const char *s, double min, double max, uint64_t *out, struct err *err)
{
	double v = 0;
	int rc = value_number(s, min, max, &v, err);

	if (rc == 0)
		*out = (uint64_t)(v * 1e9 + 0.5);
	return rc;
}

int value_choice(const char *s, const char *first, const char *second, bool *out, struct err *err)
{
	*out = !strcmp(s, second);
	if (*out || !strcmp(s, first))
		return 0;
	return err_set(err, -EINVAL, "'%s' is neither %s nor %s", s, first, second);
}

int value_string(const char *s, char **out, struct err *err)
{
	if (!*s)
		return err_set(err, -EINVAL, "it is empty");
	free(*out);
	*out = xstrdup(s);
	return 0;
}

const char *value_next_item(const char **s, char *buf, size_t size)
{
	size_t n;

	*s += strspn(*s, ", \t");
	n = strcspn(*s, ", \t");
	if (!n)
		return NULL;
	if (n >= size)
		n = size - 1;
	memcpy(buf, *s, n);
	buf[n] = '\0';
	*s += strcspn(*s, ", \t");
	return buf;
}

void put_number(struct strbuf *out, double v)
{
	strbuf_addf(out, "%.9g", v);
}
