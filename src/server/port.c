/* A port on 127.0.0.1 that nobody has. Between the probe and the server's own bind somebody may
 * take it; the server then ends, and is started again on another one. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/engine.h"

/* Binds port (0: any free one) as a server would, and lets go again. *got is the port. */
static int probe(unsigned port, unsigned *got)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1, rc = 0;

	if (fd < 0)
		return -errno;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) < 0)
		rc = -errno;
	else
		*got = ntohs(a.sin_port);
	close(fd);
	return rc;
}

int server_pick_port(const struct server_ops *ops, unsigned wanted, bool asked, unsigned *port,
		     struct err *err)
{
	unsigned first = wanted ? wanted : ops->port;
	int rc;

	if (first > 65535)
		return err_set(err, -EINVAL, "there is no port %u; ports go up to 65535", first);
	rc = probe(first, port);
	if (rc == 0)
		return 0;
	if (asked)
		return err_set(err, rc,
			       "port %u on 127.0.0.1 cannot be used: %s; give another one with "
			       "--%s-port, or none",
			       first, strerror(-rc), dialect_name(ops->dialect));
	rc = probe(0, port);
	if (rc < 0)
		err_set(err, rc, "there is no free port on 127.0.0.1: %s", strerror(-rc));
	return rc;
}
