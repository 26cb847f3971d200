#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "variant/variant.h"

#define LIMIT          ":limit"
#define SQL_FILE_MAX   (1 << 20)
#define LIKE_DEPTH_MAX 4

const char *statement_name(enum statement s)
{
	static const char *const names[STATEMENT_COUNT] = {
		[SQL_SETUP] = "setup",
		[SQL_PREFILL] = "prefill",
		[SQL_COMPLETED] = "completed",
		[SQL_INDEX] = "index",
		[SQL_ENQUEUE] = "enqueue",
		[SQL_ENQUEUE_MANY] = "enqueue_many",
		[SQL_OTHER] = "other",
		[SQL_CLAIM] = "claim",
		[SQL_CLAIMED] = "claimed",
		[SQL_COMPLETE] = "complete",
		[SQL_CLAIM_KEYS] = "claim_keys",
		[SQL_CLAIMED_KEYS] = "claimed_keys",
		[SQL_COMPLETE_KEYS] = "complete_keys",
		[SQL_ROUTINE_CLAIM] = "routine_claim",
		[SQL_ROUTINE_COMPLETE] = "routine_complete",
		[SQL_HOLD] = "hold",
		[SQL_KEYED] = "keyed",
		[SQL_PRUNE] = "prune",
		[SQL_RESCUE] = "rescue",
		[SQL_SETTLE] = "settle",
		[SQL_CHECK] = "check",
		[SQL_LISTEN] = "listen",
	};

	return s < STATEMENT_COUNT ? names[s] : "?";
}

bool statement_needed(enum statement s, enum dialect d)
{
	static const bool optional[STATEMENT_COUNT] = {
		[SQL_COMPLETED] = true,     [SQL_INDEX] = true,
		[SQL_ENQUEUE_MANY] = true,  [SQL_OTHER] = true,
		[SQL_CLAIMED] = true,       [SQL_CLAIM_KEYS] = true,
		[SQL_CLAIMED_KEYS] = true,  [SQL_COMPLETE_KEYS] = true,
		[SQL_ROUTINE_CLAIM] = true, [SQL_ROUTINE_COMPLETE] = true,
		[SQL_HOLD] = true,          [SQL_KEYED] = true,
		[SQL_PRUNE] = true,         [SQL_RESCUE] = true,
	};

	return s == SQL_LISTEN ? dialect_notifies(d) : !optional[s];
}

static bool statement_parse(const char *name, size_t len, enum statement *out)
{
	for (unsigned s = 0; s < STATEMENT_COUNT; s++)
		if (strlen(statement_name(s)) == len &&
		    strncmp(statement_name(s), name, len) == 0) {
			*out = s;
			return true;
		}
	return false;
}

void variant_sql_release(struct variant_sql *sql)
{
	for (unsigned s = 0; s < STATEMENT_COUNT; s++) {
		free(sql->text[s]);
		free(sql->from[s]);
		sql->text[s] = sql->from[s] = NULL;
	}
}

/* A line of the file, without its newline. */
struct line {
	const char *text;
	size_t len;
	unsigned number; /* from 1 */
};

/* Takes the next line off text; false at its end. */
static bool next_line(const char **text, size_t *len, struct line *line)
{
	const char *newline;

	if (*len == 0)
		return false;
	newline = memchr(*text, '\n', *len);
	line->text = *text;
	line->len = newline ? (size_t)(newline - *text) : *len;
	line->number++;
	*text += line->len + (newline ? 1 : 0);
	*len -= line->len + (newline ? 1 : 0);
	return true;
}

static bool is_blank(const struct line *line)
{
	for (size_t i = 0; i < line->len; i++)
		if (!isspace((unsigned char)line->text[i]))
			return false;
	return true;
}

static bool is_comment(const struct line *line)
{
	return line->len >= 2 && memcmp(line->text, "--", 2) == 0;
}

/* The name in "-- :NAME ..."; 0 when the line is another. */
static size_t header(const struct line *line, const char **name)
{
	size_t i = 2, n = 0;

	if (!is_comment(line))
		return 0;
	while (i < line->len && (line->text[i] == ' ' || line->text[i] == '\t'))
		i++;
	if (i >= line->len || line->text[i] != ':')
		return 0;
	*name = line->text + ++i;
	while (i + n < line->len && !isspace((unsigned char)line->text[i + n]))
		n++;
	return n;
}

