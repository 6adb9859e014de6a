-- What reports count of conversations with the tutor: how many and how long, shared answers given and missed, and
-- conversations that left the shared paths. Whoever writes a message notes what it changes, from the messages of its own
-- conversation alone; what is deleted later stays counted.
--
-- Locks: none, rows are only added.

-- A conversation counts on the day on which it began, whose length grows with each message.
create or replace function note_messages() returns trigger language plpgsql as $$
begin
  insert into uncounted_changes
  select measure, item.course_id, day, null, sum(amount)
  from (
    select session_id, case meta ->> 'source' when 'cache' then 'hits' else 'misses' end, utc_day(created_at), 1
    from added where on_shared_path
    union all
    select session_id, 'joined', utc_day(created_at), 1 from added where meta ? 'joined'
    union all
    select session_id, one.measure, utc_day(one.began), one.amount
    from (
      select m.session_id, min(m.created_at) as began, max(m.created_at) as ended,
             min(m.created_at) filter (where m.id not in (select id from added)) as began_before,
             max(m.created_at) filter (where m.id not in (select id from added)) as ended_before
      from chat_messages as m where m.session_id in (select session_id from added) group by m.session_id
    ) as spoken
    cross join lateral (values
      ('conversations', began, 1),
      ('conversations', began_before, -1),
      ('conversation_milliseconds', began, extract(epoch from ended - began) * 1000),
      ('conversation_milliseconds', began_before, -extract(epoch from ended_before - began_before) * 1000)
    ) as one (measure, began, amount)
    where one.began is not null
  ) as said (session_id, measure, day, amount)
  join chat_sessions as s on s.id = said.session_id
  join content_items as item on item.id = s.content_item_id
  group by measure, item.course_id, day having sum(amount) <> 0;
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
