-- Computes when course content opens and is due for a person in an offering. All callers use this.
--
-- Precedence: the person's grant, their groups, the offering, then the course; accommodation days are added
-- (accommodations.sql). Of several groups, the earliest opening and latest due date apply. An item's date
-- precedes its modules', the nearest module first. Any offering date on that path precedes all course dates,
-- so a further run has its own calendar. An item opens once it and all modules above it are open, each by its
-- first stated date. Infinity means no date, also in a grant.
--
-- Setting dates locks the offering's grades exclusively (grades.sql); submitting and starting a quiz lock
-- them shared. Each submission or attempt therefore uses the old dates, which are re-evaluated here, or the
-- new ones.
--
-- Locks: of a change the grades of the offering, then attempts and submissions that are extended or no longer
-- late, and the final grades that late ones are part of (final-grades.sql).

create or replace function given_or_own_group_ids(offering integer, person integer, the_groups integer[] default null)
returns setof integer language sql stable as $$
  select unnest(the_groups)
  union all
  select mine.group_id from offering_group_members as mine
  where the_groups is null and mine.course_offering_id = offering and mine.user_id = person and mine.group_role = 'member'
$$;

-- Without personal dates if `person` is null, or for members of `the_groups`. Null means open at any time or never
-- due. Without a date of its own, an item is due with a module and never closes. Planned once for all calls, since
-- planning takes ten times the execution.
create or replace function effective_dates_of_items(offering integer, person integer, items integer[], the_groups integer[] default null)
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
    from given_or_own_group_ids(offering, person, the_groups) as mine (id)
    join offering_group_dates as own on own.group_id = mine.id
    join node on own.content_item_id = node.in_item or own.module_id = node.in_module
    union all
    select node.item_id, node.step, 2, null, own.available_from, own.due_at
    from node join offering_dates as own on own.course_offering_id = offering
      and (own.content_item_id = node.in_item or own.module_id = node.in_module)
    union all
    select granted.content_item_id, 0, 0, null, granted.available_from, granted.due_at from quiz_overrides as granted
    where granted.course_offering_id = offering and granted.user_id = person
      and granted.content_item_id = any (items) and num_nonnulls(granted.available_from, granted.due_at) > 0
  ), opening as (
    select first.item_id, max(first.available_from) as moment from (
      select distinct on (said.item_id, said.step) said.item_id, said.available_from from said
      where said.available_from is not null order by said.item_id, said.step, said.layer, said.available_from
    ) as first group by first.item_id
  ), nearest as (
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
      then moment_plus_accommodation_days(due.moment, person, (select university_id from given)) else due.moment end, 'infinity') as moment
    from due
  )
  select wanted.id, nullif(opening.moment, '-infinity'), late.moment, case when late.is_own then late.moment end
  from unnest(items) as wanted (id)
  left join opening on opening.item_id = wanted.id left join late on late.item_id = wanted.id
$$;

-- Returns the dates of the offering and the course; for the offering, null is unset and infinity is no date. With a
-- group: its dates instead of the offering's, and the dates without it instead of the course's.
create or replace function offering_and_course_content_dates(offering integer, of_group integer default null)
returns table (
  module_id integer, content_item_id integer, opens_at timestamptz, due_at timestamptz,
  course_opens_at timestamptz, course_due_at timestamptz
) language sql stable as $$
  with node (module_id, content_item_id, available_from, due_at) as (
    select one.id, null::integer, one.available_from, one.due_at
    from course_offerings as run join modules as one on one.course_id = run.course_id where run.id = offering
    union all
    select null, one.id, one.available_from, one.due_at
    from course_offerings as run join content_items as one on one.course_id = run.course_id where run.id = offering
  )
  select node.module_id, node.content_item_id,
         case when of_group is null then run.available_from else mine.available_from end,
         case when of_group is null then run.due_at else mine.due_at end,
         case when of_group is null then node.available_from else coalesce(run.available_from, node.available_from) end,
         case when of_group is null then node.due_at else coalesce(run.due_at, node.due_at) end
  from node
  left join offering_dates as run on run.course_offering_id = offering
    and coalesce(run.content_item_id, -run.module_id) = coalesce(node.content_item_id, -node.module_id)
  left join offering_group_dates as mine on mine.group_id = of_group
    and coalesce(mine.content_item_id, -mine.module_id) = coalesce(node.content_item_id, -node.module_id)
