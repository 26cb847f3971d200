-- Variant noindex: what differs from skiplocked.

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
-- Of no use to the claim, which reads the whole table and sorts what is due.
create index job_name on job (name);
