set local check_function_bodies = off;
--> statement-breakpoint
-- Work completes its item as of the day on which it was handed in, and the course when it is graded: what others have
-- done meanwhile comes before that, and a waiting list may be closed by then.
create or replace function complete_by_items() returns trigger language plpgsql as $$
begin
  perform complete_enrollment(new.course_offering_id, new.user_id, greatest(new.last_interacted_at, (
    select max(graded_at) from lab_submissions
    where user_id = new.user_id and course_offering_id = new.course_offering_id
      and content_item_id = new.content_item_id and status = 'graded')));
  return null;
end $$;
--> statement-breakpoint
-- Why a person may not work with what is in a module at that moment: 'hidden', 'enrollment required', 'not available
-- yet'. Null when they may, as staff of the course always do. The person is null for whoever is not signed in. An item
-- may be inactive, or available later than its module.
create or replace function gate_of_module(
  the_module integer, person integer, moment timestamptz, is_active boolean default true,
  item_available_from timestamptz default null
) returns text language plpgsql stable as $$
declare
  course record;
  step record;
  required integer[] := '{}';
  starts timestamptz := item_available_from;
  is_shown boolean := is_active;
begin
  if the_module is null then return null; end if;
  -- A step at a time: most modules are below none, and a recursive query costs more to begin than this does to do.
  select the_module as above_id into step;
  while step.above_id is not null loop
    select m.course_id, m.parent_module_id as above_id, m.is_published, m.available_from, m.requires_module_ids
    into step from modules as m where m.id = step.above_id;
    is_shown := is_shown and step.is_published;
    starts := greatest(starts, step.available_from);
    required := required || step.requires_module_ids;
  end loop;
  select c.id, c.access, c.is_published into course from courses as c where c.id = step.course_id;
  is_shown := is_shown and course.is_published;
  return case
    -- Most is there for everyone, and nothing else is looked at.
    when is_shown and lock_reason(course.access <> 'open', starts, required, required, moment) is null then null
    when is_staff_of_course(person, course.id) then null
    when not is_shown then 'hidden'
    else case lock_reason(course.access <> 'open' and not has_place(person, course.id), starts, required,
        unmet_modules(person, course.id, required), moment)
      when 'enrollment_required' then 'enrollment required'
      when 'not_available_yet' then 'not available yet'
      when 'modules_incomplete' then 'not available yet' end
  end;
end $$;
--> statement-breakpoint
-- The active items that they have not completed, in modules that are published with all above them, but for those whose
-- newest work waits for its grade. `place` is an item's way through the tree, so that the first by it is the next. It is
-- due when the person is granted or else when it, or else the nearest module above it that says so, is. `is_open`: neither
-- it nor a module above it is locked at that moment. It starts from the items, so that it costs what there is to do,
-- however large the tree is.
create or replace function items_to_do(offering integer, person integer, moment timestamptz)
returns table (item_id integer, module_id integer, place integer[], due_at timestamptz, is_open boolean)
language sql stable as $$
  with recursive left_over as materialized (
    select item.id, item.module_id, item.sequence_index, item.due_at, item.available_from, item.course_id
    from course_offerings as run
    join courses as course on course.id = run.course_id and course.is_published
    join content_items as item on item.course_id = run.course_id and item.is_active
    where run.id = offering and not exists (
      select from user_content_progress as mine
      where mine.user_id = person and mine.course_offering_id = run.id and mine.content_item_id = item.id
        and mine.completed_at is not null
    ) and not exists (
      select from lab_submissions as work
      where work.user_id = person and work.course_offering_id = run.id and work.content_item_id = item.id
        and work.status = 'submitted' and not exists (
          select from lab_submissions as newer
          where newer.user_id = person and newer.course_offering_id = run.id and newer.content_item_id = item.id
            and newer.attempt_number > work.attempt_number)
    )
  ), way (module_id, parent_module_id, place, due_at, available_from, required) as (
    select m.id, m.parent_module_id, array[m.sequence_index], m.due_at, m.available_from, m.requires_module_ids
    from (select distinct left_over.module_id from left_over) as own
    cross join lateral (select one.* from modules as one where one.id = own.module_id offset 0) as m
    where m.is_published
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place,
           coalesce(way.due_at, above.due_at), greatest(way.available_from, above.available_from),
           way.required || above.requires_module_ids
    from way
    cross join lateral (select one.* from modules as one where one.id = way.parent_module_id offset 0) as above
    where above.is_published
  ), whole as materialized (
    select * from way where way.parent_module_id is null
  ), asked (course_id, unmet) as materialized (
    select run.course_id, case when exists (select from whole where whole.required <> '{}')
      then unmet_modules(person, run.course_id, array(select distinct unnest(whole.required) from whole)) else '{}' end
    from course_offerings as run where run.id = offering
  )
  select left_over.id, left_over.module_id, whole.place || left_over.sequence_index,
         coalesce(granted.due_at, left_over.due_at, whole.due_at),
         lock_reason(false, greatest(left_over.available_from, whole.available_from), whole.required, asked.unmet, moment)
           is null
  from left_over join whole on whole.module_id = left_over.module_id cross join asked
  left join quiz_overrides as granted on granted.course_offering_id = offering
    and granted.content_item_id = left_over.id and granted.user_id = person
$$;
--> statement-breakpoint
-- What keeps a person from something in an outline at that moment, the first of these that does: that they have no place
-- where one is required; when it starts, with what is above it; and what is asked for first, there and above, and unmet.
create or replace function lock_reason(
  lacks_place boolean, starts timestamptz, asked integer[], unmet integer[], moment timestamptz
) returns text language sql immutable as $$
  select case when lacks_place then 'enrollment_required'
              when starts > moment then 'not_available_yet'
              when asked && unmet then 'modules_incomplete' end
$$;
--> statement-breakpoint
set local check_function_bodies = on;
