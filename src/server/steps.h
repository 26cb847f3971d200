/* The steps of a server's life, for server.c. */
#ifndef CPUTOP_SERVER_STEPS_H
#define CPUTOP_SERVER_STEPS_H

struct err;
struct server;

/* Spawns the initialising program. Returns 0 or -errno with err; then nothing of it is on the loop.
 */
int server_begin(struct server *s, struct err *err);
/* Ends whatever there is; calls done, or failed when there is a failure and nobody waits for done.
 */
void server_end(struct server *s);

#endif
