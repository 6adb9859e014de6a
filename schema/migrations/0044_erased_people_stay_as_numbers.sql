set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "report_totals" DROP CONSTRAINT "report_totals_measure_check";
--> statement-breakpoint
ALTER TABLE "users" ALTER COLUMN "email" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "report_totals" ADD COLUMN "course_offering_id" integer;
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "erased_at" timestamp (3) with time zone;
--> statement-breakpoint
CREATE INDEX "report_totals_kept_index" ON "report_totals" USING btree ("course_id","measure") WHERE "report_totals"."is_kept";
--> statement-breakpoint
CREATE INDEX "report_totals_offering_index" ON "report_totals" USING btree ("course_offering_id","day") WHERE "report_totals"."course_offering_id" is not null;
--> statement-breakpoint
ALTER TABLE "report_totals" ADD CONSTRAINT "report_totals_measure_check" CHECK ("report_totals"."measure" in ('signups', 'drops', 'topics_started', 'topics_completed', 'trees_completed', 'enrollments_active', 'enrollments_completed', 'enrollments_dropped', 'enrollments_pending', 'enrollments_waitlisted', 'notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'course_reviews', 'course_ratings', 'quizzes_submitted', 'quizzes_passed', 'quizzes_failed', 'quizzes_scored', 'quiz_scores', 'labs_submitted', 'labs_graded', 'labs_scored', 'lab_scores', 'certificates_issued', 'certificates_revoked', 'chat_sessions', 'chat_messages', 'conversations', 'conversation_milliseconds', 'divergences', 'hits', 'misses', 'joined'));
--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_erased_check" CHECK (case when "users"."erased_at" is null then "users"."email" is not null
          else num_nonnulls("users"."email", "users"."password_hash", "users"."email_verified_at") = 0
               and "users"."full_name" = '' and not "users"."is_active" end);
--> statement-breakpoint
-- Sets a password in place of `former`, which is the hash that the current password was compared with: of two changes
-- at once the second one is refused. Null then, else the version of the person's tokens.
create or replace function change_password(person integer, former text, wanted text, request jsonb)
returns integer language plpgsql as $$
declare
  own_address text;
begin
  update users set password_hash = wanted
  where id = person and erased_at is null and password_hash is not distinct from former returning email into own_address;
  if not found then return null; end if;
  perform send_mail('password_changed', own_address, person, sent_at(request));
  perform audit('password.changed', person, person, null, '{}', request);
  return end_tokens(person);
end $$;
--> statement-breakpoint
-- Deletes what is a person's own, and empties what stays for its figures.
create or replace function delete_belongings(person integer) returns void language plpgsql as $$
begin
  delete from lab_submissions where user_id = person and status <> 'graded';
  delete from certificates where user_id = person;
  update course_reviews set review_text = null where user_id = person and review_text is not null;
  update llm_calls set user_id = null where user_id = person;
  -- With their roles.
  delete from university_members where user_id = person;
  delete from course_offering_instructors where user_id = person;
  delete from course_exemptions where user_id = person;
  delete from quiz_overrides where user_id = person;
  delete from invitations where accepted_by_user_id = person;
  delete from import_rows where user_id = person;
  delete from sourced_people where user_id = person;
  delete from user_identities where user_id = person;
  delete from user_profiles where user_id = person;
  delete from user_subject_preferences where user_id = person;
  delete from one_time_tokens where user_id = person;
  delete from mail_outbox where user_id = person;
  delete from calendar_addresses where user_id = person;
  delete from notifications where user_id = person;
  delete from notification_preferences where user_id = person;
  delete from announcement_reads where user_id = person;
  delete from discussion_reports where user_id = person;
  delete from feature_requests where user_id = person;
  delete from notes where user_id = person;
  delete from flashcards where user_id = person;
  delete from flashcard_decks where user_id = person;
  delete from chat_sessions where user_id = person;
end $$;
--> statement-breakpoint
-- Ends what the person has open. Where attempts are limited it is handed in as it was saved: else whoever has seen an exam
-- could begin it anew. Where they are not it goes.
create or replace function end_open_attempts(person integer, moment timestamptz) returns void language plpgsql as $$
begin
  delete from quiz_attempts as one
  where one.user_id = person and one.submitted_at is null and not exists (
    select from quiz_rules(one.content_item_id, one.course_offering_id, person) as rules
    where rules.most_attempts is not null);
  update quiz_attempts as one
  set submitted_at = case when is_over(one, moment) then one.due_at else moment end,
      timed_out = is_over(one, moment), awaits_grading = true
  where one.user_id = person and one.submitted_at is null;
end $$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql.
create or replace function erase_account(person integer, version integer, keep_certificates boolean, request jsonb)
returns boolean language plpgsql as $$
declare
  own users;
  doomed integer[];
  moment timestamptz := (request ->> 'at')::timestamptz;
  left_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status = 'active' order by 1);
  -- Where they wait they may be given a place just now, and told so.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  -- Before the places, as whoever grades them has it.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person and status <> 'graded' order by id for update;
  perform keep_course(offering) from unnest(held_offerings) as offering;
  perform from course_offerings where id = any (held_offerings) order by id for no key update;
  doomed := hold_own_words(person);
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  -- Nobody revokes or grades any of it while it is counted.
  perform from certificates where user_id = person order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  if keep_certificates then perform leave_certificates(person); end if;

  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  perform keep_statistics(person);
  perform leave_office(person);
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
  -- The streak runs out by itself: until then the people who have one stay as many.
  update users set email = null, full_name = '', password_hash = null, email_verified_at = null, is_active = false,
    locale = default, time_zone = default, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_places(offering, moment) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Free places go to those who have waited longest, all of them where there is no capacity, and they are told;
