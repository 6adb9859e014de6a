set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "question_versions" (
	"question_id" integer NOT NULL,
	"version" integer NOT NULL,
	"kind" text NOT NULL,
	"question_text" text NOT NULL,
	"options_json" jsonb,
	"answer_json" jsonb NOT NULL,
	"explanation" text,
	"points" numeric(6, 2) DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "question_versions_question_id_version_pk" PRIMARY KEY("question_id","version"),
	CONSTRAINT "question_versions_kind_check" CHECK ("question_versions"."kind" in ('single_choice', 'multiple_choice', 'true_false', 'short_answer', 'numeric'))
);
--> statement-breakpoint
CREATE TABLE "quiz_attempt_questions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quiz_attempt_questions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"quiz_attempt_id" integer NOT NULL,
	"position" integer NOT NULL,
	"question_id" integer NOT NULL,
	"version" integer NOT NULL,
	"option_ids" text[],
	"graded_version" integer NOT NULL,
	"points_earned" numeric(6, 2),
	CONSTRAINT "quiz_attempt_questions_question_unique" UNIQUE("quiz_attempt_id","question_id"),
	CONSTRAINT "quiz_attempt_questions_position_unique" UNIQUE("quiz_attempt_id","position")
);
--> statement-breakpoint
CREATE TABLE "quiz_overrides" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quiz_overrides_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"time_limit_seconds" integer,
	"max_attempts" integer,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "quiz_overrides_person_unique" UNIQUE("course_offering_id","content_item_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "question_pools" DROP CONSTRAINT "question_pools_course_id_courses_id_fk";
--> statement-breakpoint
DROP INDEX "quiz_attempts_course_offering_id_id_index";
--> statement-breakpoint
ALTER TABLE "question_pools" ALTER COLUMN "course_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "question_pools" ADD COLUMN "university_id" integer;
--> statement-breakpoint
UPDATE "question_pools" SET "university_id" = "courses"."university_id" FROM "courses" WHERE "courses"."id" = "course_id";
--> statement-breakpoint
ALTER TABLE "question_pools" ALTER COLUMN "university_id" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD COLUMN "is_exam" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD COLUMN "saved_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD COLUMN "timed_out" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD COLUMN "awaits_grading" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD COLUMN "passing_percent" numeric(5, 2);
--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD COLUMN "correct_in_row" integer;
--> statement-breakpoint
INSERT INTO "question_versions" ("question_id", "version", "kind", "question_text", "options_json", "answer_json", "explanation", "points")
SELECT "id", "version", "kind", "question_text", "options_json", "answer_json", "explanation", "points" FROM "questions";
--> statement-breakpoint
ALTER TABLE "question_versions" ADD CONSTRAINT "question_versions_question_id_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."questions"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "quiz_attempt_questions" ADD CONSTRAINT "quiz_attempt_questions_quiz_attempt_id_quiz_attempts_id_fk" FOREIGN KEY ("quiz_attempt_id") REFERENCES "public"."quiz_attempts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "quiz_attempt_questions" ADD CONSTRAINT "quiz_attempt_questions_version_fk" FOREIGN KEY ("question_id","version") REFERENCES "public"."question_versions"("question_id","version") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "quiz_attempt_questions" ADD CONSTRAINT "quiz_attempt_questions_graded_version_fk" FOREIGN KEY ("question_id","graded_version") REFERENCES "public"."question_versions"("question_id","version") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "quiz_overrides" ADD CONSTRAINT "quiz_overrides_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "quiz_overrides" ADD CONSTRAINT "quiz_overrides_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "quiz_overrides" ADD CONSTRAINT "quiz_overrides_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "quiz_attempt_questions_question_id_version_index" ON "quiz_attempt_questions" USING btree ("question_id","version");
--> statement-breakpoint
CREATE INDEX "quiz_attempt_questions_question_id_graded_version_index" ON "quiz_attempt_questions" USING btree ("question_id","graded_version");
--> statement-breakpoint
CREATE INDEX "quiz_overrides_user_id_index" ON "quiz_overrides" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "quiz_overrides_content_item_id_index" ON "quiz_overrides" USING btree ("content_item_id");
--> statement-breakpoint
ALTER TABLE "question_pools" ADD CONSTRAINT "question_pools_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "question_pools" ADD CONSTRAINT "question_pools_course_id_courses_id_fk" FOREIGN KEY ("course_id","university_id") REFERENCES "public"."courses"("id","university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "question_pools_university_id_id_index" ON "question_pools" USING btree ("university_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "quiz_attempts_open_unique" ON "quiz_attempts" USING btree ("user_id","course_offering_id","content_item_id") WHERE submitted_at is null;
--> statement-breakpoint
CREATE INDEX "quiz_attempts_open_exam_index" ON "quiz_attempts" USING btree ("user_id") WHERE is_exam and submitted_at is null;
--> statement-breakpoint
CREATE INDEX "quiz_attempts_deadline_index" ON "quiz_attempts" USING btree ("due_at") WHERE submitted_at is null;
--> statement-breakpoint
CREATE INDEX "quiz_attempts_awaiting_index" ON "quiz_attempts" USING btree ("id") WHERE awaits_grading;
--> statement-breakpoint
CREATE INDEX "quiz_attempts_course_offering_id_content_item_id_id_index" ON "quiz_attempts" USING btree ("course_offering_id","content_item_id","id");
--> statement-breakpoint
ALTER TABLE "quiz_attempts" DROP COLUMN "question_ids";
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'enrollment.created', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded'));
--> statement-breakpoint
-- Adds answers to an open attempt of the person's, by the ids of its questions, and with `ends` submits it. No row: it
-- is not theirs. `refusal` says why nothing was taken: 'submitted', 'time is up', or 'no such answer' with the question.
-- Who submits again gets what the first time left.
create or replace function answer_quiz_attempt(
  the_attempt integer, person integer, given jsonb, ends boolean, moment timestamptz, today date
) returns table (refusal text, question_id text, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  mine quiz_attempts;
begin
  select * into mine from quiz_attempts where id = the_attempt and user_id = person for update;
  if not found then return; end if;
  select response.key into question_id
  from jsonb_each(given) as response
  left join quiz_attempt_questions as drawn
    on drawn.quiz_attempt_id = the_attempt and drawn.question_id = response.key::int
  left join question_versions as asked on asked.question_id = drawn.question_id and asked.version = drawn.version
  where not coalesce(can_answer(asked.kind, asked.options_json, response.value), false) or asked.kind is null
  order by response.key::int limit 1;
  refusal := case
    when mine.timed_out or (mine.submitted_at is null and is_over(mine, moment)) then 'time is up'
    when mine.submitted_at is not null and not ends then 'submitted'
    when mine.submitted_at is null and question_id is not null then 'no such answer'
  end;
  perform close_quiz_attempt(the_attempt, moment);
  if refusal is null and mine.submitted_at is null then
    update quiz_attempts
    set raw_response_json = jsonb_strip_nulls(coalesce(raw_response_json, '{}') || given), saved_at = moment,
        submitted_at = case when ends then moment end, awaits_grading = ends
    where id = the_attempt;
    -- An autosave each few seconds is one activity in each minute of the attempt.
    if ends or minute_of(mine, moment) is distinct from minute_of(mine, mine.saved_at) then
      perform record_activity(person, case when ends then 'submitted' else 'attempted' end, 'content_item',
        mine.content_item_id, offering.university_id, mine.content_item_id, offering.id, moment, today)
      from course_offerings as offering where offering.id = mine.course_offering_id;
    end if;
    select * into mine from quiz_attempts where id = the_attempt;
  end if;
  attempt := quiz_attempt_with_keys(mine, moment);
  return next;
end $$;
--> statement-breakpoint
-- Whether the taker of an attempt may see its right answers: by the item's policy once it is over, once nobody can be
-- taking the quiz any more, or never. Not while they take an exam of the course, which may ask the same.
create or replace function are_answers_shown(attempt quiz_attempts, moment timestamptz) returns boolean
language sql stable as $$
  select is_over(attempt, moment) and not is_under_exam(attempt.user_id, offering.course_id, moment) and case
           coalesce(item.data_json ->> 'show_answers', case when attempt.is_exam then 'after_due' else 'after_submit' end)
           when 'after_submit' then true
           when 'after_due' then coalesce(moment > due.at + quiz_grace(), false) and not exists (
             select from quiz_overrides as granted
             where granted.course_offering_id = offering.id and granted.content_item_id = item.id
               and moment <= granted.due_at + quiz_grace()
           ) and not exists (
             select from quiz_attempts as other
             where other.course_offering_id = offering.id and other.content_item_id = item.id
               and other.submitted_at is null and not is_over(other, moment)
           )
           else false
         end
  from content_items as item, course_offerings as offering, lateral (
    select coalesce(item.due_at, offering.ends_at) as at
  ) as due
  where item.id = attempt.content_item_id and offering.id = attempt.course_offering_id
$$;
--> statement-breakpoint
-- Whether a question of that kind can be answered so; null takes an answer back.
create or replace function can_answer(kind text, options jsonb, response jsonb) returns boolean
language sql immutable as $$
  select jsonb_typeof(response) = 'null' or case kind
    when 'single_choice' then options @> jsonb_build_array(jsonb_build_object('id', response))
    when 'multiple_choice' then jsonb_typeof(response) = 'array' and not exists (
      select from jsonb_array_elements(case jsonb_typeof(response) when 'array' then response else '[]' end) as chosen
      where not options @> jsonb_build_array(jsonb_build_object('id', chosen)))
    when 'true_false' then jsonb_typeof(response) = 'boolean'
    when 'numeric' then jsonb_typeof(response) = 'number'
    else jsonb_typeof(response) = 'string'
  end
$$;
--> statement-breakpoint
-- A number within bounds; null of none, where least and greatest would take the bound.
create or replace function clamped(value numeric, low numeric, high numeric) returns numeric
language sql immutable strict as $$
  select greatest(low, least(high, value))
$$;
--> statement-breakpoint
-- Closes an attempt that is over and still open; what was saved is graded next.
create or replace function close_quiz_attempt(attempt integer, moment timestamptz) returns void language sql as $$
  update quiz_attempts as one set submitted_at = due_at, timed_out = true, awaits_grading = true
  where id = attempt and submitted_at is null and is_over(one, moment)
$$;
--> statement-breakpoint
-- Closes attempts whose time is up, at most `most`; those that are just being written are left to their writers.
create or replace function close_quiz_attempts(moment timestamptz, most integer) returns bigint language sql as $$
  with over as (
    select id from quiz_attempts as one
    where submitted_at is null and due_at < moment - quiz_grace()
    order by due_at limit most for update skip locked
  ), closed as (
    select close_quiz_attempt(id, moment) from over
  )
  select count(*) from closed
$$;
--> statement-breakpoint
-- Grants a person other rules in a quiz; an attempt that is open gets its deadline by them. `granted` has the keys
-- time_limit_seconds, max_attempts and due_at, null for what the quiz says; one that is absent stays as it was. No row:
-- they are not enrolled there.
create or replace function grant_quiz_override(
  person integer, the_offering integer, the_item integer, granted jsonb, moment timestamptz
) returns setof quiz_overrides language plpgsql as $$
begin
  return query
    insert into quiz_overrides as one
      (user_id, course_offering_id, content_item_id, time_limit_seconds, max_attempts, due_at, created_at, updated_at)
    select person, the_offering, the_item, wanted.time_limit_seconds, wanted.max_attempts, wanted.due_at, moment, moment
    from jsonb_to_record(granted) as wanted (time_limit_seconds integer, max_attempts integer, due_at timestamptz)
    where exists (select from enrollments where user_id = person and course_offering_id = the_offering)
    on conflict (course_offering_id, content_item_id, user_id) do update
      set time_limit_seconds =
            case when granted ? 'time_limit_seconds' then excluded.time_limit_seconds else one.time_limit_seconds end,
          max_attempts = case when granted ? 'max_attempts' then excluded.max_attempts else one.max_attempts end,
          due_at = case when granted ? 'due_at' then excluded.due_at else one.due_at end,
          updated_at = moment
    returning one.*;
  update quiz_attempts as mine set due_at = least(mine.started_at + rules.time_limit, rules.closes_at)
  from quiz_rules(the_item, the_offering, person) as rules
  where mine.user_id = person and mine.course_offering_id = the_offering and mine.content_item_id = the_item
    and mine.submitted_at is null and not is_over(mine, moment);
end $$;
--> statement-breakpoint
-- Adds questions to a pool: `[{"kind", "question_text", "options_json", …}, …]`, or with `dry_run` only says which it
-- would add. One that the pool has already is left as it is. Imports into one pool wait for each other. Answers the
-- questions in their order.
create or replace function import_questions(pool integer, given jsonb, dry_run boolean)
returns table (question_id integer, is_new boolean) language plpgsql as $$
declare
  one record;
begin
  perform from question_pools where id = pool for no key update;
  for one in
    select asked.*
    from jsonb_array_elements(given) with ordinality as listed (value, number),
         jsonb_to_record(listed.value) as asked (
           kind text, question_text text, options_json jsonb, answer_json jsonb, explanation text, points numeric,
           is_active boolean)
    order by listed.number
  loop
    select id into question_id from questions
    where question_pool_id = pool and kind = one.kind and question_text = one.question_text
      and options_json is not distinct from one.options_json and answer_json = one.answer_json
      and explanation is not distinct from one.explanation and points = one.points
    order by id limit 1;
    is_new := not found;
    if is_new and not dry_run then
      insert into questions (question_pool_id, kind, question_text, options_json, answer_json, explanation, points, is_active)
      values (pool, one.kind, one.question_text, one.options_json, one.answer_json, one.explanation, one.points, one.is_active)
      returning id into question_id;
    end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
create or replace function is_over(attempt quiz_attempts, moment timestamptz) returns boolean
language sql immutable as $$
  select attempt.submitted_at is not null or coalesce(moment > attempt.due_at + quiz_grace(), false)
$$;
--> statement-breakpoint
-- Whether a person has an exam of a course open.
create or replace function is_under_exam(person integer, course integer, moment timestamptz) returns boolean
language sql stable as $$
  select exists (
    select from quiz_attempts as one
    join course_offerings as offering on offering.id = one.course_offering_id
    where one.user_id = person and one.is_exam and one.submitted_at is null and not is_over(one, moment)
      and offering.course_id = course
  )
$$;
--> statement-breakpoint
-- A number that may stand in JSON.
create or replace function json_number(value jsonb) returns numeric language sql immutable as $$
  select case jsonb_typeof(value) when 'number' then value::numeric end
$$;
--> statement-breakpoint
create or replace function minute_of(attempt quiz_attempts, moment timestamptz) returns integer
language sql immutable as $$
  select floor(extract(epoch from moment - attempt.started_at) / 60)::int
$$;
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
-- such session', 'not theirs', one of `gate_of_item` (outline.sql), 'under exam' (of the course), 'sent before' (with the
-- message, and its answer if it has one), 'being answered', 'answered' (by the time it was taken up again), or 'another
-- time zone', when `today` is not the day in their zone.
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
) language plpgsql as $$
#variable_conflict use_column
declare
  is_start boolean := the_message = 'Start.';
  hash text;
  fingerprint text;
  content_print text;
  tutor_id integer;
  tutor_name text;
  tutor_version integer;
  node integer;
  item_id integer;
  leaves_tree boolean;
begin
  -- What is read after the lock is what the message before this one left.
  perform from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back. What is on no path
  -- leaves it where answers are shared at all; free text does in any case.
  select case
           when not person.is_active then 'inactive person'
           when s.id is null then 'no such session'
           when s.user_id <> the_person then 'not theirs'
           when gate.refusal is not null then gate.refusal
           when is_under_exam(the_person, item.course_id, moment) then 'under exam'
           when sent.id is not null then 'sent before'
           when reply.id is not null then 'answered'
           when s.answering_until > now()
             and (the_question is null or s.answering_message_id is distinct from the_question) then 'being answered'
           when person.time_zone <> the_zone then 'another time zone'
         end,
         person.time_zone, coalesce(sent.id, the_question), reply.id, reply.created_at,
         reply.meta,
         case when reply.id is not null then coalesce(replayed.chunks, jsonb_build_array(reply.content)) end,
         case when s.answering_message_id = the_question and not exists (
           select from generations as g where g.id = s.answering_generation_id and g.state = 'failed')
         then s.answering_token else the_token end,
         coalesce(sent.content, the_content), s.content_item_id, item.university_id,
         place.shared, place.parent_id, place.message, place.model,
         the_message is null or (course.cache_enabled and place.message is null),
         tutor.id, tutor.name, tutor.version, tutor.plain_fingerprint, s.content_fingerprint
  into refusal, time_zone, message_id, answer_id, answered_at, meta, chunks, token, content, item_id,
       university_id, shared, parent_id, message, model, leaves_tree, tutor_id, tutor_name, tutor_version, fingerprint,
       content_print
  from users as person
  left join (
    chat_sessions as s
    join content_items as item on item.id = s.content_item_id
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
  ) on s.id = the_session
  left join chat_messages as sent on sent.session_id = s.id and sent.client_message_id = the_client_id
  left join chat_messages as reply on reply.in_reply_to_id = coalesce(sent.id, the_question)
  left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.edited_at is null
  left join cache_nodes as stands on stands.id = s.cache_node_id and not is_start
  left join cache_nodes as stood on stood.id = stands.parent_id
  left join lateral (
    select path.message, path.parent_id,
           path.message is not null and course.cache_enabled and s.cache_state = 'tracking' as shared,
           coalesce(course.llm_model, default_model) as model
    from (
      select case when is_start or (stands.id is not null and stands.choices is null and not again) then the_message
                  when again then stands.message
                  else stands.choices ->> the_message end as message,
             case when again then stands.parent_id else stands.id end as parent_id
      from (
        select coalesce(stands.message = coalesce(stood.choices ->> the_message, the_message)
                        and not coalesce(stands.choices ? the_message, false), false)
      ) as said (again)
    ) as path
  ) as place on true
  left join lateral tutor_prompt_of(type.name, tutor_prompt) as tutor on true
  left join lateral gate_of_item(s.content_item_id, the_person, moment) as gate (refusal) on s.user_id = the_person
  where person.id = the_person and (person.token_version = the_version or not person.is_active);
  if not found then return; end if;
  if refusal is not null then
    return next;
    return;
  end if;

  if shared then
    hash := sha256_hex(message);
    select n.id, n.chunks into node, chunks
    from cache_nodes as n
    where n.content_item_id = item_id
      -- Not "is not distinct from", which uses no index.
      and (n.parent_id = open_turn.parent_id or (n.parent_id is null and open_turn.parent_id is null))
      and n.message_hash = hash and n.prompt_name = tutor_name and n.prompt_version = tutor_version
      and n.model = open_turn.model and n.prompt_fingerprint = fingerprint and n.content_fingerprint = content_print
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor_name and g.prompt_version = tutor_version
        and g.model = open_turn.model and g.prompt_fingerprint = fingerprint and g.content_fingerprint = content_print
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
    end if;
  end if;

  if the_question is null then
    perform record_activity(the_person, 'asked', 'content_item', item_id, open_turn.university_id, item_id,
      current_offering(the_person, (select course_id from content_items where id = item_id)), moment, today);
  end if;
  with visit as (
    insert into cache_visits (node_id, hit) select node, true where node is not null
  ), said as (
    select coalesce(the_question, nextval('chat_messages_id_seq')::int) as question,
           case when node is not null then nextval('chat_messages_id_seq')::int end as answer,
           case when node is not null then jsonb_build_object(
             'source', 'cache', 'model', open_turn.model, 'prompt_name', tutor_name, 'prompt_version', tutor_version,
             'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node) end as meta
  ), turned as (
    update chat_sessions as s
    set cache_node_id = coalesce(node, s.cache_node_id),
        cache_state = case when leaves_tree then 'diverged' else s.cache_state end,
        answering_message_id = case when node is null then said.question end,
        answering_since = case when node is null then
          case when s.answering_message_id = said.question and s.answering_until > now() then s.answering_since
               else now() end end,
        answering_token = case when node is null then open_turn.token end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = said.question then s.answering_generation_id end),
        answering_until = case when node is null then now() + listener_lease() end,
        updated_at = case when node is null then s.updated_at else now() end
    from said
    where s.id = the_session
  ), exchange as (
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id)
    overriding system value
    select question, the_session, 'user', the_content, '{}'::jsonb, null::int, false, null::int, the_client_id
    from said where the_question is null
    union all
    select answer, the_session, 'assistant', joined_text(open_turn.chunks), said.meta, question, true, node, null
    from said where answer is not null
  )
  select question, answer, now(), said.meta into message_id, answer_id, answered_at, meta from said;

  if node is null and generation is null and tutor_id is not null then
    select json_build_object('root', tutor_id, 'prompts', reached.prompts, 'links', reached.links) into graph
    from reached_prompts(array[tutor_id], 0, deepest) as reached;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