/* Ends a statement: takes blanks and semicolons off its end. */
static int finish(struct variant_sql *sql, enum statement s, unsigned header_line,
		  struct strbuf *body, struct err *err)
{
	while (body->len > 0 && (isspace((unsigned char)body->buf[body->len - 1]) ||
				 body->buf[body->len - 1] == ';'))
		body->buf[--body->len] = '\0';
	if (body->len == 0)
		return err_set(err, -EINVAL, "%s:%u: statement %s is empty; write its SQL below",
			       sql->file, header_line, statement_name(s));
	sql->text[s] = strbuf_detach(body);
	sql->from[s] = xstrdup(sql->file);
	return 0;
}

static int begin(struct variant_sql *sql, enum statement *s, const struct line *line,
		 const char *name, size_t len, struct err *err)
{
	if (!statement_parse(name, len, s))
		return err_set(err, -EINVAL, "%s:%u: unknown statement '%.*s'", sql->file,
			       line->number, (int)(len < 40 ? len : 40), name);
	if (sql->text[*s])
		return err_set(
			err, -EINVAL,
			"%s:%u: statement %s is there twice (first at line %u); take one away",
			sql->file, line->number, statement_name(*s), sql->line[*s]);
	return 0;
}

/* Adds a line to the statement; its text begins at the first that is not blank. */
static void add_line(struct variant_sql *sql, enum statement s, const struct line *line,
		     struct strbuf *body)
{
	if (body->len == 0 && is_blank(line))
		return;
	if (body->len == 0)
		sql->line[s] = line->number;
	strbuf_add(body, line->text, line->len);
	strbuf_addch(body, '\n');
}

static int parse_lines(struct variant_sql *sql, const char *text, size_t len, struct strbuf *body,
		       struct err *err)
{
	enum statement s = STATEMENT_COUNT;
	struct line line = {NULL, 0, 0};
	unsigned header_line = 0;
	const char *name = NULL;
	size_t n;
	int rc = 0;

	while (rc == 0 && next_line(&text, &len, &line)) {
		n = header(&line, &name);
		if (n > 0) {
			if (s != STATEMENT_COUNT)
				rc = finish(sql, s, header_line, body, err);
			header_line = line.number;
			rc = rc < 0 ? rc : begin(sql, &s, &line, name, n, err);
		} else if (s != STATEMENT_COUNT) {
			add_line(sql, s, &line, body);
		} else if (!is_blank(&line) && !is_comment(&line)) {
			rc = err_set(err, -EINVAL,
				     "%s:%u: this stands before the first \"-- :NAME\" line; say "
				     "which statement it is",
				     sql->file, line.number);
		}
	}
	if (rc == 0 && s != STATEMENT_COUNT)
		rc = finish(sql, s, header_line, body, err);
	return rc;
}

/* All that this dialect needs is there, and nothing that it has no use for. */
static int check_complete(const struct variant_sql *sql, enum dialect d, struct err *err)
{
	for (unsigned s = 0; s < STATEMENT_COUNT; s++) {
		if (statement_needed(s, d) && !sql->text[s])
			return err_set(err, -EINVAL,
				       "%s: statement %s is missing; add it below a line \"-- "
				       ":%s\"",
				       sql->file, statement_name(s), statement_name(s));
	}
	if (!dialect_notifies(d) && sql->text[SQL_LISTEN])
		return err_set(err, -EINVAL,
			       "%s:%u: %s has no way to listen; take the statement listen away "
			       "(cputop wakes the worker)",
			       sql->file, sql->line[SQL_LISTEN], dialect_name(d));
	return 0;
}

/* What the text has, whole or not. */
static int parse(struct variant_sql *sql, const char *file, const char *text, size_t len,
		 struct err *err)
{
	struct strbuf body;
	int rc;

	memset(sql, 0, sizeof(*sql));
	if (strlen(file) >= sizeof(sql->file))
		return err_set(err, -ENAMETOOLONG, "the path of %.40s... is too long", file);
	memcpy(sql->file, file, strlen(file) + 1);
	if (memchr(text, '\0', len))
		return err_set(err, -EINVAL, "%s: holds a NUL byte; it must be text", file);
	strbuf_init(&body);
	rc = parse_lines(sql, text, len, &body, err);
	strbuf_release(&body);
	return rc;
}

