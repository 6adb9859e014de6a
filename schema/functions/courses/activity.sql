-- The id of the writing transaction. The feed reads up to the lowest open transaction
-- (lib/integrations/event-feed/cursor.ts) and misses nothing: later transactions have greater ids.
create or replace function current_transaction_number() returns bigint language sql volatile as $$
  select pg_current_xact_id()::text::bigint
$$;

-- Records a learning activity on an object, `{"type", "id"}` and its `content_item`, in the transaction of
-- the activity: one event and the person's streak. The streak counts days in the person's time zone, where
-- `moment` is on `today`. The same day keeps it, the next adds one, a gap restarts at 1. An earlier day
-- (clock set back, move west) keeps it. If the caller passes the last active day and it is today, no lookup
-- is needed. Returns the last active day, at least `today`.
--
-- Locks: the person, when the day is new to them.
create or replace function add_activity_event_and_update_streak(
  person integer, verb text, object jsonb, university integer, offering integer, moment timestamptz, today date,
  last_active date default null
) returns date language plpgsql as $$
begin
  insert into activity_events
    (user_id, verb, object_type, object_id, university_id, content_item_id, course_offering_id, occurred_at)
  values (person, verb, object ->> 'type', (object ->> 'id')::bigint, university,
    (object ->> case object ->> 'type' when 'content_item' then 'id' else 'content_item' end)::integer, offering, moment);
  if last_active is null or last_active < today then
    update users
    set current_streak_days = case when last_activity_date = today - 1 then current_streak_days + 1 else 1 end,
        last_activity_date = today
    where id = person and (last_activity_date is null or last_activity_date < today);
  end if;
  return greatest(last_active, today);
end $$;
