-- Finalizes and reopens the grades of an offering, and marks final grades as outdated.
--
-- Later grading does not change a final grade. A changed score in a counted item is noted with it: the writer
-- reads the counted score, stores the new one and compares.
--
-- Locks: the grades of the offering (grades.sql), exclusively to finalize or reopen: concurrent work is part
-- of the final grade, or waits and finds it final. Then attempts by id, then progress in their items, then
-- all the people before the first enrollment is completed (completion.sql), then the rows of their grades. A
-- grade stored after the final one locks the grades shared, the attempt or submission, then that person's
-- final grade: of two concurrent changes of one score, the second sees the first.

create or replace function is_course_grade_final(offering integer, person integer) returns boolean language sql stable as $$
  select exists (
    select from course_grades where course_offering_id = offering and user_id = person and graded_at is not null)
$$;

-- For the event feed (lib/integrations/event-feed).
create or replace function set_event_feed_fields_of_grade() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' or new.graded_at is not null then
    new.change_number := current_transaction_number();
    select run.university_id into new.university_id from course_offerings as run where run.id = new.course_offering_id;
  end if;
  return new;
end $$;

create or replace trigger assign_change_number before insert or update of final_score, graded_at, outdated_at on course_grades
  for each row execute function set_event_feed_fields_of_grade();

-- Counted items with an open or ungraded attempt, or work newer than the latest graded, unless staff excused or
-- scored it. `is_gradable`: an attempt only needs to be closed and graded. Also the excused items of people without
-- another counted item: their grade would be a quotient of nothing, so staff must set it.
create or replace function items_awaiting_grade(offering integer, people integer[], moment timestamptz)
returns table (user_id integer, item_id integer, is_gradable boolean)
language sql stable rows 1000 set enable_nestloop = off as $$
  with waiting as (
    select one.user_id, one.content_item_id as item_id,
           is_attempt_over(one, moment) and (one.submitted_at is null or one.awaits_grading) as is_gradable
    from quiz_attempts as one
    where one.course_offering_id = offering and one.user_id = any (people)
      and (one.submitted_at is null or one.awaits_grading or one.score_obtained is null)
    union all
    select one.user_id, one.content_item_id, false
    from lab_submissions as one
    where one.course_offering_id = offering and one.user_id = any (people) and one.status = 'submitted' and not exists (
      select from lab_submissions as newer
      where newer.user_id = one.user_id and newer.course_offering_id = one.course_offering_id
        and newer.content_item_id = one.content_item_id and newer.attempt_number > one.attempt_number
        and newer.status = 'graded')
  ), item as materialized (
    select one.item_id, one.max_points from gradebook_items_of_offering(offering) as one where one.weight > 0
  ), counted as materialized (
    select item.item_id from item where item.max_points > 0
  ), excused as (
    select own.user_id, own.content_item_id as item_id, count(*) over (partition by own.user_id) as items
    from item_grades as own join counted on counted.item_id = own.content_item_id
    where own.course_offering_id = offering and own.user_id = any (people) and own.is_excused
  )
  select waiting.user_id, waiting.item_id, bool_or(waiting.is_gradable)
  from waiting
  join item on item.item_id = waiting.item_id
  left join item_grades as own on own.course_offering_id = offering and own.content_item_id = waiting.item_id
    and own.user_id = waiting.user_id
  where own.score_override is null and own.is_excused is not true
  group by waiting.user_id, waiting.item_id
  union all
  select excused.user_id, excused.item_id, false
  from excused
  where excused.items = (select count(*) from counted) and not exists (
    select from course_grades as total
    where total.course_offering_id = offering and total.user_id = excused.user_id and total.score_override is not null)
$$;

