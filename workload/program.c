#include "config.h"

#include "workload/program.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/err.h"

#define NOTES_MAX 20

static const struct role_ops *role_of(const struct program *p)
{
	return p->options->role;
}

static void close_all(struct program *p)
{
	if (p->state == PROGRAM_CLOSED)
		return;
	p->state = PROGRAM_CLOSED;
	if (p->role)
		role_of(p)->close(p->role);
	control_close(&p->control);
}

void program_fail(struct program *p, const char *text)
{
	if (p->state == PROGRAM_CLOSED)
		return;
	control_send(&p->control, "error", text);
	fprintf(stderr, "cputop-load: %s: %s\n", role_of(p)->name, text);
	p->status = 1;
	close_all(p);
}

void program_note(struct program *p, const char *text)
{
	if (p->notes++ < NOTES_MAX)
		control_send(&p->control, "note", text);
	if (p->notes == NOTES_MAX)
		control_send(&p->control, "note", "no more of these will be told");
}

void program_ready(struct program *p)
{
	assert(p->state == PROGRAM_OPENING);
	p->state = PROGRAM_READY;
	control_send(&p->control, "ready", NULL);
}

void program_stopped(struct program *p)
{
	if (p->state != PROGRAM_STOPPING)
		return;
	p->state = PROGRAM_STOPPED;
	control_send(&p->control, "stopped", NULL);
}

/* ---- commands ---- */

static void command_dsn(struct program *p, char *text)
{
	if (p->state != PROGRAM_WAITING)
		return;
	p->dsn.dialect = p->options->dialect;
	if (!control_parse_dsn(text, &p->dsn)) {
		program_fail(p, "the address of the database is not \"HOST PORT USER PASSWORD "
				"DATABASE SCHEMA\"; start it from cputop");
		return;
	}
	p->state = PROGRAM_OPENING;
	db_expect(p->dsn.dialect, p->options->workload.pool);
	role_of(p)->open(p);
	db_dsn_release(&p->dsn);
}

static void command_start(struct program *p)
{
	if (p->state == PROGRAM_READY) {
		p->state = PROGRAM_RUNNING;
		role_of(p)->start(p->role);
	} else if (p->state == PROGRAM_WAITING || p->state == PROGRAM_OPENING) {
		program_fail(p, "was told to start before it was ready");
	}
}

static void command_stop(struct program *p)
{
	if (p->state == PROGRAM_RUNNING || p->state == PROGRAM_READY) {
		p->state = PROGRAM_STOPPING;
		role_of(p)->stop(p->role);
	}
}

/* "N SQL" */
static void command_ask(struct program *p, char *text)
{
	if (p->state >= PROGRAM_READY && p->state < PROGRAM_CLOSED)
		ask_begin(&p->ask, role_of(p)->pool(p->role), &p->control, text);
}

static void line_cb(void *arg, char *line)
{
	struct program *p = arg;

	if (!line || strcmp(line, "quit") == 0)
		close_all(p);
	else if (strncmp(line, "dsn ", 4) == 0)
		command_dsn(p, line + 4);
	else if (strcmp(line, "start") == 0)
		command_start(p);
	else if (strcmp(line, "stop") == 0)
		command_stop(p);
	else if (strncmp(line, "ask ", 4) == 0)
		command_ask(p, line + 4);
	else if (strcmp(line, "rate") == 0 && p->state == PROGRAM_RUNNING)
		role_of(p)->rate(p->role);
}

/* ---- the whole ---- */

static int load_files(struct program *p, struct err *err)
{
	int rc;

	p->page = jobs_page_map(p->options->page_fd, err);
	if (!p->page)
		return -EINVAL;
	rc = variant_load(&p->variant, p->options->variant, err);
	if (rc == 0)
		rc = variant_load_sql(&p->sql, &p->variant, p->options->dialect, err);
	return rc;
}

int program_run(const struct program_options *options)
{
	struct program p = {.options = options};
	struct err err = {0, ""};
	int rc;

	uv_loop_init(&p.loop);
	rc = control_init(&p.control, &p.loop, options->control_fd, line_cb, &p, &err);
	if (rc == 0)
		rc = load_files(&p, &err);
	if (rc < 0)
		program_fail(&p, err.text);
	uv_run(&p.loop, UV_RUN_DEFAULT);
	if (p.role)
		options->role->release(p.role);
	rc = uv_loop_close(&p.loop);
	assert(rc == 0);
	(void)rc;
	ask_release(&p.ask);
	variant_sql_release(&p.sql);
	jobs_page_unmap(p.page);
	return p.status;
}
