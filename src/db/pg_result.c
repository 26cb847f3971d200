#include "config.h"

#include "db/pg_result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/err.h"
#include "lib/format.h"
#include "lib/strbuf.h"

#define BREAKS "\n\r\t"

bool pg_result_failed(const PGresult *r)
{
	ExecStatusType status = PQresultStatus(r);

	return status != PGRES_EMPTY_QUERY && status != PGRES_COMMAND_OK &&
	       status != PGRES_TUPLES_OK;
}

bool pg_result_is_copy(const PGresult *r)
{
	ExecStatusType status = PQresultStatus(r);

	return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

bool pg_result_is_fatal(const PGresult *r, struct err *err)
{
	const char *severity = PQresultErrorField(r, PG_DIAG_SEVERITY_NONLOCALIZED);
	const char *message = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);

	if (!severity || !message || strcmp(severity, "FATAL") != 0)
		return false;
	err_set(err, -ECONNRESET, "%s", message);
	return true;
}

void pg_result_keep(PGresult **kept, PGresult *r)
{
	if (*kept && pg_result_failed(*kept)) {
		PQclear(r);
		return;
	}
	PQclear(*kept);
	*kept = r;
}

static const char *field(const struct db_result *result, unsigned row, unsigned col)
{
	const PGresult *r = result->driver;

	if (PQgetisnull(r, (int)row, (int)col))
		return NULL;
	return PQgetvalue(r, (int)row, (int)col);
}

/* Serialisation failure and deadlock: the same statement may succeed in a moment. */
static enum db_status error_status(const char *sqlstate)
{
	if (strcmp(sqlstate, "40001") == 0 || strcmp(sqlstate, "40P01") == 0)
		return DB_RETRY;
	return DB_ERROR;
}

static void read_error(struct db_result *out, const PGresult *r, unsigned offset, struct err *err)
{
	const char *message = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
	const char *detail = PQresultErrorField(r, PG_DIAG_MESSAGE_DETAIL);
	const char *sqlstate = PQresultErrorField(r, PG_DIAG_SQLSTATE);
	const char *position = PQresultErrorField(r, PG_DIAG_STATEMENT_POSITION);
	uint64_t at;

	if (sqlstate && strlen(sqlstate) < sizeof(out->sqlstate))
		memcpy(out->sqlstate, sqlstate, strlen(sqlstate) + 1);
	if (position && parse_u64(position, &at))
		out->error_position = (unsigned)at + offset;
	if (!message)
		pg_error_line(err, PQresultErrorMessage(r));
	else if (detail)
		err_set(err, -EIO, "%s (%s)", message, detail);
	else
		err_set(err, -EIO, "%s", message);
	out->status = error_status(out->sqlstate);
	out->error = err->text;
}

void pg_result_read(struct db_result *out, const PGresult *r, unsigned offset, struct err *err)
{
	memset(out, 0, sizeof(*out));
	out->driver = r;
	out->field = field;
	if (pg_result_failed(r)) {
		read_error(out, r, offset, err);
		return;
	}
	out->rows = (unsigned)PQntuples(r);
	out->cols = (unsigned)PQnfields(r);
	/* PQcmdTuples does not change the result, it only was not declared so */
	if (!parse_u64(PQcmdTuples((PGresult *)r), &out->affected))
		out->affected = 0;
}

void pg_error_line(struct err *err, const char *text)
{
	struct strbuf line;

	/* libpq's lines end with newlines and go on with tabs */
	strbuf_init(&line);
	for (const char *s = text + strspn(text, BREAKS); *s; s += strspn(s, BREAKS)) {
		size_t n = strcspn(s, BREAKS);

		if (line.len > 0)
			strbuf_addstr(&line, "; ");
		strbuf_add(&line, s, n);
		s += n;
	}
	err_set(err, -EIO, "%s", line.len > 0 ? line.buf : "the connection was lost");
	strbuf_release(&line);
}
