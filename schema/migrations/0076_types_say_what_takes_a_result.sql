set local check_function_bodies = off;
--> statement-breakpoint
drop function completes_by_result(text);
--> statement-breakpoint
ALTER TABLE "content_types" ADD COLUMN "takes_result" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
update content_types set takes_result = true where name in ('quiz', 'engineering_lab', 'assignment');
--> statement-breakpoint
-- Of an item that takes a result, nothing that is posted says that it is complete.
create or replace function complete_by_result_alone() returns trigger language plpgsql as $$
begin
  if is_done_by_result(new.content_item_id) then
    new.completed_at := result_moment(new.course_offering_id, new.user_id, new.content_item_id);
  end if;
  return new;
end $$;
--> statement-breakpoint
-- The items of a course that count: active ones, in and below nothing but published modules. It looks for what is not
-- published and what is below that, which is little, however many modules there are beside it: `offset 0` keeps them from
-- being read as a whole.
create or replace function counting_items(the_course integer)
returns table (item_id integer, module_id integer, by_result boolean) language sql stable as $$
  with recursive hidden (module_id) as (
    select m.id from modules as m where m.course_id = the_course and not m.is_published
    union
    select below.id from hidden cross join lateral (
      select one.id from modules as one where one.parent_module_id = hidden.module_id offset 0
    ) as below
  )
  select item.id, item.module_id, type.takes_result
  from content_items as item join content_types as type on type.id = item.content_type_id
  where item.course_id = the_course and item.is_active
    and not exists (select from hidden where hidden.module_id = item.module_id)
$$;
--> statement-breakpoint
-- Whether an item is complete by a result alone: a quiz that was passed, work that was graded.
create or replace function is_done_by_result(item integer) returns boolean language sql stable as $$
  select type.takes_result from content_items as one join content_types as type on type.id = one.content_type_id
  where one.id = item
$$;
--> statement-breakpoint
-- Whether a score that staff set is a result: any of a lab or an assignment, and of a quiz one with which it is passed.
create or replace function is_set_as_passed(own item_grades) returns boolean language sql stable as $$
  select own.score_override is not null and (type.name <> 'quiz' or own.score_override * 100
    >= passing_percent_of_quiz(item.data_json) * points_of_item(type.name, item.data_json))
  from content_items as item join content_types as type on type.id = item.content_type_id
  where item.id = own.content_item_id
$$;
--> statement-breakpoint
-- The active items that they have not completed, in modules that are published with all above them, but for those whose
-- newest work waits for its grade, and those at which nothing can be done any more. `place` is an item's way through the
-- tree. The first by it is the next, but for practice quizzes that count in no grade: they come when nothing else is left.
-- It is due when the person is granted or else when it, or else the nearest module above it that says so, is. `is_open`:
-- neither it nor a module above it is locked at that moment. It starts from the items, so that it costs what there is to
-- do, however large the tree is.
create or replace function items_to_do(offering integer, person integer, moment timestamptz)
returns table (
  item_id integer, module_id integer, place integer[], due_at timestamptz, is_open boolean, is_ungraded_practice boolean
) language sql stable as $$
  with recursive left_over as materialized (
    select item.id, item.module_id, item.sequence_index, item.due_at, item.available_from, item.course_id,
           type.name = 'quiz' and not does_quiz_count(item.id, run.id) as is_ungraded_practice
    from course_offerings as run
    join courses as course on course.id = run.course_id and course.is_published
    join content_items as item on item.course_id = run.course_id and item.is_active
    join content_types as type on type.id = item.content_type_id
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
    ) and (not type.takes_result or can_be_tried(item.id, run.id, person, moment))
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
           is null, left_over.is_ungraded_practice
  from left_over join whole on whole.module_id = left_over.module_id cross join asked
  left join quiz_overrides as granted on granted.course_offering_id = offering
    and granted.content_item_id = left_over.id and granted.user_id = person
$$;
--> statement-breakpoint
-- With what part of its points a quiz is passed.
create or replace function passing_percent_of_quiz(data jsonb) returns numeric language sql immutable as $$
  select coalesce(clamped(json_number(data -> 'passing_percent'), 0, 100), 60)
