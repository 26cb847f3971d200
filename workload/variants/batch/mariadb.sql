-- Variant batch: what differs from skiplocked.

-- :complete  $1 list of ids
update job join json_table($1, '$[*]' columns (id bigint unsigned path '$')) l on l.id = job.id
set job.state = 2, job.finished_at = now(6) where job.state = 1;
