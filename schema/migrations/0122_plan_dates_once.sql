set local check_function_bodies = off;
--> statement-breakpoint
-- A person's newest attempt at each item that they tried. `number` says which it is of the `most` that they have, which is
-- null without a limit: at a quiz with those in other offerings that are counted together; what was returned is no attempt
-- that counts, and the next takes its number. `state` is 'open', 'submitted', 'graded' or 'returned'. Of a quiz whose time
-- is up the score is missing until someone has closed it. Planned once for all calls, as dates.sql says.
create or replace function item_attempts(offering integer, person integer, moment timestamptz)
returns table (item_id integer, number integer, most integer, score numeric, passed boolean, state text)
language sql stable set plan_cache_mode = force_generic_plan as $$
  select tried.item_id, attempts_taken(person, tried.item_id, offering), rules.most_attempts,
         (tried.newest).score_obtained, (tried.newest).passed,
         case when not is_over(tried.newest, moment) then 'open'
              when (tried.newest).score_obtained is null then 'submitted' else 'graded' end
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one as newest
    from quiz_attempts as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral quiz_rules(tried.item_id, offering, person, moment) as rules
  union all
  select tried.item_id, tried.number, rules.most_attempts, tried.score, null, tried.status
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one.score_obtained as score, one.status,
           (count(*) filter (where one.status <> 'returned') over (partition by one.content_item_id)
             + (one.status = 'returned')::int)::int as number
    from lab_submissions as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral work_rules(tried.item_id, offering, person) as rules
$$;
--> statement-breakpoint
-- Of these items when they open, are due and close for a person in an offering; the person is null for what holds for
-- nobody in particular. With `the_groups` it is for members of these, whoever they are. Null is at any time, and at no time.
-- What has no date of its own, wherever it is said, is due with a module and closes never: `closes_at` is null for it.
-- Planned once for all calls, as what else is read beside an outline: to plan it takes ten times what it does.
create or replace function item_dates(offering integer, person integer, items integer[], the_groups integer[] default null)
returns table (item_id integer, opens_at timestamptz, due_at timestamptz, closes_at timestamptz)
language sql stable set plan_cache_mode = force_generic_plan as $$
  with recursive node (item_id, step, in_item, in_module, above_id, available_from, due_at) as (
    select one.id, 0, one.id, null::integer, one.module_id, one.available_from, one.due_at
    from unnest(items) as wanted (id) join content_items as one on one.id = wanted.id
    union all
    select node.item_id, node.step + 1, null, above.id, above.parent_module_id, above.available_from, above.due_at
    from node
    cross join lateral (select one.* from modules as one where one.id = node.above_id offset 0) as above
  ), said (item_id, step, layer, group_id, available_from, due_at) as materialized (
    select node.item_id, node.step, 3, null::integer, node.available_from, node.due_at from node
    where node.available_from is not null or node.due_at is not null
    union all
    select node.item_id, node.step, 1, own.group_id, own.available_from, own.due_at
    from groups_of(offering, person, the_groups) as mine (id)
    join offering_group_dates as own on own.group_id = mine.id
    join node on own.content_item_id = node.in_item or own.module_id = node.in_module
    union all
    select node.item_id, node.step, 2, null, own.available_from, own.due_at
    from node join offering_dates as own on own.course_offering_id = offering
      and (own.content_item_id = node.in_item or own.module_id = node.in_module)
    union all
    select granted.content_item_id, 0, 0, null, null, granted.due_at from quiz_overrides as granted
    where granted.course_offering_id = offering and granted.user_id = person
      and granted.content_item_id = any (items) and granted.due_at is not null
  ), opening as (
    select first.item_id, max(first.available_from) as moment from (
      select distinct on (said.item_id, said.step) said.item_id, said.available_from from said
      where said.available_from is not null order by said.item_id, said.step, said.layer, said.available_from
    ) as first group by first.item_id
  ), nearest as (
    -- Of the course, of the offering and of each group.
    select distinct on (said.item_id, said.layer, said.group_id) said.item_id, said.layer, said.due_at,
           bool_or(said.step = 0) over (partition by said.item_id) as is_own
    from said where said.due_at is not null order by said.item_id, said.layer, said.group_id, said.step
  ), due as (
    select distinct on (nearest.item_id) nearest.item_id, nearest.due_at as moment, nearest.is_own
    from nearest order by nearest.item_id, nearest.layer, nearest.due_at desc
  ), given as materialized (
    select run.university_id
    from course_offerings as run
    join accommodations as one on one.university_id = run.university_id and one.user_id = person
    where run.id = offering
  ), late as (
    select due.item_id, due.is_own, nullif(case when exists (select from given)
      then with_extra_days(due.moment, person, (select university_id from given)) else due.moment end, 'infinity') as moment
    from due
  )
  select wanted.id, nullif(opening.moment, '-infinity'), late.moment, case when late.is_own then late.moment end
  from unnest(items) as wanted (id)
  left join opening on opening.item_id = wanted.id left join late on late.item_id = wanted.id
$$;
--> statement-breakpoint
-- Of the modules of an offering's course when each opens and is due for a person there, by itself alone: it opens with those
-- above it, and what is in it is due with the nearest that says so. With `the_groups`, and planned, as `item_dates`.
create or replace function module_dates(offering integer, person integer, the_groups integer[] default null)
returns table (module_id integer, opens_at timestamptz, due_at timestamptz)
language sql stable set plan_cache_mode = force_generic_plan as $$
  with grouped as materialized (
    select own.module_id, min(own.available_from) as available_from, max(own.due_at) as due_at
    from groups_of(offering, person, the_groups) as mine (id)
    join offering_group_dates as own on own.group_id = mine.id
    where own.module_id is not null group by own.module_id
  ), given as materialized (
    select from course_offerings as run
    join accommodations as one on one.university_id = run.university_id and one.user_id = person
    where run.id = offering
  )
  select one.id, nullif(coalesce(grouped.available_from, own.available_from, one.available_from), '-infinity'),
         nullif(case when exists (select from given)
           then with_extra_days(coalesce(grouped.due_at, own.due_at, one.due_at), person, run.university_id)
           else coalesce(grouped.due_at, own.due_at, one.due_at) end, 'infinity')
  from course_offerings as run join modules as one on one.course_id = run.course_id
  left join offering_dates as own on own.course_offering_id = run.id and own.module_id = one.id
  left join grouped on grouped.module_id = one.id
  where run.id = offering
$$;
--> statement-breakpoint
-- The same of each module that has items in or below it: the mean of its own items and of the modules right below. It
-- is complete when all items in and below it are. An item's share in a module is what the ways down to it leave of it.
-- Planned once for all calls, as dates.sql says.
create or replace function module_progress(offering integer, person integer)
returns table (module_id integer, computed_percent numeric, completed_at timestamptz)
language sql stable set plan_cache_mode = force_generic_plan as $$
  with recursive item as materialized (
    select * from item_progress(offering, person)
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
         cut_percent(sum(item.percent * share.weight)),
         case when bool_and(item.completed_at is not null) then max(item.completed_at) end
  from share join item on item.module_id = share.part_id
  group by share.module_id
$$;
--> statement-breakpoint
set local check_function_bodies = on;
