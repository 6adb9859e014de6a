set local check_function_bodies = off;
--> statement-breakpoint
-- What was counted of rows that are gone by now stays: it is what the totals have more than the rows come to. Nothing
-- is written meanwhile.
lock table users, enrollments, user_content_progress, quiz_attempts, lab_submissions, certificates, chat_sessions,
  chat_messages in share row exclusive mode;
--> statement-breakpoint
do $$ begin
  loop exit when not (select is_behind from count_new_totals()); end loop;
end $$;
--> statement-breakpoint
create temporary table former_totals as
select measure, course_id, day, since, amount from report_totals
where (course_id is not null or measure = 'signups')
  and measure !~ '^(people|course_people|topic_people|topic_milliseconds|tutor_|trees_|notes|flash|discussion_|course_r|enrollments_)' and day is not null;
--> statement-breakpoint
delete from report_totals;
--> statement-breakpoint
delete from course_trees;
--> statement-breakpoint
drop trigger note_changes on certificates;
--> statement-breakpoint
drop trigger note_changes on chat_messages;
--> statement-breakpoint
drop trigger note_changes on chat_sessions;
--> statement-breakpoint
drop trigger note_changes on course_reviews;
--> statement-breakpoint
drop trigger note_changes on course_trees;
--> statement-breakpoint
drop trigger note_changes on discussion_posts;
--> statement-breakpoint
drop trigger note_changes on discussion_threads;
--> statement-breakpoint
drop trigger note_changes on enrollments;
--> statement-breakpoint
drop trigger note_changes on flashcard_reviews;
--> statement-breakpoint
drop trigger note_changes on flashcards;
--> statement-breakpoint
drop trigger note_changes on lab_submissions;
--> statement-breakpoint
drop trigger note_changes on notes;
--> statement-breakpoint
drop trigger note_changes on quiz_attempts;
--> statement-breakpoint
drop trigger note_changes on user_content_progress;
--> statement-breakpoint
drop trigger note_changes on users;
--> statement-breakpoint
drop trigger note_course on content_items;
--> statement-breakpoint
drop trigger note_course on courses;
--> statement-breakpoint
drop trigger note_course on modules;
--> statement-breakpoint
drop trigger note_events on activity_events;
--> statement-breakpoint
drop trigger note_later_changes on user_content_progress;
--> statement-breakpoint
drop trigger note_later_course on modules;
--> statement-breakpoint
drop trigger note_later_tree on user_content_progress;
--> statement-breakpoint
drop trigger note_messages on chat_messages;
--> statement-breakpoint
drop trigger note_tree on user_content_progress;
--> statement-breakpoint
drop trigger note_tree on user_module_progress;
--> statement-breakpoint
drop function active_before(text,integer,integer,timestamp with time zone);
--> statement-breakpoint
drop function activity_changes(integer[]);
--> statement-breakpoint
drop function activity_scopes(text,integer,integer);
--> statement-breakpoint
drop function behind_since();
--> statement-breakpoint
drop function count_activity(integer[]);
--> statement-breakpoint
drop function count_changes(integer);
--> statement-breakpoint
drop function count_courses();
--> statement-breakpoint
drop function count_new_totals();
--> statement-breakpoint
drop function count_person(integer);
--> statement-breakpoint
drop function counted_pause(interval);
--> statement-breakpoint
drop function counts_of(anyelement);
--> statement-breakpoint
drop function counts_of(certificates);
--> statement-breakpoint
drop function counts_of(chat_messages);
--> statement-breakpoint
drop function counts_of(chat_sessions);
--> statement-breakpoint
drop function counts_of(conversations);
--> statement-breakpoint
drop function counts_of(course_reviews);
--> statement-breakpoint
drop function counts_of(course_trees);
--> statement-breakpoint
drop function counts_of(discussion_posts);
--> statement-breakpoint
drop function counts_of(enrollments);
--> statement-breakpoint
drop function counts_of(lab_submissions);
--> statement-breakpoint
drop function counts_of(quiz_attempts);
--> statement-breakpoint
drop function counts_of(user_content_progress);
--> statement-breakpoint
drop function counts_of(users);
--> statement-breakpoint
drop function is_erasing();
--> statement-breakpoint
drop function leave_certificates(integer,boolean);
--> statement-breakpoint
drop function lock_totals();
--> statement-breakpoint
drop function note_changes();
--> statement-breakpoint
drop function note_course();
--> statement-breakpoint
drop function note_events();
--> statement-breakpoint
drop function note_messages();
--> statement-breakpoint
drop function note_tree();
--> statement-breakpoint
drop function noted_progress();
--> statement-breakpoint
drop function noted_trees();
--> statement-breakpoint
drop function recount_totals();
--> statement-breakpoint
drop function tree_changes();
--> statement-breakpoint
drop function uncounted_people();
--> statement-breakpoint
drop function uncounted_totals();
--> statement-breakpoint
CREATE TABLE "activity_days" (
	"day" date NOT NULL,
	"user_id" integer NOT NULL,
	"content_item_id" integer,
	"course_id" integer,
	"milliseconds" integer NOT NULL,
	"questions" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stale_trees" (
	"course_offering_id" integer NOT NULL,
	"user_id" integer
);
--> statement-breakpoint
ALTER TABLE "uncounted_activity" DISABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "uncounted_changes" DISABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "uncounted_courses" DISABLE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP TABLE "uncounted_activity" CASCADE;
--> statement-breakpoint
DROP TABLE "uncounted_changes" CASCADE;
--> statement-breakpoint
DROP TABLE "uncounted_courses" CASCADE;
--> statement-breakpoint
ALTER TABLE "report_totals" DROP CONSTRAINT "report_totals_key";
--> statement-breakpoint
ALTER TABLE "report_totals" DROP CONSTRAINT "report_totals_measure_check";
--> statement-breakpoint
DROP INDEX "chat_messages_session_id_created_at_index";
--> statement-breakpoint
ALTER TABLE "report_totals" ALTER COLUMN "day" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "course_trees" ADD COLUMN "begun_on" date NOT NULL;
--> statement-breakpoint
ALTER TABLE "course_trees" ADD COLUMN "fresh_on" datemultirange NOT NULL;
--> statement-breakpoint
ALTER TABLE "report_totals" ADD COLUMN "is_kept" boolean NOT NULL;
--> statement-breakpoint
CREATE INDEX "activity_days_day_index" ON "activity_days" USING btree ("day");
--> statement-breakpoint
CREATE INDEX "activity_days_course_id_day_index" ON "activity_days" USING btree ("course_id","day");
--> statement-breakpoint
CREATE INDEX "activity_days_user_id_index" ON "activity_days" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "activity_events_occurred_at_index" ON "activity_events" USING brin ("occurred_at") WITH (autosummarize=true);
--> statement-breakpoint
CREATE INDEX "chat_messages_created_at_index" ON "chat_messages" USING brin ("created_at") WITH (autosummarize=true);
--> statement-breakpoint
CREATE INDEX "course_trees_course_id_index" ON "course_trees" USING btree ("course_id");
--> statement-breakpoint
CREATE INDEX "course_trees_user_id_index" ON "course_trees" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "report_totals_measure_day_index" ON "report_totals" USING btree ("measure","day");
--> statement-breakpoint
ALTER TABLE "course_trees" DROP COLUMN "interrupted";
--> statement-breakpoint
ALTER TABLE "report_totals" ADD CONSTRAINT "report_totals_measure_check" CHECK ("report_totals"."measure" in ('signups', 'drops', 'topics_started', 'topics_completed', 'trees_completed', 'enrollments_active', 'enrollments_completed', 'enrollments_dropped', 'enrollments_pending', 'enrollments_waitlisted', 'notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'course_reviews', 'course_ratings', 'quizzes_submitted', 'quizzes_passed', 'quizzes_failed', 'quizzes_scored', 'quiz_scores', 'labs_submitted', 'labs_graded', 'labs_scored', 'lab_scores', 'certificates_issued', 'certificates_revoked', 'conversations', 'conversation_milliseconds', 'divergences', 'hits', 'misses', 'joined'));
--> statement-breakpoint
-- What was done from one moment up to another, for each day, person, topic and course. Time on a topic is that between
-- what someone did there, where it is no more than half an hour; over midnight it counts on the later day. What has no
-- topic belongs to the course of its offering.
create or replace function activity_between(first timestamptz, last timestamptz) returns setof activity_days
language sql stable parallel safe as $$
  select utc_day(occurred_at), user_id, content_item_id, course_id,
         coalesce(sum(extract(epoch from pause) * 1000) filter (where pause <= interval '30 minutes'), 0)::int,
         count(*) filter (where verb = 'asked')::int
  from (
    select e.user_id, e.content_item_id, e.verb, e.occurred_at, coalesce(topic.course_id, run.course_id) as course_id,
           case when e.content_item_id is not null then e.occurred_at - lag(e.occurred_at) over (
             partition by e.user_id, e.content_item_id order by e.occurred_at) end as pause
    from activity_events as e
    left join content_items as topic on topic.id = e.content_item_id
    left join course_offerings as run on run.id = e.course_offering_id
    where e.occurred_at >= first - interval '30 minutes' and e.occurred_at < last
  ) as event
  where occurred_at >= first group by 1, 2, 3, 4
$$;
--> statement-breakpoint
-- What is told late is counted again with all after it. Each insert prepares the condition: no function stands in it.
create or replace function count_again() returns trigger language plpgsql as $$
begin
  update scheduled_tasks set begun_at = utc_midnight(utc_day(told))
  from (select (to_jsonb(new) ->> tg_argv[0])::timestamptz) as late (told) where name = 'count' and begun_at > told;
  return null;
end $$;
--> statement-breakpoint
-- Counts the next week that is over, in place of what was counted of it before; answers whether more is left. A day is
-- over for three hours before it is counted: what is written as of now is committed by then.
create or replace function count_days() returns boolean language plpgsql as $$
declare
  past timestamptz := utc_midnight(utc_day(service_now() - interval '3 hours'));
  counted timestamptz;
  countable timestamptz;
begin
  select begun_at into counted from scheduled_tasks where name = 'count' for update;
  if counted = past then return false; end if;
  countable := least(past, interval '7 days' + utc_midnight(utc_day(least(
    (select min(occurred_at) from activity_events where occurred_at >= counted),
    (select min(created_at) from chat_messages where created_at >= counted)))));
  delete from activity_days where day >= utc_day(least(counted, countable)) and user_id > 0;
  delete from report_totals where day >= utc_day(least(counted, countable)) and not is_kept;
  insert into activity_days select * from activity_between(counted, countable);
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, utc_day(moment), count(*), false from answer_facts
  where moment >= counted and moment < countable group by 1, 2, 3;
  update scheduled_tasks set begun_at = countable where name = 'count';
  return countable < past;
end $$;
--> statement-breakpoint
-- The midnight up to which days are counted, by a clock that may be set back.
create or replace function counted_until() returns timestamptz language sql stable parallel safe as $$
  select least(begun_at, utc_midnight(utc_day(service_now()))) from scheduled_tasks where name = 'count'
$$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql.
create or replace function erase_account(person integer, version integer, keep_certificates boolean, request jsonb)
returns boolean language plpgsql as $$
declare
  own users;
  doomed integer[];
  left_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status = 'active' order by 1);
  -- Where they wait they may be given a place just now, and told so.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  perform keep_course(offering) from unnest(held_offerings) as offering;
  perform from course_offerings where id = any (held_offerings) order by id for no key update;
  doomed := hold_own_words(person);
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  if keep_certificates then perform leave_certificates(person); end if;
  perform keep_statistics(person);

  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  perform leave_discussions(person);
  delete from certificates where user_id = person;
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where actor_id = person or subject_id = person;
  delete from users where id = person;
  -- Their progress, as it went.
  delete from stale_trees where user_id = person;
  perform fill_places(offering, (request ->> 'at')::timestamptz) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Whether more came since than can be worked out while someone waits, as after a bulk load or a change of a large course.
create or replace function is_behind() returns boolean language sql stable parallel safe as $$
  select exists (select from activity_events where occurred_at >= (select counted_until()) offset 100000)
    or exists (select from stale_trees offset 5000) or exists (select from stale_people offset 500)
$$;
--> statement-breakpoint
-- Keeps what a conversation counted for when it is deleted; what its day has of it goes when that is counted again.
create or replace function keep_conversation() returns trigger language plpgsql as $$
begin
  perform from scheduled_tasks where name = 'count' for share;
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, utc_day(moment), amount, true from conversation_facts
  where session_id = old.id and amount is not null
  union all
  select measure, course_id, utc_day(moment), state.sign * count(*), state.sign > 0
  from answer_facts cross join (values (1), (-1)) as state (sign)
  where session_id = old.id and (state.sign > 0 or moment < counted_until())
  group by measure, course_id, utc_day(moment), state.sign;
  return old;
end $$;
--> statement-breakpoint
-- Keeps what a person counted for, before they are erased: days and trees under a number that nobody has.
create or replace function keep_statistics(person integer) returns void language plpgsql as $$
declare
  nobody integer := -nextval('users_id_seq');
begin
  perform from scheduled_tasks where name = 'count' for share;
  delete from activity_days where user_id = person and day >= utc_day(counted_until());
  insert into activity_days select * from activity_between(counted_until(), 'infinity') where user_id = person;
  update activity_days set user_id = nobody where user_id = person;
  insert into course_trees
  select course_offering_id, nobody, course_id, completed_on, begun_on, fresh_on + (
    select coalesce(range_agg(daterange(utc_day(e.occurred_at), utc_day(e.occurred_at) + 14)), '{}')
    from activity_events as e where e.course_offering_id = trees.course_offering_id and e.user_id = person)
  from trees where user_id = person;
  delete from course_trees where user_id = person;
  insert into report_totals (measure, course_id, day, since, amount, is_kept)
  select measure, course_id, utc_day(moment), utc_day(since), sum(amount), true
  from (table learning_facts union all table standing_facts union all table assessment_facts) as fact
  where user_id = person and moment is not null and measure <> 'trees_completed'
  group by 1, 2, 3, 4 having sum(amount) <> 0;
end $$;
--> statement-breakpoint
-- Leaves the certificates of an account that is erased to be verified, with what is printed on them and nothing else.
create or replace function leave_certificates(person integer) returns void language sql as $$
  update certificates set user_id = null, metadata_json = null where user_id = person
$$;
--> statement-breakpoint
-- An outline that changes does so for everyone in the offerings of the course: a row without a person.
create or replace function note_stale_trees() returns trigger language plpgsql as $$
begin
  if tg_table_name in ('modules', 'content_items') then
    insert into stale_trees (course_offering_id)
    select id from course_offerings where course_id = coalesce(new.course_id, old.course_id);
  else
    insert into stale_trees (course_offering_id, user_id)
    values (coalesce(new.course_offering_id, old.course_offering_id), coalesce(new.user_id, old.user_id));
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Looks at some of the stale trees anew; answers whether more are left. What is noted meanwhile stays on the list.
create or replace function refresh_trees(most integer) returns boolean language plpgsql as $$
declare
  offerings integer[];
  people integer[];
begin
  lock table course_trees in share row exclusive mode;
  with of_all as (delete from stale_trees where user_id is null)
  insert into stale_trees select * from stale_people where exists (select from stale_trees where user_id is null);
  with noted as (
    select distinct course_offering_id, user_id from (select * from stale_trees limit most) as stale
  ), taken as (
    delete from stale_trees as stale using noted
    where (stale.course_offering_id, stale.user_id) = (noted.course_offering_id, noted.user_id)
  )
  select array_agg(course_offering_id), array_agg(user_id) into offerings, people from noted;
  delete from course_trees where (course_offering_id, user_id) in (select * from unnest(offerings, people));
  insert into course_trees
  select tree.* from unnest(offerings, people) as noted (offering, person)
  cross join lateral tree_of(noted.offering, noted.person) as tree;
  return exists (select from stale_trees);
end $$;
--> statement-breakpoint
-- How a person stands with the published modules of an offering's course; no row before they have begun one. A tree is
-- complete when all its items are, and what was posted of each module that has none in or below it. What they begin or
-- complete keeps it fresh for 14 days.
create or replace function tree_of(offering integer, person integer) returns setof course_trees
language sql stable as $$
  with recursive run as (
    select o.course_id from course_offerings as o where o.id = offering
  ), shown as (
    select m.id from run join modules as m using (course_id) where m.parent_module_id is null and m.is_published
    union all
    select below.id from shown join modules as below on below.parent_module_id = shown.id and below.is_published
  ), part (started_at, completed_at, is_needed) as (
    select item.started_at, item.completed_at, true from item_progress(offering, person) as item
    union all
    select posted.started_at, case when filled.module_id is null then posted.completed_at end, filled.module_id is null
    from shown left join module_progress(offering, person) as filled on filled.module_id = shown.id
    left join user_module_progress as posted
      on (posted.user_id, posted.course_offering_id, posted.module_id) = (person, offering, shown.id)
  )
  select offering, person, run.course_id,
         case when bool_and(completed_at is not null or not is_needed)
              then max(day) filter (where completed_at is not null) end,
         utc_day(min(started_at)), range_agg(daterange(day, day + 14)) filter (where day is not null)
  from run, part, lateral (values (utc_day(started_at)), (utc_day(greatest(started_at, completed_at)))) as step (day)
  group by run.course_id having min(started_at) is not null
$$;
--> statement-breakpoint
create or replace trigger count_again after insert on activity_events
  for each row when (new.occurred_at < now() - interval '1 hour') execute function count_again('occurred_at');
--> statement-breakpoint
create or replace trigger count_again after insert on chat_messages
  for each row when (new.created_at < now() - interval '1 hour') execute function count_again('created_at');
--> statement-breakpoint
create or replace trigger keep_conversation before delete on chat_sessions for each row execute function keep_conversation();
--> statement-breakpoint
-- Most posts of progress leave both moments as they were.
create or replace trigger note_later_stale_trees after update of first_started_at, completed_at on user_content_progress
  for each row when ((new.first_started_at, new.completed_at) is distinct from (old.first_started_at, old.completed_at))
  execute function note_stale_trees();
--> statement-breakpoint
create or replace trigger note_stale_trees
  after insert or update of is_active, module_id, content_type_id or delete on content_items
  for each row execute function note_stale_trees();
--> statement-breakpoint
create or replace trigger note_stale_trees after insert or update of is_published, parent_module_id or delete on modules
  for each row execute function note_stale_trees();
--> statement-breakpoint
create or replace trigger note_stale_trees after insert or delete on user_content_progress
  for each row execute function note_stale_trees();
--> statement-breakpoint
create or replace trigger note_stale_trees after insert or update of started_at, completed_at or delete on user_module_progress
  for each row execute function note_stale_trees();
--> statement-breakpoint
-- All of it. People below zero are those who were erased.
create or replace view activity as
  select * from activity_days where day < utc_day((select counted_until())) or user_id < 0
  union all
  select * from activity_between((select counted_until()), 'infinity') where not (select is_behind());
--> statement-breakpoint
-- Answers on the shared paths that were there, those that had to be made, and any that were waited for with others.
create or replace view answer_facts (session_id, measure, course_id, moment, since, amount) as
  select answer.session_id, counted.measure, topic.course_id, answer.created_at, null::timestamptz, 1::numeric
  from chat_messages as answer left join chat_sessions as talk on talk.id = answer.session_id
  left join content_items as topic on topic.id = talk.content_item_id
  cross join lateral (values
    (case when answer.on_shared_path then case answer.meta ->> 'source' when 'cache' then 'hits' else 'misses' end end),
    (case when answer.meta ? 'joined' then 'joined' end)) as counted (measure)
  where counted.measure is not null;
--> statement-breakpoint
-- Scores are parts of what was to be had. A certificate in place of another counts for nothing of its own.
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
  cross join lateral (values
    ('labs_submitted', 1), ('labs_graded', (own.status = 'graded')::int),
    ('labs_scored', (own.score_obtained is not null and own.max_score <> 0)::int),
    ('lab_scores', own.score_obtained / nullif(own.max_score, 0))) as counted (measure, amount)
  union all
  select own.user_id, counted.measure, run.course_id, counted.moment, null, 1::numeric
  from certificates as own left join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('certificates_issued', case when own.replaces_id is null then own.issued_at end),
    ('certificates_revoked', own.revoked_at)) as counted (measure, moment);
