-- Variant skiplocked. One claim statement for all names, one completion a job.
-- state: 0 waiting, 1 running, 2 completed. seq and due_ns are the producer's: the number of the
-- job, and the instant it was due (CLOCK_MONOTONIC); jobs that only fill the table have neither.
-- Sessions are READ COMMITTED: under REPEATABLE READ a claim would lock the gaps into which the
-- producer inserts.

-- :setup
create table job (
	id bigint unsigned not null auto_increment primary key,
	name varchar(128) character set ascii not null,
	state tinyint not null default 0,
	run_at datetime(6) not null default current_timestamp(6),
	seq bigint,
	due_ns bigint,
	payload mediumtext character set ascii,
	mkey varchar(64) character set ascii,
	token bigint unsigned,
	started_at datetime(6),
	finished_at datetime(6)
) engine=InnoDB;
-- Keys that are held, and by which job.
create table mutex (
	mkey varchar(64) character set ascii not null primary key,
	job_id bigint unsigned not null,
	until datetime(6) not null
) engine=InnoDB;
-- What the application does in the transaction that enqueues a job.
create table app (
	id bigint unsigned not null auto_increment primary key,
	name varchar(128) character set ascii not null,
	seq bigint not null
) engine=InnoDB;

-- :prefill  $1 how many names: one pending job a year ahead for each
insert /*+ set_var(cte_max_recursion_depth = 1000000) */ into job (name, run_at)
with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < $1)
select concat('job-', i), now(6) + interval 1 year from n;

-- :completed  $1 number of the first, $2 how many, $3 how many names they are spread over
insert /*+ set_var(cte_max_recursion_depth = 1000000) */ into job (name, state, started_at, finished_at)
with recursive n (i) as (
	select cast(0 as signed) union all select i + 1 from n where i + 1 < $2
)
select concat('job-', ($1 + i) mod $3), 2, now(6), now(6) from n;

-- :index  There is none of the waiting jobs only; completed ones lie in another range of this one
create index job_due on job (state, run_at);

-- :enqueue  $1 name, $2 seq, $3 due_ns, $4 payload, $5 key
insert into job (name, seq, due_ns, payload, mkey) values ($1, $2, $3, $4, $5);

-- :enqueue_many  $1 jobs as JSON, [[name, seq, due_ns, payload, key], ...]
insert into job (name, seq, due_ns, payload, mkey)
select name, seq, due_ns, payload, mkey from json_table($1, '$[*]' columns (
	name varchar(128) path '$[0]', seq bigint path '$[1]', due_ns bigint path '$[2]',
	payload mediumtext path '$[3]', mkey varchar(64) path '$[4]'
)) j;

-- :other  $1 name, $2 seq: in the transaction before the job
insert into app (name, seq) values ($1, $2);

-- :claim  $1 the claim's number. There is no UPDATE ... RETURNING: what it took is read below
update job join (
	select id from job where state = 0 and run_at <= now(6)
	order by run_at, id limit :limit for update skip locked
) c on c.id = job.id
set job.state = 1, job.token = $1, job.started_at = now(6)
where job.state = 0;

-- :claimed  $1 the claim's number
select id, name, seq, due_ns, payload from job where state = 1 and token = $1;

-- :claim_keys  $1 the claim's number
call claim_keys(:limit, $1);

-- :complete_keys  $1 id
call complete_keys($1);

-- :routine_claim  Jobs whose key is held are passed by. The cursor reads job itself: MariaDB does not
-- always lock what a derived table reads
create procedure claim_keys(n int, tok bigint unsigned)
begin
	declare vid, holder bigint unsigned;
	declare vkey varchar(64) character set ascii;
	declare taken, done int default 0;
	declare due cursor for select id, mkey from job where state = 0 and run_at <= now(6)
		and (mkey is null or not exists (
			select 1 from mutex m where m.mkey = job.mkey and m.until > now(6)))
		order by run_at, id limit n for update skip locked;
	declare continue handler for not found set done = 1;
	declare exit handler for sqlexception begin rollback; resignal; end;
	start transaction;
	open due;
	jobs: loop
		fetch due into vid, vkey;
		if done then leave jobs; end if;
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
		end if;
	end loop;
	close due;
	commit;
	if taken > 0 then
		select id, name, seq, due_ns, payload, mkey from job where state = 1 and token = tok;
	end if;
end;

-- :routine_complete  Returns a row when it has changed one
create procedure complete_keys(jid bigint unsigned)
begin
	declare changed int;
	declare exit handler for sqlexception begin rollback; resignal; end;
	start transaction;
	update job set state = 2, finished_at = now(6) where id = jid and state = 1;
	set changed = row_count();
	delete m from mutex m join job j on j.id = jid and j.mkey = m.mkey where m.job_id = jid;
	commit;
	if changed = 1 then select jid; end if;
end;

-- :hold  $1 key: nobody gets it for a day
insert into mutex (mkey, job_id, until) values ($1, 0, now(6) + interval 1 day);

-- :keyed  $1 how many, $2 how many names, $3 key: due jobs that all have this key
insert /*+ set_var(cte_max_recursion_depth = 10000000) */ into job (name, run_at, payload, mkey)
with recursive n (i) as (
	select cast(0 as signed) union all select i + 1 from n where i + 1 < $1
)
select concat('job-', i mod $2), now(6) - interval 1 hour, $3, $3 from n;

-- :complete  $1 id
update job set state = 2, finished_at = now(6) where id = $1 and state = 1;

-- :prune  $1 seconds: completed jobs that are older. An index for it would cost each job more
delete from job where state = 2 and finished_at < now(6) - interval $1 second;

-- :rescue  Jobs whose worker has gone, after an hour
update job set state = 0, started_at = null
where state = 1 and started_at < now(6) - interval 1 hour;

-- :settle
analyze table job;

-- :check
select coalesce(sum(state = 0), 0), coalesce(sum(state = 1), 0), coalesce(sum(state = 2), 0)
from job where seq is not null;
