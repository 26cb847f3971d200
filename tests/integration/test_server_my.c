/* What private MySQL and MariaDB servers have of their own: their accounts and who can log in to
 * them, the files of options that they would read, and programs that are not all there. */
#include "config.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <mysql.h>

#include "../unit/proc_support.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "proc/tmpdir.h"
#include "server/engine.h"
#include "server/server.h"
#include "server_bench.h"

#define NONSENSE \
	"[mysqld]\nno-such-option=1\n[server]\nno-such-option=1\n[mariadb]\nno-such-option=1\n"

enum { LOGINS_MAX = 64, STOP_LIMIT_S = 3 };

/* The errors of the server that are a "no": no connection (2xxx) would prove nothing. */
static bool is_refusal(unsigned code)
{
	return code == 1045 ||               /* access denied */
	       code == 1698 ||               /* the same, without a password */
	       code == 1130 ||               /* not from this host */
	       code == 1524 ||               /* the account's plugin is not there */
	       code == 3118 || code == 4151; /* the account is locked */
}

/* One attempt. Returns 0 when it is logged in, else the client's error number. */
static unsigned log_in(const struct db_dsn *dsn, const char *user, const char *password,
		       const char *from)
{
	const unsigned protocol = MYSQL_PROTOCOL_TCP;
	MYSQL *mysql = mysql_init(NULL);
	unsigned code = 0;

	mysql_options(mysql, MYSQL_OPT_PROTOCOL, &protocol);
	mysql_options(mysql, MYSQL_OPT_BIND, from);
	if (!mysql_real_connect(mysql, "127.0.0.1", user, password, NULL, dsn->port, NULL, 0))
		code = mysql_errno(mysql);
	mysql_close(mysql);
	return code;
}

static const char *const sources[] = {"127.0.0.1", "127.0.1.1"};

/* All passwords from all addresses; the number of attempts that were no plain refusal. */
static unsigned attack(const struct db_dsn *dsn, const char *user)
{
	const char *passwords[] = {"", "wrong", user};
	unsigned bad = 0;

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		for (size_t k = 0; k < sizeof(passwords) / sizeof(passwords[0]); k++) {
			unsigned code = log_in(dsn, user, passwords[k], sources[i]);

			if (is_refusal(code))
				continue;
			fprintf(stderr, "# %s from %s with %s: %u\n", user, sources[i],
				*passwords[k] ? passwords[k] : "no password", code);
			bad++;
		}
	}
	return bad;
}

/* Another user, when root can become one. */
static void become_another(void)
{
	const struct passwd *pw = getpwnam("daemon");

	if (geteuid() == 0 &&
	    (!pw || setgroups(0, NULL) < 0 || setgid(pw->pw_gid) < 0 || setuid(pw->pw_uid) < 0))
		_exit(99);
}

/* Splits "root,mysql.sys" into names. */
static size_t split(char *text, const char *names[LOGINS_MAX])
{
	size_t n = 0;
	char *name;

	while (n < LOGINS_MAX && (name = strsep(&text, ",")))
		names[n++] = name;
	return n;
}

/* In a child: as another user, every account that there is and those that there may be. The first
 * two attempts show that the attack itself works: that the right password from the right address
 * lets in, and that from another address it does not. */
