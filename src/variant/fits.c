/* Whether a variant can do what a workload asks for. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>

#include "lib/err.h"
#include "model/workload.h"
#include "variant/variant.h"

#define PAYLOAD_PARAMETER      4
#define MANY_PAYLOAD_PARAMETER 2

int variant_sql_parameters(const struct variant_sql *sql, enum statement s)
{
	int highest = 0;

	for (const char *c = sql->text[s]; c && *c; c++) {
		if (c[0] != '$' || !isdigit((unsigned char)c[1]) || isdigit((unsigned char)c[2]))
			continue;
		if (c[1] - '0' > highest)
			highest = c[1] - '0';
	}
	return highest;
}

static int missing(const struct variant_sql *sql, enum statement s, const char *option,
		   struct err *err)
{
	return err_set(err, -EINVAL, "%s: %s takes the statement %s; add it, or leave out %s",
		       sql->file, option, statement_name(s), option);
}

static int no_parameter(const struct variant_sql *sql, enum statement s, int number,
			const char *what, const char *option, struct err *err)
{
	return err_set(err, -EINVAL, "%s: the statement %s has no $%d, %s; add it, or leave out %s",
		       sql->file, statement_name(s), number, what, option);
}

static int enqueue_fits(const struct variant_sql *sql, const struct workload *w, struct err *err)
{
	bool many = w->enqueue_batch > 1;
	enum statement enqueue = many ? SQL_ENQUEUE_MANY : SQL_ENQUEUE;
	int payload = many ? MANY_PAYLOAD_PARAMETER : PAYLOAD_PARAMETER;

	if (!sql->text[enqueue])
		return missing(sql, enqueue, "--enqueue-batch", err);
	if (w->enqueue_tx && !sql->text[SQL_OTHER])
		return missing(sql, SQL_OTHER, "--enqueue tx", err);
	if (w->payload_bytes && variant_sql_parameters(sql, enqueue) < payload)
		return no_parameter(sql, enqueue, payload, "the payload", "--payload", err);
	return 0;
}

int variant_fits(const struct variant *v, const struct variant_sql *sql, const struct workload *w,
		 struct err *err)
{
	if (w->completed && !v->history)
		return err_set(
			err, -EINVAL,
			"variant %s keeps no completed jobs (history = no); leave it out, or "
			"leave out --completed",
			v->name);
	if (w->completed && !sql->text[SQL_COMPLETED])
		return missing(sql, SQL_COMPLETED, "--completed", err);
	return enqueue_fits(sql, w, err);
}
