-- Variant delete: what differs from skiplocked.

-- :complete  $1 id
delete from job where id = $1 and state = 1;

-- :complete_keys  $1 id
with d as (
	delete from job where id = $1 and state = 1 returning id, mkey
), k as (
	delete from mutex using d where mutex.mkey = d.mkey and mutex.job_id = d.id
)
select id from d;

-- :check  completed jobs are gone: null
select count(*) filter (where state = 0), count(*) filter (where state = 1), null
from job where seq is not null;
