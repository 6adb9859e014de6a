-- The totals that reports are drawn from, and the counting of what was noted since. They say what happened: what is
-- deleted later, a conversation for one, stays counted.
--
-- Locks: the tables that are counted (a recount alone), the advisory lock of the totals, then the lists.

-- One counts at a time, so that none overlooks another's part.
create or replace function lock_totals() returns void language sql as $$
  select pg_advisory_xact_lock('report_totals'::regclass::oid::int, 0)
$$;

-- Adds the first of the noted changes to the totals: to those of a course, and to those of all courses together. What
-- is still noted of a course that is gone no longer counts.
create or replace function count_changes(most integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  counted integer;
begin
  with noted as (
    delete from uncounted_changes where ctid = any (array (select ctid from uncounted_changes limit most)) returning *
  ), added as (
    insert into report_totals as total (measure, course_id, day, since, amount)
    select measure, course_id, day, since, sum(amount) from noted
    where course_id is null or exists (select from courses where id = course_id)
    group by grouping sets ((measure, course_id, day, since), (measure, day, since))
    having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1)
    on conflict on constraint report_totals_key do update set amount = total.amount + excluded.amount
  )
  select count(*) into counted from noted;
  return counted;
end $$;

-- Counts some of the uncounted events in the way that is quicker for as many as there are.
create or replace function count_some_events(out new_events integer, out is_behind boolean) language plpgsql as $$
begin
  is_behind := exists (select from uncounted_events offset 50000);
  if is_behind then new_events := count_events_of_people(200); end if;
  -- Nothing is counted by person where only the numbers are left, of events that were truncated.
  if not is_behind or new_events = 0 then
    new_events := count_events(5000);
    is_behind := new_events >= 5000;
  end if;
end $$;

-- Counts what is noted, as much of it as takes a few seconds; `is_behind` says that more is left. When nothing is, the
-- totals hold all that was noted before that moment. What a tree takes depends on its course: as many are looked at as
-- fit, since what takes longer than a statement may would never be done.
create or replace function count_new_totals(out new_events integer, out is_behind boolean) language plpgsql as $$
declare
  trees integer;
  changes integer;
  enough timestamptz;
begin
  perform lock_totals();
  enough := service_clock() + interval '5 seconds';
  select events.new_events, events.is_behind into new_events, is_behind from count_some_events() as events;
  perform count_courses();
  loop
    trees := count_trees(200);
    exit when trees < 200 or service_clock() > enough;
  end loop;
  changes := count_changes(100000);
  is_behind := is_behind or trees >= 200 or changes >= 100000;
  if not is_behind then
    insert into scheduled_tasks (name, begun_at) values ('count', service_now())
    on conflict (name) do update set begun_at = excluded.begun_at;
  end if;
end $$;

-- Counts what a person did, before they are erased: what others did waits for the schedule.
create or replace function count_person(person integer) returns void language plpgsql as $$
begin
  perform lock_totals();
  perform count_events_of(array[person]);
  insert into uncounted_trees
  select course_offering_id, user_id from user_module_progress where user_id = person
  union
  select course_offering_id, user_id from user_content_progress where user_id = person;
  perform count_trees(null, person);
end $$;

-- Since when something is noted that is too much to be worked out while someone waits for a report, as after a bulk
-- load, or when an item is added to a course of many, which notes all their trees. Null for less. To find that out it
-- looks at no more than that either.
create or replace function behind_since() returns timestamptz language sql stable as $$
  select coalesce((select begun_at from scheduled_tasks where name = 'count'), to_timestamp(0))
  where exists (select from uncounted_events offset 500)
    or exists (select from uncounted_changes offset 100000)
    or exists (select from uncounted_trees offset 500)
    or exists (select distinct course_id from uncounted_courses offset 100)
    or exists (
      select from course_offerings as run cross join lateral (
        select from user_content_progress as posted where posted.course_offering_id = run.id
        union all
        select from user_module_progress as posted where posted.course_offering_id = run.id
      ) as posted
      where run.course_id in (select course_id from uncounted_courses) offset 20000)
    or exists (select from noted_trees() offset 500)
