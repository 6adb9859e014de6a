-- What reports count of the way through a course: whose tree of modules is complete, and whose was interrupted.
--
-- Locks: writers none, rows are only added. Counting is done under the lock of the totals (report-totals.sql).

create or replace function note_tree() returns trigger language plpgsql as $$
begin
  insert into uncounted_trees
  values (coalesce(new.course_offering_id, old.course_offering_id), coalesce(new.user_id, old.user_id));
  return null;
end $$;

create or replace trigger note_tree after insert or update of started_at, completed_at or delete on user_module_progress
  for each row execute function note_tree();

-- A module that is published, or goes, decides for everyone whether their tree is complete.
create or replace function note_outline() returns trigger language plpgsql as $$
begin
  if new.is_published is distinct from old.is_published then
    insert into uncounted_courses values (coalesce(new.course_id, old.course_id));
  end if;
  return null;
end $$;

create or replace trigger note_outline after insert or update of is_published or delete on modules
  for each row execute function note_outline();

create or replace function note_end_of_course() returns trigger language plpgsql as $$
begin
  insert into uncounted_courses values (old.id);
  return null;
end $$;

create or replace trigger note_end_of_course after delete on courses
  for each row execute function note_end_of_course();

-- How a person stands with the published modules of an offering's course; no row before they have begun one. A tree
-- is touched by what is begun, by what is completed, and by any activity in the offering.
create or replace function tree_of(offering integer, person integer)
returns table (course_id integer, completed_on date, interrupted datemultirange) language sql stable as $$
  with walked as (
    select m.course_id, utc_day(p.started_at) as started_on,
           case when p.completed_at is not null then utc_day(greatest(p.started_at, p.completed_at)) end as done_on
    from user_module_progress as p
    join course_offerings as o on o.id = p.course_offering_id
    join modules as m on m.id = p.module_id and m.course_id = o.course_id and m.is_published
    where p.course_offering_id = offering and p.user_id = person
  ), tree as (
    select w.course_id, min(w.started_on) as begun_on,
           case when count(w.done_on) = (
             select count(*) from modules as m where m.course_id = w.course_id and m.is_published
           ) then max(w.done_on) end as completed_on
    from walked as w group by w.course_id
  ), touched (day) as (
    select started_on from walked
    union
    select done_on from walked where done_on is not null
    union
    select utc_day(e.occurred_at) from tree join activity_events as e on e.occurred_at >= utc_midnight(tree.begun_on)
    where e.course_offering_id = offering and e.user_id = person
  )
  select tree.course_id, tree.completed_on, coalesce((
    select range_agg(daterange(day + 14, next_day))
    from (select day, lead(day) over (order by day) as next_day from touched) as visit
    where (next_day > day + 14 or next_day is null) and (day < tree.completed_on or tree.completed_on is null)
  ), '{}')
  from tree
$$;

-- All trees of a noted course are noted. What was counted of a course goes with it, also from the sums of all courses.
create or replace function count_courses() returns void language sql as $$
  with noted as (
    delete from uncounted_courses returning course_id
  ), walked as (
    insert into uncounted_trees
    select distinct p.course_offering_id, p.user_id
    from noted
    join course_offerings as o using (course_id)
    join user_module_progress as p on p.course_offering_id = o.id
  ), gone as (
    delete from report_totals as total using (select distinct course_id from noted) as course
    where total.course_id = course.course_id and not exists (select from courses where id = course.course_id)
    returning total.*
  )
  insert into uncounted_changes select measure, null, day, since, -amount from gone
$$;

-- Looks at the first of the noted trees anew; what that changes is noted by the trigger of the trees.
create or replace function count_trees(most integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  counted integer;
begin
  with noted as (
    delete from uncounted_trees where ctid = any (array (select ctid from uncounted_trees limit most))
    returning course_offering_id, user_id
  ), looked_at as materialized (
    select walked.*, tree.*
    from (select distinct * from noted) as walked
    left join lateral tree_of(course_offering_id, user_id) as tree on true
  ), gone as (
    delete from course_trees as former using looked_at as l
    where former.course_offering_id = l.course_offering_id and former.user_id = l.user_id and l.course_id is null
  ), kept as (
    insert into course_trees as former (course_offering_id, user_id, course_id, completed_on, interrupted)
    select * from looked_at where course_id is not null
    on conflict (course_offering_id, user_id) do update
    set completed_on = excluded.completed_on, interrupted = excluded.interrupted
    where (former.completed_on, former.interrupted) is distinct from (excluded.completed_on, excluded.interrupted)
  )
  select count(*) into counted from noted;
  return counted;
end $$;