-- `passed_over` is who has just gone back to waiting. Whoever is inactive keeps waiting.
create or replace function fill_places(offering integer, moment timestamptz, passed_over integer default null)
returns void language sql as $$
  with placed as (
    update enrollments set status = 'active' where id in (
      select id from enrollments
      where course_offering_id = offering and status = 'waitlisted' and id is distinct from passed_over
        and not (select is_list_closed(run, moment) from course_offerings as run where run.id = offering)
        and refusal_of_inactive(university_id, user_id) is null
      order by enrolled_at, id
      limit (
        select capacity - least(capacity, places_taken(id)) from course_offerings where id = offering
      )
    )
    returning user_id
  )
  select notify(array_agg(user_id), 'place_obtained', 'place:' || offering || ':' || extract(epoch from moment), moment,
                offering)
  from placed having count(*) > 0
$$;
--> statement-breakpoint
create or replace function is_full(offering course_offerings) returns boolean language sql as $$
  select coalesce(offering.capacity <= places_taken(offering.id), false)
$$;
--> statement-breakpoint
-- Issues a certificate to someone who has completed an offering by more than their own word. No row: they have not, or
-- one stands. `given` may have the keys printed_name, expires_at and metadata_json.
create or replace function issue_certificate(person integer, offering integer, moment timestamptz, given jsonb)
returns setof certificates language sql as $$
  insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name,
    completed_at, issued_at, expires_at, metadata_json)
  select person, offering, certificate_code(), coalesce(given ->> 'printed_name', users.full_name), courses.title,
         universities.name, taken.completed_at, moment, certificate_expiry(offering, moment, given),
         nullif(given -> 'metadata_json', 'null')
  from enrollments as taken
  join users on users.id = taken.user_id
  join course_offerings as run on run.id = taken.course_offering_id
  join courses on courses.id = run.course_id
  join universities on universities.id = run.university_id
  where taken.user_id = person and taken.course_offering_id = offering
    and taken.status = 'completed' and taken.completion_source <> 'self' and users.erased_at is null
  on conflict (user_id, course_offering_id) where replaced_at is null do nothing
  returning *
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
  select said.measure, topic.course_id, utc_day(old.created_at), said.amount, true
  from content_items as topic cross join lateral (values
    ('chat_sessions', 1), ('chat_messages', (select count(*) from chat_messages where session_id = old.id))
  ) as said (measure, amount)
  where topic.id = old.content_item_id and said.amount > 0
  union all
  select measure, course_id, utc_day(moment), state.sign * count(*), state.sign > 0
  from answer_facts cross join (values (1), (-1)) as state (sign)
  where session_id = old.id and (state.sign > 0 or moment < counted_until())
  group by measure, course_id, utc_day(moment), state.sign;
  return old;
