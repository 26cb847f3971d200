-- Variant noindex: what differs from skiplocked.

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
	-- Of no use to the claim, which reads the whole table and sorts what is due.
	key job_name (name)
) engine=InnoDB;
