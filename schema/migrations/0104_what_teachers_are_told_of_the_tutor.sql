set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "notification_preferences" DROP CONSTRAINT "notification_preferences_kind_check";
--> statement-breakpoint
ALTER TABLE "notifications" DROP CONSTRAINT "notifications_kind_check";
--> statement-breakpoint
CREATE INDEX "questions_text_index" ON "questions" USING btree (md5("question_text"));
--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_kind_check" CHECK ("notification_preferences"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained', 'tutor_handover'));
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_kind_check" CHECK ("notifications"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained', 'tutor_handover'));
--> statement-breakpoint
-- How a person wants to be told of each kind.
create or replace function notification_wishes(person integer)
returns table (kind text, in_app boolean, mail text) language sql stable as $$
  select standard.kind, coalesce(own.in_app, true), coalesce(own.mail, standard.mail)
  from (values ('announcement', 'immediate'), ('discussion_reply', 'daily'), ('due_soon', 'daily'),
               ('grade_outdated', 'daily'), ('grade_released', 'daily'), ('place_obtained', 'immediate'),
               ('tutor_handover', 'daily')) as standard (kind, mail)
  left join notification_preferences as own on own.user_id = person and own.kind = standard.kind
$$;
--> statement-breakpoint
-- A person's notifications that still tell something: what they are about is published, said and open to them.
create or replace function notifications_of(person integer, moment timestamptz)
returns table (
  id bigint, kind text, created_at timestamptz, read_at timestamptz, mail_id bigint, university_id integer,
  course_offering_id integer, content_item_id integer, announcement_id integer, thread_id integer, post_id bigint,
  due_at timestamptz, title text, by_name text
) language sql stable as $$
  select one.id, one.kind, one.created_at, one.read_at, one.mail_id, coalesce(said.university_id, run.university_id),
         one.course_offering_id, one.content_item_id, one.announcement_id, post.thread_id, post.id, one.due_at,
         coalesce(said.title, thread.title, item.title, course.title), writer.full_name
  from notifications as one
  left join course_offerings as run on run.id = one.course_offering_id
  left join courses as course on course.id = run.course_id
  left join content_items as item on item.id = one.content_item_id
  left join announcements as said on said.id = one.announcement_id
  left join discussion_posts as post on post.id = one.discussion_post_id
  left join discussion_threads as thread on thread.id = post.thread_id
  left join users as writer on writer.id = post.user_id
  where one.user_id = person and case one.kind
    when 'announcement' then said.published_at <= moment
      and (said.course_offering_id is null or takes_part(person, said.course_offering_id))
    when 'discussion_reply' then not post.is_deleted and not post.is_hidden and is_thread_open_to(person, post.thread_id)
    when 'due_soon' then is_item_public(one.content_item_id)
    when 'tutor_handover' then not post.is_deleted and is_staff_of_offering(person, one.course_offering_id)
    else true
  end
$$;
--> statement-breakpoint
-- Tells those who teach an offering that someone handed a question of theirs over to people. Whoever has not read of one is
-- told of no other: the inbox lists all that wait. Answers how many were told.
create or replace function notify_of_handover(offering integer, asker integer, post bigint, moment timestamptz)
returns integer language sql as $$
  select notify(array(
    select teacher.user_id from offering_teachers as teacher
    where teacher.course_offering_id = offering and teacher.user_id <> asker
      and is_staff_of_offering(teacher.user_id, offering) and not exists (
        select from notifications as unread
        where unread.user_id = teacher.user_id and unread.kind = 'tutor_handover' and unread.read_at is null
          and unread.course_offering_id = offering)
  ), 'tutor_handover', 'handover:' || post, moment, offering => offering, post => post)
$$;
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
    join content_items as exam on pool_of_quiz(exam.data_json) = theirs.id and exam.data_json ->> 'quiz_mode' = 'exam'
    where own.question_pool_id = quiz.pool and own.is_active and same.is_active)
$$;
--> statement-breakpoint
set local check_function_bodies = on;
