-- Totals of feature requests by status: each page of the list returns them.
--
-- Locks: all rows of the totals, in the order of the statuses: two changes of status then cannot deadlock.

create or replace function add_to_feature_request_totals() returns trigger language plpgsql as $$
begin
  perform from feature_request_totals order by status for no key update;
  if tg_op <> 'INSERT' then
    update feature_request_totals as total set requests = requests - number
    from (select status, count(*) as number from removed group by status) as counted
    where total.status = counted.status;
  end if;
  if tg_op <> 'DELETE' then
    update feature_request_totals as total set requests = requests + number
    from (select status, count(*) as number from added group by status) as counted
    where total.status = counted.status;
  end if;
  return null;
end $$;

create or replace trigger add_to_feature_request_totals_added after insert on feature_requests
  referencing new table as added
  for each statement execute function add_to_feature_request_totals();

create or replace trigger add_to_feature_request_totals_changed after update on feature_requests
  referencing old table as removed new table as added
  for each statement execute function add_to_feature_request_totals();

create or replace trigger add_to_feature_request_totals_removed after delete on feature_requests
  referencing old table as removed
  for each statement execute function add_to_feature_request_totals();