-- Finalizes grades of people who have or had a seat, never the caller's own. Keys of `wanted`: people (default
-- all), after, most, with_awaiting, grades, dry and why. Takes at most `most` open grades by user id after `after`.
-- `outcome`: 'final'; 'awaiting', skipped unless `with_awaiting`; or 'gradable', whose attempts are closed here and
-- must be graded first. A retry with `grades` returns none. `dry` rolls closed attempts back. Raises while a
-- counted item is graded anonymously.
--
-- Completes an enrollment that waited only for this; reactivates one whose grade is no longer a pass.
create or replace function finalize_course_grades(
  offering integer, finalizer integer, wanted jsonb, moment timestamptz, request jsonb
) returns table (user_id integer, outcome text, passed boolean, awaited integer[]) language plpgsql as $$
#variable_conflict use_column
declare
  people integer[] := case when jsonb_typeof(wanted -> 'people') = 'array' then array(
    select one::integer from jsonb_array_elements_text(wanted -> 'people') as one) end;
  grades jsonb := nullif(wanted -> 'grades', 'null');
  dry boolean := coalesce((wanted ->> 'dry')::boolean, false);
  chosen integer[];
  ended bigint[];
  judged jsonb;
  worth record;
  graded course_grades;
  failed integer[] := '{}';
begin
  perform lock_offering_grades(offering);
  -- The course grade from anonymous work would identify its person.
  if exists (
    select from gradebook_items_of_offering(offering) as item
    where item.weight > 0 and is_grading_anonymous(offering, item.item_id) and exists (
      select from works where course_offering_id = offering and content_item_id = item.item_id)
  ) then
    raise exception 'offering % has work that is graded anonymously', offering
      using errcode = 'check_violation', table = 'course_grades', constraint = 'course_grades_after_release';
  end if;
  chosen := array(
    select one.user_id from enrollments as one
    where one.course_offering_id = offering and one.is_admitted and one.user_id <> finalizer
      and one.user_id > coalesce((wanted ->> 'after')::integer, 0)
      and (people is null or one.user_id = any (people)) and not is_course_grade_final(offering, one.user_id)
    order by one.user_id limit (wanted ->> 'most')::integer);
  begin
    -- All rows are locked before the first is changed.
    with held as (
      select one.id from quiz_attempts as one
      where one.course_offering_id = offering and one.user_id = any (chosen)
        and (one.awaits_grading or one.submitted_at is null and is_attempt_over(one, moment))
      order by one.id for update
    )
    select array_agg(id) into ended from held;
    perform from user_content_progress as mine
    join quiz_attempts as one using (user_id, course_offering_id, content_item_id)
    where one.id = any (ended) order by mine.id for no key update of mine;
    perform pg_advisory_xact_lock(offering, person) from unnest(chosen) as person;
    perform close_overdue_quiz_attempt(id, moment) from unnest(ended) as id;
    perform store_quiz_grades(coalesce(grades, '[]'));
    select jsonb_agg(jsonb_build_object(
        'user_id', total.user_id, 'awaited', coalesce(waiting.items, '{}'),
        'outcome', case when waiting.is_gradable and grades is null then 'gradable'
                        when waiting.items is not null and wanted -> 'with_awaiting' is distinct from 'true' then 'awaiting'
                        else 'final' end,
        'score', standing.score, 'letter', letter_grade(scheme.letter_scale, standing.score),
        'passed', standing.score >= scheme.passing_percent) order by total.user_id)
    into judged
    from current_and_final_course_percents(offering, chosen, false, false) as total
    join effective_schemes as scheme on scheme.course_offering_id = offering
    left join course_grades as former on former.course_offering_id = offering and former.user_id = total.user_id
    cross join lateral (select coalesce(former.score_override, total.final_percent, 0) as score) as standing
    left join (
      select one.user_id, array_agg(one.item_id order by one.item_id) as items, bool_or(one.is_gradable) as is_gradable
      from items_awaiting_grade(offering, chosen, moment) as one group by one.user_id
    ) as waiting on waiting.user_id = total.user_id;
    if dry then raise exception using errcode = 'UNDO0'; end if;
  exception when sqlstate 'UNDO0' then null;
  end;

  for worth in
    select * from jsonb_to_recordset(coalesce(judged, '[]')) as one (
      user_id integer, outcome text, score numeric, letter text, passed boolean, awaited integer[])
  loop
    if worth.outcome = 'final' and not dry then
      insert into course_grades as one (course_offering_id, user_id, final_score, letter_grade, passed, graded_at)
      values (offering, worth.user_id, worth.score, worth.letter, worth.passed, moment)
      on conflict (user_id, course_offering_id) do update
        set final_score = excluded.final_score, letter_grade = excluded.letter_grade, passed = excluded.passed,
            graded_at = excluded.graded_at, outdated_at = null
      returning one.* into graded;
      perform record_grade_change_and_notify('finalized', offering, worth.user_id, null,
        jsonb_build_object('why', wanted -> 'why', 'present', jsonb_build_object(
          'score', graded.final_score, 'letter', graded.letter_grade, 'passed', graded.passed)),
        finalizer, moment, request);
      if not graded.passed then failed := failed || worth.user_id; end if;
    end if;
    user_id := worth.user_id;
    outcome := worth.outcome;
    passed := worth.passed;
    awaited := worth.awaited;
    return next;
  end loop;
  if exists (
    select from enrollments as one
    where one.course_offering_id = offering and one.user_id = any (failed) and one.completion_source = 'result'
  ) then
    perform lock_course_seats_of_offering(offering);
    perform from course_offerings where id = offering for no key update;
    update enrollments as one set status = 'active', completion_source = null, completed_at = null
    where one.course_offering_id = offering and one.user_id = any (failed) and one.completion_source = 'result';
  end if;
