-- Users' progress in the module trees of courses. `course_trees` stores it; writers of progress add a row to
-- `stale_trees`. The schedule refreshes those trees, and so do readers. After an edit of the outline a job refreshes
-- its users (recompute-after-outline-change.sql); until then reads return the former state. `tree_totals` has the sums by course and
-- day, and by month, so a report reads only stale trees.
--
-- Locks: writers none, they only insert. A refresh takes `course_trees`, one at a time, and then the totals.

create or replace function queue_stale_course_progress() returns trigger language plpgsql as $$
begin
  insert into stale_trees (course_offering_id, user_id)
  values (coalesce(new.course_offering_id, old.course_offering_id), coalesce(new.user_id, old.user_id));
  return null;
end $$;

create or replace trigger queue_stale_course_progress after insert or update of started_at, completed_at or delete on user_module_progress
  for each row execute function queue_stale_course_progress();

-- No row before a user begins the course. A tree is complete when all its items are, and the posted progress of
-- each module with no items in or below it. Starting or completing something keeps it fresh for 14 days.
create or replace function course_progress_dates_of_people(offering integer, people integer[]) returns setof course_trees
language sql stable as $$
  with recursive run as (
    select o.course_id from course_offerings as o where o.id = offering
  ), item as materialized (
    select counting.item_id, counting.module_id from run cross join lateral published_items_of_course(run.course_id) as counting
  ), filled (module_id) as (
    select item.module_id from item
    union
    select m.parent_module_id from filled join modules as m on m.id = filled.module_id
    where m.parent_module_id is not null
  ), shown as (
    select m.id from run join modules as m using (course_id) where m.parent_module_id is null and m.is_published
    union all
    select below.id from shown join modules as below on below.parent_module_id = shown.id and below.is_published
  ), module as materialized (
    select shown.id, filled.module_id is null as is_needed
    from shown left join filled on filled.module_id = shown.id
  ), needed as materialized (
    select (select count(*) from item) + (select count(*) from module where module.is_needed) as parts
  ), part as (
    select mine.user_id, mine.first_started_at as started_at, mine.completed_at
    from user_content_progress as mine join item on item.item_id = mine.content_item_id
    where mine.course_offering_id = offering and mine.user_id = any (people)
    union all
    select posted.user_id, posted.started_at, case when module.is_needed then posted.completed_at end
    from user_module_progress as posted join module on module.id = posted.module_id
    where posted.course_offering_id = offering and posted.user_id = any (people)
  )
  select offering, part.user_id, run.course_id,
         case when count(part.completed_at) = 2 * needed.parts
              then max(step.day) filter (where part.completed_at is not null) end,
         utc_day(min(part.started_at)), range_agg(daterange(step.day, step.day + 14))
  from run, needed, part,
       lateral (values (utc_day(part.started_at)), (utc_day(greatest(part.started_at, part.completed_at)))) as step (day)
  group by part.user_id, run.course_id, needed.parts
$$;

-- Stale trees with their courses, once per entry.
create or replace view stale_course_trees as
  select stale.course_offering_id, stale.user_id, run.course_id
  from stale_trees as stale left join course_offerings as run on run.id = stale.course_offering_id;

-- The stored ones if too many are stale to compute within a request.
create or replace view trees as
  select kept.* from course_trees as kept left join (
    select distinct course_offering_id, user_id from stale_trees where not (select has_too_much_uncounted_activity(null))
  ) as stale on (stale.course_offering_id, stale.user_id) = (kept.course_offering_id, kept.user_id)
  where stale.user_id is null
  union all
  select tree.* from (
    select course_offering_id, array_agg(distinct user_id) as people from stale_trees group by course_offering_id
  ) as stale cross join lateral course_progress_dates_of_people(stale.course_offering_id, stale.people) as tree
  where not (select has_too_much_uncounted_activity(null));