static int attack_all(const struct db_dsn *dsn, char *accounts)
{
	char usual[] = "root,mysql,nobody,daemon,PUBLIC,cputop,mariadb.sys,mysql.sys,mysql.session,"
		       "mysql.infoschema,postgres,";
	const char *names[LOGINS_MAX];
	unsigned bad = 0;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		become_another();
		if (log_in(dsn, dsn->user, dsn->password, "127.0.0.1") != 0)
			_exit(98);
		bad += !is_refusal(log_in(dsn, dsn->user, dsn->password, "127.0.1.1"));
		for (size_t i = 0, n = split(usual, names); i < n; i++)
			bad += attack(dsn, names[i]);
		for (size_t i = 0, n = split(accounts, names); i < n; i++)
			bad += attack(dsn, names[i]);
		_exit(bad > 90 ? 90 : (int)bad);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* 127.0.1.1 has the host's name, as on Debian, for this program alone: the accounts of MariaDB's
 * script are for that name. It stays so until the program ends. */
static void own_hosts(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	char host[128], name[128], text[512], path[] = "/tmp/cptest-hosts-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(gethostname(host, sizeof(host)), 0);
	snprintf(text, sizeof(text), "127.0.0.1 localhost\n127.0.1.1 %s\n", host);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, 0644), 0);
	close(fd);
	assert_int_equal(unshare(CLONE_NEWNS), 0);
	assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	assert_int_equal(mount(path, "/etc/hosts", NULL, MS_BIND, NULL), 0);
	unlink(path);
	inet_pton(AF_INET, "127.0.1.1", &a.sin_addr);
	assert_int_equal(getnameinfo((struct sockaddr *)&a, sizeof(a), name, sizeof(name), NULL, 0,
				     NI_NAMEREQD),
			 0);
	assert_string_equal(name, host);
}

static void attack_server(void)
{
	struct answer a;
	struct bench b;

	bench_init(&b);
	bench_ready(&b);
	a = bench_ask(&b, server_dsn(b.server),
		      "SELECT GROUP_CONCAT(DISTINCT User) FROM mysql.user");
	assert_int_equal(a.status, DB_OK);
	assert_non_null(strstr(a.text, "cputop"));
	assert_int_equal(attack_all(server_dsn(b.server), a.text), 0);
	assert_null(strstr(a.text, "root"));
	/* who else there is, is locked */
	a = bench_ask(&b, server_dsn(b.server),
		      TEST_DIALECT == DIALECT_MARIADB
			      ? "SELECT COUNT(*) FROM mysql.global_priv WHERE User <> 'cputop' AND "
				"User <> 'PUBLIC' AND NOT JSON_VALUE(Priv, '$.account_locked')"
			      : "SELECT COUNT(*) FROM mysql.user WHERE User <> 'cputop' AND "
				"account_locked <> 'Y'");
	assert_string_equal(a.text, "0");
	a = bench_ask(&b, server_dsn(b.server),
		      "SELECT GROUP_CONCAT(Host) FROM mysql.user WHERE User = 'cputop'");
	assert_string_equal(a.text, "127.0.0.1");
	bench_release(&b);
}

static void test_nobody_logs_in(void **state)
{
	(void)state;
	attack_server();
}

static void test_nobody_logs_in_by_the_host_name(void **state)
{
	(void)state;
	own_hosts();
	attack_server();
}

static void test_what_is_set(void **state)
{
	struct answer a;
	struct bench b;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	a = bench_ask(
		&b, server_dsn(b.server),
		"SELECT CONCAT_WS('|', @@bind_address, @@socket, IF(@@skip_networking, 1, 0), "
		"IFNULL(@@secure_file_priv, 'NULL'))");
	if (TEST_DIALECT == DIALECT_MYSQL)
		assert_string_equal(a.text, "127.0.0.1||0|NULL");
	else if (!strstr(a.text, "127.0.0.1||0|/"))
		fail_msg("%s", a.text);
	a = bench_ask(&b, server_dsn(b.server), "SELECT 1 INTO OUTFILE '/tmp/cptest-outfile'");
	assert_int_not_equal(a.status, DB_OK);
	assert_int_not_equal(access("/tmp/cptest-outfile", F_OK), 0);
	a = bench_ask(&b, server_dsn(b.server),
		      "SELECT COUNT(*) FROM information_schema.plugins WHERE plugin_name = "
		      "'mysqlx' AND plugin_status = 'ACTIVE'");
	assert_string_equal(a.text, "0");
	/* the file of statements is gone */
	assert_int_not_equal(access(b.server->password_file, F_OK), 0);
	bench_release(&b);
}