$$;
--> statement-breakpoint
-- What holds for a person in a quiz: what its item says, and in its place what they are granted. Without a limit of
-- attempts an exam may be taken once, and a practice again and again; without a date an exam, like what shows its
-- answers when it is due, is due when the offering ends. No row: the offering's course has no such quiz.
create or replace function quiz_rules(the_item integer, the_offering integer, person integer)
returns table (
  question_pool_id integer, university_id integer, is_exam boolean, is_random boolean, draws integer,
  time_limit interval, closes_at timestamptz, most_attempts integer, passing_percent numeric, correct_in_row integer
) language sql stable as $$
  select pool_of_quiz(data), offering.university_id,
         coalesce(data ->> 'quiz_mode' = 'exam', false), data -> 'randomize_order' = 'true',
         coalesce(clamped(json_number(data -> 'num_questions_per_attempt'), 1, 100), 100)::int,
         seconds * interval '1 second',
         coalesce(granted.due_at,
                  item.due_at,
                  case when data ->> 'quiz_mode' = 'exam' or data ->> 'show_answers' = 'after_due'
                       then offering.ends_at end),
         coalesce(granted.max_attempts,
                  clamped(json_number(data #> '{mastery,max_attempts}'), 1, 1000000)::int,
                  case data ->> 'quiz_mode' when 'exam' then 1 end),
         passing_percent_of_quiz(data),
         clamped(json_number(data #> '{mastery,threshold_correct_in_row}'), 0, 100)::int
  from course_offerings as offering
  join content_items as item on item.id = the_item and item.course_id = offering.course_id
  join content_types as type on type.id = item.content_type_id and type.name = 'quiz'
  left join quiz_overrides as granted
    on granted.course_offering_id = offering.id and granted.content_item_id = item.id and granted.user_id = person
  cross join lateral (
    select item.data_json as data, coalesce(
      granted.time_limit_seconds,
      case when json_number(item.data_json -> 'time_limit_seconds') > 0
           then least(31536000, json_number(item.data_json -> 'time_limit_seconds')) end)::int as seconds
  ) as stated
  where offering.id = the_offering
$$;
--> statement-breakpoint
-- Sets how an offering is graded; what `given` leaves out stays as it was, or as most are graded. Final grades stay.
-- Nothing is set, where `missing` is an item of a group that the course does not have, or `is_other`, where it has none of
-- the `expected` versions.
create or replace function set_grading_scheme(
  offering integer, given jsonb, setter integer, moment timestamptz, request jsonb, expected integer[] default null
) returns table (missing integer, is_other boolean, scheme grading_schemes) language plpgsql as $$
begin
  select named.id::int into missing
  from jsonb_array_elements(given -> 'groups') as one, jsonb_array_elements_text(one -> 'content_item_ids') as named (id)
  where not exists (
    select from content_items as item join course_offerings as run on run.course_id = item.course_id
    join content_types as type on type.id = item.content_type_id and type.takes_result
    where run.id = offering and item.id = named.id::int)
  order by named.id::int limit 1;
  perform hold_grades(offering);
  select coalesce(usual.version <> all (expected), false) into is_other from grading_of(offering) as usual;
  if missing is null and not is_other then
    insert into grading_schemes as one
      (course_offering_id, letter_scale, passing_percent, groups, release_mode, created_at, updated_at)
    select offering, coalesce(given -> 'letter_scale', usual.letter_scale),
           coalesce((given ->> 'passing_percent')::numeric, usual.passing_percent), coalesce(given -> 'groups', usual.groups),
           coalesce(given ->> 'release_mode', usual.release_mode), moment, moment
    from grading_of(offering) as usual
    on conflict (course_offering_id) do update
      set letter_scale = excluded.letter_scale, passing_percent = excluded.passing_percent, groups = excluded.groups,
          release_mode = excluded.release_mode, version = default, updated_at = excluded.updated_at
    returning one.* into scheme;
    perform audit('grading_scheme.changed', setter, null, run.university_id,
      jsonb_build_object('course_offering_id', offering), request)
    from course_offerings as run where run.id = offering;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- A result, or one that is taken back, is progress in its item.
create or replace function take_result() returns trigger language plpgsql as $$
declare
  moment timestamptz := result_moment(new.course_offering_id, new.user_id, new.content_item_id);
begin
  if not is_done_by_result(new.content_item_id) then
    return null;
  end if;
  if moment is null then
    update user_content_progress set completed_at = null
    where user_id = new.user_id and course_offering_id = new.course_offering_id
      and content_item_id = new.content_item_id and completed_at is not null;
  else
    update user_content_progress
    set progress_percent = 100, completed_at = moment, last_interacted_at = greatest(last_interacted_at, moment)
    where user_id = new.user_id and course_offering_id = new.course_offering_id
      and content_item_id = new.content_item_id;
    if found then return null; end if;
    insert into user_content_progress as mine (user_id, course_offering_id, content_item_id, progress_percent,
      first_started_at, last_interacted_at, completed_at, attempts_count)
    values (new.user_id, new.course_offering_id, new.content_item_id, 100, moment, moment, moment, 0)
    on conflict on constraint user_content_progress_unique do update
      set progress_percent = 100, completed_at = moment, last_interacted_at = greatest(mine.last_interacted_at, moment);
  end if;
  return null;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
