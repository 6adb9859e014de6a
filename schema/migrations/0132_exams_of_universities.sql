-- in steps
-- Made beside who reads, and those who write them.
set statement_timeout = 0;
--> statement-breakpoint
set lock_timeout = '500ms';
--> statement-breakpoint
do $$
begin
  -- What a stopped migration left half-made.
  if exists (select from pg_index where indexrelid = to_regclass('content_items_exams_index') and not indisvalid) then
    drop index content_items_exams_index;
  end if;
end $$;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "content_items_exams_index" ON "content_items" USING btree ("university_id",pool_of_quiz("data_json")) WHERE "content_items"."data_json" ->> 'quiz_mode' = 'exam';
--> statement-breakpoint
-- The questions of a practice quiz, the first 200 of them; with their keys where whoever has taken it sees those at once
-- and nothing that counts could be the better for it. A pool from which an exam draws is not told at all, and neither is one
-- that has a question of such a pool of the university's, as its copies have, and what was written down again elsewhere.
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
