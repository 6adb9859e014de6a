-- What reports count of the way through a course: whose tree of modules is complete, and whose was interrupted.
--
-- Locks: writers none, rows are only added. Counting is done under the lock of the totals (report-totals.sql).

create or replace function note_tree() returns trigger language plpgsql as $$
begin
  insert into uncounted_activity (user_id, course_offering_id)
  values (coalesce(new.user_id, old.user_id), coalesce(new.course_offering_id, old.course_offering_id));
  return null;
end $$;

create or replace trigger note_tree after insert or update of started_at, completed_at or delete on user_module_progress
  for each row execute function note_tree();
create or replace trigger note_tree after insert or delete on user_content_progress
  for each row execute function note_tree();
create or replace trigger note_later_tree after update of first_started_at, completed_at on user_content_progress
  for each row when ((new.first_started_at, new.completed_at) is distinct from (old.first_started_at, old.completed_at))
  execute function note_tree();

-- A module or an item that comes, moves or goes decides for everyone whether their tree is complete; and what was
-- counted of a course goes with it.
create or replace function note_course() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'courses' then
    insert into uncounted_courses values (old.id);
  else
    insert into uncounted_courses values (coalesce(new.course_id, old.course_id));
  end if;
  return null;
end $$;

create or replace trigger note_course after insert or delete on modules
  for each row execute function note_course();
create or replace trigger note_later_course after update of is_published, parent_module_id on modules
  for each row when ((new.is_published, new.parent_module_id) is distinct from (old.is_published, old.parent_module_id))
  execute function note_course();
create or replace trigger note_course
  after insert or update of is_active, module_id, content_type_id or delete on content_items
  for each row execute function note_course();
create or replace trigger note_course after delete on courses
  for each row execute function note_course();

-- How a person stands with the published modules of an offering's course; no row before they have begun one. A tree is
-- complete when all its items are, and what was posted of each module that has none in or below it. It is touched by
-- what is begun, by what is completed, and by any activity in the offering.
create or replace function tree_of(offering integer, person integer) returns setof course_trees
language sql stable as $$
  with recursive run as (
    select o.course_id from course_offerings as o where o.id = offering
  ), item as materialized (
    select * from item_progress(offering, person)
  ), filled as (
    select m.id, m.parent_module_id from modules as m where m.id in (select item.module_id from item)
    union
    select above.id, above.parent_module_id from filled join modules as above on above.id = filled.parent_module_id
  ), shown as (
    select m.id
    from run join modules as m on m.course_id = run.course_id and m.parent_module_id is null and m.is_published
    union all
    select below.id from shown join modules as below on below.parent_module_id = shown.id and below.is_published
  ), part (started_at, completed_at, is_needed) as (
    select item.started_at, item.completed_at, true from item
    union all
    select posted.started_at, case when filled.id is null then posted.completed_at end, filled.id is null
    from shown left join filled on filled.id = shown.id
    left join user_module_progress as posted
      on (posted.user_id, posted.course_offering_id, posted.module_id) = (person, offering, shown.id)
  ), step as (
    select step.moment, is_needed and completed_at is null as is_missing,
           case when completed_at is not null then greatest(started_at, completed_at) end as done_at
    from part cross join lateral (values (started_at), (greatest(started_at, completed_at))) as step (moment)
  ), tree as (
    select utc_day(min(moment)) as begun_on,
           case when not bool_or(is_missing) then utc_day(max(done_at)) end as completed_on
    from step having min(moment) is not null
  ), touched (day) as (
    select utc_day(moment) from step where moment is not null
    union
    select utc_day(e.occurred_at) from tree join activity_events as e on e.occurred_at >= utc_midnight(tree.begun_on)
    where e.course_offering_id = offering and e.user_id = person
  )
  select offering, person, run.course_id, tree.completed_on, coalesce((
    select range_agg(daterange(day + 14, next_day))
    from (select day, lead(day) over (order by day) as next_day from touched) as visit
    where (next_day > day + 14 or next_day is null) and (day < tree.completed_on or tree.completed_on is null)
  ), '{}')
  from run, tree
$$;

-- Progress in the courses that are noted.
create or replace function noted_progress() returns table (course_offering_id integer, user_id integer)
language sql stable as $$
  select run.id, posted.user_id
  from course_offerings as run cross join lateral (
    select p.user_id from user_content_progress as p where p.course_offering_id = run.id
    union all
    select p.user_id from user_module_progress as p where p.course_offering_id = run.id
  ) as posted
  where run.course_id in (select course_id from uncounted_courses)
$$;

-- The trees that are noted, alone or with their course.
create or replace function noted_trees() returns table (course_offering_id integer, user_id integer)
language sql stable as $$
  select noted.course_offering_id, noted.user_id from uncounted_activity as noted
  where noted.course_offering_id is not null
  union
  select noted.course_offering_id, noted.user_id from noted_progress() as noted
$$;

-- What the noted trees change, as they stand now.
create or replace function tree_changes() returns setof uncounted_changes
language sql stable set plan_cache_mode = force_generic_plan as $$
  select counted.measure, counted.course_id, counted.day, counted.since, state.sign * counted.amount
  from noted_trees() as noted
  cross join lateral (
    select 1 as sign, tree as one from tree_of(noted.course_offering_id, noted.user_id) as tree
    union all
    select -1, former from course_trees as former
    where (former.course_offering_id, former.user_id) = (noted.course_offering_id, noted.user_id)
  ) as state
  cross join lateral counts_of(state.one) as counted
$$;

-- Notes all trees of the noted courses, and what was counted of those that are gone.
create or replace function count_courses() returns void language sql as $$
  with noted as (
    delete from uncounted_courses returning course_id
  ), walked as (
    insert into uncounted_activity (user_id, course_offering_id)
    select distinct user_id, course_offering_id from noted_progress()
  ), gone as (
    delete from report_totals where course_id in (select course_id from noted except select id from courses) returning *
  )
  insert into uncounted_changes select measure, null, day, since, -amount from gone
$$;
