set local check_function_bodies = off;
--> statement-breakpoint
-- Whether the right answers of an attempt would serve its taker in another that counts, and is or can be under way: at
-- the same quiz, or at one that has opened and draws from a pool of the same questions, in an offering in which they have
-- a seat, or may take one up again that they gave up or wait for. After a final grade nothing counts.
create or replace function serves_another_attempt(attempt quiz_attempts, moment timestamptz) returns boolean
language sql stable as $$
  select exists (
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
    where type_of_item(quiz.id) = 'quiz' and (mine.is_admitted or not is_list_closed(run, moment))
      and does_quiz_count(quiz.id, run.id) and not is_grade_final(run.id, attempt.user_id)
      and can_be_tried(quiz.id, run.id, attempt.user_id, moment)
      and (quiz.id = attempt.content_item_id
        or is_item_public(quiz.id) and coalesce(item_opens_at(quiz.id) <= moment, true))
  )
$$;
--> statement-breakpoint
set local check_function_bodies = on;
