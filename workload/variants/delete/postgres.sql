-- Variant delete: what differs from skiplocked.

-- :complete  $1 id
delete from job where id = $1 and state = 1;

-- :check  completed jobs are gone: null
select count(*) filter (where state = 0), count(*) filter (where state = 1), null
from job where seq is not null;