-- Days on which a tree is completed, becomes interrupted, or resumes: the sum up to a day is its state then.
create or replace function daily_completion_and_interruption_changes(tree course_trees) returns table (day date, completed integer, interrupted integer)
language sql immutable as $$
  select tree.completed_on, 1, 0 where tree.completed_on is not null
  union all
  select change.day, 0, change.amount
  from unnest(datemultirange(daterange(tree.begun_on, tree.completed_on)) - tree.fresh_on) as span
  cross join lateral (values (lower(span), 1), (upper(span), -1)) as change (day, amount)
  where change.day is not null
$$;

create or replace function update_course_progress_totals() returns trigger language plpgsql as $$
declare
  former course_trees[] := '{}';
  present course_trees[] := '{}';
begin
  if tg_op <> 'INSERT' then
    former := array(
      select (course_offering_id, user_id, course_id, completed_on, begun_on, fresh_on)::course_trees from overwritten);
  end if;
  if tg_op <> 'DELETE' then
    present := array(
      select (course_offering_id, user_id, course_id, completed_on, begun_on, fresh_on)::course_trees from written);
  end if;
  if former <> present then
    insert into tree_totals as kept (course_id, is_month, day, completed, interrupted)
    select (one.tree).course_id, total.is_month, total.day, sum(one.sign * change.completed), sum(one.sign * change.interrupted)
    from (
      select gone as tree, -1 as sign from unnest(former) as gone
      union all
      select come, 1 from unnest(present) as come
    ) as one
    cross join lateral daily_completion_and_interruption_changes(one.tree) as change
    cross join lateral (values (false, change.day), (true, date_trunc('month', change.day)::date)) as total (is_month, day)
    group by 1, 2, 3 having sum(one.sign * change.completed) <> 0 or sum(one.sign * change.interrupted) <> 0
    order by 1, 2, 3
    on conflict (course_id, is_month, day) do update
      set completed = kept.completed + excluded.completed, interrupted = kept.interrupted + excluded.interrupted;
  end if;
  return null;
end $$;

create or replace trigger add_inserted_course_totals after insert on course_trees
  referencing new table as written for each statement execute function update_course_progress_totals();
create or replace trigger change_course_totals after update on course_trees
  referencing old table as overwritten new table as written for each statement execute function update_course_progress_totals();
create or replace trigger subtract_deleted_course_totals after delete on course_trees
  referencing old table as overwritten for each statement execute function update_course_progress_totals();

-- Stores the trees of these users; skips unchanged ones.
create or replace function recompute_course_progress_dates(offering integer, people integer[]) returns void language plpgsql as $$
begin
  lock table course_trees in share row exclusive mode;
  with tree as materialized (
    select * from course_progress_dates_of_people(offering, people)
  ), gone as (
    delete from course_trees as kept
    where kept.course_offering_id = offering and kept.user_id = any (people)
      and not exists (select from tree where tree.user_id = kept.user_id)
  )
  insert into course_trees as kept select * from tree
  on conflict (course_offering_id, user_id) do update
    set completed_on = excluded.completed_on, begun_on = excluded.begun_on, fresh_on = excluded.fresh_on
    where (kept.completed_on, kept.begun_on, kept.fresh_on)
      is distinct from (excluded.completed_on, excluded.begun_on, excluded.fresh_on);
end $$;

-- Returns whether more are left. Entries added during the refresh stay on the list.
create or replace function refresh_stale_course_progress_dates(most integer) returns boolean language plpgsql as $$
declare
  offerings integer[];
  people integer[];
begin
  lock table course_trees in share row exclusive mode;
  with noted as (
    select distinct course_offering_id, user_id from (select * from stale_trees limit most) as stale
  ), taken as (
    delete from stale_trees as stale using noted
    where (stale.course_offering_id, stale.user_id) = (noted.course_offering_id, noted.user_id)
  )
  select array_agg(course_offering_id), array_agg(user_id) into offerings, people from noted;
  perform recompute_course_progress_dates(stale.offering, stale.people) from (
    select offering, array_agg(person) as people from unnest(offerings, people) as noted (offering, person)
    group by offering
  ) as stale;
  return exists (select from stale_trees);
end $$;
