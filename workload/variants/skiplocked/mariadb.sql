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
	token bigint unsigned,
	started_at datetime(6),
	finished_at datetime(6)
) engine=InnoDB;
-- What the application does in the transaction that enqueues a job.
create table app (
	id bigint unsigned not null auto_increment primary key,
	name varchar(128) character set ascii not null,
	seq bigint not null
) engine=InnoDB;

-- :prefill  $1 how many names: one pending job a year ahead for each
set statement max_recursive_iterations = 1000000 for
insert into job (name, run_at)
with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < $1)
select concat('job-', i), now(6) + interval 1 year from n;

-- :completed  $1 number of the first, $2 how many, $3 how many names they are spread over
set statement max_recursive_iterations = 1000000 for
insert into job (name, state, started_at, finished_at)
with recursive n (i) as (
	select cast(0 as signed) union all select i + 1 from n where i + 1 < $2
)
select concat('job-', ($1 + i) mod $3), 2, now(6), now(6) from n;

-- :index  There is none of the waiting jobs only; completed ones lie in another range of this one
create index job_due on job (state, run_at);

-- :enqueue  $1 name, $2 seq, $3 due_ns, $4 payload
insert into job (name, seq, due_ns, payload) values ($1, $2, $3, $4);

-- :enqueue_many  $1 jobs as JSON, [[name, seq, due_ns], ...], $2 their payload
insert into job (name, seq, due_ns, payload)
select name, seq, due_ns, $2 from json_table($1, '$[*]' columns (
	name varchar(128) path '$[0]', seq bigint path '$[1]', due_ns bigint path '$[2]'
)) j;

-- :other  $1 name, $2 seq: in the transaction before the job
insert into app (name, seq) values ($1, $2);

-- :claim  $1 the claim's number. There is no UPDATE ... RETURNING: what it took is read below
update job join (
	select id from job where state = 0 and run_at <= now(6)
	order by run_at, id limit :limit for update skip locked
) c on c.id = job.id
set job.state = 1, job.token = $1, job.started_at = now(6);

-- :claimed  $1 the claim's number
select id, name, seq, due_ns, payload from job where state = 1 and token = $1;

-- :complete  $1 id
update job set state = 2, finished_at = now(6) where id = $1 and state = 1;

-- :settle
analyze table job;

-- :check
select coalesce(sum(state = 0), 0), coalesce(sum(state = 1), 0), coalesce(sum(state = 2), 0)
from job where seq is not null;
