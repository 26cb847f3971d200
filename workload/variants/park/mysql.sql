-- Variant park: what differs from skiplocked. Without keys, nothing.
-- state 3: parked. Such a job waits for its key and lies in another range of job_due.

-- :index
create index job_due on job (state, run_at);
create index job_parked on job (mkey, state, run_at);

-- :routine_claim  What meets a held key is parked, in larger steps when many do
create procedure claim_keys(n int, tok bigint unsigned)
begin
	declare vid, holder bigint unsigned;
	declare vkey varchar(64) character set ascii;
	declare done, taken, parked int default 0;
	declare step int default n;
	declare exit handler for sqlexception begin rollback; resignal; end;
	start transaction;
	rounds: repeat
		set parked = 0, done = 0;
		begin
			declare due cursor for select id, mkey from job
				where state = 0 and run_at <= now(6)
				order by run_at, id limit step for update skip locked;
			declare continue handler for not found set done = 1;
			open due;
			jobs: loop
				fetch due into vid, vkey;
				if done or taken >= n then leave jobs; end if;
				set holder = vid;
				if vkey is not null then
					insert into mutex (mkey, job_id, until)
					values (vkey, vid, now(6) + interval 1 hour)
					on duplicate key update
					job_id = if(until <= now(6), values(job_id), job_id),
					until = if(until <= now(6), values(until), until);
					select job_id into holder from mutex where mkey = vkey;
				end if;
				if holder = vid then
					update job set state = 1, token = tok, started_at = now(6)
					where id = vid and state = 0;
					set taken = taken + row_count();
				else
					update job set state = 3 where id = vid;
					set parked = parked + 1;
				end if;
			end loop;
			close due;
		end;
		set step = 100;
	until taken >= n or parked = 0 end repeat;
	commit;
	if taken > 0 then
		select id, name, seq, due_ns, payload, mkey from job where state = 1 and token = tok;
	end if;
end;

-- :routine_complete  The key goes to the first that is parked for it
create procedure complete_keys(jid bigint unsigned)
begin
	declare vkey varchar(64) character set ascii;
	declare holder, heir bigint unsigned;
	declare changed int;
	declare continue handler for not found begin end;
	declare exit handler for sqlexception begin rollback; resignal; end;
	select mkey into vkey from job where id = jid;
	start transaction;
	select job_id into holder from mutex where mkey = vkey for update;
	update job set state = 2, finished_at = now(6) where id = jid and state = 1;
	set changed = row_count();
	if holder = jid then
		select id into heir from job where mkey = vkey and state = 3
		order by run_at, id limit 1 for update;
		if heir is null then
			delete from mutex where mkey = vkey;
		else
			update job set state = 0 where id = heir;
			update mutex set job_id = heir, until = now(6) + interval 1 hour
			where mkey = vkey;
		end if;
	end if;
	commit;
	if changed = 1 then select jid; end if;
end;

-- :rescue  Jobs whose worker has gone, after an hour, and parked ones whose key is free
update job set state = 0, started_at = null
where state = 1 and started_at < now(6) - interval 1 hour
or state = 3 and not exists (
	select 1 from mutex m where m.mkey = job.mkey and m.until > now(6));

-- :check  Those that are parked wait, too
select coalesce(sum(state in (0, 3)), 0), coalesce(sum(state = 1), 0), coalesce(sum(state = 2), 0)
from job where seq is not null;
