-- Variant delete: what differs from skiplocked.

-- :complete  $1 id
delete from job where id = $1 and state = 1;

-- :check  completed jobs are gone: null
select coalesce(sum(state = 0), 0), coalesce(sum(state = 1), 0), null
from job where seq is not null;
