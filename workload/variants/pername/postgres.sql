-- Variant pername: what differs from skiplocked.

-- :index  Only waiting jobs are in it
create index job_due on job (name, run_at) where state = 0;

-- :claim  $1 name; :limit is a literal: as a parameter it would make each claim be planned anew
with c as (
	select id from job where name = $1 and state = 0 and run_at <= now()
	order by run_at limit :limit for update skip locked
)
update job set state = 1, started_at = now() from c where job.id = c.id
returning job.id, job.name, job.seq, job.due_ns, job.payload;
