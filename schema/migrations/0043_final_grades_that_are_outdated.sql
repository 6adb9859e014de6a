set local check_function_bodies = off;
--> statement-breakpoint
drop function finalize_grades(integer,integer[],integer,integer,text,timestamp with time zone,jsonb);
--> statement-breakpoint
ALTER TABLE "notification_preferences" DROP CONSTRAINT "notification_preferences_kind_check";
--> statement-breakpoint
ALTER TABLE "notifications" DROP CONSTRAINT "notifications_kind_check";
--> statement-breakpoint
ALTER TABLE "course_grades" ADD COLUMN "outdated_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_kind_check" CHECK ("notification_preferences"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained'));
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_kind_check" CHECK ("notifications"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained'));
--> statement-breakpoint
-- Takes what an item's own grader says of a submission, at the moment at which it signed that. `outcome`: 'graded';
-- 'kept', where a person has graded it or it was returned; 'superseded', where a later word came before; or 'final',
-- where what is graded stays, 'too many points'. The same word again has the same outcome. No row: it is gone.
create or replace function auto_grade_submission(
  the_submission integer, points numeric, details jsonb, signed_at timestamptz, moment timestamptz, request jsonb
) returns table (outcome text) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
  graded lab_submissions;
  most numeric;
  counted numeric;
begin
  if former.id is null then return; end if;
  select max_points into most from work_rules(former.content_item_id, former.course_offering_id, former.user_id);
  outcome := case
    when former.auto_graded_at > signed_at then 'superseded'
    when former.grade_source = 'hand' or former.status = 'returned' then 'kept'
    when former.auto_graded_at = signed_at then 'graded'
    when former.status <> 'submitted' and is_grade_final(former.course_offering_id, former.user_id) then 'final'
    when points > most then 'too many points'
    else 'graded'
  end;
  if outcome in ('graded', 'kept') and former.auto_graded_at is distinct from signed_at then
    update lab_submissions as one set auto_grade_json = details, auto_graded_at = signed_at
    where one.id = the_submission;
    if outcome = 'graded' then
      counted := hold_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
      update lab_submissions as one
      set status = 'graded', score_obtained = points, max_score = most, grade_source = 'auto', graded_at = moment
      where one.id = the_submission returning one.* into graded;
      perform note_grade_of_submission('submission_graded', former, graded, null, null, moment, request);
      perform outdate_final_grade(former.course_offering_id, former.user_id, former.content_item_id, counted);
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- What people's grades wait for: the items that count in which an attempt is open or not graded, or work is handed in
-- that is newer than any that is graded; but where staff have set a score in its place, or excused the person.
-- `is_gradable`: an attempt there is over, and takes nothing but to be closed and graded.
create or replace function awaited_items(offering integer, people integer[], moment timestamptz)
returns table (user_id integer, item_id integer, is_gradable boolean)
language sql stable rows 1000 set enable_nestloop = off as $$
  with waiting as (
    select one.user_id, one.content_item_id as item_id,
           is_over(one, moment) and (one.submitted_at is null or one.awaits_grading) as is_gradable
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
  )
  select waiting.user_id, waiting.item_id, bool_or(waiting.is_gradable)
  from waiting
  join graded_items(offering) as item on item.item_id = waiting.item_id and item.weight > 0
  left join item_grades as own on own.course_offering_id = offering and own.content_item_id = waiting.item_id
    and own.user_id = waiting.user_id
  where own.score_override is null and own.is_excused is not true
  group by waiting.user_id, waiting.item_id
$$;
--> statement-breakpoint
-- Closes the attempts of these people that are over, and stores grades of them (store_quiz_grades). All that is held is
-- held before the first is changed.
create or replace function end_attempts(offering integer, people integer[], grades jsonb, moment timestamptz) returns void
language plpgsql as $$
declare
  ended integer[];
begin
  with held as (
    select one.id from quiz_attempts as one
    where one.course_offering_id = offering and one.user_id = any (people)
      and (one.awaits_grading or one.submitted_at is null and is_over(one, moment))
    order by one.id for update
  )
  select array_agg(id) into ended from held;
  perform from user_content_progress as mine
  join quiz_attempts as one using (user_id, course_offering_id, content_item_id)
  where one.id = any (ended) order by mine.id for no key update of mine;
  perform pg_advisory_xact_lock(offering, person) from unnest(people) as person;
  perform close_quiz_attempt(id, moment) from unnest(ended) as id;
  perform store_quiz_grades(grades);
end $$;
--> statement-breakpoint
-- Makes the grades of people final who have or had a place in an offering, of these or of all: of those whose grade is
-- open and whose id comes after `after`, at most `most`, by their ids. Answers each, with the items that they await.
-- `outcome`: 'final'; 'awaiting', who are left out unless `with_awaiting`; or 'gradable', whose attempts are closed here and
-- have to be graded first. Whoever asks again with `grades`, even none, is told nobody's. With `dry` nothing is written:
-- what is closed and graded on the way is undone.
--
-- An enrollment is completed where that was all that it waited for, and one that was completed by a grade that is passed no
-- more is active again. Nobody makes a grade of their own final.
create or replace function finalize_grades(
  offering integer, people integer[], after integer, most integer, finalizer integer, with_awaiting boolean,
  grades jsonb, dry boolean, why text, moment timestamptz, request jsonb
) returns table (user_id integer, outcome text, passed boolean, awaited integer[]) language plpgsql as $$
#variable_conflict use_column
declare
  chosen integer[];
  judged jsonb;
  worth record;
  graded course_grades;
  failed integer[] := '{}';
begin
  perform hold_grades(offering);
  chosen := array(
    select one.user_id from enrollments as one
    where one.course_offering_id = offering and one.is_admitted and one.user_id <> finalizer and one.user_id > after
      and (people is null or one.user_id = any (people)) and not is_grade_final(offering, one.user_id)
    order by one.user_id limit most);
  begin
    perform end_attempts(offering, chosen, coalesce(grades, '[]'), moment);
    select jsonb_agg(jsonb_build_object(
        'user_id', total.user_id, 'awaited', coalesce(waiting.items, '{}'),
        'outcome', case when waiting.is_gradable and grades is null then 'gradable'
                        when waiting.items is not null and not with_awaiting then 'awaiting'
                        else 'final' end,
        'score', standing.score, 'letter', letter_of(scheme.letter_scale, standing.score),
        'passed', standing.score >= scheme.passing_percent) order by total.user_id)
    into judged
    from grade_totals(offering, chosen, false) as total
    cross join grading_of(offering) as scheme
    left join course_grades as former on former.course_offering_id = offering and former.user_id = total.user_id
    cross join lateral (select coalesce(former.score_override, total.final_percent, 0) as score) as standing
    left join (
      select one.user_id, array_agg(one.item_id order by one.item_id) as items, bool_or(one.is_gradable) as is_gradable
      from awaited_items(offering, chosen, moment) as one group by one.user_id
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
      perform note_grade_change('finalized', offering, worth.user_id, null, null, grade_of_course(graded), why, finalizer,
        moment, request);
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
    perform keep_course(offering);
    perform from course_offerings where id = offering for no key update;
    update enrollments as one set status = 'active', completion_source = null, completed_at = null
    where one.course_offering_id = offering and one.user_id = any (failed) and one.completion_source = 'result';
  end if;
end $$;
--> statement-breakpoint
-- Grades a submission by hand, over whatever grade it has; whose claim it was ends. `refusal` as for a claim, or 'too
-- many points' for more than the item gives. A final grade in which it would count is outdated by it.
create or replace function grade_submission(
  the_submission integer, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
  most numeric;
  counted numeric;
begin
  if former.id is null then return; end if;
  select max_points into most from work_rules(former.content_item_id, former.course_offering_id, former.user_id);
  submission := former;
  refusal := coalesce(refusal_to_grade(former, grader, moment), case when points > most then 'too many points' end);
  if refusal is null then
    counted := hold_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
    update lab_submissions as one
    set status = 'graded', score_obtained = points, max_score = most, instructor_feedback = feedback,
        grade_source = 'hand', graded_at = moment, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_graded', former, submission, why, grader, moment, request);
    perform outdate_final_grade(former.course_offering_id, former.user_id, former.content_item_id, counted);
  end if;
  return next;
end $$;
--> statement-breakpoint
drop function grade_totals(integer,integer[],boolean);
--> statement-breakpoint
-- What follows for the course, in percent: of what is graded so far, and with nothing for what is not. A group is worth
-- the part of its points that was earned, and groups count by their weights, those in which something counts. With
-- `released_alone`, of nothing but what learners may see.
create or replace function grade_totals(offering integer, people integer[], released_alone boolean)
returns table (user_id integer, current_percent numeric, final_percent numeric)
language sql stable as $$
  with cell as (
    select one.*, item.max_points, item.weight, coalesce(item.group_name, '') as group_name
    from grade_cells(offering, people) as one join graded_items(offering) as item using (item_id)
    where not released_alone or item.released
  ), grouped as (
    select cell.user_id, weight,
           sum(score) / nullif(sum(max_points) filter (where score is not null), 0) as so_far,
           coalesce(sum(score), 0) / nullif(sum(max_points) filter (where state <> 'excused'), 0) as in_all
    from cell where weight is not null group by cell.user_id, group_name, weight
  ), total as (
    select grouped.user_id,
           sum(weight * so_far) / nullif(sum(weight) filter (where so_far is not null), 0) as so_far,
           sum(weight * in_all) / nullif(sum(weight) filter (where in_all is not null), 0) as in_all
    from grouped group by grouped.user_id
  )
  select person.id, clamped(round(total.so_far * 100, 2), 0, 9999.99), clamped(round(total.in_all * 100, 2), 0, 9999.99)
  from unnest(people) as person (id)
  left join total on total.user_id = person.id
$$;
--> statement-breakpoint
-- What counts for a person in an item by their own work, nothing where it is not graded: null unless their grade is final
-- and made of it. Holds the final grade.
create or replace function hold_counted_score(offering integer, person integer, item integer) returns numeric
language plpgsql as $$
begin
  perform from course_grades as own
  where own.course_offering_id = offering and own.user_id = person
    and own.graded_at is not null and own.score_override is null for no key update;
  if not found then return null; end if;
  return (
    select coalesce(cell.score, 0)
    from graded_items(offering) as counted
    join grade_cells(offering, array[person]) as cell on cell.item_id = counted.item_id
    where counted.item_id = item and counted.weight > 0 and cell.state not in ('excused', 'overridden'));
end $$;
--> statement-breakpoint
-- How a person wants to be told of each kind.
create or replace function notification_wishes(person integer)
returns table (kind text, in_app boolean, mail text) language sql stable as $$
  select standard.kind, coalesce(own.in_app, true), coalesce(own.mail, standard.mail)
  from (values ('announcement', 'immediate'), ('discussion_reply', 'daily'), ('due_soon', 'daily'),
               ('grade_outdated', 'daily'), ('grade_released', 'daily'), ('place_obtained', 'immediate')) as standard (kind, mail)
  left join notification_preferences as own on own.user_id = person and own.kind = standard.kind
$$;
--> statement-breakpoint
-- Notes that a final grade is outdated, where another score counts in an item than the one that did, and tells those who
-- teach the offering and who made it final, of an offering once a day.
create or replace function outdate_final_grade(offering integer, person integer, item integer, former numeric) returns void
language plpgsql as $$
declare
  moment timestamptz := service_now();
begin
  if former is null or former = hold_counted_score(offering, person, item) then return; end if;
  update course_grades set outdated_at = moment
  where course_offering_id = offering and user_id = person and outdated_at is null;
  if not found then return; end if;
  perform notify(array(
      select user_id from offering_teachers where course_offering_id = offering
      union
      select made.changed_by_user_id from (
        select changed_by_user_id from grade_changes
        where course_offering_id = offering and user_id = person and kind = 'finalized' order by id desc limit 1
      ) as made
      join course_offerings as run on run.id = offering
      where is_instructor_of_course(made.changed_by_user_id, run.course_id)),
    'grade_outdated', 'outdated:' || offering || ':' || utc_day(moment), moment, offering => offering);
end $$;
--> statement-breakpoint
-- Why a grader may not grade a submission at that moment; null when they may. Once the grade of the course is final, what
-- it was made of stays, and what was left ungraded then may be graded still.
create or replace function refusal_to_grade(submission lab_submissions, grader integer, moment timestamptz)
returns text language sql stable as $$
  select case
    when submission.user_id = grader then 'own'
    when submission.status <> 'submitted' and is_grade_final(submission.course_offering_id, submission.user_id) then 'final'
    when submission.status = 'returned' then 'returned'
    when submission.claimed_by_user_id <> grader and submission.claimed_until > moment then 'claimed'
  end
$$;
--> statement-breakpoint
-- Opens final grades again, of these people or of all; answers whose. What was completed stays so until the grade is
-- final again.
create or replace function reopen_grades(
  offering integer, people integer[], reopener integer, why text, moment timestamptz, request jsonb
) returns setof integer language plpgsql as $$
declare
  former course_grades;
begin
  perform hold_grades(offering);
  for former in
    select * from course_grades
    where course_offering_id = offering and graded_at is not null and user_id <> reopener
      and (people is null or user_id = any (people))
    order by user_id for update
  loop
    update course_grades
    set final_score = null, letter_grade = null, passed = null, graded_at = null, outdated_at = null
    where id = former.id;
    perform note_grade_change('reopened', offering, former.user_id, null, grade_of_course(former), null, why, reopener,
      moment, request);
    return next former.user_id;
  end loop;
end $$;
--> statement-breakpoint
-- Gives a submission back for another attempt; a grade that it had is taken back. What is returned stays so. `refusal`
-- as for a claim, and 'final' of any: there is no other attempt.
create or replace function return_submission(
  the_submission integer, grader integer, feedback text, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
begin
  if former.id is null then return; end if;
  submission := former;
  refusal := coalesce(
    nullif(refusal_to_grade(former, grader, moment), 'returned'),
    case when is_grade_final(former.course_offering_id, former.user_id) then 'final' end);
  if refusal is null and former.status <> 'returned' then
    update lab_submissions as one
    set status = 'returned', returned_at = moment, instructor_feedback = feedback, score_obtained = null,
        max_score = null, grade_source = null, graded_at = null, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_returned', former, submission, null, grader, moment, request);
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Stores grades: `[{"attempt_id", "score", "passed", "questions": [{"question_id", "graded_version", "points"}]}, …]`.
-- One that was made by other keys than now count is left out, and so is what no longer waits: answers how many were
-- stored. A final grade that is made of another score is outdated by it.
create or replace function store_quiz_grades(grades jsonb) returns integer language plpgsql as $$
declare
  grade record;
  mine quiz_attempts;
  former numeric;
  stored integer := 0;
begin
  perform keep_grades(graded.offering) from (
    select distinct course_offering_id as offering from quiz_attempts
    where id in (select (one ->> 'attempt_id')::int from jsonb_array_elements(grades) as one) order by 1
  ) as graded;
  for grade in
    select * from jsonb_to_recordset(grades) as one (
      attempt_id integer, score numeric, max_score numeric, passed boolean, questions jsonb)
    order by attempt_id
  loop
    select * into mine from quiz_attempts where id = grade.attempt_id and awaits_grading for update;
    if not found or exists (
      select from quiz_attempt_questions as drawn
      where quiz_attempt_id = grade.attempt_id and not exists (
        select from jsonb_to_recordset(grade.questions) as one (question_id integer, graded_version integer)
        where one.question_id = drawn.question_id and one.graded_version = drawn.graded_version)
    ) then continue; end if;
    former := hold_counted_score(mine.course_offering_id, mine.user_id, mine.content_item_id);
    update quiz_attempt_questions as drawn set points_earned = one.points
    from jsonb_to_recordset(grade.questions) as one (question_id integer, points numeric)
    where drawn.quiz_attempt_id = grade.attempt_id and drawn.question_id = one.question_id;
    update quiz_attempts
    set score_obtained = grade.score, max_score = grade.max_score, passed = grade.passed, awaits_grading = false
    where id = grade.attempt_id;
    perform outdate_final_grade(mine.course_offering_id, mine.user_id, mine.content_item_id, former);
    stored := stored + 1;
  end loop;
  return stored;
end $$;
--> statement-breakpoint
-- Hands in a person's next attempt. The same again, while it waits for its grade, is answered as it is. `refusal` says
-- why there is none: one of `gate_of_item` (outline.sql), 'not enrolled', 'final', 'closed' or 'no attempt left'. What
-- was returned is no attempt that counts. What comes before a grade is final is seen by whoever makes it so.
create or replace function submit_work(
  person integer, offering integer, item integer, given jsonb, moment timestamptz, today date
) returns table (refusal text, is_new boolean, submission lab_submissions) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  work record;
begin
  is_new := false;
  perform keep_grades(offering);
  select * into rules from work_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_item(item, person, moment) is not null then gate_of_item(item, person, moment)
    when not exists (
      select from enrollments where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
    when is_grade_final(offering, person) then 'final'
  end;
  select * into work from jsonb_to_record(given) as one (body text, links text[], data_json jsonb, artifacts_url text);
  while refusal is null and not is_new loop
    select one.* into submission from lab_submissions as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
    order by one.attempt_number desc limit 1;
    if submission.status = 'submitted' and (submission.body, submission.links, submission.data_json, submission.artifacts_url)
         is not distinct from (work.body, work.links, work.data_json, work.artifacts_url::varchar) then
      return next;
      return;
    end if;
    refusal := case
      when not rules.takes_late and moment > rules.due_at then 'closed'
      when (
        select count(*) from lab_submissions
        where user_id = person and course_offering_id = offering and content_item_id = item and status <> 'returned'
      ) >= rules.most_attempts then 'no attempt left'
    end;
    if refusal is null then
      insert into lab_submissions as one (
        user_id, course_offering_id, content_item_id, attempt_number, submitted_at, due_at, is_late, body, links,
        data_json, artifacts_url)
      -- The next after the one that was looked at: where another came meanwhile, it takes this number.
      values (person, offering, item, coalesce(submission.attempt_number, 0) + 1, moment, rules.due_at,
        coalesce(moment > rules.due_at, false), work.body, work.links, work.data_json, work.artifacts_url)
      on conflict do nothing returning one.* into submission;
      is_new := found;
    end if;
  end loop;
  if refusal is null then
    perform begin_item(person, offering, item, moment, moment);
    perform record_activity(
      person, 'submitted', 'content_item', item, rules.university_id, item, offering, moment, today);
  else
    submission := null;
  end if;
  return next;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
