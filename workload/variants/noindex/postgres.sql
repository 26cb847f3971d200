-- Variant noindex: what differs from skiplocked.

-- :index  Of no use to the claim, which reads the whole table and sorts what is due
create index job_name on job (name);
