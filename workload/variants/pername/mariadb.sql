-- Variant pername: what differs from skiplocked.

-- :index  There is none of the waiting jobs only; completed ones lie in other ranges of this one
create index job_due on job (name, state, run_at);

-- :claim  $1 name, $2 the claim's number. Without UPDATE ... RETURNING what it took is read below
update job join (
	select id from job where name = $1 and state = 0 and run_at <= now(6)
	order by run_at limit :limit for update skip locked
) c on c.id = job.id
set job.state = 1, job.token = $2, job.started_at = now(6)
where job.state = 0;

-- :claimed  $1 name, $2 the claim's number
select id, name, seq, due_ns, payload from job where name = $1 and state = 1 and token = $2;
