-- People's progress in an offering. Item progress is stored, module progress is computed on read, and course
-- progress is stored with it (course-progress.sql).
--
-- Locks: progress in modules by id, then that in the item.

-- Whether only a result completes an item: by its type, and for external tools if the item has points.
create or replace view content_items_with_type as
  select item.id, item.module_id, item.course_id, item.sequence_index, item.is_active, type.name as type_name,
         case type.name when 'external_tool' then item.data_json ? 'max_points' else type.takes_result end as takes_result
  from content_items as item join content_types as type on type.id = item.content_type_id;

-- Reads the few unpublished modules and those below them; `offset 0` prevents a scan of all modules.
create or replace function published_items_of_course(the_course integer)
returns table (item_id integer, module_id integer, by_result boolean) language sql stable as $$
  with recursive hidden (module_id) as (
    select m.id from modules as m where m.course_id = the_course and not m.is_published
    union
    select below.id from hidden cross join lateral (
      select one.id from modules as one where one.parent_module_id = hidden.module_id offset 0
    ) as below
  )
  select item.id, item.module_id, item.takes_result
  from content_items_with_type as item
  where item.course_id = the_course and item.is_active
    and not exists (select from hidden where hidden.module_id = item.module_id)
$$;

-- If only a result completes an item, there is none before.
create or replace function item_percent_counted_for_progress(percent numeric, completed timestamptz, by_result boolean) returns numeric
language sql immutable as $$
  select case when completed is not null then 100 when by_result then 0 else coalesce(percent, 0) end
$$;

-- Truncates to two decimals, so no bound such as 100 is reached early.
create or replace function truncate_percent(percent numeric) returns numeric language sql immutable as $$
  select trunc(round(percent, 6), 2)
$$;

create or replace function course_progress_of_people(offering integer, people integer[])
returns table (user_id integer, progress_percent numeric, completed_items integer) language sql stable as $$
  with item as materialized (
    select counting.item_id, counting.by_result
    from course_offerings as run cross join lateral published_items_of_course(run.course_id) as counting
    where run.id = offering
  ), total as materialized (
    select count(*) as items from item
  ), begun as materialized (
    select one.user_id, one.content_item_id, one.progress_percent, one.completed_at from user_content_progress as one
    where one.course_offering_id = offering and one.user_id = any (people)
  ), done as (
    select mine.user_id, sum(item_percent_counted_for_progress(mine.progress_percent, mine.completed_at, item.by_result)) as percents,
           count(mine.completed_at)::integer as completed
    from begun as mine join item on item.item_id = mine.content_item_id
    group by mine.user_id
  )
  select person.id, coalesce(truncate_percent(done.percents / nullif(total.items, 0)), 0), coalesce(done.completed, 0)
  from unnest(people) as person (id)
  cross join total
  left join done on done.user_id = person.id
$$;

-- The mean of a module's own items and direct submodules. Complete when all items in and below it are. Planned once
-- for all calls (see dates.sql).
create or replace function module_progress_of_person(offering integer, person integer)
returns table (module_id integer, computed_percent numeric, completed_at timestamptz)
language sql stable set plan_cache_mode = force_generic_plan as $$
  with recursive item as materialized (
    select counting.module_id, mine.completed_at,
           item_percent_counted_for_progress(mine.progress_percent, mine.completed_at, counting.by_result) as percent
    from course_offerings as run
    cross join lateral published_items_of_course(run.course_id) as counting
    left join user_content_progress as mine
      on mine.course_offering_id = run.id and mine.user_id = person and mine.content_item_id = counting.item_id
    where run.id = offering
  ), filled as (
    select m.id, m.parent_module_id
    from (select distinct item.module_id from item) as own
    cross join lateral (
      select one.id, one.parent_module_id from modules as one where one.id = own.module_id offset 0
    ) as m
    union
    select above.id, above.parent_module_id
    from filled
    cross join lateral (
      select one.id, one.parent_module_id from modules as one where one.id = filled.parent_module_id offset 0
    ) as above
  ), counted as materialized (
    select one.id, one.parent_module_id,
           (select count(*) from item where item.module_id = one.id)
             + (select count(*) from filled as below where below.parent_module_id = one.id) as parts
    from filled as one
  ), share as (
    select id as module_id, id as part_id, 1::numeric / parts as weight from counted
    union all
    select share.module_id, below.id, share.weight / below.parts
    from share join counted as below on below.parent_module_id = share.part_id
  )
  select share.module_id,
         truncate_percent(sum(item.percent * share.weight)),
         case when bool_and(item.completed_at is not null) then max(item.completed_at) end
  from share join item on item.module_id = share.part_id
  group by share.module_id
$$;

-- Module progress is written before the streak: a different order could deadlock. If the item takes a result,
-- posted progress cannot complete it.
create or replace function user_content_progress_before_write() returns trigger language plpgsql as $$
begin
  -- Nested, so the query only runs after the cheap check.
  if tg_op = 'INSERT' then
    if not exists (
      select from user_content_progress where user_id = new.user_id
        and course_offering_id = new.course_offering_id and content_item_id = new.content_item_id
    ) then
      insert into user_module_progress (user_id, course_offering_id, module_id, started_at)
      with recursive path as (
        select m.id, m.parent_module_id from content_items as item join modules as m on m.id = item.module_id
        where item.id = new.content_item_id
        union all
        select above.id, above.parent_module_id from path join modules as above on above.id = path.parent_module_id
      )
      select new.user_id, new.course_offering_id, path.id, new.first_started_at from path
      where not exists (
        select from user_module_progress as begun
        where begun.user_id = new.user_id and begun.course_offering_id = new.course_offering_id
          and begun.module_id = path.id)
      order by path.id
      on conflict on constraint user_module_progress_unique do nothing;
    end if;
  end if;
  if (
    select one.takes_result from content_items_with_type as one where one.id = new.content_item_id
  ) then
    new.completed_at := case
      when is_grading_anonymous(new.course_offering_id, new.content_item_id) then old.completed_at
      else item_completed_by_result_at(new.course_offering_id, new.user_id, new.content_item_id) end;
  end if;
  return new;
end $$;

create or replace trigger user_content_progress_before_write
  before insert or update of progress_percent, completed_at on user_content_progress
  for each row execute function user_content_progress_before_write();

-- First and last times are correct in any order of calls.
create or replace function upsert_item_interaction_times(
  person integer, offering integer, item integer, begun timestamptz, latest timestamptz
) returns void language plpgsql as $$
begin
  update user_content_progress
  set first_started_at = least(first_started_at, begun), last_interacted_at = greatest(last_interacted_at, latest)
  where user_id = person and course_offering_id = offering and content_item_id = item;
  if found then return; end if;
  insert into user_content_progress as mine
    (user_id, course_offering_id, content_item_id, first_started_at, last_interacted_at)
  values (person, offering, item, begun, latest)
  on conflict on constraint user_content_progress_unique do update
    set first_started_at = least(mine.first_started_at, excluded.first_started_at),
        last_interacted_at = greatest(mine.last_interacted_at, excluded.last_interacted_at);
end $$;
