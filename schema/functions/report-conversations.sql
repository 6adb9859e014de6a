-- What reports count of conversations with the tutor: how many and how long, shared answers given and missed, and
-- conversations that left the shared paths. Whoever writes a message notes what it changes, from the messages of its own
-- conversation alone; what is deleted later stays counted.
--
-- Locks: none, rows are only added.

-- A conversation counts on the day on which it began, and grows by what is said after all that was said before. Where
-- that begins it, or is told of an earlier time, it counts anew in place of what it counted for. Each message waits for
-- this: the first and the last moment before it are looked up by index, whatever was said between them.
create or replace function note_messages() returns trigger language plpgsql as $$
begin
  insert into uncounted_changes
  select one.measure, item.course_id, utc_day(one.since), null, one.amount
  from (
    select session_id, array_agg(id) as ids, min(created_at) as began, max(created_at) as ended
    from added group by session_id
  ) as said
  join chat_sessions as s on s.id = said.session_id
  join content_items as item on item.id = s.content_item_id
  cross join lateral (
    select (select min(m.created_at) from chat_messages as m where m.session_id = s.id and m.id <> all (said.ids)),
           (select max(m.created_at) from chat_messages as m where m.session_id = s.id and m.id <> all (said.ids))
    offset 0 -- Or each moment would be looked up at each place that names it.
  ) as before (began, ended)
  cross join lateral (
    select 'conversation_milliseconds', before.began, extract(epoch from said.ended - before.ended) * 1000
    where said.began >= before.began and said.ended > before.ended
    union all
    select measure, since, amount
    from (values
      ('conversations', said.began, 1),
      ('conversations', before.began, -1),
      ('conversation_milliseconds', said.began, extract(epoch from greatest(said.ended, before.ended) - said.began) * 1000),
      ('conversation_milliseconds', before.began, extract(epoch from before.began - before.ended) * 1000)
    ) as anew (measure, since, amount)
    where (said.began >= before.began) is not true and since is not null
  ) as one (measure, since, amount);

  insert into uncounted_changes
  select one.measure, item.course_id, utc_day(said.created_at), null, 1
  from added as said
  join chat_sessions as s on s.id = said.session_id
  join content_items as item on item.id = s.content_item_id
  cross join lateral (values
    (case when on_shared_path then case meta ->> 'source' when 'cache' then 'hits' else 'misses' end end),
    (case when meta ? 'joined' then 'joined' end)
  ) as one (measure)
  where one.measure is not null;
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