$$;

-- A module opens with those above it. `the_groups` and planning as in `effective_dates_of_items`.
create or replace function effective_dates_of_modules(offering integer, person integer, the_groups integer[] default null)
returns table (module_id integer, opens_at timestamptz, due_at timestamptz)
language sql stable set plan_cache_mode = force_generic_plan as $$
  with grouped as materialized (
    select own.module_id, min(own.available_from) as available_from, max(own.due_at) as due_at
    from given_or_own_group_ids(offering, person, the_groups) as mine (id)
    join offering_group_dates as own on own.group_id = mine.id
    where own.module_id is not null group by own.module_id
  ), given as materialized (
    select from course_offerings as run
    join accommodations as one on one.university_id = run.university_id and one.user_id = person
    where run.id = offering
  )
  select one.id, nullif(coalesce(grouped.available_from, own.available_from, one.available_from), '-infinity'),
         nullif(case when exists (select from given)
           then moment_plus_accommodation_days(coalesce(grouped.due_at, own.due_at, one.due_at), person, run.university_id)
           else coalesce(grouped.due_at, own.due_at, one.due_at) end, 'infinity')
  from course_offerings as run join modules as one on one.course_id = run.course_id
  left join offering_dates as own on own.course_offering_id = run.id and own.module_id = one.id
  left join grouped on grouped.module_id = one.id
  where run.id = offering
$$;

-- A moment in the API's format.
create or replace function format_api_timestamp(moment timestamptz) returns text language sql immutable as $$
  select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Lists in tree order, a module's items before its submodules, with stated dates and the resulting ones without
-- personal dates. Returns `{"total", "lines"}` with at most `most` lines from `first`, or all with null.
create or replace function offering_content_dates_json(
  offering integer, first integer default 0, most integer default null, of_group integer default null
) returns jsonb language sql stable as $$
  -- Materialized from the course down: the planner's estimate of a tree would read all modules of the
  -- platform.
  with recursive stated as materialized (
    select * from offering_and_course_content_dates(offering, of_group)
  ), course as materialized (
    select course_id as id from course_offerings where id = offering
  ), node (id, place, depth) as (
    select one.id, array[one.sequence_index], 0
    from stated join modules as one on one.id = stated.module_id where one.parent_module_id is null
    union all
    select one.id, node.place || one.sequence_index, node.depth + 1
    from node cross join lateral (
      select id, sequence_index from modules where parent_module_id = node.id offset 0) as one
  ), line as (
    select node.place, node.id as module_id, null::integer as item_id, one.title, null as content_type, node.depth,
           dates.opens_at, dates.due_at
    from effective_dates_of_modules(offering, null, array[of_group]) as dates join (
      select id, title from modules where course_id = (select id from course) offset 0) as one on one.id = dates.module_id
    join node on node.id = one.id
    union all
    select node.place || array[-1, one.sequence_index], node.id, one.id, one.title, type.name, node.depth + 1,
           dates.opens_at, dates.due_at
    from effective_dates_of_items(offering, null, array(
      select stated.content_item_id from stated where stated.content_item_id is not null), array[of_group]) as dates
    join (
      select id, title, module_id, sequence_index, content_type_id from content_items
      where course_id = (select id from course) offset 0) as one on one.id = dates.item_id
    join content_types as type on type.id = one.content_type_id
    join node on node.id = one.module_id
  ), shown as (
    select line.*, stated.opens_at as own_opens_at, stated.due_at as own_due_at, course_opens_at, course_due_at
    from line join stated
      on coalesce(stated.content_item_id, -stated.module_id) = coalesce(line.item_id, -line.module_id)
    order by place offset first limit most
  )
  select jsonb_build_object('total', (select count(*) from line), 'lines', coalesce(jsonb_agg(jsonb_build_object(
    'content_item_id', item_id, 'module_id', module_id, 'title', title, 'content_type', content_type, 'depth', depth,
    'available_from', format_api_timestamp(opens_at), 'due_at', format_api_timestamp(due_at),
    'own', case when own_opens_at is null then '{}' else jsonb_build_object(
        'available_from', format_api_timestamp(case when isfinite(own_opens_at) then own_opens_at end)) end
      || case when own_due_at is null then '{}' else jsonb_build_object(
        'due_at', format_api_timestamp(case when isfinite(own_due_at) then own_due_at end)) end,
    'course', jsonb_build_object(
      'available_from', format_api_timestamp(nullif(course_opens_at, '-infinity')),
      'due_at', format_api_timestamp(nullif(course_due_at, 'infinity')))) order by place), '[]'))
  from shown
