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

create or replace trigger note_tree after insert or delete on user_content_progress
  for each row execute function note_tree();

create or replace trigger note_later_tree after update of first_started_at, completed_at on user_content_progress
  for each row when ((new.first_started_at, new.completed_at) is distinct from (old.first_started_at, old.completed_at))
  execute function note_tree();

-- A module that is published, moves or goes decides for everyone whether their tree is complete.
create or replace function note_outline() returns trigger language plpgsql as $$
begin
  if (new.is_published, new.parent_module_id) is distinct from (old.is_published, old.parent_module_id) then
    insert into uncounted_courses values (coalesce(new.course_id, old.course_id));
  end if;
  return null;
end $$;

create or replace trigger note_outline after insert or update of is_published, parent_module_id or delete on modules
  for each row execute function note_outline();

-- So does an item.
create or replace function note_items() returns trigger language plpgsql as $$
begin
  insert into uncounted_courses values (coalesce(new.course_id, old.course_id));
  return null;
end $$;

create or replace trigger note_items
  after insert or update of is_active, module_id, content_type_id or delete on content_items
  for each row execute function note_items();

create or replace function note_end_of_course() returns trigger language plpgsql as $$
begin
  insert into uncounted_courses values (old.id);
  return null;
end $$;

create or replace trigger note_end_of_course after delete on courses
  for each row execute function note_end_of_course();

-- Whether the course has a published module without items in or below it that the person has not posted as complete.
create or replace function lacks_a_module(the_course integer, offering integer, person integer) returns boolean
language sql stable as $$
  with recursive shown as (
    select m.id from modules as m
    where m.course_id = the_course and m.parent_module_id is null and m.is_published
    union all
    select below.id from shown join modules as below on below.parent_module_id = shown.id and below.is_published
  ), filled as (
    select m.id, m.parent_module_id from modules as m
    where m.id in (select item.module_id from counting_items(the_course) as item)
    union
    select above.id, above.parent_module_id from filled join modules as above on above.id = filled.parent_module_id
  )
  select exists (
    select from shown
    where shown.id not in (select filled.id from filled) and not exists (
      select from user_module_progress as posted
      where posted.course_offering_id = offering and posted.user_id = person and posted.module_id = shown.id
        and posted.completed_at is not null
    )
  )
$$;

-- How a person stands with the published modules of an offering's course; no row before they have begun one. A tree is
-- complete when all its items are, and what was posted of each module that has none. It is touched by what is begun, by
-- what is completed, and by any activity in the offering.
create or replace function tree_of(offering integer, person integer)
returns table (course_id integer, completed_on date, interrupted datemultirange) language sql stable as $$
  with item as materialized (
    select i.started_at, greatest(i.started_at, i.completed_at) as done_at, i.completed_at is not null as is_done
    from item_progress(offering, person) as i
  ), filled as materialized (
    select m.module_id from module_progress(offering, person) as m
  ), posted as materialized (
    select p.started_at, case when p.completed_at is not null and p.module_id not in (select f.module_id from filled as f)
                              then greatest(p.started_at, p.completed_at) end as done_at
    from user_module_progress as p
    join course_offerings as o on o.id = p.course_offering_id
    join modules as m on m.id = p.module_id and m.course_id = o.course_id
    where p.course_offering_id = offering and p.user_id = person and is_module_published(m.id)
  ), step (moment) as (
    select started_at from item where started_at is not null
    union all
    select done_at from item where is_done
    union all
    select started_at from posted
    union all
    select done_at from posted where done_at is not null
  ), tree as (
    select run.course_id, (select utc_day(min(moment)) from step) as begun_on,
           case when not exists (select from item where not is_done) and not lacks_a_module(run.course_id, offering, person)
             then utc_day(greatest((select max(done_at) from item), (select max(done_at) from posted))) end as completed_on
    from course_offerings as run
    where run.id = offering and exists (select from step)
  ), touched (day) as (
    select utc_day(moment) from step
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

-- The trees of these courses: of everyone who has begun something of them.
create or replace function trees_of(the_courses integer[]) returns table (course_offering_id integer, user_id integer)
language sql stable as $$
  select p.course_offering_id, p.user_id
  from course_offerings as o join user_module_progress as p on p.course_offering_id = o.id
  where o.course_id = any (the_courses)
  union
  select p.course_offering_id, p.user_id
  from course_offerings as o join user_content_progress as p on p.course_offering_id = o.id
  where o.course_id = any (the_courses)
$$;

-- What was counted of noted courses that are gone goes, also from the sums of all courses.
create or replace function changes_of_gone_courses() returns setof uncounted_changes language sql stable as $$
  select measure, sum.course_id, day, since, -amount
  from report_totals as total cross join lateral (values (total.course_id), (null)) as sum (course_id)
  where total.course_id in (select noted.course_id from uncounted_courses as noted)
    and not exists (select from courses where id = total.course_id)
$$;

-- All trees of a noted course are noted. What was counted of a course goes with it.
create or replace function count_courses() returns void language sql as $$
  with noted as (
    delete from uncounted_courses returning course_id
  ), walked as (
    insert into uncounted_trees
    select course_offering_id, user_id from trees_of(array(select course_id from noted))
  ), changed as (
    insert into uncounted_changes select * from changes_of_gone_courses() where course_id is null
  )
  delete from report_totals as total using (select distinct course_id from noted) as course
  where total.course_id = course.course_id and not exists (select from courses where id = course.course_id)
$$;

-- The trees that are noted, and those that an event of the list or a course of the list will have noted.
create or replace function noted_trees() returns table (course_offering_id integer, user_id integer)
language sql stable as $$
  select walked.course_offering_id, walked.user_id from uncounted_trees as walked
  union
  select e.course_offering_id, e.user_id from uncounted_events as new join activity_events as e on e.id = new.event_id
  where e.course_offering_id is not null
  union
  select below.course_offering_id, below.user_id from trees_of(array(select course_id from uncounted_courses)) as below
$$;

-- What the noted trees change, as they stand now.
create or replace function tree_changes() returns setof uncounted_changes
language sql stable set plan_cache_mode = force_generic_plan as $$
  with looked_at as materialized (
    select row(noted.course_offering_id, noted.user_id, tree.course_id, tree.completed_on, tree.interrupted)::course_trees
             as one,
           tree.course_id is not null as is_begun
    from noted_trees() as noted
    left join lateral tree_of(noted.course_offering_id, noted.user_id) as tree on true
  )
  select now.* from looked_at, counts_of(looked_at.one) as now where looked_at.is_begun
  union all
  select past.measure, past.course_id, past.day, past.since, -past.amount
  from looked_at
  join course_trees as former
    on (former.course_offering_id, former.user_id) = ((looked_at.one).course_offering_id, (looked_at.one).user_id)
  cross join lateral counts_of(former) as past
$$;

-- Looks at the first of the noted trees anew, or of those of a person; what that changes is noted by the trigger of the
-- trees.
create or replace function count_trees(most integer, of_person integer default null) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  counted integer;
begin
  with noted as (
    delete from uncounted_trees where ctid = any (array (
      select ctid from uncounted_trees where of_person is null or user_id = of_person limit most))
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
