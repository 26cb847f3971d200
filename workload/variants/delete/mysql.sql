-- Variant delete: what differs from skiplocked.

-- :complete  $1 id
delete from job where id = $1 and state = 1;

-- :routine_complete  Returns a row when it has deleted one
create procedure complete_keys(jid bigint unsigned)
begin
	declare vkey varchar(64) character set ascii;
	declare changed int;
	declare exit handler for sqlexception begin rollback; resignal; end;
	start transaction;
	select mkey into vkey from job where id = jid and state = 1 for update;
	delete from job where id = jid and state = 1;
	set changed = row_count();
	delete from mutex where mkey = vkey and job_id = jid;
	commit;
	if changed = 1 then select jid; end if;
end;

-- :check  completed jobs are gone: null
select coalesce(sum(state = 0), 0), coalesce(sum(state = 1), 0), null
from job where seq is not null;
