#include "config.h"

#include "db/db.h"

#include <string.h>

#include "db/driver.h"
#include "lib/err.h"

void db_dsn_release(struct db_dsn *dsn)
{
	explicit_bzero(dsn->password, sizeof(dsn->password));
}

const struct db_ops *db_ops_for(enum dialect d)
{
	static const struct db_ops *const drivers[DIALECT_COUNT] = {
#ifdef HAVE_LIBPQ
		[DIALECT_POSTGRES] = &db_pg_ops,
#endif
#ifdef HAVE_LIBMARIADB
		[DIALECT_MARIADB] = &db_mariadb_ops,
#endif
#if defined(HAVE_LIBMARIADB) || defined(HAVE_LIBMYSQLCLIENT)
		[DIALECT_MYSQL] = &db_mysql_ops,
#endif
	};

	return (unsigned)d < DIALECT_COUNT ? drivers[d] : NULL;
}

int db_missing(enum dialect d, struct err *err)
{
#ifdef HAVE_LIBMYSQLCLIENT
	if (d == DIALECT_MARIADB)
		return err_set(err, UV_ENOSYS,
			       "this build has Oracle's libmysqlclient, which from 9.0 on cannot "
			       "log in to MariaDB; build it with MariaDB Connector/C");
#endif
	return err_set(err, UV_ENOSYS, "this build has no client for %s; build it with one",
		       dialect_name(d));
}

void db_expect(enum dialect d, unsigned connections)
{
	const struct db_ops *ops = db_ops_for(d);

	if (ops && ops->expect)
		ops->expect(connections);
}

struct db *db_open(uv_loop_t *loop, const struct db_dsn *dsn, const char *application, db_cb cb,
		   void *arg, struct err *err)
{
	const struct db_ops *ops = db_ops_for(dsn->dialect);

	if (ops)
		return ops->open(loop, dsn, application, cb, arg, err);
	db_missing(dsn->dialect, err);
	return NULL;
}

void db_query(struct db *db, const char *sql, db_cb cb, void *arg)
{
	db->ops->query(db, sql, cb, arg);
}

void db_query_params(struct db *db, const char *sql, int nparams, const char *const *params,
		     db_cb cb, void *arg)
{
	db->ops->query_params(db, sql, nparams, params, cb, arg);
}

void db_prepare(struct db *db, const char *name, const char *sql, db_cb cb, void *arg)
{
	db->ops->prepare(db, name, sql, cb, arg);
}

void db_exec(struct db *db, const char *name, int nparams, const char *const *params, db_cb cb,
	     void *arg)
{
	db->ops->exec(db, name, nparams, params, cb, arg);
}

bool db_busy(const struct db *db)
{
	return db->ops->busy(db);
}

bool db_broken(const struct db *db)
{
	return db->ops->broken(db);
}

int64_t db_backend_pid(const struct db *db)
{
	return db->ops->backend_pid(db);
}

void db_on_notify(struct db *db, void (*cb)(struct db *, void *arg), void *arg)
{
	db->on_notify = cb;
	db->notify_arg = arg;
}

void db_on_broken(struct db *db, void (*cb)(struct db *, const char *reason, void *arg), void *arg)
{
	db->on_broken = cb;
	db->broken_arg = arg;
}

void db_close(struct db *db, void (*cb)(void *arg), void *arg)
{
	db->ops->close(db, cb, arg);
}