int variant_parse_sql(struct variant_sql *sql, enum dialect d, const char *file, const char *text,
		      size_t len, struct err *err)
{
	int rc = parse(sql, file, text, len, err);

	if (rc == 0)
		rc = check_complete(sql, d, err);
	if (rc < 0)
		variant_sql_release(sql);
	return rc;
}

/* Takes what sql does not have from like, which loses it. */
static void inherit(struct variant_sql *sql, struct variant_sql *like)
{
	bool own_claim = sql->text[SQL_CLAIM] != NULL;
	bool own_keys = sql->text[SQL_CLAIM_KEYS] != NULL;

	for (unsigned s = 0; s < STATEMENT_COUNT; s++) {
		if (sql->text[s] || (s == SQL_CLAIMED && own_claim) ||
		    (s == SQL_CLAIMED_KEYS && own_keys))
			continue;
		sql->text[s] = like->text[s];
		sql->from[s] = like->from[s];
		sql->line[s] = like->line[s];
		like->text[s] = like->from[s] = NULL;
	}
}

static int load(struct variant_sql *sql, const struct variant *v, enum dialect d, unsigned depth,
		struct err *err);

static int load_like(struct variant_sql *sql, const struct variant *v, enum dialect d,
		     unsigned depth, struct err *err)
{
	struct variant *like = xcalloc(1, sizeof(*like));
	struct variant_sql *theirs = xcalloc(1, sizeof(*theirs));
	int rc;

	if (depth == LIKE_DEPTH_MAX)
		rc = err_set(err, -ELOOP, "%s: like = %s leads in a circle; name another", v->dir,
			     v->like);
	else
		rc = variant_load(like, v->like, err);
	if (rc == 0)
		rc = load(theirs, like, d, depth + 1, err);
	if (rc == 0)
		inherit(sql, theirs);
	variant_sql_release(theirs);
	free(theirs);
	free(like);
	return rc;
}

/* The statements of a variant's file, with those of the one that it is like. */
static int load(struct variant_sql *sql, const struct variant *v, enum dialect d, unsigned depth,
		struct err *err)
{
	struct strbuf text;
	char *file = xasprintf("%s/%s.sql", v->dir, dialect_name(d));
	int rc;

	memset(sql, 0, sizeof(*sql));
	strbuf_init(&text);
	rc = strbuf_read_file(&text, file, SQL_FILE_MAX);
	if (rc == -ENOENT && v->like[0])
		rc = parse(sql, file, "", 0, err);
	else if (rc == -ENOENT)
		err_set(err, rc, "variant %s has no SQL for %s; write %s", v->name, dialect_name(d),
			file);
	else if (rc < 0)
		err_set(err, rc, "cannot read %s: %s", file, strerror(-rc));
	else
		rc = parse(sql, file, text.buf, text.len, err);
	strbuf_release(&text);
	free(file);
	if (rc == 0 && v->like[0])
		rc = load_like(sql, v, d, depth, err);
	return rc;
}

int variant_load_sql(struct variant_sql *sql, const struct variant *v, enum dialect d,
		     struct err *err)
{
	int rc = load(sql, v, d, 0, err);

	if (rc == 0)
		rc = check_complete(sql, d, err);
	if (rc < 0)
		variant_sql_release(sql);
	return rc;
}

static bool limit_at(const char *text, const char *at)
{
	unsigned char after = (unsigned char)at[strlen(LIMIT)];

	return !(at > text && at[-1] == ':') && !isalnum(after) && after != '_';
}

void variant_sql_claim(const struct variant_sql *sql, enum statement s, unsigned limit,
		       struct strbuf *out)
{
	const char *text = sql->text[s], *from = text, *at = strstr(text, LIMIT);

	for (; at; at = strstr(at + 1, LIMIT)) {
		if (!limit_at(text, at))
			continue;
		strbuf_add(out, from, (size_t)(at - from));
		strbuf_addf(out, "%u", limit);
		from = at + strlen(LIMIT);
	}
	strbuf_addstr(out, from);
}

void variant_sql_error(struct err *err, const struct variant_sql *sql, enum statement s,
		       const char *sent, unsigned position, const char *message)
{
	unsigned line = sql->line[s], characters = 1;

	for (const char *c = sent; *c && characters < position; c++) {
		line += *c == '\n';
		characters += ((unsigned char)c[1] & 0xc0) != 0x80;
	}
	err_set(err, -EIO, "%s:%u: statement %s failed: %s",
		sql->from[s] ? sql->from[s] : sql->file, line, statement_name(s), message);
}
