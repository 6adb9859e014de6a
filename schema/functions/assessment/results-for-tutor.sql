-- The person's results at the tutor's topic, added only to private turns.
--
-- Locks: none, read only.

-- The newest three quiz attempts and three submissions, oldest first, and results at the tutor's own questions:
-- counts, and the newest three not right so far. Null without the person's consent, during an exam that silences
-- the tutor, or without results. An attempt has its first ten questions with no points if its taker may see the
-- answers. Correct answers are never included.
create or replace function learner_results_for_tutor(the_item integer, person integer, moment timestamptz) returns jsonb
language plpgsql stable as $$
begin
  -- Most people have not consented; then nothing else is planned or read.
  if not exists (select from users where id = person and tutor_sees_results) or exists (
    select from content_items as item cross join lateral open_exams_blocking_tutor(person, item.course_id, moment)
    where item.id = the_item
  ) then return null; end if;
  return (select nullif(jsonb_strip_nulls(jsonb_build_object('attempts', (
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'number', attempt.attempt_number,
      'state', case when not is_attempt_over(attempt, moment) then 'open' when graded.already then 'graded' else 'closed' end,
      'score', case when graded.already then attempt.score_obtained end,
      'most', case when graded.already then attempt.max_score end,
      'passed', case when graded.already then attempt.passed end,
      'missed', case when graded.already and are_correct_quiz_answers_shown(attempt, moment) then (
        select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
          'question', one.question_text, 'options', one.options_json, 'response', one.response)) order by one.position)
        from (
          select drawn.position, shown.question_text, shown.options_json,
                 attempt.raw_response_json -> drawn.question_id::text as response
          from quiz_attempt_questions as drawn
          join question_versions as shown on shown.question_id = drawn.question_id and shown.version = drawn.version
          where drawn.quiz_attempt_id = attempt.id and drawn.points_earned = 0
          order by drawn.position limit 10
        ) as one) end
    )) order by attempt.started_at, attempt.id)
    from (
      select id from quiz_attempts where user_id = person and content_item_id = the_item order by started_at desc, id desc limit 3
    ) as newest
    join quiz_attempts as attempt on attempt.id = newest.id
    cross join lateral (
      select is_attempt_over(attempt, moment) and attempt.score_obtained is not null and not attempt.awaits_grading as already
    ) as graded
  ), 'work', (
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'number', newest.attempt_number, 'state', newest.status,
      'score', case when is_released then newest.score_obtained end,
      'most', case when is_released then newest.max_score end)) order by newest.submitted_at, newest.id)
    from (
      select * from lab_submissions where user_id = person and content_item_id = the_item order by submitted_at desc, id desc limit 3
    ) as newest
    cross join lateral are_item_grades_released(newest.course_offering_id, newest.content_item_id) as is_released
  ), 'steps', (
    with step as materialized (
      select one.id, one.question_hash, one.choice, one.try_number, one.hints, asked.question,
             one.choice = asked.question_key ->> 'answer' as is_right
      from tutor_steps as one join tutor_questions as asked on asked.id = one.question_id
      where one.content_item_id = the_item and one.user_id = person
    ), missed as (
      select * from (
        select distinct on (question_hash) * from step order by question_hash, id desc
      ) as last
      where not exists (select from step where step.question_hash = last.question_hash and step.is_right)
      order by id desc limit 3
    )
    select case when count(*) > 0 then jsonb_strip_nulls(jsonb_build_object(
      'questions', count(distinct question_hash),
      'right_at_once', count(*) filter (where is_right and try_number = 1 and hints = 0),
      'missed', (select jsonb_agg(jsonb_build_object('question', question ->> 'question', 'options', question -> 'options',
                                                     'response', choice) order by id) from missed))) end
    from step
  ))), '{}'));
end $$;
