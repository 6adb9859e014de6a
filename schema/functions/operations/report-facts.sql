-- The facts that reports count: a measure, a course if there is one, a moment, and an amount. These views read
-- current rows; writers maintain nothing. PostgreSQL removes the outer joins if the course is not selected.
--
-- Locks: none.

-- Completed topics include when they were begun.
create or replace view learning_facts (user_id, measure, course_id, moment, since, amount) as
  select id, 'signups', null::int, created_at, null::timestamptz, 1::numeric from users
  union all
  select mine.user_id, 'drops', run.course_id, mine.dropped_at, null, 1::numeric
  from enrollments as mine left join course_offerings as run on run.id = mine.course_offering_id
  union all
  select mine.user_id, 'topics_started', run.course_id, mine.first_started_at, null, 1::numeric
  from user_content_progress as mine left join course_offerings as run on run.id = mine.course_offering_id
  union all
  select mine.user_id, 'topics_completed', run.course_id, mine.completed_at, mine.first_started_at, 1::numeric
  from user_content_progress as mine left join course_offerings as run on run.id = mine.course_offering_id;

-- Counts states by course: a report of all would otherwise read a million rows. A completion by the learner's own
-- statement counts as its former state.
create or replace view enrollment_facts (user_id, measure, course_id, moment, since, amount) as
  select null::integer, counted.measure, enrolled.course_id, null::timestamptz, null::timestamptz, counted.amount::numeric
  from (
    select run.course_id,
           count(*) filter (where mine.status = 'active' or mine.completion_source = 'self') as active,
           count(*) filter (where mine.status = 'completed' and mine.completion_source <> 'self') as completed,
           count(*) filter (where mine.status = 'dropped') as dropped,
           count(*) filter (where mine.status = 'pending') as pending,
           count(*) filter (where mine.status = 'waitlisted') as waitlisted
    from enrollments as mine left join course_offerings as run on run.id = mine.course_offering_id
    group by run.course_id
  ) as enrolled
  cross join lateral (values
    ('enrollments_active', active), ('enrollments_completed', completed), ('enrollments_dropped', dropped),
    ('enrollments_pending', pending), ('enrollments_waitlisted', waitlisted)) as counted (measure, amount)
  where counted.amount > 0;

-- The current contributions outside courses.
create or replace view community_facts (user_id, measure, course_id, moment, since, amount) as
  select user_id, 'notes', null::int, created_at, null::timestamptz, 1::numeric from notes
  union all
  select user_id, 'flashcards', null, created_at, null, 1::numeric from flashcards
  union all
  select card.user_id, 'flashcard_reviews', null, own.reviewed_at, null, 1::numeric
  from flashcard_reviews as own join flashcards as card on card.id = own.flashcard_id
  union all
  select user_id, 'discussion_posts', null, created_at, null, 1::numeric from discussion_posts where not is_deleted
  union all
  select user_id, counted.measure, null, created_at, null, counted.amount from course_reviews
  cross join lateral (values ('course_reviews', 1::numeric), ('course_ratings', rating)) as counted (measure, amount);

-- Scores are fractions of the maximum. A replacement certificate is not counted.
create or replace view assessment_facts (user_id, measure, course_id, moment, since, amount) as
  select own.user_id, counted.measure, run.course_id, own.submitted_at, null::timestamptz, counted.amount
  from quiz_attempts as own left join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('quizzes_submitted', 1), ('quizzes_passed', own.passed::int), ('quizzes_failed', (not own.passed)::int),
    ('quizzes_scored', (own.score_obtained is not null and own.max_score <> 0)::int),
    ('quiz_scores', own.score_obtained / nullif(own.max_score, 0))) as counted (measure, amount)
  union all
  select own.user_id, counted.measure, run.course_id, own.submitted_at, null, counted.amount
  from lab_submissions as own left join course_offerings as run on run.id = own.course_offering_id
  join content_items as item on item.id = own.content_item_id
  join content_types as type on type.id = item.content_type_id
  cross join lateral (values
    ('engineering_lab', 'labs_submitted', 1), ('engineering_lab', 'labs_graded', (own.status = 'graded')::int),
    ('engineering_lab', 'labs_scored', (own.score_obtained is not null and own.max_score <> 0)::int),
    ('engineering_lab', 'lab_scores', own.score_obtained / nullif(own.max_score, 0)),
    ('assignment', 'assignments_submitted', 1), ('assignment', 'assignments_graded', (own.status = 'graded')::int),
    ('assignment', 'assignments_scored', (own.score_obtained is not null and own.max_score <> 0)::int),
    ('assignment', 'assignment_scores', own.score_obtained / nullif(own.max_score, 0))
  ) as counted (of_type, measure, amount)
  where counted.of_type = type.name
  union all
  select own.user_id, counted.measure, run.course_id, counted.moment, null, 1::numeric
  from certificates as own left join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('certificates_issued', case when own.replaces_id is null then own.issued_at end),
    ('certificates_revoked', own.revoked_at)) as counted (measure, moment);

-- A conversation counts on the day it was opened, and lasts from its first message to its last. An aside belongs to
-- the conversation that it left.
create or replace view conversation_facts (session_id, measure, course_id, moment, since, amount) as
  select talk.id, counted.measure, topic.course_id, talk.created_at, null::timestamptz, counted.amount
  from chat_sessions as talk left join content_items as topic on topic.id = talk.content_item_id
  cross join lateral (
    select (select created_at from chat_messages where session_id = talk.id order by id limit 1) as began_at,
           (select created_at from chat_messages where session_id = talk.id order by id desc limit 1) as ended_at offset 0
  ) as said
  cross join lateral (values
    ('conversations', case when said.began_at is not null then 1 end),
    ('conversation_milliseconds', extract(epoch from said.ended_at - said.began_at) * 1000),
    ('divergences', case when talk.cache_state = 'diverged' then 1 end)) as counted (measure, amount)
  where talk.aside_of_id is null;

create or replace view answer_facts (session_id, measure, course_id, moment, since, amount, message_id) as
  select answer.session_id, counted.measure, topic.course_id, answer.created_at, null::timestamptz, 1::numeric, answer.id
  from chat_messages as answer left join chat_sessions as talk on talk.id = answer.session_id
  left join content_items as topic on topic.id = talk.content_item_id
  cross join lateral (values
    (case when answer.on_shared_path then case answer.meta ->> 'source' when 'cache' then 'hits' else 'misses' end end),
    (case when answer.meta ? 'joined' then 'joined' end)) as counted (measure)
  where counted.measure is not null;
