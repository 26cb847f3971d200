/* What MySQL and MariaDB share, for their two files. */
#ifndef CPUTOP_MY_COMMON_H
#define CPUTOP_MY_COMMON_H

#include <stdbool.h>

#include "server/engine.h"

extern const char *const my_version_args[], *const my_modifiers[], *const my_severities[];
extern const struct server_hint my_hints[];

/* The arguments of both that come first, of the server and of the program that initialises. */
void my_first_args(const struct server *s, struct server_args *a);
/* The settings of --set; then what keeps the server private: given last, it holds. */
void my_set_args(const struct server *s, struct server_args *a);
/* Those of the settings that are fixed when the data directory is made. */
void my_fixed_args(const struct server *s, struct server_args *a);
/* The statements that make cputop's account. before: what comes first, ending in a newline. */
char *my_password_text(const struct server *s, const char *before);
bool my_is_up(struct server *s);

#endif