--> statement-breakpoint
-- A conversation counts on the day on which it was opened, and lasts from its first message to its last.
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
    ('divergences', case when talk.cache_state = 'diverged' then 1 end)) as counted (measure, amount);
--> statement-breakpoint
-- Whose trees are stale, alone or with everyone's.
create or replace view stale_people as
  select course_offering_id, user_id from stale_trees where user_id is not null
  union
  select stale.course_offering_id, mine.user_id
  from stale_trees as stale cross join lateral (
    select user_id from user_content_progress where course_offering_id = stale.course_offering_id
    union all
    select user_id from user_module_progress where course_offering_id = stale.course_offering_id
  ) as mine where stale.user_id is null;
--> statement-breakpoint
-- What stands. An enrollment that was completed on its owner's word is as it was before.
create or replace view standing_facts (user_id, measure, course_id, moment, since, amount) as
  select mine.user_id, 'enrollments_' || case mine.completion_source when 'self' then 'active' else mine.status end,
         run.course_id, mine.enrolled_at, null::timestamptz, 1::numeric
  from enrollments as mine left join course_offerings as run on run.id = mine.course_offering_id
  union all
  select user_id, 'notes', null, created_at, null, 1::numeric from notes
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
--> statement-breakpoint
-- How everyone stands now; or stood, where that is too much to be worked out while someone waits.
create or replace view trees as
  select * from course_trees
  where case when (select is_behind()) then true else (course_offering_id, user_id) not in (select * from stale_people) end
  union all
  select tree.* from stale_people as stale cross join lateral tree_of(stale.course_offering_id, stale.user_id) as tree
  where not (select is_behind());