end $$;
--> statement-breakpoint
-- Deletes what is a person's own, and keeps what it counted for.
create or replace function keep_statistics(person integer) returns void language plpgsql as $$
declare
  former report_totals[] := array(select personal_totals(person));
begin
  perform leave_discussions(person);
  perform delete_belongings(person);
  insert into report_totals (measure, course_id, day, since, amount, is_kept, course_offering_id)
  select measure, course_id, day, since, sum(amount), true, course_offering_id
  from (
    select * from unnest(former)
    union all
    select measure, course_id, day, since, -amount, is_kept, course_offering_id from personal_totals(person)
  ) as counted
  group by measure, course_id, day, since, course_offering_id having sum(amount) <> 0;
end $$;
--> statement-breakpoint
-- Takes a person's name off what they did as staff.
create or replace function leave_office(person integer) returns void language plpgsql as $$
begin
  update announcements set created_by_user_id = null where created_by_user_id = person;
  update cache_nodes set edited_by = null where edited_by = person;
  update course_exemptions set granted_by_user_id = null where granted_by_user_id = person;
  update grade_changes set changed_by_user_id = null where changed_by_user_id = person;
  update imports set created_by_user_id = null where created_by_user_id = person;
  update invitations set invited_by_user_id = null where invited_by_user_id = person;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null where claimed_by_user_id = person;
  update lab_submissions set graded_by_user_id = null where graded_by_user_id = person;
  update prompts set created_by = null where created_by = person;
  update prompt_label_events set changed_by = null where changed_by = person;
  update stored_credentials set updated_by = null where updated_by = person;
end $$;
--> statement-breakpoint
-- Opens a turn of the person whom a valid token names, with the version of their tokens: stores their message with what
-- it does to the session and to their streak, and answers it where the tree holds the answer. Else it takes the
-- session's lease, and reads what answering takes. With `the_question` it takes up a message again that was stored
-- before and not answered: nothing is stored, and who listens to it already is joined, unless the answer that they wait
-- for has failed.
--
-- `the_message` is the normal form of `Start.` or of an answer to a question; null for what is on no path. Where the
-- answer under the cursor asks a question, only what it offers is on the path, and under the name that the tree keeps
-- it by. What was just answered and is said again is answered again.
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'inactive university', one of `gate_of_item` (outline.sql), 'under exam' (of the course),
-- 'sent before' (with the message, and its answer if it has one), 'being answered', 'answered' (by the time it was taken
-- up again), or 'another time zone', when `today` is not the day in their zone.
create or replace function open_turn(
  the_session integer, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question integer, the_token uuid, default_model text, tutor_prompt text, deepest integer,
  the_zone text, today date, moment timestamptz
) returns table (
  refusal text, time_zone text, message_id integer,
  -- Of an answer that is there.
  answer_id integer, answered_at timestamptz, meta jsonb, chunks jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id integer, message text, model text, university_id integer,
  generation integer, graph json
)
-- Planned once for each connection: some of its statements would else be planned anew at each message.
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  session record;
  active boolean;
  last_active date;
  topic record;
  tutor record;
  hash text;
  node integer;
  answer text;