/* Files of options that would keep it from starting: in HOME, MYSQL_HOME and, as root, in /etc. */
static void test_no_option_file_is_read(void **state)
{
	char path[128], home[96];
	struct bench b;

	(void)state;
	bench_init(&b);
	snprintf(home, sizeof(home), "%s/home", b.base);
	assert_int_equal(mkdir(home, 0755), 0);
	snprintf(path, sizeof(path), "%s/.my.cnf", home);
	support_write_file(path, NONSENSE, 0644);
	snprintf(path, sizeof(path), "%s/my.cnf", home);
	support_write_file(path, NONSENSE, 0644);
	setenv("HOME", home, 1);
	setenv("MYSQL_HOME", home, 1);
	setenv("MARIADB_HOME", home, 1);
	if (geteuid() == 0 && access("/etc/mysql", F_OK) == 0) {
		assert_int_equal(unshare(CLONE_NEWNS), 0);
		assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
		assert_int_equal(mount(home, "/etc/mysql", NULL, MS_BIND, NULL), 0);
	}
	bench_ready(&b);
	if (geteuid() == 0 && access("/etc/mysql/.my.cnf", F_OK) == 0)
		assert_int_equal(umount("/etc/mysql"), 0);
	setenv("HOME", "/", 1);
	unsetenv("MYSQL_HOME");
	unsetenv("MARIADB_HOME");
	assert_int_equal(remove_tree(home), 0);
	bench_release(&b);
}

/* While it initialises, and with a client that does nothing. */
static void test_stops_soon(void **state)
{
	struct db_dsn dsn;
	struct bench b;
	uint64_t begin;
	bool never = false;
	MYSQL *mysql;

	(void)state;
	bench_init(&b);
	assert_true(bench_start(&b));
	support_run_until(&b.loop, &never, 300);
	assert_int_equal(b.server->state, SERVER_INITIALISING);
	begin = clock_now_ns();
	bench_release(&b);
	assert_true(clock_now_ns() - begin < STOP_LIMIT_S * NS_PER_S);

	bench_init(&b);
	bench_ready(&b);
	dsn = *server_dsn(b.server);
	mysql = mysql_init(NULL);
	assert_non_null(mysql_real_connect(mysql, "127.0.0.1", dsn.user, dsn.password, NULL,
					   dsn.port, NULL, 0));
	begin = clock_now_ns();
	bench_release(&b);
	assert_true(clock_now_ns() - begin < STOP_LIMIT_S * NS_PER_S);
	mysql_close(mysql);
}

static void assert_not_found(struct bench *b, const char *text)
{
	char path[4096], option[32];

	assert_false(server_find(TEST_DIALECT, &b->options, path, sizeof(path), &b->err));
	snprintf(option, sizeof(option), "--%s-bin", dialect_name(TEST_DIALECT));
	if (!strstr(b->err.text, text) || !strstr(b->err.text, option))
		fail_msg("'%s' and '%s' are not in: %s", text, option, b->err.text);
	assert_false(bench_start(b));
}

/* A copy of the server that needs a library that nobody has (and those that lie beside the real
 * one). */
static void copy_with_missing_library(const char *from, const char *to)
{
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	struct stat st;
	char *text, *name;

	assert_non_null(in);
	assert_non_null(out);
	assert_int_equal(fstat(fileno(in), &st), 0);
	text = xmalloc((size_t)st.st_size);
	assert_int_equal(fread(text, 1, (size_t)st.st_size, in), st.st_size);
	name = memmem(text, (size_t)st.st_size, "\0libc.so.6", 11);
	assert_non_null(name);
	name[4] = 'Z';
	assert_int_equal(fwrite(text, 1, (size_t)st.st_size, out), st.st_size);
	free(text);
	fclose(in);
	fclose(out);
	assert_int_equal(chmod(to, 0755), 0);
}

