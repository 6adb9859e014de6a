-- Context for the tutor that learners cannot read: teachers' notes, and the questions of a practice quiz. A
-- conversation keeps the version from its start.

-- The first 200 of practice quizzes. With keys if takers see them immediately and no graded work could profit. Left
-- out are pools from which an exam draws, and pools that share a question with such a pool of the university, as a
-- copy or with the same text.
create or replace view told_pools as
  select item.id as content_item_id, (
    select jsonb_agg(told.question order by told.id)
    from (
      select asked.id, jsonb_strip_nulls(jsonb_build_object(
        'kind', asked.kind, 'question', asked.question_text, 'options', asked.options_json,
        'answer', case when quiz.shows_keys then asked.answer_json end,
        'explanation', case when quiz.shows_keys then asked.explanation end)) as question
      from questions as asked where asked.question_pool_id = quiz.pool and asked.is_active
      order by asked.id limit 200
    ) as told) as pool
  from content_items as item join content_types as type on type.id = item.content_type_id and type.name = 'quiz'
  -- Computed once for each quiz (offset 0), not for each question.
  cross join lateral (
    select pool_of_quiz(item.data_json) as pool,
           coalesce(item.data_json ->> 'show_answers', 'after_submit') = 'after_submit' and not exists (
             select from course_offerings as run
             where run.course_id = item.course_id and is_quiz_counted_for_grade(item.id, run.id)) as shows_keys
    offset 0
  ) as quiz
  where item.data_json ->> 'quiz_mode' is distinct from 'exam' and pool_of_quiz(item.data_json) is not null
    and not exists (
      select from questions as own
      join questions as same on md5(same.question_text) = md5(own.question_text) and same.question_text = own.question_text
      join question_pools as theirs on theirs.id = same.question_pool_id and theirs.university_id = item.university_id
      join content_items as exam on exam.university_id = item.university_id and pool_of_quiz(exam.data_json) = theirs.id
        and exam.data_json ->> 'quiz_mode' = 'exam'
      where own.question_pool_id = quiz.pool and own.is_active and same.is_active);

create or replace view tutor_contexts as
  select item.id as content_item_id, nullif(jsonb_strip_nulls(jsonb_build_object(
    'item_line', nullif(btrim(item.tutor_line), ''), 'course_line', nullif(btrim(course.tutor_line), ''),
    'pool', (select pool from told_pools where told_pools.content_item_id = item.id)) || coalesce((
      select jsonb_object_agg(
        case when note.content_item_id is null then 'course_notes' else 'item_notes' end,
        jsonb_build_object('notes', notes, 'key_facts', key_facts, 'common_errors', common_errors, 'never_say', never_say))
      from tutor_notes as note
      where note.course_id = item.course_id and coalesce(note.content_item_id, 0) in (0, item.id)
        and (notes <> '' or key_facts <> '[]' or common_errors <> '[]' or never_say <> '[]')), '{}')), '{}') as context
  from content_items as item join courses as course on course.id = item.course_id;
