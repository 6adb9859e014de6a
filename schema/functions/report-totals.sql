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

-- Counts what is noted, as much of it as takes a few seconds; `is_behind` says that more is left. When nothing is, the
-- totals hold all that was noted before that moment. What a person takes depends on what they did and on their courses:
-- as many are counted as fit, since what takes longer than a statement may would never be done.
create or replace function count_new_totals(out new_events integer, out is_behind boolean) language plpgsql as $$
declare
  people integer[];
  enough timestamptz;
begin
  perform lock_totals();
  enough := service_clock() + interval '5 seconds';
  new_events := 0;
  perform count_courses();
  loop
    people := array(select distinct user_id from uncounted_activity limit 20);
    new_events := new_events + count_activity(people);
    is_behind := count_changes(100000) = 100000 or cardinality(people) = 20;
    exit when not is_behind or service_clock() > enough;
  end loop;
  if not is_behind then
    insert into scheduled_tasks (name, begun_at) values ('count', service_now())
    on conflict (name) do update set begun_at = excluded.begun_at;
  end if;
end $$;

-- Counts what a person did, before they are erased: what others did waits for the schedule.
create or replace function count_person(person integer) returns void language plpgsql as $$
begin
  perform lock_totals();
  insert into uncounted_activity (user_id, course_offering_id)
  select user_id, course_offering_id from user_module_progress where user_id = person
  union
  select user_id, course_offering_id from user_content_progress where user_id = person;
  perform count_activity(array[person]);
end $$;

-- Since when something is noted that is too much to be worked out while someone waits for a report, as after a bulk
-- load, or when an item is added to a course of many, which notes all their trees. Null for less. To find that out it
-- looks at no more than that either.
create or replace function behind_since() returns timestamptz language sql stable as $$
  select coalesce((select begun_at from scheduled_tasks where name = 'count'), to_timestamp(0))
  where exists (select from uncounted_activity offset 1000)
    or exists (select from uncounted_changes offset 100000)
    or exists (select distinct course_id from uncounted_courses offset 100)
    or exists (select from noted_progress() offset 20000)
    or exists (select from noted_trees() offset 500)
    or exists (
      select from uncounted_people() as person
      join activity_events as e on e.user_id = person.user_id and e.occurred_at >= person.first_day offset 20000)
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
      select * from activity_changes(array(select user_id from uncounted_people()))
      union all
      select * from tree_changes()
    ) as noted
    where course_id is null or exists (select from courses where id = course_id)
    group by grouping sets ((measure, course_id, day, since), (measure, day, since))
    having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1)
    union all
    select measure, sum.course_id, day, since, -amount
    from report_totals as gone cross join lateral (values (gone.course_id), (null)) as sum (course_id)
    where gone.course_id in (select course_id from uncounted_courses except select id from courses);
end $$;

-- Counts everything anew, for example what was loaded with the triggers switched off. Until it is done nothing that
-- is counted can be written, and what was deleted since it was counted is forgotten.
create or replace function recount_totals() returns void language plpgsql as $$
declare
  counted regclass[] := array(select tgrelid from pg_trigger where tgname = 'note_changes') || regclass 'conversations';
  name regclass;
begin
  execute format('lock table modules, user_module_progress, activity_events, %s in share mode',
    array_to_string(counted, ', '));
  perform lock_totals();
  delete from course_trees;
  delete from uncounted_activity;
  delete from uncounted_changes;
  delete from report_totals;
  foreach name in array counted loop
    execute format('insert into uncounted_changes select counted.* from %s as one, counts_of(one) as counted', name);
  end loop;
  insert into uncounted_activity select user_id, id, null from activity_events;
  insert into uncounted_courses select id from courses;
  perform count_courses();
  perform count_activity(array(select id from users));
  perform count_changes(null);
end $$;