$$;

-- What is noted and not counted yet, as changes of the totals: a report adds them, and writes nothing. None where that
-- is too much.
create or replace function uncounted_totals() returns setof report_totals language plpgsql stable as $$
begin
  if behind_since() is not null then return; end if;
  return query
    select measure, course_id, day, since, sum(amount)
    from (
      select * from uncounted_changes
      union all
      select * from event_changes((select max(event_id) from uncounted_events))
      union all
      select * from tree_changes()
    ) as noted
    where course_id is null or exists (select from courses where id = course_id)
    group by grouping sets ((measure, course_id, day, since), (measure, day, since))
    having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1)
    union all
    select * from changes_of_gone_courses();
end $$;

-- Everything that is counted as it stands, from the rows themselves.
create or replace function standing_counts() returns setof uncounted_changes language sql stable as $$
  select counted.* from users as one, counts_of(one) as counted
  union all select counted.* from enrollments as one, counts_of(one) as counted
  union all select counted.* from user_content_progress as one, counts_of(one) as counted
  union all select counted.* from course_trees as one, counts_of(one) as counted
  union all select counted.* from quiz_attempts as one, counts_of(one) as counted
  union all select counted.* from lab_submissions as one, counts_of(one) as counted
  union all select counted.* from certificates as one, counts_of(one) as counted
  union all select counted.* from notes as one, counts_of(one) as counted
  union all select counted.* from flashcards as one, counts_of(one) as counted
  union all select counted.* from flashcard_reviews as one, counts_of(one) as counted
  union all select counted.* from discussion_threads as one, counts_of(one) as counted
  union all select counted.* from discussion_posts as one, counts_of(one) as counted
  union all select counted.* from course_reviews as one, counts_of(one) as counted
$$;

-- Everything that is counted as what happened, from the events and messages that are there.
create or replace function happened_counts() returns setof uncounted_changes language sql stable as $$
  with spoken as (
    select session_id, utc_day(min(created_at)) as day,
           extract(epoch from max(created_at) - min(created_at)) * 1000 as milliseconds
    from chat_messages group by session_id
  ), said (session_id, measure, day, amount) as (
    select session_id, case meta ->> 'source' when 'cache' then 'hits' else 'misses' end, utc_day(created_at), 1
    from chat_messages where on_shared_path
    union all
    select session_id, 'joined', utc_day(created_at), 1 from chat_messages where meta ? 'joined'
    union all
    select session_id, 'conversations', day, 1 from spoken
    union all
    select session_id, 'conversation_milliseconds', day, milliseconds from spoken
    union all
    select id, 'divergences', utc_day(created_at), 1 from chat_sessions where cache_state = 'diverged'
  )
  select * from activity_counts(null, false)
  union all
  select measure, i.course_id, day, null, amount
  from said join chat_sessions as s on s.id = session_id join content_items as i on i.id = s.content_item_id
$$;

-- Counts everything anew, for example what was loaded with the triggers switched off. Until it is done nothing that
-- is counted can be written, and what was deleted since it was counted is forgotten.
create or replace function recount_totals() returns void language plpgsql as $$
begin
  lock table users, enrollments, modules, content_items, user_module_progress, user_content_progress, quiz_attempts,
    lab_submissions, certificates, notes, flashcards, flashcard_reviews, discussion_threads, discussion_posts, course_reviews, activity_events,
    chat_sessions, chat_messages in share mode;
  perform lock_totals();
  delete from uncounted_courses;
  delete from course_trees;
  insert into uncounted_trees
  select course_offering_id, user_id from user_module_progress
  union select course_offering_id, user_id from user_content_progress;
  perform count_trees(null);
  delete from uncounted_events;
  delete from uncounted_changes;
  delete from report_totals;
  insert into report_totals (measure, course_id, day, since, amount)
  select measure, course_id, day, since, sum(amount)
  from (select * from standing_counts() union all select * from happened_counts()) as counted
  group by grouping sets ((measure, course_id, day, since), (measure, day, since))
  having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1);
end $$;
