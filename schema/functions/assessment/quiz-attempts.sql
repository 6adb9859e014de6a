-- Starts, saves and closes quiz attempts. The service grades them; a closed attempt no longer changes, so
-- each grading sees the same answers.
--
-- An attempt is over when it is submitted, or after its deadline and a grace period. It then accepts no
-- answers. The taker's next start, save or submission closes it, or the schedule.
--
-- Locks: to start: the item's type, shared, and the grades of the offering, shared (grades.sql), then the
-- person's attempts at the item, in all offerings; to store a grade the grades of the offering, shared, and
-- to grant an override or throw out a question exclusively; the attempt, and then submissions that are no longer late (dates.sql); a
-- final grade of its taker (final-grades.sql); then progress in its item (progress.sql), then the enrollment
-- that its result may complete (completion.sql), then the person (activity.sql). The service can therefore
-- close and grade an attempt in one statement.

create or replace function quiz_submission_grace_period() returns interval language sql immutable as $$
  select interval '5 seconds'
$$;

create or replace function is_attempt_over(attempt quiz_attempts, moment timestamptz) returns boolean
language sql immutable as $$
  select attempt.submitted_at is not null or coalesce(moment > attempt.due_at + quiz_submission_grace_period(), false)
$$;

create or replace function json_number(value jsonb) returns numeric language sql immutable as $$
  select case jsonb_typeof(value) when 'number' then value::numeric end
$$;

-- Null stays null, where least and greatest would return the bound.
create or replace function clamp(value numeric, low numeric, high numeric) returns numeric
language sql immutable strict as $$
  select greatest(low, least(high, value))
$$;

-- An index on it finds the quizzes of a pool, so the body is bound at creation.
create or replace function pool_of_quiz(data jsonb) returns integer language sql immutable parallel safe
  return case when jsonb_typeof(data -> 'question_pool_id') = 'number' then
    case when (data -> 'question_pool_id')::numeric between 1 and 2147483647
         then (data -> 'question_pool_id')::numeric::integer end end;

-- The passing percentage of a quiz's points.
create or replace function passing_percent_of_quiz(data jsonb) returns numeric language sql immutable as $$
  select coalesce(clamp(json_number(data -> 'passing_percent'), 0, 100), 60)
$$;

