-- What the tutor is told of how a person did at its topic, in an answer to their own words, which nobody else is told.
--
-- Locks: none, it is only read.

-- The newest three attempts at a quiz, and the newest three times that work was handed in, oldest first. Null where the person
-- did not choose that the tutor sees it, while they take an exam that silences it, and where there is nothing. Of an attempt
-- its score, and what was missed where its taker may see the right answers; of work its score once that is released.
create or replace function results_as_told(the_item integer, person integer, moment timestamptz) returns jsonb
language sql stable as $$
  select nullif(jsonb_strip_nulls(jsonb_build_object(
    'attempts', attempts_as_told(item.id, person, moment), 'work', work_as_told(item.id, person))), '{}')
  from content_items as item
  where item.id = the_item and not is_tutor_silenced(person, item.course_id, moment)
    and exists (select from users where id = person and tutor_sees_results)
$$;

create or replace function attempts_as_told(the_item integer, person integer, moment timestamptz) returns jsonb
language sql stable as $$
  select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
    'number', attempt.attempt_number,
    'state', case when not is_over(attempt, moment) then 'open' when graded.already then 'graded' else 'closed' end,
    'score', case when graded.already then attempt.score_obtained end,
    'most', case when graded.already then attempt.max_score end,
    'passed', case when graded.already then attempt.passed end,
    'missed', case when graded.already and are_answers_shown(attempt, moment) then missed_as_told(attempt) end
  )) order by attempt.id)
  from (
    select * from quiz_attempts where user_id = person and content_item_id = the_item order by id desc limit 3
  ) as newest
  join quiz_attempts as attempt on attempt.id = newest.id
  cross join lateral (
    select is_over(attempt, moment) and attempt.score_obtained is not null and not attempt.awaits_grading as already
  ) as graded
$$;

-- The first ten questions that earned nothing, with what was answered, and never with what is right.
create or replace function missed_as_told(attempt quiz_attempts) returns jsonb language sql stable as $$
  select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
    'question', one.question_text, 'options', one.options_json, 'response', one.response)) order by one.position)
  from (
    select drawn.position, shown.question_text, shown.options_json,
           attempt.raw_response_json -> drawn.question_id::text as response
    from quiz_attempt_questions as drawn
    join question_versions as shown on shown.question_id = drawn.question_id and shown.version = drawn.version
    where drawn.quiz_attempt_id = attempt.id and drawn.points_earned = 0
    order by drawn.position limit 10
  ) as one
$$;

create or replace function work_as_told(the_item integer, person integer) returns jsonb language sql stable as $$
  select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
    'number', newest.attempt_number, 'state', newest.status,
    'score', case when is_released then newest.score_obtained end,
    'most', case when is_released then newest.max_score end)) order by newest.id)
  from (
    select * from lab_submissions where user_id = person and content_item_id = the_item order by id desc limit 3
  ) as newest
  cross join lateral is_grade_released(newest.course_offering_id, newest.content_item_id) as is_released
$$;
