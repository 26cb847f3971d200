#include "config.h"

#include "model/dialect.h"

#include <string.h>

static const char *const names[DIALECT_COUNT] = {
	[DIALECT_POSTGRES] = "postgres",
	[DIALECT_MARIADB] = "mariadb",
	[DIALECT_MYSQL] = "mysql",
};

const char *dialect_name(enum dialect d)
{
	return (unsigned)d < DIALECT_COUNT ? names[d] : "?";
}

bool dialect_notifies(enum dialect d)
{
	return d == DIALECT_POSTGRES;
}

bool dialect_parse(const char *name, enum dialect *out)
{
	for (unsigned i = 0; i < DIALECT_COUNT; i++) {
		if (strcmp(name, names[i]) == 0) {
			*out = (enum dialect)i;
			return true;
		}
	}
	return false;
}
