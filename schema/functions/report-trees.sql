-- How people stand with the tree of a course's modules. How they stood is kept in `course_trees`; whose tree may have
-- changed since is on the list `stale_trees`, to which whoever writes progress or an outline adds a row. The schedule
-- looks at those anew, and so does whoever reads them before.
--
-- Locks: writers none, rows are only added. Whoever refreshes holds `course_trees`, so that one does at a time.

-- An outline that changes does so for everyone in the offerings of the course: a row without a person.
create or replace function note_stale_trees() returns trigger language plpgsql as $$
begin
  if tg_table_name in ('modules', 'content_items') then
    insert into stale_trees (course_offering_id)
    select id from course_offerings where course_id = coalesce(new.course_id, old.course_id);
  else
    insert into stale_trees (course_offering_id, user_id)
    values (coalesce(new.course_offering_id, old.course_offering_id), coalesce(new.user_id, old.user_id));
  end if;
  return null;
end $$;

create or replace trigger note_stale_trees after insert or update of is_published, parent_module_id or delete on modules
  for each row execute function note_stale_trees();
create or replace trigger note_stale_trees
  after insert or update of is_active, module_id, content_type_id or delete on content_items
  for each row execute function note_stale_trees();
create or replace trigger note_stale_trees after insert or update of started_at, completed_at or delete on user_module_progress
  for each row execute function note_stale_trees();
create or replace trigger note_stale_trees after insert or delete on user_content_progress
  for each row execute function note_stale_trees();
-- Most posts of progress leave both moments as they were.
create or replace trigger note_later_stale_trees after update of first_started_at, completed_at on user_content_progress
  for each row when ((new.first_started_at, new.completed_at) is distinct from (old.first_started_at, old.completed_at))
  execute function note_stale_trees();

-- How a person stands with the published modules of an offering's course; no row before they have begun one. A tree is
-- complete when all its items are, and what was posted of each module that has none in or below it. What they begin or
-- complete keeps it fresh for 14 days.
create or replace function tree_of(offering integer, person integer) returns setof course_trees
language sql stable as $$
  with recursive run as (
    select o.course_id from course_offerings as o where o.id = offering
  ), shown as (
    select m.id from run join modules as m using (course_id) where m.parent_module_id is null and m.is_published
    union all
    select below.id from shown join modules as below on below.parent_module_id = shown.id and below.is_published
  ), part (started_at, completed_at, is_needed) as (
    select item.started_at, item.completed_at, true from item_progress(offering, person) as item
    union all
    select posted.started_at, case when filled.module_id is null then posted.completed_at end, filled.module_id is null
    from shown left join module_progress(offering, person) as filled on filled.module_id = shown.id
    left join user_module_progress as posted
      on (posted.user_id, posted.course_offering_id, posted.module_id) = (person, offering, shown.id)
  )
  select offering, person, run.course_id,
         case when bool_and(completed_at is not null or not is_needed)
              then max(day) filter (where completed_at is not null) end,
         utc_day(min(started_at)), range_agg(daterange(day, day + 14)) filter (where day is not null)
  from run, part, lateral (values (utc_day(started_at)), (utc_day(greatest(started_at, completed_at)))) as step (day)
  group by run.course_id having min(started_at) is not null
$$;

-- Whose trees are stale, alone or with everyone's.
create or replace view stale_people as
  select course_offering_id, user_id from stale_trees where user_id is not null
  union
  select stale.course_offering_id, mine.user_id
  from stale_trees as stale cross join lateral (
    select user_id from user_content_progress where course_offering_id = stale.course_offering_id
    union all
    select user_id from user_module_progress where course_offering_id = stale.course_offering_id
  ) as mine where stale.user_id is null;

-- How everyone stands now; or stood, where that is too much to be worked out while someone waits.
create or replace view trees as
  select * from course_trees
  where case when (select is_behind()) then true else (course_offering_id, user_id) not in (select * from stale_people) end
  union all
  select tree.* from stale_people as stale cross join lateral tree_of(stale.course_offering_id, stale.user_id) as tree
  where not (select is_behind());

-- Looks at some of the stale trees anew; answers whether more are left. What is noted meanwhile stays on the list.
create or replace function refresh_trees(most integer) returns boolean language plpgsql as $$
declare
  offerings integer[];
  people integer[];
begin
  lock table course_trees in share row exclusive mode;
  with of_all as (delete from stale_trees where user_id is null)
  insert into stale_trees select * from stale_people where exists (select from stale_trees where user_id is null);
  with noted as (
    select distinct course_offering_id, user_id from (select * from stale_trees limit most) as stale
  ), taken as (
    delete from stale_trees as stale using noted
    where (stale.course_offering_id, stale.user_id) = (noted.course_offering_id, noted.user_id)
  )
  select array_agg(course_offering_id), array_agg(user_id) into offerings, people from noted;
  delete from course_trees where (course_offering_id, user_id) in (select * from unnest(offerings, people));
  insert into course_trees
  select tree.* from unnest(offerings, people) as noted (offering, person)
  cross join lateral tree_of(noted.offering, noted.person) as tree;
  return exists (select from stale_trees);
end $$;
