/* A port on 127.0.0.1 that nobody has. Between the probe and the server's own bind somebody may
 * take it; the server then ends, and is started again on another one. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/format.h"
#include "server/engine.h"

#define PRIVILEGED_END 1024
#define PORT_MAX       65535

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

/* Lower ports are root's alone, and a server is never root. */
static unsigned first_port_for_all(void)
{
	unsigned port = PRIVILEGED_END;
	FILE *f = fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start", "re");
	char text[32] = "";
	uint64_t v;

	if (f && fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = '\0';
		if (parse_u64(text, &v) && v <= PORT_MAX)
			port = (unsigned)v;
	}
	if (f)
		fclose(f);
	return port;
}

int server_pick_port(const struct server_ops *ops, unsigned wanted, bool asked, unsigned *port,
		     struct err *err)
{
	unsigned first = wanted ? wanted : ops->port;
	int rc;

	if (first < first_port_for_all())
		return err_set(err, -EACCES,
			       "port %u is root's to use and the server is not root; give one from "
			       "%u on with --%s-port, or none",
			       first, first_port_for_all(), dialect_name(ops->dialect));
	if (first > PORT_MAX)
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