create or replace function questions_count_versions() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
--> statement-breakpoint
create or replace function questions_keep_versions() returns trigger language plpgsql as $$
begin
  insert into question_versions
    (question_id, version, kind, question_text, options_json, answer_json, explanation, points)
  values
    (new.id, new.version, new.kind, new.question_text, new.options_json, new.answer_json, new.explanation, new.points)
  on conflict do nothing;
  return null;
end $$;
--> statement-breakpoint
-- An attempt with its questions as they are shown, their keys, and what was saved. For the service alone, which leaves
-- out what its reader may not see.
create or replace function quiz_attempt_with_keys(attempt quiz_attempts, moment timestamptz) returns jsonb
language sql stable as $$
  select to_jsonb(attempt) - 'raw_response_json' || jsonb_build_object(
    'is_over', is_over(attempt, moment),
    'answers_shown', are_answers_shown(attempt, moment),
    'questions', coalesce((
      select jsonb_agg(jsonb_build_object(
        'question_id', drawn.question_id, 'position', drawn.position, 'kind', upper(shown.kind),
        'question_text', shown.question_text, 'points', key.points, 'points_earned', drawn.points_earned,
        'options', (
          select jsonb_agg(option order by array_position(drawn.option_ids, option ->> 'id'))
          from jsonb_array_elements(shown.options_json) as option),
        'response', attempt.raw_response_json -> drawn.question_id::text,
        'graded_version', drawn.graded_version, 'answer', key.answer_json, 'explanation', key.explanation
      ) order by drawn.position)
      from quiz_attempt_questions as drawn
      join question_versions as shown on shown.question_id = drawn.question_id and shown.version = drawn.version
      join question_versions as key on key.question_id = drawn.question_id and key.version = drawn.graded_version
      where drawn.quiz_attempt_id = attempt.id
    ), '[]'))
