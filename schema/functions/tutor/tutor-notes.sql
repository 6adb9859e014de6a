-- Context for the tutor that learners cannot read: teachers' notes, and the questions of a practice quiz. A
-- conversation keeps the version from its start.

-- Null if there are none.
create or replace function tutor_context_of(the_item integer) returns jsonb language sql stable as $$
  select nullif(jsonb_strip_nulls(jsonb_build_object(
    'item_notes', notes_as_told(course.id, item.id), 'course_notes', notes_as_told(course.id, null),
    'item_line', nullif(btrim(item.tutor_line), ''), 'course_line', nullif(btrim(course.tutor_line), ''),
    'pool', pool_as_told(item.id))), '{}')
  from content_items as item join courses as course on course.id = item.course_id where item.id = the_item
$$;

create or replace function notes_as_told(the_course integer, the_item integer) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'notes', notes, 'key_facts', key_facts, 'common_errors', common_errors, 'never_say', never_say)
  from tutor_notes
  where course_id = the_course and coalesce(content_item_id, 0) = coalesce(the_item, 0)
    and (notes <> '' or key_facts <> '[]' or common_errors <> '[]' or never_say <> '[]')
$$;

-- The first 200 questions of a practice quiz. Includes the keys if takers see them immediately and no graded work
-- could profit. Excludes pools from which an exam draws. Also excludes pools that share a question with such a pool
-- of the university, as a copy or with the same text.
create or replace function pool_as_told(the_item integer) returns jsonb language sql stable as $$
  with quiz as (
    select item.id, item.course_id, item.university_id, pool_of_quiz(item.data_json) as pool,
           coalesce(item.data_json ->> 'show_answers', 'after_submit') = 'after_submit' and not exists (
             select from course_offerings as run
             where run.course_id = item.course_id and does_quiz_count(item.id, run.id)) as shows_keys
    from content_items as item join content_types as type on type.id = item.content_type_id and type.name = 'quiz'
    where item.id = the_item and item.data_json ->> 'quiz_mode' is distinct from 'exam'
      and pool_of_quiz(item.data_json) is not null
  )
  select jsonb_agg(told.question order by told.id)
  from quiz cross join lateral (
    select asked.id, jsonb_strip_nulls(jsonb_build_object(
      'kind', asked.kind, 'question', asked.question_text, 'options', asked.options_json,
      'answer', case when quiz.shows_keys then asked.answer_json end,
      'explanation', case when quiz.shows_keys then asked.explanation end)) as question
    from questions as asked where asked.question_pool_id = quiz.pool and asked.is_active
    order by asked.id limit 200
  ) as told
  where not exists (
    select from questions as own
    join questions as same on md5(same.question_text) = md5(own.question_text) and same.question_text = own.question_text
    join question_pools as theirs on theirs.id = same.question_pool_id and theirs.university_id = quiz.university_id
    join content_items as exam on exam.university_id = quiz.university_id and pool_of_quiz(exam.data_json) = theirs.id
      and exam.data_json ->> 'quiz_mode' = 'exam'
    where own.question_pool_id = quiz.pool and own.is_active and same.is_active)
$$;

create or replace function copy_tutor_notes(source integer, target integer) returns void language sql as $$
  insert into tutor_notes (course_id, notes, key_facts, common_errors, never_say, updated_by)
  select target, one.notes, one.key_facts, one.common_errors, one.never_say, one.updated_by
  from tutor_notes as one
  where one.course_id = source and one.content_item_id is null
$$;

-- Copies the notes of items, whose new ids are keyed by the original ids.
create or replace function copy_notes_of_items(ids jsonb, target integer) returns void language sql as $$
  insert into tutor_notes (course_id, content_item_id, notes, key_facts, common_errors, never_say, updated_by)
  select target, copy::integer, one.notes, one.key_facts, one.common_errors, one.never_say, one.updated_by
  from jsonb_each_text(ids) as pair (original, copy)
  join tutor_notes as one on one.content_item_id = original::integer
  order by one.id
$$;
