-- What reports count of conversations with the tutor: how many and how long, shared answers given and missed, and
-- conversations that left the shared paths. Whoever writes a message notes what it changes, by its own conversation
-- alone; what is deleted later stays counted.
--
-- Locks: none, rows are only added.

-- A conversation counts on the day on which it began, and grows by what is said after all that was said before. Where
-- that begins it, or is told of an earlier time, it counts anew in place of what it counted for. Each message waits for
-- this: the first and the last moment before it are looked up by index, whatever was said between them, and in small
-- statements, since one for all of it takes longer to begin than to run.
create or replace function note_messages() returns trigger language plpgsql as $$
declare
  said record;
  before record;
begin
  for said in
    select session_id, array_agg(id) as ids, min(created_at) as began, max(created_at) as ended,
           bool_or(on_shared_path or meta ? 'joined') as tells_of_sharing
    from added group by session_id
  loop
    select item.course_id,
           (select min(m.created_at) from chat_messages as m
            where m.session_id = s.id and m.id <> all (said.ids)) as began,
           (select max(m.created_at) from chat_messages as m
            where m.session_id = s.id and m.id <> all (said.ids)) as ended
    into before
    from chat_sessions as s join content_items as item on item.id = s.content_item_id
    where s.id = said.session_id;
    if before.began <= said.began then
      if before.ended < said.ended then
        insert into uncounted_changes values (
          'conversation_milliseconds', before.course_id, utc_day(before.began), null,
          extract(epoch from said.ended - before.ended) * 1000);
      end if;
    else
      insert into uncounted_changes
      select measure, before.course_id, utc_day(since), null, amount
      from (values
        ('conversations', said.began, 1),
        ('conversations', before.began, -1),
        ('conversation_milliseconds', said.began,
         extract(epoch from greatest(said.ended, before.ended) - said.began) * 1000),
        ('conversation_milliseconds', before.began, extract(epoch from before.began - before.ended) * 1000)
      ) as anew (measure, since, amount)
      where since is not null;
    end if;
    if said.tells_of_sharing then
      insert into uncounted_changes
      select measure, before.course_id, utc_day(created_at), null, 1
      from added
      cross join lateral (values
        (case when on_shared_path then case meta ->> 'source' when 'cache' then 'hits' else 'misses' end end),
        (case when meta ? 'joined' then 'joined' end)
      ) as one (measure)
      where session_id = said.session_id and measure is not null;
    end if;
  end loop;
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
