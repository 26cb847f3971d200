/* The program: what main calls. */
#ifndef CPUTOP_APP_H
#define CPUTOP_APP_H

struct frontend;

/* Runs cputop with these arguments. frontend is the live screen. Returns the exit status; after
 * SIGINT, SIGTERM or SIGHUP the signal is raised again instead, once everything has been stopped,
 * printed and saved. */
int app_main(int argc, char **argv, const struct frontend *frontend);

#endif
