-- What reports count of conversations with the tutor: how many and how long, shared answers given and missed, and
-- conversations that left the shared paths.
--
-- Locks: writers none, rows are only added. Counting is done under the lock of the totals (report-totals.sql).

create or replace function note_messages() returns trigger language plpgsql as $$
begin
  insert into uncounted_messages select id from added;
  return null;
end $$;

create or replace trigger note_messages after insert on chat_messages referencing new table as added
  for each statement execute function note_messages();

-- A conversation that has left the shared paths counts once, on the day on which it was opened, and stays counted.
create or replace function count_divergence() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.cache_state = new.cache_state then return null; end if;
  insert into uncounted_changes
  select 'divergences', course_id, utc_day(new.created_at), null, 1
  from content_items where id = new.content_item_id;
  return null;
end $$;

create or replace trigger count_divergence after insert or update of cache_state on chat_sessions
  for each row when (new.cache_state = 'diverged') execute function count_divergence();

-- Counts the first of the uncounted messages in the same way: answers on shared paths, and how long each conversation
-- is, on the day on which it began.
create or replace function count_messages(most integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  newest integer := (
    select max(message_id) from (select message_id from uncounted_messages order by message_id limit most) as first
  );
  counted integer;
begin
  if newest is null then return 0; end if;
  with new as (
    delete from uncounted_messages where message_id <= newest returning message_id
  ), added as materialized (
    select m.* from new join chat_messages as m on m.id = new.message_id
  ), change (session_id, measure, day, amount) as (
    select session_id, case meta ->> 'source' when 'cache' then 'hits' else 'misses' end, utc_day(created_at), 1
    from added where on_shared_path
    union all
    select session_id, 'joined', utc_day(created_at), 1 from added where meta ? 'joined'
    union all
    select spoken.session_id, one.measure, utc_day(first), sign * one.amount
    from (select distinct session_id from added) as spoken
    cross join (values (1, newest), (-1, 0)) as state (sign, seen)
    cross join lateral (
      select min(m.created_at) as first, max(m.created_at) as last from chat_messages as m
      where m.session_id = spoken.session_id
        and not exists (select from uncounted_messages as u where u.message_id = m.id and u.message_id > seen)
    ) as span
    cross join lateral (values
      ('conversations', 1), ('conversation_milliseconds', extract(epoch from span.last - first) * 1000)
    ) as one (measure, amount)
    where first is not null
  ), noted as (
    insert into uncounted_changes
    select measure, i.course_id, day, null, sum(amount)
    from change join chat_sessions as s on s.id = session_id join content_items as i on i.id = s.content_item_id
    group by measure, i.course_id, day having sum(amount) <> 0
  )
  select count(*) into counted from new;
  return counted;
end $$;

