/* Command lines of servers. */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>

#include "lib/xalloc.h"
#include "server/engine.h"

void server_arg(struct server_args *a, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	*vec_push(a) = text;
}

void server_args_end(struct server_args *a)
{
	*vec_push(a) = NULL;
}

void server_args_release(struct server_args *a)
{
	for (size_t i = 0; i < a->len; i++)
		free(a->items[i]);
	vec_release(a);
}