end $$;

-- Completed enrollments stay completed until the grade is final again.
create or replace function reopen_final_course_grades(
  offering integer, people integer[], reopener integer, why text, moment timestamptz, request jsonb
) returns setof integer language plpgsql as $$
declare
  former course_grades;
begin
  perform lock_offering_grades(offering);
  for former in
    select * from course_grades
    where course_offering_id = offering and graded_at is not null and user_id <> reopener
      and (people is null or user_id = any (people))
    order by user_id for update
  loop
    update course_grades
    set final_score = null, letter_grade = null, passed = null, graded_at = null, outdated_at = null
    where id = former.id;
    perform record_grade_change_and_notify('reopened', offering, former.user_id, null,
      jsonb_build_object('why', why, 'former', jsonb_build_object(
        'score', former.final_score, 'letter', former.letter_grade, 'passed', former.passed)),
      reopener, moment, request);
    return next former.user_id;
  end loop;
end $$;

-- Null unless the person's grade is final and uses it. Locks the final grade.
create or replace function lock_final_grade_and_read_item_score(offering integer, person integer, item integer) returns numeric
language plpgsql as $$
begin
  perform from course_grades as own
  where own.course_offering_id = offering and own.user_id = person
    and own.graded_at is not null and own.score_override is null for no key update;
  if not found then return null; end if;
  return (
    select coalesce(cell.score, 0)
    from gradebook_items_of_offering(offering) as counted
    join gradebook_cells_of_people(offering, array[person]) as cell on cell.item_id = counted.item_id
    where counted.item_id = item and counted.weight > 0 and cell.state not in ('excused', 'overridden'));
end $$;

-- Marks it if the item's counted score and the course result changed. Notifies teachers and the finalizer once a
-- day per offering.
create or replace function mark_final_grade_outdated_and_notify(offering integer, person integer, item integer, former numeric) returns void
language plpgsql as $$
declare
  moment timestamptz := service_now();
begin
  if former is null or former = lock_final_grade_and_read_item_score(offering, person, item) then return; end if;
  update course_grades set outdated_at = moment
  where course_offering_id = offering and user_id = person and outdated_at is null and final_score is distinct from (
    select coalesce(total.final_percent, 0) from current_and_final_course_percents(offering, array[person], false, false) as total);
  if not found then return; end if;
  perform notify(array(
      select user_id from offering_teachers where course_offering_id = offering
      union
      select made.changed_by_user_id from (
        select changed_by_user_id from grade_changes
        where course_offering_id = offering and user_id = person and kind = 'finalized' order by id desc limit 1
      ) as made
      where is_staff_of_offering(made.changed_by_user_id, offering, teaches => true)),
    'grade_outdated', 'outdated:' || offering || ':' || utc_day(moment), moment, offering => offering);
end $$;