-- The item's rules, overridden by grants. By default an exam allows one attempt. An exam or a quiz that shows
-- answers when due is due at the offering's end, unless dated. Accommodations then extend limit and days. No row:
-- no such quiz.
create or replace function effective_quiz_rules_of_person(
  the_item integer, the_offering integer, person integer, moment timestamptz default service_now()
) returns table (
  question_pool_id integer, university_id integer, is_exam boolean, is_random boolean, draws integer,
  time_limit interval, closes_at timestamptz, most_attempts integer, passing_percent numeric, correct_in_row integer
) language sql stable as $$
  select pool_of_quiz(data), offering.university_id,
         coalesce(data ->> 'quiz_mode' = 'exam', false), data -> 'randomize_order' = 'true',
         coalesce(clamp(json_number(data -> 'num_questions_per_attempt'), 1, 100), 100)::int,
         seconds * coalesce(given.time_factor, 1) * interval '1 second',
         coalesce(dates.closes_at,
                  case when data ->> 'quiz_mode' = 'exam' or data ->> 'show_answers' = 'after_due'
                       then moment_plus_accommodation_days(offering.ends_at, person, offering.university_id) end),
         coalesce(granted.max_attempts,
                  clamp(json_number(data #> '{mastery,max_attempts}'), 1, 1000000)::int,
                  case data ->> 'quiz_mode' when 'exam' then 1 end),
         passing_percent_of_quiz(data),
         clamp(json_number(data #> '{mastery,threshold_correct_in_row}'), 0, 100)::int
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
  cross join lateral effective_dates_of_items(offering.id, person, array[item.id]) as dates
  left join lateral valid_accommodation_of_person(person, offering.university_id, moment) as given on true
  where offering.id = the_offering
$$;

-- The time limit or the quiz's closing. Accommodations extend both, the closing only for attempts started before
-- it.
create or replace function quiz_attempt_deadline(
  the_item integer, the_offering integer, person integer, started timestamptz, moment timestamptz
) returns timestamptz language sql stable as $$
  select least(started + rules.time_limit, rules.closes_at + coalesce(
    rules.time_limit * (1 - 1 / given.time_factor)::float8, interval '0'))
  from effective_quiz_rules_of_person(the_item, the_offering, person, moment) as rules
  left join lateral valid_accommodation_of_person(person, rules.university_id, moment) as given on true
$$;

-- Exams, and other quizzes in a grading scheme with no groups or in a weighted group.
create or replace function is_quiz_counted_for_grade(item integer, offering integer) returns boolean language sql stable as $$
  select exists (select from content_items where id = item and data_json ->> 'quiz_mode' = 'exam') or exists (
    select from grading_schemes as scheme
    where scheme.course_offering_id = offering and (jsonb_array_length(scheme.groups) = 0 or exists (
      select from jsonb_array_elements(scheme.groups) as one
      where (one ->> 'weight')::numeric > 0 and one -> 'content_item_ids' @> to_jsonb(item)))
  )
$$;

-- Includes open ones. If attempts count, also those in other offerings of the course and term, even after the
-- person left.
create or replace function count_quiz_attempts_taken(person integer, item integer, offering integer) returns integer
language sql stable as $$
  select count(*)::int
  from course_offerings as here
  join quiz_attempts as one on one.user_id = any (current_and_former_account_ids(person)) and one.content_item_id = item
  join course_offerings as run on run.id = one.course_offering_id
  where here.id = offering and (run.id = here.id or is_same_course_and_term(here, run) and is_quiz_counted_for_grade(item, here.id))
$$;

create or replace function refusal_to_start_quiz_attempt(
  taken integer, most integer, closes_at timestamptz, pool integer, moment timestamptz
) returns text language sql stable as $$
  select case
    when moment >= closes_at then 'closed'
    when taken >= most then 'no attempt left'
    when not exists (select from questions where question_pool_id = pool and is_active) then 'no questions'
  end
$$;

-- Exams of the course, and any whose `tutor_scope` is the whole university. Inlined into the caller's plan.
create or replace function open_exams_blocking_tutor(person integer, course integer, moment timestamptz)
returns table (content_item_id integer) language sql stable as $$
  select one.content_item_id
  from quiz_attempts as one
  join content_items as exam on exam.id = one.content_item_id
  where one.user_id = person and one.is_exam and one.submitted_at is null and not is_attempt_over(one, moment)
    and (exam.course_id = course or exam.data_json ->> 'tutor_scope' = 'university'
      and exam.university_id = (select university_id from courses where id = course))
$$;

-- Follows the item's policy: after the attempt, after nobody can take the quiz any more, or never. Never during an
-- exam of the course, or while the answers help another counted attempt that is open or possible, at this quiz or
-- at one with the same questions. The taker must be able to return there. After a final grade nothing counts.
create or replace function are_correct_quiz_answers_shown(attempt quiz_attempts, moment timestamptz) returns boolean
language plpgsql stable as $$
declare
  policy text;
begin
  -- Checked first: an open attempt plans and reads nothing else.
  if not is_attempt_over(attempt, moment) then return false; end if;
  policy := (
    select coalesce(data_json ->> 'show_answers', case when attempt.is_exam then 'after_due' else 'after_submit' end)
    from content_items where id = attempt.content_item_id);
  if policy = 'after_due' then
    if exists (
      select from quiz_attempts as other
      where other.course_offering_id = attempt.course_offering_id and other.content_item_id = attempt.content_item_id
        and other.submitted_at is null and not is_attempt_over(other, moment)
    ) then return false; end if;
    if not (coalesce(moment > (
          select coalesce(dates.closes_at, run.ends_at) + quiz_submission_grace_period()
          from course_offerings as run cross join lateral effective_dates_of_items(run.id, null, array[attempt.content_item_id]) as dates
          where run.id = attempt.course_offering_id), false)
        and not exists (
          select from quiz_overrides as granted
          cross join lateral effective_quiz_rules_of_person(attempt.content_item_id, attempt.course_offering_id, granted.user_id, moment) as rules
          where granted.course_offering_id = attempt.course_offering_id and granted.content_item_id = attempt.content_item_id and granted.due_at is not null
            and coalesce(moment <= rules.closes_at + quiz_submission_grace_period(), true))
        and not exists (
          select from course_offerings as run
          join enrollments as taking on taking.course_offering_id = run.id and taking.is_admitted
          join accommodations as given on given.university_id = run.university_id and given.user_id = taking.user_id
          cross join lateral effective_quiz_rules_of_person(attempt.content_item_id, run.id, taking.user_id, moment) as rules
          where run.id = attempt.course_offering_id and given.extra_days > 0 and moment <= rules.closes_at + quiz_submission_grace_period())
        and not exists (
          select from offering_group_members as taking
          cross join lateral effective_quiz_rules_of_person(attempt.content_item_id, attempt.course_offering_id, taking.user_id, moment) as rules
          where taking.course_offering_id = attempt.course_offering_id and taking.group_role = 'member'
            and exists (select from offering_group_dates as own where own.group_id = taking.group_id and own.due_at is not null)
            and coalesce(moment <= rules.closes_at + quiz_submission_grace_period(), true))
    ) then return false; end if;
  elsif policy <> 'after_submit' then
    return false;
  end if;
  if exists (
    select from quiz_attempts as one
    join course_offerings as run on run.id = one.course_offering_id
    join course_offerings as own on own.id = attempt.course_offering_id and own.course_id = run.course_id
    where one.user_id = attempt.user_id and one.is_exam and one.submitted_at is null and not is_attempt_over(one, moment)
  ) then return false; end if;
  return not exists (
    select
    from (
      select item.id, item.course_id
      from (
        select distinct asked.question_pool_id as id
        from quiz_attempt_questions as drawn join questions as asked on asked.id = drawn.question_id
        where drawn.quiz_attempt_id = attempt.id
      ) as pool
      join content_items as item on pool_of_quiz(item.data_json) = pool.id
      union
      select own.id, own.course_id from content_items as own where own.id = attempt.content_item_id
    ) as quiz
    join course_offerings as run on run.course_id = quiz.course_id
    join enrollments as mine on mine.course_offering_id = run.id and mine.user_id = attempt.user_id
    where 'quiz' = (
      select type.name from content_items as one join content_types as type on type.id = one.content_type_id
      where one.id = quiz.id
    ) and (mine.is_admitted or not is_waitlist_closed(run, moment))
      and is_quiz_counted_for_grade(quiz.id, run.id) and not is_course_grade_final(run.id, attempt.user_id)
      and has_attempt_left_before_closing(quiz.id, run.id, attempt.user_id, moment)
      and (quiz.id = attempt.content_item_id
        or is_item_published_with_ancestors(quiz.id) and coalesce((
          select opens_at <= moment from effective_dates_of_items(run.id, attempt.user_id, array[quiz.id])), true)));
end $$;

-- Only for the service, which removes what the reader may not see.
create or replace function quiz_attempt_json_with_answer_keys(attempt quiz_attempts, moment timestamptz) returns jsonb
language sql stable as $$
  select to_jsonb(attempt) - '{raw_response_json,grade_version}'::text[] || jsonb_build_object(
    'is_over', is_attempt_over(attempt, moment),
    'code', anonymous_code(attempt.course_offering_id, attempt.content_item_id, attempt.user_id),
    'answers_shown', are_correct_quiz_answers_shown(attempt, moment),
    'language', (
      select course.language_code from course_offerings as run join courses as course on course.id = run.course_id
      where run.id = attempt.course_offering_id),
    'questions', coalesce((
      select jsonb_agg(jsonb_build_object(
        'question_id', drawn.question_id, 'position', drawn.position, 'kind', upper(shown.kind),
        'question_text', shown.question_text, 'points', key.points, 'points_earned', drawn.points_earned,
        'scoring', key.scoring, 'thrown_out', (
          select credit from thrown_out_questions as out
          where out.course_offering_id = attempt.course_offering_id and out.content_item_id = attempt.content_item_id
            and out.question_id = drawn.question_id),
        'options', (
          select jsonb_agg(option order by array_position(drawn.option_ids, option ->> 'id'))
          from jsonb_array_elements(shown.options_json) as option),
        'response', attempt.raw_response_json -> drawn.question_id::text,
        'graded_version', drawn.graded_version, 'answer', key.answer_json, 'explanation', key.explanation
      ) order by drawn.position)
      from quiz_attempt_questions as drawn
      join question_versions as shown on shown.question_id = drawn.question_id and shown.version = drawn.version
      join question_versions as key on key.question_id = drawn.question_id and key.version = drawn.graded_version
      where drawn.quiz_attempt_id = attempt.id
    ), '[]'))
$$;

create or replace function close_overdue_quiz_attempt(attempt bigint, moment timestamptz) returns void language sql as $$
  update quiz_attempts as one set submitted_at = due_at, timed_out = true, awaits_grading = true
  where id = attempt and submitted_at is null and is_attempt_over(one, moment)
$$;

-- An attempt without a deadline would withhold the answers from the class. Skips attempts being written, since
-- their writers may wait for the offering.
create or replace function set_missing_deadlines_and_queue_recompute() returns trigger language plpgsql as $$
begin
  update quiz_attempts as mine set due_at = greatest(mine.started_at, bounded.due_at)
  from (
    select one.id, quiz_attempt_deadline(
             one.content_item_id, one.course_offering_id, one.user_id, one.started_at, service_now()) as due_at
    from quiz_attempts as one
    where case tg_table_name when 'content_items' then one.content_item_id else one.course_offering_id end = new.id
      and one.submitted_at is null and one.due_at is null
    for update of one skip locked
  ) as bounded
  where mine.id = bounded.id and bounded.due_at is not null;
  if tg_table_name = 'course_offerings' then
    -- A reopened run missed the outline edits made after its end (recompute-after-outline-change.sql).
    if old.ends_at <= service_now() and coalesce(new.ends_at > service_now(), true) then
      insert into stale_outlines (course_id) values (new.course_id);
    end if;
  end if;
  return null;
end $$;

create or replace trigger apply_deadline_to_open_attempts after update of due_at, data_json on content_items
  for each row when ((new.due_at, new.data_json) is distinct from (old.due_at, old.data_json))
  execute function set_missing_deadlines_and_queue_recompute();

create or replace trigger apply_deadline_to_open_attempts after update of ends_at on course_offerings
  for each row when (new.ends_at is distinct from old.ends_at) execute function set_missing_deadlines_and_queue_recompute();

-- Starts a person's next attempt or returns the open one. Concurrent starts in all offerings wait for each other.
-- `refusal`: one of `item_access_refusal` (outline.sql), 'not enrolled', 'closed', 'no attempt left' or 'no questions'.
create or replace function start_or_continue_quiz_attempt(
  person integer, offering integer, item integer, moment timestamptz, today date
) returns table (refusal text, is_new boolean, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  mine quiz_attempts;
  gate text;
begin
  is_new := false;
  -- Taken exclusively to change the item's type (grades.sql).
  perform pg_advisory_xact_lock_shared(hashtextextended('type of an item', item));
  perform lock_offering_grades_shared(offering);
  perform pg_advisory_xact_lock(hashtextextended('attempts of ' || person || ' at a quiz', item));
  gate := item_access_refusal(item, person, moment, offering => offering);
  select * into rules from effective_quiz_rules_of_person(item, offering, person, moment);
  refusal := case
    when not found then 'hidden'
    when gate is not null then gate
    when not exists (
      select from enrollments
      where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
  end;
  if refusal is null then
    select * into mine from quiz_attempts as one
    where user_id = person and course_offering_id = offering and content_item_id = item and submitted_at is null;
    if found and not is_attempt_over(mine, moment) then
      attempt := quiz_attempt_json_with_answer_keys(mine, moment);
      return next;
      return;
    end if;
    perform close_overdue_quiz_attempt(mine.id, moment);
    refusal := refusal_to_start_quiz_attempt(
      count_quiz_attempts_taken(person, item, offering), rules.most_attempts, rules.closes_at, rules.question_pool_id, moment);
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  is_new := true;
  insert into quiz_attempts (
    id, user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at, due_at, passing_percent,
    correct_in_row)
  overriding system value
  select next_id_random_for_anonymous_work('quiz_attempts', item), person, offering, item, coalesce(max(attempt_number), 0) + 1, rules.is_exam, moment,
         quiz_attempt_deadline(item, offering, person, moment, moment), rules.passing_percent, rules.correct_in_row
  from quiz_attempts where user_id = person and course_offering_id = offering and content_item_id = item
  returning * into mine;
  insert into quiz_attempt_questions (quiz_attempt_id, position, question_id, version, graded_version, option_ids)
  select mine.id, row_number() over (order by place, id), id, version, version, (
      select array_agg(option.value ->> 'id' order by case when rules.is_random then random() end, option.number)
      from jsonb_array_elements(options_json) with ordinality as option (value, number))
  from (
    select id, version, options_json, case when rules.is_random then random() end as place
    from questions where question_pool_id = rules.question_pool_id and is_active
    order by random() limit rules.draws
  ) as chosen;
  update quiz_attempts set max_score = (
    select sum(points)
    from quiz_attempt_questions as drawn join question_versions as asked using (question_id, version)
    where drawn.quiz_attempt_id = mine.id
  ) where id = mine.id returning * into mine;
  perform upsert_item_interaction_times(person, offering, item, moment, moment);
  perform add_activity_event_and_update_streak(
    person, 'attempted', jsonb_build_object('type', 'content_item', 'id', item), rules.university_id, offering, moment, today);
  attempt := quiz_attempt_json_with_answer_keys(mine, moment);
  return next;
end $$;

-- Adds answers by question id; `ends` submits. No row: the attempt is not theirs. `refusal`: 'submitted', 'time is
-- up', 'not enrolled', or 'no such answer' with the question. A repeated submission returns the first result.
create or replace function save_or_submit_quiz_answers(
  the_attempt bigint, person integer, given jsonb, ends boolean, moment timestamptz, today date
) returns table (refusal text, question_id text, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  mine quiz_attempts;
begin
  select * into mine from quiz_attempts where id = the_attempt and user_id = person for update;
  if not found then return; end if;
  select response.key into question_id
  from jsonb_each(given) as response
  left join quiz_attempt_questions as drawn
    on drawn.quiz_attempt_id = the_attempt and drawn.question_id = response.key::int
  left join question_versions as asked on asked.question_id = drawn.question_id and asked.version = drawn.version
  -- Null clears an answer.
  where asked.kind is null or not coalesce(jsonb_typeof(response.value) = 'null' or case asked.kind
    when 'single_choice' then asked.options_json @> jsonb_build_array(jsonb_build_object('id', response.value))
    when 'multiple_choice' then jsonb_typeof(response.value) = 'array' and not exists (
      select from jsonb_array_elements(
        case jsonb_typeof(response.value) when 'array' then response.value else '[]' end) as chosen
      where not asked.options_json @> jsonb_build_array(jsonb_build_object('id', chosen)))
    when 'true_false' then jsonb_typeof(response.value) = 'boolean'
    when 'numeric' then jsonb_typeof(response.value) = 'number'
    else jsonb_typeof(response.value) = 'string' end, false)
  order by response.key::int limit 1;
  refusal := case
    when mine.timed_out or (mine.submitted_at is null and is_attempt_over(mine, moment)) then 'time is up'
    when mine.submitted_at is not null and not ends then 'submitted'
    when mine.submitted_at is null and not exists (
      select from enrollments
      where user_id = person and course_offering_id = mine.course_offering_id and is_admitted
    ) then 'not enrolled'
    when mine.submitted_at is null and question_id is not null then 'no such answer'
  end;
  perform close_overdue_quiz_attempt(the_attempt, moment);
  if refusal is null and mine.submitted_at is null then
    update quiz_attempts
    set raw_response_json = jsonb_strip_nulls(coalesce(raw_response_json, '{}') || given), saved_at = moment,
        submitted_at = case when ends then moment end, awaits_grading = ends
    where id = the_attempt;
    -- Autosaves count as one activity per minute of the attempt.
    if ends or floor(extract(epoch from moment - mine.started_at) / 60)
               is distinct from floor(extract(epoch from mine.saved_at - mine.started_at) / 60) then
      perform add_activity_event_and_update_streak(person, case when ends then 'submitted' else 'attempted' end,
        jsonb_build_object('type', 'content_item', 'id', mine.content_item_id), offering.university_id, offering.id, moment,
        today)
      from course_offerings as offering where offering.id = mine.course_offering_id;
    end if;
    select * into mine from quiz_attempts where id = the_attempt;
  end if;
  attempt := quiz_attempt_json_with_answer_keys(mine, moment);
  return next;
end $$;

-- `[{"attempt_id", "score", "passed", "questions": [{"question_id", "graded_version", "thrown_out", "points"}]}, …]`.
-- Skips attempts that wait for no grade, and grades by outdated keys or from before a question was thrown out.
create or replace function store_quiz_grades(grades jsonb) returns integer language plpgsql as $$
declare
  grade record;
  mine quiz_attempts;
  former numeric;
  stored integer := 0;
begin
  perform lock_offering_grades_shared(graded.offering) from (
    select distinct course_offering_id as offering from quiz_attempts
    where id in (select (one ->> 'attempt_id')::bigint from jsonb_array_elements(grades) as one) order by 1
  ) as graded;
  for grade in
    select * from jsonb_to_recordset(grades) as one (
      attempt_id bigint, score numeric, max_score numeric, passed boolean, questions jsonb)
    order by attempt_id
  loop
    select * into mine from quiz_attempts where id = grade.attempt_id and awaits_grading for update;
    if not found or exists (
      select from quiz_attempt_questions as drawn
      where quiz_attempt_id = grade.attempt_id and not exists (
        select from jsonb_to_recordset(grade.questions) as one (question_id integer, graded_version integer, thrown_out text)
        where one.question_id = drawn.question_id and one.graded_version = drawn.graded_version
          and one.thrown_out is not distinct from (
            select credit from thrown_out_questions as out
            where out.course_offering_id = mine.course_offering_id and out.content_item_id = mine.content_item_id
              and out.question_id = drawn.question_id))
    ) then continue; end if;
    former := lock_final_grade_and_read_item_score(mine.course_offering_id, mine.user_id, mine.content_item_id);
    update quiz_attempt_questions as drawn set points_earned = one.points
    from jsonb_to_recordset(grade.questions) as one (question_id integer, points numeric)
    where drawn.quiz_attempt_id = grade.attempt_id and drawn.question_id = one.question_id;
    update quiz_attempts
    set score_obtained = grade.score, max_score = grade.max_score, passed = grade.passed, awaits_grading = false
    where id = grade.attempt_id;
    perform mark_final_grade_outdated_and_notify(mine.course_offering_id, mine.user_id, mine.content_item_id, former);
    stored := stored + 1;
  end loop;
  return stored;
end $$;

-- Also applies to an open attempt. Keys of `granted`: time_limit_seconds, max_attempts, available_from and due_at.
-- Null means the quiz's rule, infinity no due date; absent keys stay. No row: not enrolled.
create or replace function grant_item_override_and_update_work(
  person integer, the_offering integer, the_item integer, granted jsonb, moment timestamptz
) returns setof quiz_overrides language plpgsql as $$
declare
  attempt quiz_attempts;
  former timestamptz;
  latter timestamptz;
begin
  perform lock_offering_grades(the_offering);
  select mine.* into attempt from quiz_attempts as mine
  where mine.user_id = person and mine.course_offering_id = the_offering and mine.content_item_id = the_item
    and mine.submitted_at is null and not is_attempt_over(mine, moment);
  former := quiz_attempt_deadline(the_item, the_offering, person, attempt.started_at, moment);
  return query
    insert into quiz_overrides as one
      (user_id, course_offering_id, content_item_id, time_limit_seconds, max_attempts, available_from, due_at, created_at,
       updated_at)
    select person, the_offering, the_item, wanted.time_limit_seconds, wanted.max_attempts, wanted.available_from, wanted.due_at,
           moment, moment
    from jsonb_to_record(granted) as wanted (
      time_limit_seconds integer, max_attempts integer, available_from timestamptz, due_at timestamptz)
    where exists (select from enrollments where user_id = person and course_offering_id = the_offering)
    on conflict (course_offering_id, content_item_id, user_id) do update
      set time_limit_seconds =
            case when granted ? 'time_limit_seconds' then excluded.time_limit_seconds else one.time_limit_seconds end,
          max_attempts = case when granted ? 'max_attempts' then excluded.max_attempts else one.max_attempts end,
          available_from =
            case when granted ? 'available_from' then excluded.available_from else one.available_from end,
          due_at = case when granted ? 'due_at' then excluded.due_at else one.due_at end,
          updated_at = moment
    returning one.*;
  latter := quiz_attempt_deadline(the_item, the_offering, person, attempt.started_at, moment);
  update quiz_attempts as mine
  set due_at = case when latter is null or former is null then latter
    when latter < former then mine.due_at - (former - latter) else greatest(mine.due_at, latter) end
  where mine.id = attempt.id and latter is distinct from former;
  perform apply_extended_dates_to_work(the_offering, array[the_item], person, moment);
end $$;

create or replace function quiz_attempts_after_write() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from content_items where id = new.content_item_id and data_json -> 'anonymous' = 'true') then
      perform ensure_anonymous_code(new.course_offering_id, new.content_item_id, new.user_id);
    end if;
  end if;
  if new.score_obtained is not null
     and (tg_op = 'INSERT' or (new.score_obtained, new.max_score) is distinct from (old.score_obtained, old.max_score)) then
    perform enqueue_lti_score(new.course_offering_id, new.user_id, new.content_item_id);
  end if;
  if tg_op = 'UPDATE' and old.score_obtained is not null
     and (old.score_obtained, old.max_score) is distinct from (new.score_obtained, new.max_score) then
    insert into grade_changes
      (kind, course_offering_id, user_id, content_item_id, former_json, current_json, changed_at)
    values ('quiz_regraded', new.course_offering_id, new.user_id, new.content_item_id,
      jsonb_build_object('quiz_attempt_id', old.id, 'score', old.score_obtained, 'max_score', old.max_score),
      jsonb_build_object('quiz_attempt_id', new.id, 'score', new.score_obtained, 'max_score', new.max_score), service_now());
  end if;
  if new.submitted_at is not null then
    perform sync_item_completion_with_result(new.course_offering_id, new.user_id, new.content_item_id);
  end if;
  return null;
end $$;

create or replace trigger quiz_attempts_after_write
  after insert or update of score_obtained, max_score, passed, submitted_at on quiz_attempts
  for each row execute function quiz_attempts_after_write();