begin
  -- Many small statements, of which each turn runs those that it needs: what a statement costs here is hardly what it
  -- finds, but how much it is made of. What is read after the lock is what the message before this one left.
  select s.id, s.content_item_id, s.content_fingerprint, s.cache_node_id, s.cache_state, s.answering_message_id,
         s.answering_generation_id, s.answering_token, s.answering_until
  into session
  from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;
  select person.is_active, person.time_zone, person.last_activity_date into active, time_zone, last_active
  from users as person
  where person.id = the_person and person.erased_at is null
    and (person.token_version = the_version or not person.is_active);
  if not found then return; end if;

  if not active then
    refusal := 'inactive person';
  elsif session.id is null then
    select case when count(*) = 0 then 'no such session' else 'not theirs' end into refusal
    from chat_sessions where id = the_session;
  else
    select item.course_id, item.university_id, campus.is_active, course.cache_enabled, course.llm_model, type.name as type,
           gate_of_module(item.module_id, the_person, moment, item.is_active, item.available_from) as gate
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as campus on campus.id = item.university_id
    where item.id = session.content_item_id;
    refusal := case
      when not topic.is_active then 'inactive university'
      when topic.gate is not null then topic.gate
      when is_under_exam(the_person, topic.course_id, moment) then 'under exam'
    end;
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  if the_client_id is not null then
    select m.id, m.content, 'sent before' into message_id, content, refusal
    from chat_messages as m where m.session_id = the_session and m.client_message_id = the_client_id;
  end if;
  message_id := coalesce(message_id, the_question);
  content := coalesce(content, the_content);
  if message_id is not null then
    select reply.id, reply.created_at, reply.meta, coalesce(replayed.chunks, jsonb_build_array(reply.content))
    into answer_id, answered_at, meta, chunks
    from chat_messages as reply
    left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.edited_at is null
    where reply.in_reply_to_id = open_turn.message_id;
  end if;
  refusal := case
    when refusal is not null then refusal
    when answer_id is not null then 'answered'
    when session.answering_until > now()
      and (the_question is null or session.answering_message_id is distinct from the_question) then 'being answered'
    when time_zone <> the_zone then 'another time zone'
  end;
  if refusal is not null then
    return next;
    return;
  end if;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back.
  if the_message = 'Start.' then
    message := the_message;
  elsif the_message is not null and session.cache_node_id is not null then
    select case when again then stands.message
                when stands.choices is null then the_message
                else stands.choices ->> the_message end,
           case when again then stands.parent_id else stands.id end
    into message, parent_id
    from cache_nodes as stands
    left join cache_nodes as stood on stood.id = stands.parent_id
    cross join lateral (
      select coalesce(stands.message = coalesce(stood.choices ->> the_message, the_message)
                      and not coalesce(stands.choices ? the_message, false), false)
    ) as said (again)
    where stands.id = session.cache_node_id;
  end if;
  shared := message is not null and topic.cache_enabled and session.cache_state = 'tracking';
  model := coalesce(topic.llm_model, default_model);
  university_id := topic.university_id;
  select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint into tutor
  from tutor_prompt_of(topic.type, tutor_prompt) as prompt;

  if shared then
    hash := sha256_hex(message);
    select n.id, n.chunks, n.answer into node, chunks, answer
    from cache_nodes as n
    where n.content_item_id = session.content_item_id
      and coalesce(n.parent_id, 0) = coalesce(open_turn.parent_id, 0)
      and n.message_hash = hash and n.prompt_name = tutor.name and n.prompt_version = tutor.version
      and n.model = open_turn.model and n.prompt_fingerprint = tutor.plain_fingerprint
      and n.content_fingerprint = session.content_fingerprint
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = session.content_item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor.name and g.prompt_version = tutor.version
        and g.model = open_turn.model and g.prompt_fingerprint = tutor.plain_fingerprint
        and g.content_fingerprint = session.content_fingerprint
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
    end if;
  end if;

  if the_question is null then
    perform record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, (
        select mine.course_offering_id from current_offerings as mine
        where mine.user_id = the_person and mine.course_id = topic.course_id), moment, today, last_active);
    message_id := nextval('chat_messages_id_seq');
  end if;
  if node is not null then
    answer_id := nextval('chat_messages_id_seq');
    answered_at := service_now();
    meta := jsonb_build_object(
      'source', 'cache', 'model', model, 'prompt_name', tutor.name, 'prompt_version', tutor.version,
      'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node);
    insert into cache_visits (node_id, hit) values (node, true);
    update chat_sessions
    set cache_node_id = node, updated_at = service_now(), answering_message_id = null, answering_since = null,
        answering_token = null, answering_generation_id = null, answering_until = null
    where id = the_session;
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id)
    overriding system value
    select * from (values
      (open_turn.message_id, the_session, 'user', the_content, '{}'::jsonb, null::int, false, null::int, the_client_id),
      (answer_id, the_session, 'assistant', answer, meta, open_turn.message_id, true, node, null)
    ) as said (id) where said.id is distinct from the_question;
  else
    token := the_token;
    if session.answering_message_id = the_question and not exists (
      select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
    then token := session.answering_token; end if;
    -- What is on no path leaves the tree where answers are shared at all; free text does in any case.
    update chat_sessions as s
    set cache_state = case when the_message is null or (topic.cache_enabled and message is null) then 'diverged'
                           else s.cache_state end,
        answering_since = case when s.answering_message_id = open_turn.message_id and s.answering_until > now()
                               then s.answering_since else now() end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = open_turn.message_id then s.answering_generation_id end),
        answering_message_id = open_turn.message_id, answering_token = token,
        answering_until = now() + listener_lease()
    where s.id = the_session;
    if the_question is null then
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value values (open_turn.message_id, the_session, 'user', the_content, the_client_id);
    end if;
    if generation is null and tutor.id is not null then
      select json_build_object('root', tutor.id, 'prompts', reached.prompts, 'links', reached.links) into graph
      from reached_prompts(array[tutor.id], 0, deepest) as reached;
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- What those rows of a person count for that go when they are erased, and not only those: of all that stays as much is
-- there before as after.
create or replace function personal_totals(person integer) returns setof report_totals language sql stable as $$
  select measure, course_id, utc_day(moment), utc_day(since), sum(amount), true, null::int
  from (table standing_facts union all table assessment_facts) as fact
  where user_id = person and moment is not null
    and measure in ('notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'labs_submitted', 'labs_graded',
                    'labs_scored', 'lab_scores')
  group by 1, 2, 3, 4
  union all
  select counted.measure, run.course_id, utc_day(counted.moment), null, count(*), true, run.id
  from certificates as own join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('certificates_issued', case when own.replaces_id is null then own.issued_at end),
    ('certificates_revoked', own.revoked_at)) as counted (measure, moment)
  where own.user_id = person and counted.moment is not null group by 1, 2, 3, 7
