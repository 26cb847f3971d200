-- Variant batch: what differs from skiplocked.

-- :complete  $1 list of ids
update job set state = 2, finished_at = now() where id = any($1::bigint[]) and state = 1;
