#include "config.h"

#include "db/my_result.h"

#include <errno.h>
#include <string.h>

#include "lib/err.h"

#define IS_NULL SIZE_MAX
#define BREAKS  "\n\r\t"
/* of a packet: length and number; the mark of an error, its number, '#' and the state */
#define PACKET_HEAD 4
#define ERROR_MARK  0xff
#define ERROR_HEAD  (PACKET_HEAD + 3)
#define STATE_LEN   5

void my_rows_init(struct my_rows *r)
{
	memset(r, 0, sizeof(*r));
	strbuf_init(&r->text);
}

void my_rows_reset(struct my_rows *r)
{
	r->rows = r->cols = 0;
	r->affected = 0;
	r->at.len = 0;
	strbuf_reset(&r->text);
}

void my_rows_release(struct my_rows *r)
{
	strbuf_release(&r->text);
	vec_release(&r->at);
}

void my_rows_add(struct my_rows *r, const char *text, size_t len)
{
	*vec_push(&r->at) = text ? r->text.len : IS_NULL;
	if (!text)
		return;
	strbuf_add(&r->text, text, len);
	strbuf_addch(&r->text, '\0');
}

void my_rows_read(struct my_rows *r, MYSQL_RES *res)
{
	MYSQL_ROW row;

	my_rows_reset(r);
	r->cols = mysql_num_fields(res);
	while ((row = mysql_fetch_row(res)) != NULL) {
		const unsigned long *lengths = mysql_fetch_lengths(res);

		for (unsigned i = 0; i < r->cols; i++)
			my_rows_add(r, row[i], lengths[i]);
		r->rows++;
	}
}

static const char *field(const struct db_result *result, unsigned row, unsigned col)
{
	const struct my_rows *r = result->driver;
	size_t at = r->at.items[(size_t)row * r->cols + col];

	return at == IS_NULL ? NULL : r->text.buf + at;
}

void my_result_ok(struct db_result *out, const struct my_rows *r)
{
	*out = (struct db_result){
		.status = DB_OK,
		.affected = r->affected,
		.rows = r->rows,
		.cols = r->cols,
		.field = field,
		.driver = r,
	};
}

/* Deadlock, lock time-out, a row that has changed since the snapshot: the same statement may
 * succeed in a moment. */
static bool worth_trying_again(unsigned number)
{
	return number == 1213 || number == 1205 || number == 1020;
}

void my_result_error(struct db_result *out, unsigned number, const char *sqlstate,
		     const struct err *err)
{
	*out = (struct db_result){
		.status = worth_trying_again(number) ? DB_RETRY : DB_ERROR,
		.error = err->text,
		.field = field,
	};
	if (strlen(sqlstate) < sizeof(out->sqlstate))
		memcpy(out->sqlstate, sqlstate, strlen(sqlstate) + 1);
}

bool my_error_is_fatal(unsigned number)
{
	static const unsigned fatal[] = {
		1053,             /* shutdown in progress */
		1927,             /* connection was killed */
		2002, 2003,       /* cannot connect */
		2006, 2013, 2055, /* lost */
		2026,             /* encryption */
		2027,             /* malformed packet */
		4031,             /* idle for too long */
	};

	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		if (fatal[i] == number)
			return true;
	return false;
}

void my_error_line(struct err *err, const char *text)
{
	struct strbuf line;

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

bool my_error_packet(struct err *err, const unsigned char *packet, size_t n)
{
	struct strbuf text;
	size_t at = ERROR_HEAD, end;

	if (n <= ERROR_HEAD || packet[PACKET_HEAD] != ERROR_MARK)
		return false;
	end = PACKET_HEAD + packet[0] + ((size_t)packet[1] << 8) + ((size_t)packet[2] << 16);
	if (packet[at] == '#')
		at += 1 + STATE_LEN;
	if (end > n)
		end = n;
	if (at >= end)
		return false;
	strbuf_init(&text);
	strbuf_add(&text, packet + at, end - at);
	my_error_line(err, text.buf);
	strbuf_release(&text);
	return true;
}
