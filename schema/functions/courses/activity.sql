-- The number of the transaction that writes a row. A reader who has read up to the number below which no transaction is open
-- (lib/integrations/event-feed/cursor.ts) has missed nothing: what begins later has a greater one.
create or replace function change_number() returns bigint language sql volatile as $$
  select pg_current_xact_id()::text::bigint
$$;

-- Records what a person did to learn with an object, `{"type", "id"}` and the `content_item` that it is part of, beside the thing itself, so that neither happens without the other: one event,
-- and their streak. The streak counts days in the person's own time zone, where `moment` is on the day `today`: the
-- same day keeps it, the next adds one, a gap starts again at 1. A day before the last active one (a clock set back, a
-- move west) keeps it as well. Whoever has read their last active day says so: on the same day there is nothing to look up.
-- Answers their last active day, which is then this one or a later one.
--
-- Locks: the person, when the day is new to them.
create or replace function record_activity(
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