$$;

-- For a person who does not enter through an offering: the earliest among the offerings with a seat, or the date in
-- `offering`. `stated` is the course's date, used without a seat. A null item means the module; a null result any
-- time.
create or replace function content_opening_date_for_person(
  person integer, the_course integer, offering integer, the_module integer, the_item integer, stated timestamptz
) returns timestamptz language sql stable as $$
  with recursive seat as (
    select run.id from course_offerings as run
    where run.course_id = the_course and case when offering is not null then run.id = offering else exists (
      select from enrollments as mine
      where mine.course_offering_id = run.id and mine.user_id = person and mine.is_admitted) end
  ), node (in_item, in_module, above_id, available_from) as (
    select the_item, null::integer, the_module, one.available_from from (select) as start
    left join content_items as one on one.id = the_item
    union all
    select null, above.id, above.parent_module_id, above.available_from
    from node join modules as above on above.id = node.above_id
  )
  select case when not exists (
      select from offering_dates as own where own.course_id = the_course and own.available_from is not null
      union all
      select from offering_group_dates as own where own.course_id = the_course and own.available_from is not null
      union all
      select from quiz_overrides as own
      where own.content_item_id = the_item and own.user_id = person and own.available_from is not null
    ) then stated else (
  select case when count(*) = 0 then stated else nullif(min(opening.moment), '-infinity') end
  from seat cross join lateral (
    select coalesce(max(coalesce((
        select granted.available_from from quiz_overrides as granted
        where granted.course_offering_id = seat.id and granted.content_item_id = node.in_item and granted.user_id = person
      ), (
        select min(dated.available_from) from given_or_own_group_ids(seat.id, person) as mine (id)
        join offering_group_dates as dated on dated.group_id = mine.id
        where dated.content_item_id = node.in_item or dated.module_id = node.in_module
      ), own.available_from, node.available_from)), '-infinity') as moment
    from node left join offering_dates as own on own.course_offering_id = seat.id
      and (own.content_item_id = node.in_item or own.module_id = node.in_module)
      and own.available_from is not null
  ) as opening) end
$$;

-- Updates open attempts and submitted work of these items and this person, or all with null. A final grade is
-- outdated if a late deduction in it decreases. Anonymous work keeps its date until its release, which calls this
-- again: a date of one person would name the row whose lateness changes.
create or replace function apply_extended_dates_to_work(
  the_offering integer, items integer[], person integer, moment timestamptz
) returns void language plpgsql as $$
declare
  graded record;
  counted numeric;
begin
  update quiz_attempts as mine
  set due_at = case when mine.due_at is null then greatest(mine.started_at, later.due_at)
                    when later.due_at is not null then greatest(mine.due_at, later.due_at) end
  from (
    select one.id,
           quiz_attempt_deadline(one.content_item_id, one.course_offering_id, one.user_id, one.started_at, moment) as due_at
    from quiz_attempts as one
    where one.course_offering_id = the_offering and one.submitted_at is null and not is_attempt_over(one, moment)
      and (items is null or one.content_item_id = any (items)) and (person is null or one.user_id = person)
    order by one.id for update of one
  ) as later
  where mine.id = later.id and mine.due_at is distinct from later.due_at;
  for graded in
    select one.id, one.user_id, one.content_item_id, dates.due_at
    from lab_submissions as one
    cross join lateral effective_dates_of_items(one.course_offering_id, one.user_id, array[one.content_item_id]) as dates
    where one.course_offering_id = the_offering and one.is_late and one.status = 'graded'
      and (items is null or one.content_item_id = any (items)) and (person is null or one.user_id = person)
      and (dates.due_at is null or dates.due_at > one.due_at) and is_course_grade_final(the_offering, one.user_id)
    order by one.id for update of one
  loop
    counted := lock_final_grade_and_read_item_score(the_offering, graded.user_id, graded.content_item_id);
    update lab_submissions as work
    set due_at = graded.due_at, is_late = work.is_late and coalesce(submission_time_for_lateness(
          work.user_id, work.course_offering_id, work.content_item_id, work.attempt_number, work.submitted_at,
          graded.due_at) > graded.due_at, false) where work.id = graded.id;
    perform mark_final_grade_outdated_and_notify(the_offering, graded.user_id, graded.content_item_id, counted);
  end loop;
  update lab_submissions as work
  set due_at = later.due_at, is_late = work.is_late and coalesce(submission_time_for_lateness(
          work.user_id, work.course_offering_id, work.content_item_id, work.attempt_number, work.submitted_at,
          later.due_at) > later.due_at, false)
  from (
    select one.id, dates.due_at
    from lab_submissions as one
    cross join lateral effective_dates_of_items(one.course_offering_id, one.user_id, array[one.content_item_id]) as dates
    where one.course_offering_id = the_offering and one.due_at is not null
      and (items is null or one.content_item_id = any (items)) and (person is null or one.user_id = person)
      and not is_grading_anonymous(the_offering, one.content_item_id)
    order by one.id for update of one
  ) as later
  where work.id = later.id and (later.due_at is null or later.due_at > work.due_at);