static void test_programs_that_do_not_do(void **state)
{
	char dir[96], path[4096], link[128];
	struct bench b;

	(void)state;
	bench_init(&b);
	assert_true(server_find(TEST_DIALECT, &b.options, path, sizeof(path), &b.err));
	snprintf(dir, sizeof(dir), "%s/bin", b.base);
	assert_int_equal(mkdir(dir, 0755), 0);
	b.options.bin_dir = dir;
	assert_not_found(&b, "there is no program");

	/* the other engine under this one's name, by asking it */
	snprintf(link, sizeof(link), "%s/mysqld", dir);
	support_write_file(link,
			   TEST_DIALECT == DIALECT_MYSQL
				   ? "#!/bin/sh\necho 'mysqld  Ver 10.11.9-MariaDB for Linux'\n"
				   : "#!/bin/sh\necho 'mysqld  Ver 9.7.4-2 for Linux'\n",
			   0755);
	assert_not_found(&b, TEST_DIALECT == DIALECT_MYSQL ? "is not MySQL's" : "is not MariaDB's");
	unlink(link);

	copy_with_missing_library(path, link);
	assert_not_found(&b, "error while loading shared libraries: lib");
	unlink(link);
	support_write_file(link, "#!/nonexistent/interpreter\n", 0755);
	assert_not_found(&b, "No such file or directory");
	assert_int_equal(remove_tree(dir), 0);
	bench_release(&b);
}

/* MariaDB's script without what it needs. */
static void test_tools_are_missing(void **state)
{
	char dir[96], path[4096], link[128];
	struct bench b;

	(void)state;
	if (TEST_DIALECT != DIALECT_MARIADB)
		return;
	bench_init(&b);
	assert_true(server_find(TEST_DIALECT, &b.options, path, sizeof(path), &b.err));
	snprintf(dir, sizeof(dir), "%s/bin", b.base);
	assert_int_equal(mkdir(dir, 0755), 0);
	snprintf(link, sizeof(link), "%s/mariadbd", dir);
	assert_int_equal(symlink(path, link), 0);
	b.options.bin_dir = dir;
	assert_not_found(&b, "there is no program mariadb-install-db");
	snprintf(link, sizeof(link), "%s/mariadb-install-db", dir);
	assert_int_equal(symlink("/usr/bin/mariadb-install-db", link), 0);
	bench_fails(&b, "could not be initialised: FATAL ERROR: Could not find my_print_defaults; "
			"install");
	assert_int_equal(remove_tree(dir), 0);
	bench_release(&b);
}

/* The client library without its plugins. MariaDB's accounts need none of them. */
static void test_plugins_are_missing(void **state)
{
	struct bench b;

	(void)state;
	if (TEST_DIALECT != DIALECT_MYSQL)
		return;
	setenv("MARIADB_PLUGIN_DIR", "/nonexistent", 1);
	bench_init(&b);
	bench_fails(&b, "MySQL cannot be connected to: ");
	assert_non_null(strstr(b.failure.text, "caching_sha2_password"));
	assert_non_null(strstr(b.failure.text, "MARIADB_PLUGIN_DIR"));
	bench_release(&b);
	unsetenv("MARIADB_PLUGIN_DIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* the first: the library keeps a plugin once it has it */
		cmocka_unit_test(test_plugins_are_missing),
		cmocka_unit_test(test_what_is_set),
		cmocka_unit_test(test_nobody_logs_in),
		cmocka_unit_test(test_no_option_file_is_read),
		cmocka_unit_test(test_stops_soon),
		cmocka_unit_test(test_programs_that_do_not_do),
		cmocka_unit_test(test_tools_are_missing),
		/* this needs root */
		cmocka_unit_test(test_nobody_logs_in_by_the_host_name),
	};

	return bench_main(TEST_NAME, tests, 1);
}