$$;
--> statement-breakpoint
-- Where someone stands in the waiting list, from 1; null for whoever does not wait.
create or replace function place_in_line(waiting enrollments) returns integer language sql stable as $$
  select case when waiting.status = 'waitlisted' then (
    select count(*)::integer from enrollments as before join users on users.id = before.user_id
    where users.erased_at is null and before.course_offering_id = waiting.course_offering_id and before.status = 'waitlisted'
      and (before.enrolled_at, before.id) <= (waiting.enrolled_at, waiting.id)
  ) end
$$;
--> statement-breakpoint
-- How many places of an offering are taken. Whoever erased their account has left theirs, and their enrollment is as it was.
create or replace function places_taken(offering integer) returns bigint language sql stable as $$
  select count(*) from enrollments join users on users.id = user_id
  where course_offering_id = offering and status = 'active' and users.erased_at is null
$$;
--> statement-breakpoint
-- No notification goes out by mail any more to whoever that is, of any kind.
create or replace function stop_notification_mail(person integer, moment timestamptz) returns jsonb language sql as $$
  select change_notification_wishes(
    id, (select jsonb_object_agg(kind, '{"mail": "off"}'::jsonb) from notification_wishes(id)), moment)
  from users where id = person and erased_at is null
$$;
--> statement-breakpoint
set local check_function_bodies = on;