end $$;

create or replace function first_exam_opening_early_for_group(the_group integer) returns integer language sql stable as $$
  with here as (
    select one.course_offering_id as offering, array(
      select exam.id from content_items as exam
      where exam.course_id = run.course_id and exam.data_json ->> 'quiz_mode' = 'exam') as exams
    from offering_groups as one join course_offerings as run on run.id = one.course_offering_id
    where one.id = the_group and exists (
      select from offering_group_dates as own where own.group_id = one.id and own.available_from is not null)
  )
  select by_group.item_id
  from here cross join lateral effective_dates_of_items(here.offering, null, here.exams, array[the_group]) as by_group
  join lateral effective_dates_of_items(here.offering, null, here.exams, '{}') as usual on usual.item_id = by_group.item_id
  where coalesce(by_group.opens_at, '-infinity') < coalesce(usual.opens_at, '-infinity')
  order by by_group.item_id limit 1
$$;

-- Rejects dates by which learners could open an exam earlier by joining a group. The caller holds the offering's
-- grades.
create or replace function raise_if_group_opens_exam_early(the_offering integer, of_group integer default null)
returns void language plpgsql as $$
begin
  if exists (
    select from offering_groups as one
    where one.course_offering_id = the_offering and one.id = coalesce(of_group, one.id) and one.self_enrollment
      and first_exam_opening_early_for_group(one.id) is not null
  ) then
    raise exception 'a group that learners may join would open an exam earlier'
      using errcode = 'check_violation', table = 'offering_groups', constraint = 'group_opens_exam_early';
  end if;
end $$;

-- `[{"content_item_id" | "module_id", "available_from", "due_at"}, …]`. Each line replaces all dates of one item or
-- module. An absent key falls back to the course, or for a group to the offering; null is no date. `missing` is the
-- index from 0 of the first line outside the course, and then nothing is set.
create or replace function set_offering_or_group_content_dates(
  the_offering integer, lines jsonb, moment timestamptz, of_group integer default null,
  out missing integer, out calendar jsonb
) language plpgsql as $$
declare
  the_course integer;
