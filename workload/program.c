#include "config.h"

#include "workload/program.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/err.h"
#include "workload/crew.h"

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
	crew_close(p->crew);
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

/* Goes on when the crew has come as far as this one. */
static void changed_cb(void *arg)
{
	struct program *p = arg;

	if (p->state == PROGRAM_OPENING && p->ready && crew_ready(p->crew)) {
		p->state = PROGRAM_READY;
		control_send(&p->control, "ready", NULL);
	} else if (p->state == PROGRAM_STOPPING && p->stopped && crew_stopped(p->crew)) {
		p->state = PROGRAM_STOPPED;
		control_send(&p->control, "stopped", NULL);
	}
}

void program_ready(struct program *p)
{
	assert(p->state == PROGRAM_OPENING);
	p->ready = true;
	changed_cb(p);
}

void program_stopped(struct program *p)
{
	if (p->state != PROGRAM_STOPPING)
		return;
	p->stopped = true;
	changed_cb(p);
}

/* A line of another worker's, or its end. */
static void crew_line_cb(void *arg, char *line)
{
	struct program *p = arg;

	if (!line)
		program_fail(p, "one of the workers ended by itself; its log says more");
	else if (strncmp(line, "error ", 6) == 0)
		program_fail(p, line + 6);
	else if (strncmp(line, "note ", 5) == 0)
		program_note(p, line + 5);
	else
		ask_other(&p->ask, line);
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
		ask_begin(&p->ask, role_of(p)->pool(p->role), &p->control, p->crew->n, text);
}

static void line_cb(void *arg, char *line)
{
	struct program *p = arg;

	if (line)
		crew_send(p->crew, line); /* first: some lines are taken apart below */
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

int program_run(const struct program_options *options, struct crew *crew)
{
	struct program p = {.options = options, .crew = crew};
	struct err err = {0, ""};
	int rc;

	uv_loop_init(&p.loop);
	rc = control_init(&p.control, &p.loop, options->control_fd, line_cb, &p, &err);
	crew->line = crew_line_cb;
	crew->changed = changed_cb;
	crew->arg = &p;
	if (rc == 0)
		rc = crew_open(crew, &p.loop, &err);
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
