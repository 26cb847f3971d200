-- Variant pername. One claim statement for each name, one completion a job.
-- state: 0 waiting, 1 running, 2 completed. seq and due_ns are the producer's: the number of the
-- job, and the instant it was due (CLOCK_MONOTONIC); jobs that only fill the table have neither.

-- :setup
create table job (
	id bigint generated always as identity primary key,
	name text not null,
	state smallint not null default 0,
	run_at timestamptz not null default now(),
	seq bigint,
	due_ns bigint,
	started_at timestamptz,
	finished_at timestamptz
);
-- Only waiting jobs are in it.
create index job_due on job (name, run_at) where state = 0;

-- :prefill  $1 how many names: one pending job a year ahead for each
insert into job (name, run_at)
select 'job-' || i, now() + interval '1 year' from generate_series(0, $1::int - 1) i;

-- :enqueue  $1 name, $2 seq, $3 due_ns: the job and the wake-up in one statement
with i as (
	insert into job (name, seq, due_ns) values ($1, $2, $3)
)
select pg_notify('cputop', '');

-- :claim  $1 name; :limit is a literal: as a parameter it would make each claim be planned anew
with c as (
	select id from job where name = $1 and state = 0 and run_at <= now()
	order by run_at limit :limit for update skip locked
)
update job set state = 1, started_at = now() from c where job.id = c.id
returning job.id, job.name, job.seq, job.due_ns;

-- :complete  $1 id
update job set state = 2, finished_at = now() where id = $1 and state = 1;

-- :settle
vacuum (analyze) job;
checkpoint;

-- :check
select
	count(*) filter (where state = 0),
	count(*) filter (where state = 1),
	count(*) filter (where state = 2)
from job where seq is not null;

-- :listen
listen cputop;
