-- Variant pername. One claim statement for each name, one completion a job.
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
	token bigint unsigned,
	started_at datetime(6),
	finished_at datetime(6),
	-- There is no index of the waiting jobs only; completed ones lie in other ranges of this one.
	key job_due (name, state, run_at)
) engine=InnoDB;

-- :prefill  $1 how many names: one pending job a year ahead for each
insert /*+ set_var(cte_max_recursion_depth = 1000000) */ into job (name, run_at)
with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < $1)
select concat('job-', i), now(6) + interval 1 year from n;

-- :enqueue  $1 name, $2 seq, $3 due_ns
insert into job (name, seq, due_ns) values ($1, $2, $3);

-- :claim  $1 name, $2 the claim's number. Without UPDATE ... RETURNING what it took is read below
update job join (
	select id from job where name = $1 and state = 0 and run_at <= now(6)
	order by run_at limit :limit for update skip locked
) c on c.id = job.id
set job.state = 1, job.token = $2, job.started_at = now(6);

-- :claimed  $1 name, $2 the claim's number
select id, name, seq, due_ns from job where name = $1 and state = 1 and token = $2;

-- :complete  $1 id
update job set state = 2, finished_at = now(6) where id = $1 and state = 1;

-- :settle
analyze table job;

-- :check
select coalesce(sum(state = 0), 0), coalesce(sum(state = 1), 0), coalesce(sum(state = 2), 0)
from job where seq is not null;
