-- What reports count of conversations with the tutor: how many and how long, shared answers given and missed, and
-- conversations that left the shared paths. Whoever writes a message notes what it changes, by its own conversation
-- alone; what is deleted later stays counted (report-changes.sql has the triggers).
--
-- Locks: none, rows are only added.

create or replace function counts_of(one chat_messages) returns setof uncounted_changes language sql stable as $$
  select measure, i.course_id, utc_day(one.created_at), null::date, 1::numeric
  from chat_sessions as s join content_items as i on i.id = s.content_item_id
  cross join (values
    (case when one.on_shared_path then case one.meta ->> 'source' when 'cache' then 'hits' else 'misses' end end),
    (case when one.meta ? 'joined' then 'joined' end)
  ) as counted (measure)
  where s.id = one.session_id and measure is not null
$$;

create or replace function counts_of(one chat_sessions) returns setof uncounted_changes language sql stable as $$
  select 'divergences', i.course_id, utc_day(one.created_at), null::date, 1::numeric
  from content_items as i where i.id = one.content_item_id and one.cache_state = 'diverged'
$$;

-- A conversation from its first message to its last.
create or replace view conversations as
  select i.course_id, said.began_at, said.ended_at
  from (
    select session_id, min(created_at) as began_at, max(created_at) as ended_at from chat_messages group by session_id
  ) as said
  join chat_sessions as s on s.id = said.session_id join content_items as i on i.id = s.content_item_id;

-- It counts on the day on which it began.
create or replace function counts_of(one conversations) returns setof uncounted_changes language sql stable as $$
  select measure, one.course_id, utc_day(one.began_at), null::date, amount
  from (values
    ('conversations', 1), ('conversation_milliseconds', extract(epoch from one.ended_at - one.began_at) * 1000)
  ) as counted (measure, amount)
  where one.began_at is not null
$$;

-- What is said counts anew where it begins a conversation, or is told of an earlier time; else the conversation grows.
-- A message waits for this: the first and the last moment before it are looked up by index, whatever was said between
-- them, and in small statements, since one for all of it takes longer to begin than to run.
create or replace function note_messages() returns trigger language plpgsql as $$
declare
  said record;
  past conversations;
begin
  for said in
    select session_id, array_agg(id) as ids, min(created_at) as began_at, max(created_at) as ended_at
    from added group by session_id
  loop
    select i.course_id,
           (select min(m.created_at) from chat_messages as m where m.session_id = s.id and m.id <> all (said.ids)),
           (select max(m.created_at) from chat_messages as m where m.session_id = s.id and m.id <> all (said.ids))
    into past from chat_sessions as s join content_items as i on i.id = s.content_item_id where s.id = said.session_id;
    if past.began_at > said.began_at or past.began_at is null then
      insert into uncounted_changes
      select * from counts_of(row(past.course_id, said.began_at, greatest(said.ended_at, past.ended_at))::conversations)
      union all
      select measure, course_id, day, since, -amount from counts_of(past);
    elsif past.ended_at < said.ended_at then
      insert into uncounted_changes values ('conversation_milliseconds', past.course_id, utc_day(past.began_at), null,
        extract(epoch from said.ended_at - past.ended_at) * 1000);
    end if;
  end loop;
  return null;
end $$;

create or replace trigger note_messages after insert on chat_messages referencing new table as added
  for each statement execute function note_messages();