--> statement-breakpoint
drop view conversations;
--> statement-breakpoint
-- Topics that were completed say since when they had been begun.
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
  from user_content_progress as mine left join course_offerings as run on run.id = mine.course_offering_id
  union all
  select user_id, 'trees_completed', course_id, utc_midnight(completed_on), null, 1::numeric from trees;
--> statement-breakpoint
insert into report_totals (measure, course_id, day, since, amount, is_kept)
select measure, course_id, day, since, sum(amount), true
from (
  select * from former_totals
  union all
  select measure, course_id, utc_day(moment), utc_day(since), -amount
  from (
    select measure, course_id, moment, since, amount from learning_facts where measure <> 'trees_completed'
    union all
    select measure, course_id, moment, since, amount from assessment_facts
    union all
    select measure, course_id, moment, since, amount from conversation_facts
    union all
    select measure, course_id, moment, since, amount from answer_facts
  ) as fact
  where moment is not null
) as remainder
group by measure, course_id, day, since having sum(amount) <> 0;
--> statement-breakpoint
drop table former_totals;
--> statement-breakpoint
-- The schedule counts the days that are over, and looks at all trees.
insert into scheduled_tasks (name, begun_at) values ('count', to_timestamp(0))
on conflict (name) do update set begun_at = excluded.begun_at;
--> statement-breakpoint
insert into stale_trees (course_offering_id) select id from course_offerings;
--> statement-breakpoint
set local check_function_bodies = on;
