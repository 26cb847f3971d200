-- Variant park: what differs from skiplocked. Without keys, nothing.
-- state 3: parked. Such a job waits for its key and is not in job_due.

-- :index
create index job_due on job (run_at, id) where state = 0;
create index job_parked on job (mkey, run_at, id) where state = 3;

-- :routine_claim  What meets a held key is parked. Claims do not wait for each other: who has the
-- lock on a key's number decides about it. A conflicting row of mutex is locked all the same, so its
-- release sees what is parked here
create function claim_keys(n int) returns setof job language plpgsql as $$
declare
	j job;
	taken int := 0;
	parked int;
	step int := n;
begin
	loop
		parked := 0;
		for j in select * from job where state = 0 and run_at <= now()
			order by run_at, id limit step for update skip locked
		loop
			exit when taken >= n;
			if j.mkey is not null then
				continue when not pg_try_advisory_xact_lock(1, hashtext(j.mkey));
				insert into mutex as m values (j.mkey, j.id, now() + interval '1 hour')
				on conflict (mkey) do update
				set job_id = excluded.job_id, until = excluded.until
				where m.until <= now() or m.job_id = excluded.job_id;
				if not found then
					update job set state = 3 where id = j.id;
					parked := parked + 1;
					continue;
				end if;
			end if;
			update job set state = 1, started_at = now() where id = j.id;
			taken := taken + 1;
			return next j;
		end loop;
		exit when taken >= n or parked = 0;
		step := 100; -- many wait: in larger steps
	end loop;
end
$$;

-- :routine_complete  The key goes to the first that is parked for it. The row of mutex is locked
-- before these are looked at: whoever is parking one has committed by then
create function complete_keys(jid bigint) returns setof bigint language plpgsql as $$
declare
	k text;
	heir bigint;
begin
	update job set state = 2, finished_at = now() where id = jid and state = 1
	returning mkey into k;
	if not found then
		return;
	end if;
	return next jid;
	perform from mutex where mkey = k and job_id = jid for update;
	if not found then
		return;
	end if;
	update job set state = 0 where id = (
		select id from job where mkey = k and state = 3 order by run_at, id limit 1)
	returning id into heir;
	if heir is null then
		delete from mutex where mkey = k;
	else
		update mutex set job_id = heir, until = now() + interval '1 hour' where mkey = k;
	end if;
end
$$;

-- :claim_keys
select id, name, seq, due_ns, payload, mkey from claim_keys(:limit);

-- :complete_keys  $1 id
select complete_keys($1::bigint);

-- :rescue  Jobs whose worker has gone, after an hour, and parked ones whose key is free
update job set state = 0, started_at = null
where state = 1 and started_at < now() - interval '1 hour'
or state = 3 and not exists (
	select from mutex m where m.mkey = job.mkey and m.until > now());

-- :check  Those that are parked wait, too
select
	count(*) filter (where state in (0, 3)),
	count(*) filter (where state = 1),
	count(*) filter (where state = 2)
from job where seq is not null;
