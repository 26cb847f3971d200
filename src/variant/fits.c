/* Whether a variant can do what a workload asks for. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>

#include "lib/err.h"
#include "model/workload.h"
#include "variant/variant.h"

#define PAYLOAD_PARAMETER 4
#define KEY_PARAMETER     5

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

	if (!sql->text[enqueue])
		return missing(sql, enqueue, "--enqueue-batch", err);
	if (w->enqueue_tx && !sql->text[SQL_OTHER])
		return missing(sql, SQL_OTHER, "--enqueue tx", err);
	if (many)
		return 0; /* what it takes out of the JSON cannot be seen */
	if (w->payload_bytes && variant_sql_parameters(sql, enqueue) < PAYLOAD_PARAMETER)
		return no_parameter(sql, enqueue, PAYLOAD_PARAMETER, "the payload", "--payload",
				    err);
	if (w->mutex_keys && variant_sql_parameters(sql, enqueue) < KEY_PARAMETER)
		return no_parameter(sql, enqueue, KEY_PARAMETER, "the key", "--mutex-keys", err);
	return 0;
}

static int keys_fit(const struct variant_sql *sql, const struct workload *w, struct err *err)
{
	if (!w->mutex_keys)
		return 0;
	if (!sql->text[SQL_CLAIM_KEYS])
		return missing(sql, SQL_CLAIM_KEYS, "--mutex-keys", err);
	if (!sql->text[SQL_COMPLETE_KEYS])
		return missing(sql, SQL_COMPLETE_KEYS, "--mutex-keys", err);
	if (w->blocked && !sql->text[SQL_HOLD])
		return missing(sql, SQL_HOLD, "--blocked", err);
	if (w->blocked && !sql->text[SQL_KEYED])
		return missing(sql, SQL_KEYED, "--blocked", err);
	if (w->queued && !sql->text[SQL_KEYED])
		return missing(sql, SQL_KEYED, "--queued", err);
	return 0;
}

const char *variant_cannot(const struct variant *v, const struct workload *w, const char **option)
{
	if ((w->completed || w->history_ns) && !v->history) {
		*option = w->completed ? "--completed" : "--history";
		return "keeps no completed jobs (history = no)";
	}
	*option = "--mutex-keys";
	return w->mutex_keys && !v->keys ? "knows no mutex keys (keys = no)" : NULL;
}

int variant_fits(const struct variant *v, const struct variant_sql *sql, const struct workload *w,
		 struct err *err)
{
	const char *option, *cannot = variant_cannot(v, w, &option);

	if (cannot)
		return err_set(err, -EINVAL, "variant %s %s; leave it out, or leave out %s",
			       v->name, cannot, option);
	if (w->history_ns && !sql->text[SQL_PRUNE])
		return missing(sql, SQL_PRUNE, "--history", err);
	if (w->completed && !sql->text[SQL_COMPLETED])
		return missing(sql, SQL_COMPLETED, "--completed", err);
	if (keys_fit(sql, w, err) < 0)
		return -EINVAL;
	return enqueue_fits(sql, w, err);
}