$$;
--> statement-breakpoint
create or replace function quiz_grace() returns interval language sql immutable as $$
  select interval '5 seconds'
$$;
--> statement-breakpoint
-- What holds for a person in a quiz: what its item says, and in its place what they are granted. Without a limit of
-- attempts an exam may be taken once, and a practice again and again; without a date an exam, like what shows its
-- answers when it is due, is due when the offering ends. No row: the offering's course has no such quiz.
create or replace function quiz_rules(the_item integer, the_offering integer, person integer)
returns table (
  question_pool_id integer, university_id integer, is_exam boolean, is_random boolean, draws integer,
  time_limit interval, closes_at timestamptz, most_attempts integer, passing_percent numeric, correct_in_row integer
) language sql stable as $$
  select json_number(data -> 'question_pool_id')::int, offering.university_id,
         coalesce(data ->> 'quiz_mode' = 'exam', false), data -> 'randomize_order' = 'true',
         coalesce(clamped(json_number(data -> 'num_questions_per_attempt'), 1, 100), 100)::int,
         seconds * interval '1 second',
         coalesce(granted.due_at,
                  item.due_at,
                  case when data ->> 'quiz_mode' = 'exam' or data ->> 'show_answers' = 'after_due'
                       then offering.ends_at end),
         coalesce(granted.max_attempts,
                  clamped(json_number(data #> '{mastery,max_attempts}'), 1, 1000000)::int,
                  case data ->> 'quiz_mode' when 'exam' then 1 end),
         coalesce(clamped(json_number(data -> 'passing_percent'), 0, 100), 60),
         clamped(json_number(data #> '{mastery,threshold_correct_in_row}'), 0, 100)::int
  from course_offerings as offering
  join content_items as item on item.id = the_item and item.course_id = offering.course_id
  join content_types as type on type.id = item.content_type_id and type.name = 'quiz'
  left join quiz_overrides as granted
    on granted.course_offering_id = offering.id and granted.content_item_id = item.id and granted.user_id = person
  cross join lateral (
    select item.data_json as data, coalesce(
      granted.time_limit_seconds,
      case when json_number(item.data_json -> 'time_limit_seconds') > 0
           then least(31536000, json_number(item.data_json -> 'time_limit_seconds')) end)::int as seconds
  ) as stated
  where offering.id = the_offering
$$;
--> statement-breakpoint
-- Has the closed attempts at a quiz graded anew by what its questions say now, where they are still of the same kind;
-- answers how many. What their takers saw and answered stays.
create or replace function regrade_quiz(the_item integer, the_offering integer) returns bigint language sql as $$
  with chosen as (
    select id from quiz_attempts
    where content_item_id = the_item and course_offering_id = the_offering and submitted_at is not null
    order by id for update
  ), keyed as (
    update quiz_attempt_questions as drawn set graded_version = current.version
    from chosen, questions as current, question_versions as shown
    where drawn.quiz_attempt_id = chosen.id and current.id = drawn.question_id
      and shown.question_id = drawn.question_id and shown.version = drawn.version and shown.kind = current.kind
      and drawn.graded_version <> current.version
    returning 1
  ), marked as (
    update quiz_attempts set awaits_grading = true from chosen
    where quiz_attempts.id = chosen.id and exists (
      select from quiz_attempt_questions where quiz_attempt_id = chosen.id)
    returning 1
  )
  select count(*) from marked
$$;
--> statement-breakpoint
-- Starts a person's next attempt at a quiz, or answers the one that is open. Its questions are drawn once, and with
-- them the order of everything. `refusal` says why there is none: one of `gate_of_item` (outline.sql),
-- 'not enrolled', 'closed', 'no attempt left' or 'no questions'.
create or replace function start_quiz_attempt(
  person integer, offering integer, item integer, moment timestamptz, today date
) returns table (refusal text, is_new boolean, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  mine quiz_attempts;
begin
  is_new := false;
  select * into rules from quiz_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_item(item, person, moment) is not null then gate_of_item(item, person, moment)
    when not exists (
      select from enrollments
      where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
  end;
  while refusal is null and not is_new loop
    select * into mine from quiz_attempts as one
    where user_id = person and course_offering_id = offering and content_item_id = item and submitted_at is null;
    if found and not is_over(mine, moment) then
      attempt := quiz_attempt_with_keys(mine, moment);
      return next;
      return;
    end if;
    perform close_quiz_attempt(mine.id, moment);
    refusal := case
      when moment >= rules.closes_at then 'closed'
      when (
        -- One that is open by now is met by the insert.
        select count(*) from quiz_attempts
        where user_id = person and course_offering_id = offering and content_item_id = item
          and submitted_at is not null
      ) >= rules.most_attempts then 'no attempt left'
      when not exists (
        select from questions where question_pool_id = rules.question_pool_id and is_active
      ) then 'no questions'
    end;
    if refusal is null then
      insert into quiz_attempts (
        user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at, due_at, passing_percent,
        correct_in_row)
      select person, offering, item, coalesce(max(attempt_number), 0) + 1, rules.is_exam, moment,
             least(moment + rules.time_limit, rules.closes_at), rules.passing_percent, rules.correct_in_row
      from quiz_attempts where user_id = person and course_offering_id = offering and content_item_id = item
      -- Another start came first: what it left is looked at.
      on conflict do nothing returning * into mine;
      is_new := found;
    end if;
  end loop;
  if refusal is not null then
    return next;
    return;
  end if;

  insert into quiz_attempt_questions (quiz_attempt_id, position, question_id, version, graded_version, option_ids)
  select mine.id, row_number() over (order by place, id), id, version, version, (
      select array_agg(option.value ->> 'id' order by case when rules.is_random then random() end, option.number)
      from jsonb_array_elements(options_json) with ordinality as option (value, number))
  from (
    select id, version, options_json, case when rules.is_random then random() end as place
    from questions where question_pool_id = rules.question_pool_id and is_active
    order by random() limit rules.draws
  ) as chosen;
  update quiz_attempts set max_score = (
    select sum(points)
    from quiz_attempt_questions as drawn join question_versions as asked using (question_id, version)
    where drawn.quiz_attempt_id = mine.id
  ) where id = mine.id returning * into mine;
  perform record_activity(person, 'attempted', 'content_item', item, rules.university_id, item, offering, moment, today);
  attempt := quiz_attempt_with_keys(mine, moment);
  return next;
end $$;
--> statement-breakpoint
-- Stores grades: `[{"attempt_id", "score", "passed", "questions": [{"question_id", "graded_version", "points"}]}, …]`.
-- One that was made by other keys than now count is left out, and so is what no longer waits: answers how many were
-- stored.
create or replace function store_quiz_grades(grades jsonb) returns integer language plpgsql as $$
declare
  grade record;
  stored integer := 0;
begin
  for grade in
    select * from jsonb_to_recordset(grades) as one (
      attempt_id integer, score numeric, max_score numeric, passed boolean, questions jsonb)
    order by attempt_id
  loop
    perform from quiz_attempts where id = grade.attempt_id and awaits_grading for update;
    if not found or exists (
      select from quiz_attempt_questions as drawn
      where quiz_attempt_id = grade.attempt_id and not exists (
        select from jsonb_to_recordset(grade.questions) as one (question_id integer, graded_version integer)
        where one.question_id = drawn.question_id and one.graded_version = drawn.graded_version)
    ) then continue; end if;
    update quiz_attempt_questions as drawn set points_earned = one.points
    from jsonb_to_recordset(grade.questions) as one (question_id integer, points numeric)
    where drawn.quiz_attempt_id = grade.attempt_id and drawn.question_id = one.question_id;
    update quiz_attempts
    set score_obtained = grade.score, max_score = grade.max_score, passed = grade.passed, awaits_grading = false
    where id = grade.attempt_id;
    stored := stored + 1;
  end loop;
  return stored;
end $$;
--> statement-breakpoint
create or replace trigger questions_count_versions before update on questions
  for each row when (
    (old.kind, old.question_text, old.options_json, old.answer_json, old.explanation, old.points)
    is distinct from
    (new.kind, new.question_text, new.options_json, new.answer_json, new.explanation, new.points)
  ) execute function questions_count_versions();
--> statement-breakpoint
create or replace trigger questions_keep_versions after insert or update on questions
  for each row execute function questions_keep_versions();
--> statement-breakpoint
set local check_function_bodies = on;
