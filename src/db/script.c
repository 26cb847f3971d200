/*
 * Splitting a script at its semicolons, as much of SQL's lexical rules as that takes: quotes
 * ('...', "...", E'...'), dollar quotes ($tag$...$tag$), "--" comments and nested block comments.
 * MySQL and MariaDB have `...` as well, "#" comments and backslashes in all strings, no dollar
 * quotes, and block comments that do not nest.
 * Each skip_ function takes the index of the first byte of its piece and gives that of the first
 * byte behind it; a piece without an end goes to the end of the text, and the server says what it
 * thinks of it.
 */
#include "config.h"

#include "db/driver.h"

#include <ctype.h>
#include <string.h>

static bool word_byte(unsigned char c)
{
	return isalnum(c) || c == '_' || c >= 0x80;
}

static size_t skip_line(const char *s, size_t i)
{
	while (s[i] && s[i] != '\n')
		i++;
	return i;
}

static size_t skip_block(const char *s, size_t i, bool nested)
{
	unsigned depth = 0;

	while (s[i]) {
		if (s[i] == '/' && s[i + 1] == '*' && (nested || depth == 0)) {
			depth++;
			i += 2;
		} else if (s[i] == '*' && s[i + 1] == '/') {
			i += 2;
			if (--depth == 0)
				break;
		} else {
			i++;
		}
	}
	return i;
}

/* A doubled quote reads as two strings in a row, which is just as good here. */
static size_t skip_quote(const char *s, size_t i, bool backslash)
{
	char quote = s[i++];

	while (s[i] && s[i] != quote) {
		if (backslash && s[i] == '\\' && s[i + 1])
			i++;
		i++;
	}
	return s[i] ? i + 1 : i;
}

static size_t skip_dollar(const char *s, size_t i)
{
	size_t tag = i + 1;
	const char *end;

	while (word_byte((unsigned char)s[tag]))
		tag++;
	if (s[tag] != '$' || isdigit((unsigned char)s[i + 1]))
		return i + 1; /* a parameter, $1 */
	tag += 1 - i;         /* now the length of $tag$ */
	for (end = strchr(s + i + tag, '$'); end; end = strchr(end + 1, '$'))
		if (strncmp(end, s + i, tag) == 0)
			return (size_t)(end - s) + tag;
	return strlen(s);
}

/* One piece of PostgreSQL's, whatever it is. */
static size_t skip_piece(const char *s, size_t i)
{
	size_t word = i;

	if (s[i] == '-' && s[i + 1] == '-')
		return skip_line(s, i);
	if (s[i] == '/' && s[i + 1] == '*')
		return skip_block(s, i, true);
	if (s[i] == '\'' || s[i] == '"')
		return skip_quote(s, i, false);
	if (s[i] == '$')
		return skip_dollar(s, i);
	while (word_byte((unsigned char)s[i]) || (s[i] == '$' && i > word))
		i++;
	if (i == word + 1 && (s[word] == 'e' || s[word] == 'E') && s[i] == '\'')
		return skip_quote(s, i, true);
	return i > word ? i : i + 1;
}

/* MySQL takes two dashes for a comment only before a blank. */
static bool my_line_comment(const char *s)
{
	return s[0] == '#' ||
	       (s[0] == '-' && s[1] == '-' && (s[2] == '\0' || isspace((unsigned char)s[2])));
}

/* One piece of MySQL's. */
static size_t skip_piece_my(const char *s, size_t i)
{
	size_t word = i;

	if (my_line_comment(s + i))
		return skip_line(s, i);
	if (s[i] == '/' && s[i + 1] == '*')
		return skip_block(s, i, false);
	if (s[i] == '\'' || s[i] == '"' || s[i] == '`')
		return skip_quote(s, i, s[i] != '`');
	while (word_byte((unsigned char)s[i]) || (s[i] == '$' && i > word))
		i++;
	return i > word ? i : i + 1;
}

static bool comment(const char *s)
{
	return (s[0] == '-' && s[1] == '-') || (s[0] == '/' && s[1] == '*');
}

/* A block comment with "!" is a statement to MySQL. */
static bool my_comment(const char *s)
{
	return my_line_comment(s) || (s[0] == '/' && s[1] == '*' && s[2] != '!');
}

/* The rules of a dialect. */
struct rules {
	size_t (*skip)(const char *s, size_t i);
	bool (*comment)(const char *s);
};

static size_t next(const struct rules *rules, const char *sql, size_t *pos, size_t *start)
{
	size_t i = *pos, end;

	/* blanks, comments and empty statements before it */
	while (sql[i] &&
	       (isspace((unsigned char)sql[i]) || sql[i] == ';' || rules->comment(sql + i)))
		i = rules->skip(sql, i);
	*start = i;
	while (sql[i] && sql[i] != ';')
		i = rules->skip(sql, i);
	end = i;
	*pos = sql[i] ? i + 1 : i;
	return end - *start;
}

size_t db_script_next(const char *sql, size_t *pos, size_t *start)
{
	static const struct rules rules = {skip_piece, comment};

	return next(&rules, sql, pos, start);
}

size_t db_script_next_my(const char *sql, size_t *pos, size_t *start)
{
	static const struct rules rules = {skip_piece_my, my_comment};

	return next(&rules, sql, pos, start);
}

unsigned db_script_parameter_my(const char *sql, size_t *pos, size_t *end)
{
	size_t i = *pos;

	while (sql[i] && !(sql[i] == '$' && sql[i + 1] >= '1' && sql[i + 1] <= '9' &&
			   !isdigit((unsigned char)sql[i + 2])))
		i = skip_piece_my(sql, i);
	*pos = i;
	*end = sql[i] ? i + 2 : i;
	return sql[i] ? (unsigned)(sql[i + 1] - '0') : 0;
}

unsigned db_characters(const char *text, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}