begin
  perform lock_offering_grades(the_offering);
  select course_id into the_course from course_offerings where id = the_offering;
  select line.number - 1 into missing
  from jsonb_array_elements(lines) with ordinality as line (said, number)
  where not exists (
    select from content_items where id = (said ->> 'content_item_id')::integer and course_id = the_course
    union all
    select from modules where id = (said ->> 'module_id')::integer and course_id = the_course
  ) order by line.number limit 1;
  if missing is not null then return; end if;
  -- No date is stored as infinity; an absent key is unset.
  lines := (
    select coalesce(jsonb_agg(said
      || case when said -> 'available_from' = 'null' then '{"available_from": "-infinity"}' else '{}' end::jsonb
      || case when said -> 'due_at' = 'null' then '{"due_at": "infinity"}' else '{}' end::jsonb), '[]')
    from jsonb_array_elements(lines) as line (said));
  if of_group is null then
    delete from offering_dates as own using jsonb_array_elements(lines) as line (said)
    where own.course_offering_id = the_offering and (
      own.content_item_id = (said ->> 'content_item_id')::integer or own.module_id = (said ->> 'module_id')::integer);
    insert into offering_dates (
      course_id, course_offering_id, content_item_id, module_id, available_from, due_at, updated_at)
    select the_course, the_offering, (said ->> 'content_item_id')::integer, (said ->> 'module_id')::integer,
           (said ->> 'available_from')::timestamptz, (said ->> 'due_at')::timestamptz, moment
    from jsonb_array_elements(lines) as line (said)
    where said ?| '{available_from,due_at}';
  else
    delete from offering_group_dates as own using jsonb_array_elements(lines) as line (said)
    where own.group_id = of_group and (
      own.content_item_id = (said ->> 'content_item_id')::integer or own.module_id = (said ->> 'module_id')::integer);
    insert into offering_group_dates (
      course_id, course_offering_id, group_id, content_item_id, module_id, available_from, due_at, updated_at)
    select the_course, the_offering, one.id, (said ->> 'content_item_id')::integer, (said ->> 'module_id')::integer,
           (said ->> 'available_from')::timestamptz, (said ->> 'due_at')::timestamptz, moment
    from jsonb_array_elements(lines) as line (said) join offering_groups as one on one.id = of_group
    where said ?| '{available_from,due_at}';
  end if;
  perform raise_if_group_opens_exam_early(the_offering, of_group);
  perform apply_extended_dates_to_work(the_offering, array(
    with recursive inside (id) as (
      select (said ->> 'module_id')::integer from jsonb_array_elements(lines) as line (said)
      union
      select below.id from inside join modules as below on below.parent_module_id = inside.id
    )
    select (said ->> 'content_item_id')::integer from jsonb_array_elements(lines) as line (said)
    union
    select one.id from inside join content_items as one on one.module_id = inside.id
  ), null, moment);
  calendar := offering_content_dates_json(the_offering, of_group => of_group);
end $$;

-- Shifts the calendar, or `module_ids` with everything below and `content_item_ids`, by days or to `starts_on` (as
-- in copies.sql). The result becomes the offering's dates.
create or replace function shift_offering_content_dates(the_offering integer, wanted jsonb, moment timestamptz) returns jsonb
language plpgsql as $$
declare
  zone text;
  days integer;
begin
  perform lock_offering_grades(the_offering);
  select university.time_zone into zone
  from course_offerings as run join universities as university on university.id = run.university_id
  where run.id = the_offering;
  insert into offering_dates as own (
    course_id, course_offering_id, content_item_id, module_id, available_from, due_at, updated_at)
  with recursive inside (id) as (
    select named::integer from jsonb_array_elements_text(wanted -> 'module_ids') as named
    union
    select below.id from inside join modules as below on below.parent_module_id = inside.id
  ), moved as materialized (
    select stated.module_id, stated.content_item_id, coalesce(stated.opens_at, course_opens_at) as opens_at,
           coalesce(stated.due_at, course_due_at) as due_at
    from offering_and_course_content_dates(the_offering) as stated
    where num_nonnulls(stated.opens_at, course_opens_at, stated.due_at, course_due_at) > 0 and (
      not wanted ?| '{module_ids,content_item_ids}'
      or stated.module_id in (select id from inside)
      or stated.content_item_id in (
        select named::integer from jsonb_array_elements_text(wanted -> 'content_item_ids') as named
        union all
        select one.id from inside join content_items as one on one.module_id = inside.id))
  ), later as materialized (
    select days_to_shift_dates((
      select min(one) filter (where isfinite(one)) from moved, unnest(array[opens_at, due_at]) as one), wanted, zone) as days
  )
  select run.course_id, run.id, moved.content_item_id, moved.module_id,
         moment_plus_local_days(moved.opens_at, later.days, zone), moment_plus_local_days(moved.due_at, later.days, zone), moment
  from later cross join course_offerings as run left join moved on true
  where run.id = the_offering and num_nonnulls(moved.module_id, moved.content_item_id) > 0
  on conflict on constraint offering_dates_unique do update
    set available_from = excluded.available_from, due_at = excluded.due_at, updated_at = excluded.updated_at;
  perform raise_if_group_opens_exam_early(the_offering);
  perform apply_extended_dates_to_work(the_offering, null, null, moment);
  return offering_content_dates_json(the_offering);
end $$;
