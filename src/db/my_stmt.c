#include "config.h"

#include "db/my_stmt.h"

#include <stdlib.h>
#include <string.h>

#include "db/driver.h"
#include "db/my_result.h"
#include "lib/xalloc.h"

#define COLUMN_SIZE 64

/* my_bool of MariaDB's library, bool of Oracle's. */
typedef __typeof__(*((MYSQL_BIND *)NULL)->is_null) flag;

/* What a fetch writes to: the field's text, or its beginning. */
struct my_column {
	char text[COLUMN_SIZE];
	unsigned long length; /* of the whole */
	flag null, cut;
};

/* ---- parameters ---- */

/* False when there are too many. */
static bool translate(struct my_stmt *s, const char *sql)
{
	size_t from = 0, at = 0, end;
	unsigned number;

	while ((number = db_script_parameter_my(sql, &at, &end)) > 0) {
		if (s->nmarks == MY_MARKS_MAX)
			return false;
		s->number[s->nmarks++] = (unsigned char)number;
		strbuf_add(&s->sql, sql + from, at - from);
		strbuf_addch(&s->sql, '?');
		from = at = end;
	}
	strbuf_addstr(&s->sql, sql + from);
	return true;
}

static void add_literal(struct strbuf *out, MYSQL *mysql, const char *value)
{
	size_t len = strlen(value);
	char *escaped = xmalloc(2 * len + 1);

	strbuf_addch(out, '\'');
	strbuf_add(out, escaped, mysql_real_escape_string(mysql, escaped, value, len));
	strbuf_addch(out, '\'');
	free(escaped);
}

void my_literals(struct strbuf *out, MYSQL *mysql, const char *sql, int nparams,
		 const char *const *params)
{
	size_t from = 0, at = 0, end;
	unsigned number;

	while ((number = db_script_parameter_my(sql, &at, &end)) > 0) {
		strbuf_add(out, sql + from, at - from);
		if ((int)number <= nparams && params[number - 1])
			add_literal(out, mysql, params[number - 1]);
		else
			strbuf_addstr(out, "null");
		from = at = end;
	}
	strbuf_addstr(out, sql + from);
}

/* The values move while they are gathered: they are pointed to afterwards. */
bool my_stmt_bind(struct my_stmt *s, int nparams, const char *const *params)
{
	size_t at = 0;

	memset(s->marks, 0, sizeof(s->marks));
	strbuf_reset(&s->values);
	for (unsigned i = 0; i < s->nmarks; i++) {
		const char *value = s->number[i] <= nparams ? params[s->number[i] - 1] : NULL;

		s->marks[i].buffer_type = value ? MYSQL_TYPE_STRING : MYSQL_TYPE_NULL;
		s->marks[i].buffer_length = value ? strlen(value) : 0;
		if (value)
			strbuf_addstr(&s->values, value);
	}
	for (unsigned i = 0; i < s->nmarks; i++) {
		s->marks[i].buffer = s->values.buf + at;
		at += s->marks[i].buffer_length;
	}
	return s->nmarks == 0 || !mysql_stmt_bind_param(s->stmt, s->marks);
}

/* ---- results ---- */

static bool bind_columns(struct my_stmt *s, unsigned n)
{
	if (n > s->ncolumns) {
		s->columns = xreallocarray(s->columns, n, sizeof(*s->columns));
		s->results = xreallocarray(s->results, n, sizeof(*s->results));
		s->ncolumns = n;
	}
	memset(s->results, 0, n * sizeof(*s->results));
	for (unsigned i = 0; i < n; i++) {
		s->results[i].buffer_type = MYSQL_TYPE_STRING;
		s->results[i].buffer = s->columns[i].text;
		s->results[i].buffer_length = COLUMN_SIZE;
		s->results[i].length = &s->columns[i].length;
		s->results[i].is_null = &s->columns[i].null;
		s->results[i].error = &s->columns[i].cut;
	}
	return !mysql_stmt_bind_result(s->stmt, s->results);
}

/* A field that did not fit is fetched again, by itself. */
static void add_long(struct my_stmt *s, unsigned i, struct my_rows *rows)
{
	unsigned long length = s->columns[i].length;
	char *text = xmalloc(length + 1);
	flag null = 0, cut = 0;
	MYSQL_BIND bind = {
		.buffer_type = MYSQL_TYPE_STRING,
		.buffer = text,
		.buffer_length = length + 1,
		.length = &length,
		.is_null = &null,
		.error = &cut,
	};

	if (mysql_stmt_fetch_column(s->stmt, &bind, i, 0) == 0)
		my_rows_add(rows, text, length);
	else
		my_rows_add(rows, s->columns[i].text, COLUMN_SIZE);
	free(text);
}

bool my_stmt_read(struct my_stmt *s, struct my_rows *rows)
{
	int rc = 0;

	my_rows_reset(rows);
	rows->cols = mysql_stmt_field_count(s->stmt);
	if (!bind_columns(s, rows->cols))
		return false;
	while ((rc = mysql_stmt_fetch(s->stmt)) == 0 || rc == MYSQL_DATA_TRUNCATED) {
		for (unsigned i = 0; i < rows->cols; i++) {
			const struct my_column *c = &s->columns[i];

			if (c->null)
				my_rows_add(rows, NULL, 0);
			else if (c->length <= COLUMN_SIZE)
				my_rows_add(rows, c->text, c->length);
			else
				add_long(s, i, rows);
		}
		rows->rows++;
	}
	return rc == MYSQL_NO_DATA;
}

/* ---- life ---- */

struct my_stmt *my_stmt_new(MYSQL *mysql, const char *name, const char *sql)
{
	struct my_stmt *s = xcalloc(1, sizeof(*s));

	s->name = xstrdup(name);
	strbuf_init(&s->sql);
	strbuf_init(&s->values);
	s->stmt = mysql_stmt_init(mysql);
	if (s->stmt && translate(s, sql))
		return s;
	my_stmt_free(s);
	return NULL;
}

void my_stmt_free(struct my_stmt *s)
{
	if (!s)
		return;
	if (s->stmt)
		mysql_stmt_close(s->stmt);
	strbuf_release(&s->sql);
	strbuf_release(&s->values);
	free(s->columns);
	free(s->results);
	free(s->name);
	free(s);
}
