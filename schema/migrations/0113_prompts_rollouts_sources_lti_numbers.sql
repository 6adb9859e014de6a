set local check_function_bodies = off;
--> statement-breakpoint
drop function offer_passages(bigint,integer,integer,timestamp with time zone,text,integer);
--> statement-breakpoint
drop function search_passages(integer,integer,timestamp with time zone,text,integer);
--> statement-breakpoint
CREATE TABLE "lti_keys" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"serial_number" integer NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"private_key" text NOT NULL,
	"signs_from" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_keys_serial_number_unique" UNIQUE("serial_number")
);
--> statement-breakpoint
CREATE TABLE "lti_deployments" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_deployments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"platform_id" integer NOT NULL,
	"deployment_id" varchar(255) NOT NULL,
	"admitted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_deployments_platform_id_deployment_id_unique" UNIQUE("platform_id","deployment_id")
);
--> statement-breakpoint
CREATE TABLE "lti_platforms" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_platforms_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"issuer" varchar(512) NOT NULL,
	"client_id" varchar(255) NOT NULL,
	"auth_login_url" varchar(1000) NOT NULL,
	"auth_token_url" varchar(1000) NOT NULL,
	"jwks_url" varchar(1000) NOT NULL,
	"frame_origins" text[] DEFAULT '{}' NOT NULL,
	"trusts_sourced_id" boolean DEFAULT false NOT NULL,
	"trusts_email" boolean DEFAULT false NOT NULL,
	"staff_by_institution_role" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_platforms_university_id_issuer_client_id_unique" UNIQUE("university_id","issuer","client_id")
);
--> statement-breakpoint
CREATE TABLE "passage_measures" (
	"course_id" integer PRIMARY KEY NOT NULL,
	"asked" integer DEFAULT 0 NOT NULL,
	"found" integer DEFAULT 0 NOT NULL,
	"measured_at" timestamp (3) with time zone,
	"looked_at" timestamp (3) with time zone NOT NULL,
	"hangs_on" text,
	"last_question_id" integer,
	"asked_so_far" integer DEFAULT 0 NOT NULL,
	"found_so_far" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passage_vector_sweeps" (
	"model" varchar(255) PRIMARY KEY NOT NULL,
	"done_to" bigint NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passage_vectors" (
	"passage_id" bigint PRIMARY KEY NOT NULL,
	"model" varchar(255) NOT NULL,
	"vector" real[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "prompt_rollouts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prompt_rollouts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"prompt_name" varchar(255) NOT NULL,
	"candidate_id" integer,
	"candidate_version" integer NOT NULL,
	"base_id" integer,
	"base_version" integer NOT NULL,
	"share" integer NOT NULL,
	"unit" text NOT NULL,
	"universities" integer[],
	"stop" jsonb NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"stop_reason" text,
	"author_id" integer,
	"approved_by" integer,
	"ended_by" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"warmed_to" integer,
	"warmings" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "prompt_rollouts_share_check" CHECK ("prompt_rollouts"."share" between 1 and 50),
	CONSTRAINT "prompt_rollouts_unit_check" CHECK ("prompt_rollouts"."unit" in ('offering', 'person')),
	CONSTRAINT "prompt_rollouts_state_check" CHECK ("prompt_rollouts"."state" in ('running', 'promoted', 'stopped')),
	CONSTRAINT "prompt_rollouts_stop_reason_check" CHECK ("prompt_rollouts"."stop_reason" in ('by_hand', 'production_moved', 'malformed', 'refusals', 'cut_offs', 'length', 'downs', 'cost', 'first_word'))
);
--> statement-breakpoint
CREATE TABLE "trial_votes" (
	"case_id" bigint NOT NULL,
	"user_id" integer NOT NULL,
	"vote" text NOT NULL,
	"voted_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "trial_votes_case_id_user_id_pk" PRIMARY KEY("case_id","user_id"),
	CONSTRAINT "trial_votes_vote_check" CHECK ("trial_votes"."vote" in ('candidate', 'recorded', 'tie'))
);
--> statement-breakpoint
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_scopes_check";
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "llm_calls" DROP CONSTRAINT "llm_calls_purpose_check";
--> statement-breakpoint
ALTER TABLE "notification_preferences" DROP CONSTRAINT "notification_preferences_kind_check";
--> statement-breakpoint
ALTER TABLE "notifications" DROP CONSTRAINT "notifications_kind_check";
--> statement-breakpoint
ALTER TABLE "trials" DROP CONSTRAINT "trials_kind_check";
--> statement-breakpoint
DROP INDEX "sourced_people_user_id_index";
--> statement-breakpoint
ALTER TABLE "trial_cases" ALTER COLUMN "node_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "trial_cases" ALTER COLUMN "recorded" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD COLUMN "rollout_id" integer;
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD COLUMN "rollout_arm" text;
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD COLUMN "first_word_ms" integer;
--> statement-breakpoint
ALTER TABLE "notifications" ADD COLUMN "prompt_rollout_id" integer;
--> statement-breakpoint
ALTER TABLE "message_sources" ADD COLUMN "perhaps" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "attack" jsonb;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "persona" text;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "stage" text DEFAULT 'answer' NOT NULL;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "judged" jsonb;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "verdict" text;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "unjudged_reason" text;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "judge_micros" bigint;
--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "judge_model" varchar(255);
--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "is_whole" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "university_members" ADD COLUMN "given_name" varchar(255);
--> statement-breakpoint
ALTER TABLE "university_members" ADD COLUMN "family_name" varchar(255);
--> statement-breakpoint
ALTER TABLE "university_members" ADD COLUMN "source" text;
--> statement-breakpoint
ALTER TABLE "lti_deployments" ADD CONSTRAINT "lti_deployments_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lti_platforms" ADD CONSTRAINT "lti_platforms_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "passage_measures" ADD CONSTRAINT "passage_measures_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "passage_vectors" ADD CONSTRAINT "passage_vectors_passage_id_passages_id_fk" FOREIGN KEY ("passage_id") REFERENCES "public"."passages"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "prompt_rollouts" ADD CONSTRAINT "prompt_rollouts_candidate_id_prompts_id_fk" FOREIGN KEY ("candidate_id") REFERENCES "public"."prompts"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "prompt_rollouts" ADD CONSTRAINT "prompt_rollouts_base_id_prompts_id_fk" FOREIGN KEY ("base_id") REFERENCES "public"."prompts"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "prompt_rollouts" ADD CONSTRAINT "prompt_rollouts_author_id_users_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "prompt_rollouts" ADD CONSTRAINT "prompt_rollouts_approved_by_users_id_fk" FOREIGN KEY ("approved_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "prompt_rollouts" ADD CONSTRAINT "prompt_rollouts_ended_by_users_id_fk" FOREIGN KEY ("ended_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "trial_votes" ADD CONSTRAINT "trial_votes_case_id_trial_cases_id_fk" FOREIGN KEY ("case_id") REFERENCES "public"."trial_cases"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "trial_votes" ADD CONSTRAINT "trial_votes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "passage_measures_looked_at_course_id_index" ON "passage_measures" USING btree ("looked_at","course_id");
--> statement-breakpoint
CREATE INDEX "passage_measures_waiting_index" ON "passage_measures" USING btree ("looked_at","course_id") WHERE "passage_measures"."last_question_id" is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "prompt_rollouts_running_key" ON "prompt_rollouts" USING btree ("prompt_name") WHERE state = 'running';
--> statement-breakpoint
CREATE INDEX "prompt_rollouts_to_warm_index" ON "prompt_rollouts" USING btree ("id") WHERE warmed_to is not null;
--> statement-breakpoint
CREATE INDEX "prompt_rollouts_prompt_name_id_index" ON "prompt_rollouts" USING btree ("prompt_name","id");
--> statement-breakpoint
CREATE INDEX "prompt_rollouts_candidate_id_index" ON "prompt_rollouts" USING btree ("candidate_id");
--> statement-breakpoint
CREATE INDEX "prompt_rollouts_base_id_index" ON "prompt_rollouts" USING btree ("base_id");
--> statement-breakpoint
CREATE INDEX "prompt_rollouts_author_id_index" ON "prompt_rollouts" USING btree ("author_id");
--> statement-breakpoint
CREATE INDEX "prompt_rollouts_approved_by_index" ON "prompt_rollouts" USING btree ("approved_by");
--> statement-breakpoint
CREATE INDEX "prompt_rollouts_ended_by_index" ON "prompt_rollouts" USING btree ("ended_by");
--> statement-breakpoint
CREATE INDEX "trial_votes_user_id_index" ON "trial_votes" USING btree ("user_id");
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_rollout_id_prompt_rollouts_id_fk" FOREIGN KEY ("rollout_id") REFERENCES "public"."prompt_rollouts"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_prompt_rollout_id_prompt_rollouts_id_fk" FOREIGN KEY ("prompt_rollout_id") REFERENCES "public"."prompt_rollouts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "chat_sessions_rollout_id_rollout_arm_id_index" ON "chat_sessions" USING btree ("rollout_id","rollout_arm","id") WHERE "chat_sessions"."rollout_id" is not null;
--> statement-breakpoint
CREATE INDEX "sourced_people_user_id_university_id_id_index" ON "sourced_people" USING btree ("user_id","university_id","id");
--> statement-breakpoint
CREATE INDEX "notifications_prompt_rollout_id_index" ON "notifications" USING btree ("prompt_rollout_id") WHERE "notifications"."prompt_rollout_id" is not null;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_scopes_check" CHECK (cardinality(scopes) > 0 and scopes <@ array['people:read', 'people:write', 'enrollments:write', 'grades:read', 'reports:read', 'events:read']);
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'api_key.created', 'api_key.revoked', 'api_key.adopted', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'lti_platform.created', 'lti_platform.changed', 'lti_platform.removed', 'lti_deployment.admitted', 'lti_deployment.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'member.corrected', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'prompt.rollout_started', 'prompt.rollout_promoted', 'prompt.rollout_stopped', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'tutor_progress.read', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused'));
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_rollout_arm_check" CHECK ("chat_sessions"."rollout_arm" in ('base', 'candidate'));
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_purpose_check" CHECK ("llm_calls"."purpose" in ('turn', 'warm', 'trial', 'embedding'));
--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_kind_check" CHECK ("notification_preferences"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained', 'rollout_stopped', 'tutor_handover'));
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_kind_check" CHECK ("notifications"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained', 'rollout_stopped', 'tutor_handover'));
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_stage_check" CHECK ("trial_cases"."stage" in ('answer', 'judge', 'judge_swapped'));
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_persona_check" CHECK ("trial_cases"."persona" in ('sure', 'mistaken', 'hint_seeking', 'lost', 'talkative'));
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_verdict_check" CHECK ("trial_cases"."verdict" in ('candidate', 'recorded', 'tie'));
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_unjudged_reason_check" CHECK ("trial_cases"."unjudged_reason" in ('failed_checks', 'unreadable', 'limit', 'budget', 'stopped', 'topic_gone', 'no_price', 'llm'));
--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_kind_check" CHECK ("trials"."kind" in ('step', 'free', 'leak'));
--> statement-breakpoint
ALTER TABLE "university_members" ADD CONSTRAINT "university_members_source_check" CHECK ("university_members"."source" in ('import', 'staff'));
--> statement-breakpoint
-- The questions that a course's quizzes draw from, each once however many draw it, and the modules in which they are asked;
-- of a module that tells nothing no passage could be right.
create or replace function asked_in_course(the_course integer)
returns table (id integer, version integer, question_text text, modules integer[]) language sql stable as $$
  select asked.id, asked.version, asked.question_text, pool.modules
  from (
    select pool_of_quiz(quiz.data_json) as id, array_agg(distinct quiz.module_id) as modules
    from content_items as quiz join content_types as type on type.id = quiz.content_type_id and type.name = 'quiz'
    where quiz.course_id = the_course and quiz.is_active and pool_of_quiz(quiz.data_json) is not null and exists (
      select from content_items as item join passages as told on told.content_item_id = item.id
      where item.module_id = quiz.module_id and item.is_active)
    group by 1
  ) as pool join questions as asked on asked.question_pool_id = pool.id and asked.is_active
$$;
--> statement-breakpoint
-- Begins the call that makes an answer for a session's open message, if it fits into every budget: `call`, or the limit
-- that it is `refused_by`, and in how many seconds it may be worth another try. `settings` holds the limits where a
-- university has none, and in `reserve` the most tokens that the call may use.
--
-- The person is held, so that of calls at once each sees those before it; the month's row lets no more in than fit.
-- What failed before it cost anything is no turn. The call has the number that the generation was begun with; one that
-- is made anew gets another. A session whose answer is private waits for it from then on, in the same statement: whoever
-- calls it holds the session.
create or replace function begin_call(
  the_generation bigint, the_session bigint, the_question bigint, the_model text, settings jsonb,
  out call bigint, out refused_by text, out retry_after integer
) language plpgsql as $$
declare
  asked record;
  at_once bigint;
  in_day bigint;
  today timestamptz := utc_midnight(utc_day(service_now()));
  reserve bigint := (settings ->> 'reserve')::bigint;
begin
  select s.user_id, item.id as item_id, item.university_id, item.course_id, former.id as former,
         case when former.id is null then made.call_id end as drawn, made.question_id is not null as is_private, allowed.*
  into asked
  from chat_sessions as s
  join content_items as item on item.id = s.content_item_id
  join users as person on person.id = s.user_id
  join generations as made on made.id = the_generation
  left join llm_calls as former on former.id = made.call_id
  cross join lateral tutor_budget_of(item.university_id, settings) as allowed
  where s.id = the_session
  for no key update of person;

  -- Another statement, which sees what the person's calls before it came to.
  if asked.turns_at_once is not null or asked.turns_per_day is not null then
    select
      (select count(*) from llm_calls as c join generations as g on g.call_id = c.id
       where c.user_id = asked.user_id and c.university_id = asked.university_id and c.ended_at is null
         and c.started_at > service_now() - answer_limit() and g.id <> the_generation
         and g.state = 'writing' and g.lease_until > clock_timestamp()),
      (select count(*) from llm_calls
       where user_id = asked.user_id and university_id = asked.university_id and started_at >= today and not is_repair
         and not (outcome in ('failed', 'timeout')
                  and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0))
    into at_once, in_day;
  end if;
  if asked.turns_at_once <= at_once then
    refused_by := 'turns_at_once';
    retry_after := 5;
    return;
  end if;
  if asked.turns_per_day <= in_day then
    refused_by := 'turns_per_day';
    retry_after := seconds_until(today + interval '1 day');
    return;
  end if;

  if asked.former is not null then perform expire_calls(array[asked.former]); end if;
  if not reserve_tokens(asked.university_id, reserve, asked.tokens_per_month) then
    refused_by := 'tokens_per_month';
    retry_after := seconds_until(utc_midnight((tutor_month() + interval '1 month')::date));
    return;
  end if;

  call := coalesce(asked.drawn, nextval('llm_calls_id_seq'));
  with begun as (
    insert into llm_calls (id, university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens)
    overriding system value
    values (call, asked.university_id, asked.course_id, asked.item_id, asked.user_id, the_question, the_model, reserve)
  ), waiting as (
    update chat_sessions set answering_generation_id = the_generation where id = the_session and asked.is_private
  )
  update generations set call_id = call where id = the_generation and asked.drawn is null;
end;
$$;
--> statement-breakpoint
-- Begins a rollout of a version beside the one that is labelled production, audited. `refusal` is 'changed' where a label has
-- moved since `seen`, the last change that the caller looked at, and 'running' where the name has one already. What reaches
-- `production` and carries one of the `guarded` labels is not the caller's to change.
create or replace function begin_rollout(
  candidate integer, base integer, seen integer, the_share integer, the_unit text, the_universities integer[], limits jsonb,
  guarded text[], person integer, request jsonb
) returns table (refusal text, rollout prompt_rollouts) language plpgsql as $$
begin
  perform lock_prompts();
  perform refuse_move_below_guarded((select name from prompts where id = candidate), '{production}', guarded);
  if seen <> last_label_event() then
    refusal := 'changed';
    return next;
    return;
  end if;
  insert into prompt_rollouts as begun (prompt_name, candidate_id, candidate_version, base_id, base_version, share, unit,
    universities, stop, author_id, approved_by)
  select new.name, new.id, new.version, old.id, old.version, the_share, the_unit, the_universities, limits, new.created_by, person
  from prompts as new, prompts as old where new.id = candidate and old.id = base
  on conflict (prompt_name) where state = 'running' do nothing
  returning begun.* into rollout;
  if rollout.id is null then
    refusal := 'running';
  else
    perform audit('prompt.rollout_started', person, null, null, rollout_details(rollout), request);
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Begins the call of a case for whoever holds it: `call`, or why there is none. `reserve` are the most tokens and micros
-- that it may use; `most` the tokens of a university's month, null for no limit.
create or replace function begin_trial_call(
  the_case bigint, holder uuid, reserve bigint, micros bigint, most bigint, held_for interval,
  out call bigint, out refused_by text
) language plpgsql as $$
declare
  trial trials;
  held trial_cases;
  university integer;
begin
  select one.* into trial from trials as one join trial_cases on trial_cases.trial_id = one.id
  where trial_cases.id = the_case for no key update of one;
  select * into held from trial_cases
  where id = the_case and token = holder and state = 'running' and call_id is null for no key update;
  if not found then
    refused_by := 'lost';
    return;
  end if;
  select university_id into university from courses where id = trial.course_id;
  if trial.state <> 'running' then
    refused_by := 'stopped';
  elsif trial.spent_micros + trial.reserved_micros + trial.lost_micros + micros > trial.limit_micros then
    refused_by := 'limit';
  elsif not reserve_trial_tokens(university, reserve, most) then
    refused_by := 'budget';
  end if;
  if refused_by is not null then
    perform end_trial_case(the_case, holder, 'skipped', jsonb_build_object('reason', refused_by), null);
    return;
  end if;
  insert into llm_calls (university_id, course_id, content_item_id, model, reserved_tokens, purpose)
  values (university, trial.course_id, held.content_item_id,
          case held.stage when 'answer' then trial.model else trial.judge_model end, reserve, 'trial')
  returning id into call;
  update trial_cases set call_id = call, reserved_micros = micros, leased_until = clock_timestamp() + held_for
  where id = the_case;
  update trials set reserved_micros = trials.reserved_micros + micros where id = trial.id;
end $$;
--> statement-breakpoint
-- Asks for the answer to an open message of a session: `is_shared` for everyone on the path below `the_parent`, else
-- for the session alone. Answered is one of:
-- - `answer_id`: the tree had it by now, and the exchange is stored;
-- - `path_gone`: what the message followed was purged or replaced: there is no such path, and the session leaves the
--   tree, unless the message answers what it was asked; or the answer there waits for staff to approve it;
-- - `generation`: the answer in the making to follow. Whoever `is_maker` also has to make it, from `context` and
--   `exchanges`: the path from the root, or the session's answered history. The `call` of the LLM has begun with that;
-- - `refused_by`: it would have to make it, and the budgets (llm-calls.sql) are used up, for `retry_after` seconds.
-- `the_move` is what the message was taken as, where it is one; `has_key` and `carried` are those of `open_turn`.
-- No row: the session is not open with that message any more.
create or replace function claim_answer(
  the_session bigint, the_token uuid, is_shared boolean, the_parent bigint, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision, budget jsonb, uses_surroundings boolean default null,
  the_move text default null
) returns table (
  generation bigint, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb,
  has_key boolean, carried jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
  node cache_nodes;
  hash text := sha256_hex(the_message);
  key text;
  known bigint;
  alive_until timestamptz;
  limited_until timestamptz;
  stopping boolean := false;
  path bigint[];
  begun record;
begin
  if is_shared then
    -- Held, so that the path is neither purged nor replaced while the answer is claimed.
    path := lock_path_shared(the_parent);
    select * into session from chat_sessions where id = the_session and answering_token = the_token;
  else
    -- It is changed once below: what a transaction changes twice has its references checked, where the cursor stands
    -- among them, and no node is waited for from here on.
    select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
  end if;
  if session.id is null then return; end if;
  path_gone := false;
  is_maker := false;
  if uses_surroundings is null then
    select p.uses_surroundings into uses_surroundings
    from prompts as p where p.name = the_prompt and p.version = the_prompt_version;
  end if;
  key := answer_key(session.item_fingerprint, session.surroundings_fingerprint, session.content_fingerprint,
                    coalesce(uses_surroundings, true));

  if is_shared and the_parent is not null then
    if the_parent <> all (path) or (session.cache_node_id is distinct from the_parent and not exists (
      select from cache_nodes where id = session.cache_node_id and parent_id = the_parent
    )) then
      path_gone := true;
      update chat_sessions set cache_state = 'diverged'
      where id = the_session and the_move is null and not was_offered(the_session, the_message);
      return next;
      return;
    end if;
  end if;

  -- Whoever ends an answer between two of these looks is seen at the next. Who finds it being made draws no id. One is
  -- begun with the number of its call: a row that its own transaction changes again has all its references checked again.
  for look in 1..5 loop
    alive_until := clock_timestamp() + producer_lease();
    limited_until := clock_timestamp() + make_interval(secs => limit_seconds);
    if is_shared then
      with known as materialized (
        select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
        where made.content_item_id = session.content_item_id
          and coalesce(made.parent_id, 0) = coalesce(the_parent, 0) and made.message_hash = hash
          and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version and made.model = the_model
          and made.prompt_fingerprint = the_prompt_fingerprint
          and made.content_fingerprint = key
          and made.state = 'writing' and made.question_id is null
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      ), begun as (
        insert into generations as made (
          content_item_id, parent_id, message, message_hash, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, move, token, lease_until, maker_until,
          call_id)
        select
          session.content_item_id, the_parent, the_message, hash, the_prompt_fingerprint, key,
          the_prompt, the_prompt_version, the_model, the_move, maker, least(alive_until, limited_until), limited_until,
          nextval('llm_calls_id_seq')
        where not exists (select from known)
        on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                     prompt_fingerprint, content_fingerprint) where state = 'writing' and question_id is null
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      )
      select mine.id, mine.attempt into generation, attempt
      from (select * from taken_over union all select * from begun) as mine;
      is_maker := found;

      select * into node from cache_nodes as n
      where n.content_item_id = session.content_item_id
        and coalesce(n.parent_id, 0) = coalesce(the_parent, 0)
        and n.message_hash = hash and n.prompt_name = the_prompt and n.prompt_version = the_prompt_version
        and n.model = the_model and n.prompt_fingerprint = the_prompt_fingerprint
        and n.content_fingerprint = key
      for share;
      if not found and is_maker then
        known := known_answer(
          session.content_item_id, the_parent, the_message, hash, the_prompt, the_prompt_version, the_model,
          the_prompt_fingerprint, key, session.content_fingerprint, true);
        select * into node from cache_nodes where id = known;
      end if;
      if found then
        if is_maker then delete from generations where id = generation; end if;
        if does_node_wait(node.id) then
          path_gone := true;
          generation := null;
          is_maker := false;
          return next;
          return;
        end if;
        -- Someone else who listens in this session may have closed its turn meanwhile.
        select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
        if session.id is null then return; end if;
        meta := jsonb_build_object(
          'source', 'cache', 'model', the_model, 'prompt_name', the_prompt, 'prompt_version', the_prompt_version,
          'latency_ms', milliseconds_since(session.answering_since), 'cache_node_id', node.id);
        if the_move is not null then
          meta := meta || jsonb_build_object('move', the_move);
          carried := node.question;
        end if;
        select stored.id, stored.created_at into answer_id, answered_at
        from store_answer(session.id, session.answering_message_id, node.chunks, meta, true, node.id, true) as stored;
        chunks := node.chunks;
        has_key := node.question_key is not null;
        generation := null;
        is_maker := false;
        return next;
        return;
      end if;
      exit when is_maker;
      select made.id into generation from generations as made
      where made.content_item_id = session.content_item_id and coalesce(made.parent_id, 0) = coalesce(the_parent, 0)
        and made.message_hash = hash and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version
        and made.model = the_model and made.prompt_fingerprint = the_prompt_fingerprint
        and made.content_fingerprint = key
        and made.state = 'writing' and made.question_id is null
      for key share;
    else
      -- One that has ended already was not stored with its question yet, and is listened to.
      with known as materialized (
        select made.id, made.state = 'complete' as has_ended,
               made.state = 'writing' and made.lease_until < clock_timestamp() as has_lapsed
        from generations as made
        where made.question_id = session.answering_message_id and made.state in ('writing', 'complete')
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
          and not exists (select from known where has_ended)
        returning made.id, made.attempt, made.stop_requested
      ), begun as (
        insert into generations as made (
          content_item_id, session_id, question_id, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, move, token, lease_until, maker_until,
          call_id)
        select
          session.content_item_id, session.id, session.answering_message_id, the_prompt_fingerprint, key, the_prompt,
          the_prompt_version, the_model, the_move, maker,
          least(alive_until, limited_until), limited_until,
          nextval('llm_calls_id_seq')
        where not exists (select from known)
        on conflict (question_id) where state = 'writing'
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      )
      select mine.id, mine.attempt, mine.stop_requested into generation, attempt, stopping
      from (
        select * from taken_over union all select * from begun
        union all select id, null, null from known where has_ended
      ) as mine;
      is_maker := attempt is not null;
      exit when found;
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'writing';
    end if;
    exit when found;
  end loop;
  if generation is null then return; end if;
  if is_shared or not is_maker then
    update chat_sessions set answering_generation_id = generation
    where id = the_session and answering_token = the_token;
  end if;

  if stopping then
    -- Its maker died after the learner had stopped it: what it had said is the answer.
    update llm_calls set outcome = 'lost', ended_at = service_clock()
    where id = (select call_id from generations where id = generation) and outcome = 'started';
    perform finish_generation(generation, maker, coalesce((
      select jsonb_agg(chunk order by piece.first_chunk, number)
      from generation_pieces as piece, jsonb_array_elements(piece.chunks) with ordinality as part (chunk, number)
      where piece.generation_id = generation), '[]'), null, null, 'stopped', null, null);
    is_maker := false;
  elsif is_maker then
    if attempt > 1 then delete from generation_pieces where generation_id = generation; end if;
    context := case when session.content_context ? 'file_texts'
                    then with_file_texts(session.content_context, (budget ->> 'material')::integer)
                    else session.content_context end;
    exchanges := case when is_shared then shared_path(path)
                      else answered_history(session.id, session.answering_message_id) end;
    begun := begin_call(generation, the_session, session.answering_message_id, the_model,
      budget || jsonb_build_object('reserve',
        (budget ->> 'reserve')::bigint + most_tokens(context, exchanges, (budget ->> 'material')::int)
        + coalesce(octet_length(session.tutor_context::text), 0) / 3));
    call := begun.call;
    refused_by := begun.refused_by;
    retry_after := begun.retry_after;
    if session.tutor_context is not null then
      context := context::jsonb || jsonb_build_object('tutor', session.tutor_context);
    end if;
    if refused_by is not null then
      -- It is nobody's then: whoever wants it too makes it, on a budget of their own.
      if attempt = 1 then
        delete from generations where id = generation;
      else
        update generations set lease_until = clock_timestamp() - interval '1 millisecond' where id = generation;
      end if;
      update chat_sessions set answering_generation_id = null where id = the_session and answering_token = the_token;
      generation := null;
      is_maker := false;
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- Closes turns with an answer that has ended, those of a class that waited for it together. Whoever asks again, also
-- because nobody knows whether the first time came through, gets what is stored. No row: a turn is not the asker's any
-- more, or the answer is gone.
create or replace function close_turns(
  the_generation bigint, the_sessions bigint[], the_tokens uuid[], the_questions bigint[]
) returns table (
  question bigint, id bigint, created_at timestamptz, content text, meta jsonb, has_key boolean, carried jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  made generations;
  standing bigint;
  waits boolean;
begin
  perform from cache_nodes where id = (select node_id from generations where id = the_generation) for share;
  perform from chat_sessions where id = any (the_sessions) order by id for update;
  select * into made from generations as g where g.id = the_generation and g.state = 'complete';
  if found then
    -- What waits for staff to approve it is an answer of their own to those who heard it in the making.
    select n.id, does_node_wait(n.id) into standing, waits
    from cache_nodes as n where n.id = made.node_id and n.chunks = made.chunks;
    if waits then standing := null; end if;
    perform tell_turns(
      made, standing, made.question_id is null and waits is not true, the_sessions, the_tokens, the_questions);
  end if;
  return query
    select m.in_reply_to_id, m.id, m.created_at, m.content, m.meta,
           m.question_key is not null
           or exists (select from cache_nodes as n where n.id = m.cache_node_id and n.question_key is not null),
           case when m.meta ? 'move' then m.question end
    from chat_messages as m where m.in_reply_to_id = any (the_questions) order by m.session_id;
end;
$$;
--> statement-breakpoint
-- Corrects what a university says of one of its people, for its staff: `wanted` may have the keys is_active, external_id,
-- given_name, family_name, and source with null, which lets imports name them again. Answers how the university has them
-- then, or that the id is another's, and nothing was done; no row for who is none of its people. It is the university's
-- alone: the account stays as it is.
create or replace function correct_member(
  university integer, person integer, wanted jsonb, actor integer, request jsonb
) returns table (is_taken boolean, member university_members, external_id text) language plpgsql as $$
#variable_conflict use_column
declare
  corrected text[] := array(
    select key from jsonb_object_keys(wanted) as key where key <> 'is_active' order by key);
begin
  if not exists (select from known_at(person) as known where known.university_id = university) then return; end if;
  is_taken := wanted ? 'external_id' and not give_external_id(university, person, wanted ->> 'external_id');
  if is_taken then
    return next;
    return;
  end if;
  if wanted ?| array['given_name', 'family_name', 'source'] then
    update university_members as one set
      given_name = case when wanted ? 'given_name' then wanted ->> 'given_name' else one.given_name end,
      family_name = case when wanted ? 'family_name' then wanted ->> 'family_name' else one.family_name end,
      source = case when not wanted ? 'source' then 'staff' end
    where one.university_id = university and one.user_id = person;
  end if;
  if corrected <> '{}' then
    perform audit('member.corrected', actor, person, university, jsonb_build_object('fields', corrected), request);
  end if;
  if wanted ? 'is_active' then
    perform set_member_active(university, person, (wanted ->> 'is_active')::boolean, actor, request);
  end if;
  select one.* into member from university_members as one where one.university_id = university and one.user_id = person;
  external_id := (
    select known.sourced_id from sourced_people as known
    where known.university_id = university and known.user_id = person order by known.id desc limit 1);
  return next;
end $$;
--> statement-breakpoint
-- Deletes what is a person's own but their conversations, and empties what stays for its figures.
create or replace function delete_belongings(person integer) returns void language plpgsql as $$
begin
  perform erase_files(person, service_now());
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
  delete from trial_votes where user_id = person;
  delete from discussion_reports where user_id = person;
  delete from feature_requests where user_id = person;
  delete from notes where user_id = person;
  delete from flashcards where user_id = person;
  delete from flashcard_decks where user_id = person;
end $$;
--> statement-breakpoint
-- Deletes a version of a name, or all of them where `number` is null; the name goes with its last version. Refused
-- while a rollout has it as one of its two versions, and while another prompt depends on what would go: the version, or a label that no version would carry any more.
-- `latest` goes to the newest version that remains, unless that breaks what follows it. False when there is nothing to
-- delete.
create or replace function delete_prompt_versions(
  named text, number integer, person integer, deepest integer, longest integer
) returns boolean language plpgsql as $$
declare
  doomed integer[];
  heir integer;
  lost text[];
  dependents text;
  checked integer[];
begin
  perform lock_prompts();
  doomed := array(
    select id from prompts where name = named and (number is null or version = number));
  if doomed = '{}' then return false; end if;
  if exists (select from prompt_rollouts as running where running.prompt_name = named and running.state = 'running'
             and (running.base_id = any (doomed) or running.candidate_id = any (doomed))) then
    perform refuse_prompt_change('prompt_rollouts_running');
  end if;
  select id into heir from prompts where name = named and id <> all (doomed)
  order by version desc limit 1;
  lost := array(
    select label from prompt_labels
    where prompt_id = any (doomed) and (label <> 'latest' or heir is null));
  select string_agg(name || ' (version ' || version || ')', ', ' order by name, version) into dependents
  from prompts where id in (
    select prompt_id from prompt_dependencies
    where child_name = named
      and (heir is null or child_version = number or child_label = any (lost)));
  if dependents is not null then perform refuse_prompt_change('prompt_dependents', dependents); end if;
  perform put_prompt_labels(named, lost, null, person);
  if heir is null then
    delete from prompt_names where name = named;
  else
    checked := resolvable_prompts_reaching(named, '{latest}', deepest, longest);
    perform put_prompt_labels(named, '{latest}', heir, person);
    delete from prompts where id = any (doomed);
    update prompt_names set version = version + 1 where name = named;
    perform refuse_broken_prompts(checked, deepest, longest);
  end if;
  return true;
end $$;
--> statement-breakpoint
-- Ends a call with what it used, as a JSON object: `input`, `output`, `cache_read`, `cache_write` in tokens, `cost`
-- in micros, and `first_word` in milliseconds. Asked again it changes nothing; one that was taken for lost, and has given back what it reserved, tells its
-- end after all.
create or replace function end_call(the_call bigint, how text, used jsonb) returns void language sql as $$
  with before as materialized (
    select id, case outcome when 'started' then reserved_tokens else 0 end as reserved_tokens
    from llm_calls
    where id = the_call and used is not null and (
      outcome = 'started'
      or outcome = 'lost' and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0
    ) for update
  ), ended as (
    update llm_calls as call
    set ended_at = service_clock(), outcome = how,
        input_tokens = coalesce((used ->> 'input')::int, 0), output_tokens = coalesce((used ->> 'output')::int, 0),
        cache_read_tokens = coalesce((used ->> 'cache_read')::int, 0),
        cache_write_tokens = coalesce((used ->> 'cache_write')::int, 0),
        cost_micros = (used ->> 'cost')::bigint, first_word_ms = (used ->> 'first_word')::int
    from before where call.id = before.id
    returning call.university_id, date_trunc('month', call.started_at at time zone 'UTC')::date as month, call.purpose,
              call.input_tokens + call.output_tokens + call.cache_read_tokens + call.cache_write_tokens
                - before.reserved_tokens as tokens
  )
  update tutor_months as used
  set tokens = used.tokens + case ended.purpose when 'trial' then 0 else ended.tokens end,
      trial_tokens = used.trial_tokens + case ended.purpose when 'trial' then ended.tokens else 0 end
  from ended where used.university_id = ended.university_id and used.month = ended.month
$$;
--> statement-breakpoint
-- Ends a running rollout, audited: `how` is its state from now on. Of those who do it at once the first one does. No row: it
-- has ended.
create or replace function end_rollout(the_rollout integer, how text, why text, person integer, request jsonb)
returns setof prompt_rollouts language plpgsql as $$
declare
  ended prompt_rollouts;
begin
  update prompt_rollouts set state = how, stop_reason = why, ended_by = person, ended_at = service_clock(),
                             warmed_to = case how when 'promoted' then 0 end
  where id = the_rollout and state = 'running' returning * into ended;
  if not found then return; end if;
  perform audit('prompt.rollout_' || how, person, null, null, rollout_details(ended), request);
  return next ended;
end $$;
--> statement-breakpoint
-- Ends what someone was asking for a case, once: `told` has what is to be kept of it by the names of its columns, `used`
-- what its call used (as in `end_call`), null where there was none. As `waiting` it is asked again in so many seconds
-- (`retry_in`), or asked what comes next (`next_stage`). Once there is an answer it stands, whatever comes of judging it.
-- With its last case a running trial is finished. False: it is someone else's by now, or has ended.
create or replace function end_trial_case(the_case bigint, holder uuid, how text, told jsonb, used jsonb) returns boolean
language plpgsql as $$
declare
  held trial_cases;
  judging boolean;
begin
  perform from trials where id = (select trial_id from trial_cases where id = the_case) for no key update;
  select * into held from trial_cases where id = the_case and token = holder and state = 'running' for no key update;
  if not found then return false; end if;
  judging := held.stage <> 'answer';
  if held.call_id is not null then
    perform end_call(held.call_id, coalesce(told ->> 'outcome', 'complete'), used);
  end if;
  update trials set reserved_micros = reserved_micros - held.reserved_micros,
                    spent_micros = spent_micros + coalesce((used ->> 'cost')::bigint, 0)
  where id = held.trial_id;
  update trial_cases set
    state = case when judging and how <> 'waiting' then 'answered' else how end,
    reason = case when not judging then told ->> 'reason' end,
    unjudged_reason = coalesce(told ->> 'unjudged_reason', case when judging then told ->> 'reason' end),
    stage = coalesce(told ->> 'next_stage', stage), tries = case when told ? 'next_stage' then 0 else tries end,
    token = null, call_id = case when how = 'waiting' then null else call_id end, reserved_micros = 0,
    leased_until = clock_timestamp() + make_interval(secs => (told ->> 'retry_in')::float8),
    message = coalesce(told ->> 'message', message), exchanges = coalesce(told -> 'exchanges', exchanges),
    prompt_fingerprint = coalesce(told ->> 'prompt_fingerprint', prompt_fingerprint),
    answer = coalesce(told ->> 'answer', answer),
    question = case when told ? 'answer' then nullif(told -> 'question', 'null') else question end,
    key = case when told ? 'answer' then nullif(told -> 'key', 'null') else key end,
    stop = case when told ? 'answer' then told ->> 'stop' else stop end,
    checks = coalesce(nullif(told -> 'checks', 'null'), checks),
    recorded_checks = coalesce(nullif(told -> 'recorded_checks', 'null'), recorded_checks),
    judged = coalesce(nullif(told -> 'judged', 'null'), judged), verdict = coalesce(told ->> 'verdict', verdict)
  where id = the_case;
  if used is not null and judging then
    update trial_cases set judge_micros = coalesce(judge_micros, 0) + (used ->> 'cost')::bigint where id = the_case;
  elsif used is not null then
    update trial_cases set
      input_tokens = coalesce(input_tokens, 0)
        + (used ->> 'input')::int + (used ->> 'cache_read')::int + (used ->> 'cache_write')::int,
      output_tokens = coalesce(output_tokens, 0) + (used ->> 'output')::int,
      cost_micros = coalesce(cost_micros, 0) + (used ->> 'cost')::bigint
    where id = the_case;
  end if;
  update trials set state = 'finished', ended_at = service_clock()
  where id = held.trial_id and state = 'running' and not exists (
    select from trial_cases where trial_id = held.trial_id and state in ('waiting', 'running'));
  return true;
end $$;
--> statement-breakpoint
-- The exams that do. A query that asks for them has this in its own plan.
create or replace function exams_that_silence(person integer, course integer, moment timestamptz)
returns table (content_item_id integer) language sql stable as $$
  select one.content_item_id
  from quiz_attempts as one
  join content_items as exam on exam.id = one.content_item_id
  where one.user_id = person and one.is_exam and one.submitted_at is null and not is_over(one, moment)
    and (exam.course_id = course or exam.data_json ->> 'tutor_scope' = 'university'
      and exam.university_id = (select university_id from courses where id = course))
$$;
--> statement-breakpoint
-- The same, where what is asked has a vector of that model, fused by rank with what its meaning is nearest to: reciprocal
-- rank fusion (Cormack, Clarke and Buettcher 2009, with k = 60). Without a vector the order is that of the words.
create or replace function find_passages(the_course integer, words text, the_model text, asked real[], most integer)
returns table (id bigint, content_item_id integer, score float8) rows 100 language sql stable as $$
  select id, content_item_id, sum(float8 '1' / (60 + rank)) as score
  from (
    select id, content_item_id, row_number() over (order by score desc, id) as rank
    from rank_passages(the_course, words, 100)
    union all
    select id, content_item_id, row_number() over (order by distance, id)
    from rank_by_meaning(the_course, the_model, asked, 100)
  ) as found
  group by id, content_item_id order by score desc, id limit most
$$;
--> statement-breakpoint
-- Ends an answer whole, or as far as it came where `the_stop` says why. An answer for a class that came to its end
-- becomes a node: the first write wins, and is then the answer. A private answer is stored with its question.
-- Asked again with the same token it answers the same. No row: the lease is lost, and nothing was written but the end
-- of the call, whose cost is `used`; of an answer of several calls `answer_input` and `answer_output` in it are all of them.
create or replace function finish_generation(
  the_generation bigint, maker uuid, the_chunks jsonb, the_question jsonb, the_choices jsonb, the_stop text,
  the_call bigint, used jsonb, the_key jsonb default null
) returns table (
  chunks jsonb, answer_id bigint, answered_at timestamptz, meta jsonb, has_key boolean, carried jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  made generations;
  tokens_in integer := nullif(coalesce(
    (used ->> 'answer_input')::int,
    coalesce((used ->> 'input')::int, 0) + coalesce((used ->> 'cache_read')::int, 0)
    + coalesce((used ->> 'cache_write')::int, 0)), 0);
  tokens_out integer := nullif(coalesce((used ->> 'answer_output')::int, (used ->> 'output')::int), 0);
  pin answer_pins;
  session record;
  told chat_messages;
begin
  select s.id, s.answering_token, s.answering_message_id into session
  from generations as g join chat_sessions as s on s.id = g.session_id where g.id = the_generation for update of s;
  -- An answer for a class, which has no session, and may have a node before it.
  if not found then
    perform from cache_nodes where id = (select parent_id from generations where id = the_generation) for key share;
  end if;
  select * into made from generations where id = the_generation and token = maker and state <> 'failed' for update;
  if not found then
    perform end_call(the_call, 'lost', used);
    return;
  end if;

  if made.state = 'writing' then
    made.chunks := the_chunks;
    made.question := the_question;
    made.question_key := the_key;
    if made.move is not null then
      select asked.question, asked.question_key into made.question, made.question_key from carried_question(made) as asked;
    end if;
    if made.question_id is null and the_stop is null then
      -- What staff pinned there while it was made is the answer.
      perform lock_pins_shared(made.content_item_id);
      select * into pin from pin_below(made.content_item_id, made.parent_id, made.message);
      insert into cache_nodes as node (
        content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
        content_fingerprint, chunks, question, choices, question_key, input_tokens, output_tokens, edited_by, edited_at,
        is_waiting, warmed)
      values (
        made.content_item_id, made.parent_id, made.message, made.message_hash, made.prompt_name, made.prompt_version,
        made.model, made.prompt_fingerprint, made.content_fingerprint,
        case when pin.id is null then the_chunks else jsonb_build_array(pin.answer) end,
        case when pin.id is null then the_question else pin.question end,
        case when pin.id is null then the_choices else pin.choices end,
        case when pin.id is null then the_key else pin.question_key end,
        tokens_in, tokens_out, pin.pinned_by, pin.pinned_at,
        pin.id is null and is_tutor_reviewed(made.content_item_id),
        exists (select from llm_calls where id = the_call and purpose = 'warm'))
      on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                   prompt_fingerprint, content_fingerprint)
      do update set last_used_at = node.last_used_at
      returning node.id, node.chunks, node.question into made.node_id, made.chunks, made.question;
    end if;
    with dropped as (delete from generation_pieces where generation_id = the_generation)
    update generations as ended set
      state = 'complete', chunks = made.chunks, question = made.question, question_key = made.question_key,
      choices = case when made.question_key is not null then the_choices end,
      stop = the_stop, node_id = made.node_id,
      input_tokens = tokens_in, output_tokens = tokens_out
    where id = the_generation
    returning ended.* into made;
    if session.answering_message_id = made.question_id then
      select * into told from tell_turns(
        made, null, false, array[session.id], array[session.answering_token], array[made.question_id]);
    end if;
    -- As many as end, in fewer statements.
    if the_generation % 10 = 0 then perform drop_ended_generations(20); end if;
  end if;

  chunks := made.chunks;
  if told.id is not null then
    answer_id := told.id;
    answered_at := told.created_at;
    meta := told.meta;
    has_key := told.question_key is not null;
    if meta ? 'move' then carried := told.question; end if;
  elsif made.question_id is not null then
    select closed.id, closed.created_at, closed.meta, closed.has_key, closed.carried
    into answer_id, answered_at, meta, has_key, carried
    from chat_sessions as s
    cross join lateral close_turns(
      made.id, array[s.id], array[s.answering_token], array[made.question_id]) as closed
    where s.id = made.session_id and s.answering_message_id = made.question_id;
  end if;
  perform end_call(the_call, case the_stop when 'malformed' then 'complete' else coalesce(the_stop, 'complete') end, used);
  return next;
end;
$$;
--> statement-breakpoint
-- Has a university know a person by an id, from then on before all others that it knows them by: null takes them all.
-- False where it is another person's.
create or replace function give_external_id(university integer, person integer, wanted text) returns boolean
language plpgsql as $$
begin
  delete from sourced_people as known
  where known.university_id = university and known.user_id = person and (wanted is null or known.sourced_id = wanted);
  if wanted is null then return true; end if;
  insert into sourced_people (university_id, sourced_id, user_id) values (university, wanted, person)
  on conflict do nothing;
  return found;
end $$;
--> statement-breakpoint
create or replace function has_vectors() returns boolean language sql stable as $$
  select to_regtype('vector') is not null
$$;
--> statement-breakpoint
-- Whether a course's passages are offered as what helps perhaps: fewer than 60 % of its questions find a right one among
-- five, or there are fewer than 20, which tell too little.
create or replace function helps_perhaps(the_course integer) returns boolean language sql stable as $$
  select not exists (
    select from passage_measures where course_id = the_course and asked >= 20 and found >= 0.6 * asked)
$$;
--> statement-breakpoint
-- People are made, or found; found ones get the source's id, and the role of a student where they have nothing in the
-- university, and people of elsewhere are offered that role. What the university calls them is written beside, unless its
-- staff have corrected that. The name of the account changes only as `may_rename` says, and its address, by which they sign
-- in, never. Two rows of one file never name the same person.
create or replace function import_people(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  made integer[];
  changed integer[];
  gone record;
  has_left boolean;
  leaving integer[];
  touched integer[];
  offered jsonb;
begin
  leaving := array(select one.person from import_batch(import, batch) as one where one.is_deletion);
  perform lock_offerings(array(
    select course_offering_id from enrollments
    where user_id = any (leaving) and university_id = import.university_id
      and status in ('active', 'pending', 'waitlisted')));
  with fresh as (
    insert into users (email, full_name, made_by_university_id)
    select one.email, one.details ->> 'full_name', import.university_id from import_batch(import, batch) as one
    where one.person is null and not one.is_deletion order by one.email
    on conflict (email) do nothing returning users.id
  )
  select coalesce(array_agg(id), '{}') into made from fresh;
  offered := (
    select jsonb_object_agg(made_offer.row_id, made_offer.refusal) from (
      select one.row_id, coalesce(offer_by_import(
        import, one.address, given.sourced_id, 'student', null, null, false, request), '') as refusal
      from import_addressees(import, batch) as one join import_rows as given on given.id = one.row_id
      order by one.address, one.row_id) as made_offer);
  -- In one order, since whoever becomes a member is locked for it, and so is whoever is renamed.
  touched := array(
    select one.person from import_batch(import, batch) as one
    where not one.is_deletion and (
      not exists (
        select from university_members as member
        where member.university_id = import.university_id and member.user_id = one.person)
      or one.details ->> 'full_name' <> (select full_name from users where id = one.person)
        and may_rename(import.university_id, one.person)));
  perform from users where id = any (touched) order by id for no key update;
  with welcomed as (
    insert into user_university_roles (user_id, university_id, role)
    select one.person, import.university_id, 'student' from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and not is_named_otherwise(import.university_id, one.person, 'import', one.details)
      and not exists (select from known_at(one.person) as known where known.university_id = import.university_id)
    on conflict do nothing returning user_university_roles.user_id
  )
  select coalesce(array_agg(user_id), '{}') into changed from welcomed;
  -- After that, since whoever belonged nowhere belongs here alone now: the same file would find it so.
  with listed as materialized (
    select one.* from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and not is_named_otherwise(import.university_id, one.person, 'import', one.details)
  ), named as (
    update university_members as member set given_name = listed.details ->> 'given_name',
      family_name = listed.details ->> 'family_name', source = 'import'
    from listed
    where member.university_id = import.university_id and member.user_id = listed.person
      and num_nonnulls(listed.details ->> 'given_name', listed.details ->> 'family_name') > 0
      and coalesce(member.source, 'import') = 'import'
      and (member.given_name, member.family_name, member.source) is distinct from (
        listed.details ->> 'given_name', listed.details ->> 'family_name', 'import')
    returning member.user_id
  ), misnamed as materialized (
    select listed.person, listed.details ->> 'full_name' as name from listed join users on users.id = listed.person
    where users.full_name <> listed.details ->> 'full_name'
  ), renamed as (
    update users set full_name = misnamed.name, updated_at = service_now() from misnamed
    where users.id = misnamed.person and may_rename(import.university_id, misnamed.person)
    returning users.id
  ), sourced as (
    insert into sourced_people (university_id, sourced_id, user_id)
    select import.university_id, listed.sourced_id, listed.person from listed
    where listed.sourced_id is not null and not exists (
      select from sourced_people as known
      where known.university_id = import.university_id and known.sourced_id = listed.sourced_id)
    on conflict do nothing returning sourced_people.user_id
  )
  select changed || array(select id from renamed union select user_id from sourced union select user_id from named)
  into changed;
  return query
  select one.row_id,
    case when one.has_other_address or offered ->> one.row_id::text <> '' or judged.is_named then 'refused'
         when offered ? one.row_id::text then 'offered' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'The person with this sourced_id has another e-mail address, which only they can change'
         when judged.is_named then 'Staff have corrected the name of this person, and it changes once they release it'
         else nullif(offered ->> one.row_id::text, '') end,
    one.person
  from import_batch(import, batch) as one
  cross join lateral (
    select is_named_otherwise(import.university_id, one.person, 'import', one.details) as is_named) as judged
  where not one.is_deletion;
  for gone in select one.* from import_batch(import, batch) as one where one.is_deletion order by one.row_id loop
    row_id := gone.row_id;
    person := gone.person;
    outcome := 'refused';
    reason := null;
    if person is null then
      update invitations as one set revoked_at = sent_at(request)
      where one.university_id = import.university_id and one.source = 'import'
        and (one.email = gone.email or one.sourced_id = gone.sourced_id)
        and one.accepted_at is null and one.revoked_at is null;
      outcome := case when found then 'updated' else 'unchanged' end;
    elsif person = import.created_by_user_id then
      reason := 'Nobody removes themselves';
    else
      has_left := import_leaving(import, person, request);
      if has_left is null then
        reason := 'They hold a role that you may not revoke';
      else
        outcome := case when has_left then 'updated' else 'unchanged' end;
      end if;
    end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- Whether a university may not be told what one of its people is called by this source, since another one said it last,
-- and says otherwise.
create or replace function is_named_otherwise(university integer, person integer, the_source text, names jsonb)
returns boolean language sql stable as $$
  select exists (
    select from university_members as member
    where member.university_id = university and member.user_id = person and member.source <> the_source
      and num_nonnulls(names ->> 'given_name', names ->> 'family_name') > 0
      and (member.given_name, member.family_name) is distinct from (names ->> 'given_name', names ->> 'family_name'))
$$;
--> statement-breakpoint
-- Whether the tutor of a course says nothing to a person: while they have an exam of the course open, and while they have
-- one open whose `tutor_scope` is the whole university.
create or replace function is_tutor_silenced(person integer, course integer, moment timestamptz) returns boolean
language sql stable as $$
  select exists (select from exams_that_silence(person, course, moment))
$$;
--> statement-breakpoint
-- Issues a certificate to someone who has completed an offering by more than their own word. No row: they have not, one
-- stands, or it would have expired by then. `given` may have the keys printed_name, expires_at and metadata_json.
create or replace function issue_certificate(person integer, offering integer, moment timestamptz, given jsonb)
returns setof certificates language sql as $$
  insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name,
    completed_at, issued_at, expires_at, metadata_json)
  select person, offering, certificate_code(), coalesce(given ->> 'printed_name', name_there(member), users.full_name), courses.title,
         universities.name, taken.completed_at, moment, expiry.expires_at, nullif(given -> 'metadata_json', 'null')
  from enrollments as taken
  cross join certificate_expiry(offering, moment, given) as expiry (expires_at)
  join users on users.id = taken.user_id
  join course_offerings as run on run.id = taken.course_offering_id
  join courses on courses.id = run.course_id
  join universities on universities.id = run.university_id
  left join university_members as member on member.university_id = run.university_id and member.user_id = person
  where taken.user_id = person and taken.course_offering_id = offering
    and taken.status = 'completed' and taken.completion_source <> 'self' and users.erased_at is null
    and not coalesce(expiry.expires_at <= moment, false)
  on conflict (user_id, course_offering_id) where replaced_at is null do nothing
  returning *
$$;
--> statement-breakpoint
-- Keeps vectors, `[{"id", "vector"}]`, of passages that are still there, and up to which all were looked at.
create or replace function keep_passage_vectors(the_model text, moment timestamptz, up_to bigint, vectors jsonb)
returns void language plpgsql as $$
begin
  insert into passage_vectors (passage_id, model, vector)
  select passage.id, the_model, one.vector
  from (select id from passages where id in (select (told ->> 'id')::bigint from jsonb_array_elements(vectors) as told)
        order by id for key share) as passage
  join jsonb_to_recordset(vectors) as one (id bigint, vector real[]) on one.id = passage.id
  on conflict (passage_id) do update set model = excluded.model, vector = excluded.vector;
  insert into passage_vector_sweeps as sweep (model, done_to, begun_at) values (the_model, up_to, moment)
  on conflict (model) do update set done_to = excluded.done_to,
    begun_at = case when sweep.begun_at > moment - interval '1 day' then sweep.begun_at else excluded.begun_at end;
end $$;
--> statement-breakpoint
-- The last change of where a label stands, whichever it was: a text with its references inlined is the same until the next.
create or replace function last_label_event() returns integer language sql stable as $$
  select coalesce(max(id), 0) from prompt_label_events
$$;
--> statement-breakpoint
-- Takes a person's name off what they did as staff.
create or replace function leave_office(person integer) returns void language plpgsql as $$
begin
  update announcements set created_by_user_id = null where created_by_user_id = person;
  update answer_pins set pinned_by = null where pinned_by = person;
  update cache_nodes set edited_by = null where edited_by = person;
  update course_exemptions set granted_by_user_id = null where granted_by_user_id = person;
  update grade_changes set changed_by_user_id = null where changed_by_user_id = person;
  update imports set created_by_user_id = null where created_by_user_id = person;
  update invitations set invited_by_user_id = null where invited_by_user_id = person;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null where claimed_by_user_id = person;
  update lab_submissions set graded_by_user_id = null where graded_by_user_id = person;
  update prompts set created_by = null where created_by = person;
  update trials set created_by = null where created_by = person;
  update prompt_rollouts set author_id = null where author_id = person;
  update prompt_rollouts set approved_by = null where approved_by = person;
  update prompt_rollouts set ended_by = null where ended_by = person;
  update tree_changes set changed_by = null where changed_by = person;
  update tree_changes set undone_by = null where undone_by = person;
  update tutor_notes set updated_by = null where updated_by = person;
  update prompt_label_events set changed_by = null where changed_by = person;
  update stored_credentials set updated_by = null where updated_by = person;
end $$;
--> statement-breakpoint
-- Looks at courses that nobody has looked at for a day, at most `most`, and begins to measure those that tell or ask
-- something else than when they were measured, with another model, or were a month ago. Answers whether there may be more.
create or replace function look_at_measures(moment timestamptz, most integer, the_model text default null) returns boolean
language plpgsql as $$
declare
  looked integer;
begin
  insert into passage_measures (course_id, looked_at)
  select id, to_timestamp(0) from courses
  where not exists (select from passage_measures where course_id = courses.id) order by id limit most
  on conflict do nothing;
  with next as materialized (
    select course_id from passage_measures where looked_at < moment - interval '1 day'
    order by looked_at, course_id limit most for no key update skip locked
  ), current as materialized (
    select course_id, measured_by(course_id) || coalesce(' ' || the_model, '') as hangs_on from next
  )
  update passage_measures as mine set
    looked_at = moment, hangs_on = current.hangs_on,
    (last_question_id, asked_so_far, found_so_far) = (
      select case when is_due then 0 else mine.last_question_id end,
             case when is_due then 0 else mine.asked_so_far end,
             case when is_due then 0 else mine.found_so_far end
      from (select mine.hangs_on is distinct from current.hangs_on
                   or coalesce(mine.measured_at < moment - interval '30 days', false) as is_due) as one)
  from current where mine.course_id = current.course_id;
  get diagnostics looked = row_count;
  return looked = most;
end $$;
--> statement-breakpoint
-- Measures a course that waits for it, by at most `most` of its questions, and by what they mean to a model where `meanings`
-- has their vectors by their ids. Answers whether there may be more to do. What was measured before holds until all of them
-- are through.
create or replace function measure_passages(
  moment timestamptz, most integer, the_model text default null, meanings jsonb default '{}'
) returns boolean language plpgsql as $$
declare
  mine passage_measures;
  step record;
begin
  select * into mine from passage_measures where last_question_id is not null
  order by looked_at, course_id limit 1 for no key update skip locked;
  if not found then return false; end if;
  select count(*) as asked, max(next.id) as last, count(*) filter (where exists (
      select from find_passages(mine.course_id, next.question_text, the_model,
        translate(meanings ->> next.id::text, '[]', '{}')::real[], 5) as hit
      join content_items as item on item.id = hit.content_item_id where item.module_id = any (next.modules))) as found
  into step from (
    select * from asked_in_course(mine.course_id) where id > mine.last_question_id order by id limit most
  ) as next;
  mine.asked_so_far := mine.asked_so_far + step.asked;
  mine.found_so_far := mine.found_so_far + step.found;
  if step.asked = most then
    update passage_measures
    set last_question_id = step.last, asked_so_far = mine.asked_so_far, found_so_far = mine.found_so_far
    where course_id = mine.course_id;
  else
    update passage_measures
    set last_question_id = null, asked_so_far = 0, found_so_far = 0,
        asked = mine.asked_so_far, found = mine.found_so_far, measured_at = moment
    where course_id = mine.course_id;
  end if;
  return true;
end $$;
--> statement-breakpoint
-- What a course's measure hangs on: its passages and where they stand, and its questions and where they are asked.
create or replace function measured_by(the_course integer) returns text language sql stable as $$
  select md5(concat_ws('; ',
    (select string_agg(concat_ws(' ', item.id, item.module_id, told.newest), ', ' order by item.id)
     from content_items as item cross join lateral (
       select max(passage.id) as newest from passages as passage where passage.content_item_id = item.id) as told
     where item.course_id = the_course and item.is_active and told.newest is not null),
    (select string_agg(concat_ws(' ', asked.id, asked.version, asked.modules), ', ' order by asked.id)
     from asked_in_course(the_course) as asked)))
$$;
--> statement-breakpoint
-- Whether a unit of a rollout meets the candidate, of which a hash of both decides: the same in every process, at any time.
create or replace function meets_candidate(the_rollout integer, unit text, share integer) returns boolean
language sql immutable as $$
  select ('x' || left(sha256_hex(the_rollout || ' ' || unit), 8))::bit(32)::bigint % 100 < share
$$;
--> statement-breakpoint
-- Why a person may not work with what is in a module at that moment: 'hidden', 'enrollment required', 'not available
-- yet'. Null when they may, as staff of the course always do, unless it is asked what stands before a learner. The person
-- is null for whoever is not signed in. An item may be inactive, or available later than its module.
create or replace function module_access(
  the_module integer, person integer, moment timestamptz, is_active boolean default true,
  item_available_from timestamptz default null, as_learner boolean default false
) returns text language plpgsql stable as $$
declare
  step record;
  above integer := the_module;
  required integer[] := '{}';
  starts timestamptz := item_available_from;
  is_shown boolean := is_active;
begin
  if the_module is null then return null; end if;
  -- A step at a time: most modules are below none, and a recursive query costs more to begin than this does to do.
  while above is not null loop
    select m.parent_module_id, m.is_published, m.available_from, m.requires_module_ids,
           c.id as course_id, c.access, c.is_published as is_course_published
    into step from modules as m join courses as c on c.id = m.course_id where m.id = above;
    above := step.parent_module_id;
    is_shown := is_shown and step.is_published;
    starts := greatest(starts, step.available_from);
    required := required || step.requires_module_ids;
  end loop;
  is_shown := is_shown and step.is_course_published;
  return case
    -- Most is there for everyone, and nothing else is looked at.
    when is_shown and lock_reason(step.access <> 'open', starts, required, required, moment) is null then null
    when not as_learner and is_staff_of_course(person, step.course_id) then null
    when not is_shown then 'hidden'
    else case lock_reason(step.access <> 'open' and not has_seat(person, step.course_id), starts, required,
        unmet_modules(person, step.course_id, required), moment)
      when 'enrollment_required' then 'enrollment required'
      when 'not_available_yet' then 'not available yet'
      when 'modules_incomplete' then 'not available yet' end
  end;
end $$;
--> statement-breakpoint
-- How many there are of a measure, their mean and their variance.
create or replace function moments_of(measured numeric[]) returns json language sql immutable as $$
  select json_build_object('count', count(one), 'mean', coalesce(avg(one), 0)::float8,
                           'variance', coalesce(var_samp(one), 0)::float8)
  from unnest(measured) as one
$$;
--> statement-breakpoint
-- As many tokens as what an answer is made from may have, taken high: three bytes make one, which is a character of the
-- scripts that models know worst. Of the context no more than so many characters of material are sent; what the model is
-- told for a move is longer than the move.
create or replace function most_tokens(context json, exchanges json, material integer) returns integer
language plpgsql immutable as $$
declare
  moves integer := 0;
begin
  -- Most conversations have no move, and are spared the look at each exchange.
  if position('"move"' in exchanges::text) > 0 then
    moves := (select count(*) from json_array_elements(exchanges) as exchange where exchange::jsonb ? 'move');
  end if;
  return (octet_length(left(context::text, least(length(context::text), material))) + octet_length(exchanges::text)) / 3
         + 150 * moves;
end $$;
--> statement-breakpoint
-- The name that a university has of one of its people, and what its lists then find them by; null where it has none.
create or replace function name_there(member university_members) returns text language sql stable as $$
  select nullif(concat_ws(' ', member.given_name, member.family_name), '')
$$;
--> statement-breakpoint
-- Of the next so many content items of a promoted rollout those in which the version before was heard as often as a warming
-- asks for; the next call goes on behind them. Null: all have been looked at, or someone else is at it.
create or replace function next_topics_to_warm(the_rollout integer, most integer) returns integer[] language plpgsql as $$
declare
  job prompt_rollouts;
  looked integer[];
begin
  select * into job from prompt_rollouts
  where id = the_rollout and warmed_to is not null for no key update skip locked;
  if not found then return null; end if;
  looked := array(select id from content_items where id > job.warmed_to order by id limit most);
  update prompt_rollouts set warmed_to = looked[cardinality(looked)] where id = the_rollout;
  if looked = '{}' then return null; end if;
  return array(
    select item.id from unnest(looked) as item (id) where exists (
      select from cache_nodes as root
      where root.content_item_id = item.id and coalesce(root.parent_id, 0) = 0 and root.message_hash = sha256_hex('Start.')
        and root.prompt_name = job.prompt_name and root.prompt_version = job.base_version and visits_of_node(root.id) >= 3));
end $$;
--> statement-breakpoint
-- How a person wants to be told of each kind.
create or replace function notification_wishes(person integer)
returns table (kind text, in_app boolean, mail text) language sql stable as $$
  select standard.kind, coalesce(own.in_app, true), coalesce(own.mail, standard.mail)
  from (values ('announcement', 'immediate'), ('discussion_reply', 'daily'), ('due_soon', 'daily'),
               ('grade_outdated', 'daily'), ('grade_released', 'daily'), ('place_obtained', 'immediate'),
               ('rollout_stopped', 'immediate'),
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
         coalesce(said.title, thread.title, item.title, course.title,
                  rollout.prompt_name || ' ' || rollout.candidate_version),
         writer.full_name
  from notifications as one
  left join course_offerings as run on run.id = one.course_offering_id
  left join courses as course on course.id = run.course_id
  left join content_items as item on item.id = one.content_item_id
  left join announcements as said on said.id = one.announcement_id
  left join discussion_posts as post on post.id = one.discussion_post_id
  left join discussion_threads as thread on thread.id = post.thread_id
  left join users as writer on writer.id = post.user_id
  left join prompt_rollouts as rollout on rollout.id = one.prompt_rollout_id
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
-- Finds passages for an answer that is to be made for one person, and keeps what was offered, by which the answer's
-- citations are read, and whether they only help perhaps. Offered once, they stay those of the message.
create or replace function offer_passages(
  the_question bigint, the_course integer, person integer, moment timestamptz, words text, most integer,
  the_model text default null, asked real[] default null
) returns table (number integer, title text, place jsonb, body text, perhaps boolean) language sql as $$
  with found as (
    select row_number() over (order by score desc)::integer as number, one.*, helps_perhaps(the_course) as perhaps
    from search_passages(the_course, person, moment, words, most, the_model, asked) as one
  ), gone as (
    delete from message_sources as former
    where former.question_id = the_question and former.number > (select count(*) from found)
  ), offered as (
    insert into message_sources (question_id, number, content_item_id, place, perhaps)
    select the_question, number, content_item_id, place, perhaps from found
    on conflict (question_id, number) do update
      set content_item_id = excluded.content_item_id, place = excluded.place, perhaps = excluded.perhaps
  )
  select number, title, place, body, perhaps from found order by number
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
-- it by: `the_loose_message` is the same answer as it is compared where none fits. What was just answered and is said
-- again is answered again. Where the cursor is gone, what a message of the session offered is answered
-- in private, and the session stays in the tree: the service says whether one `is_offered`, as it alone compares. While it
-- is null and there is something to compare with, nothing is done, for 'what was asked'.
--
-- `the_move` is the name of a message that is called like a move (tutor-moves.sql), which `move` says what it was taken as.
-- `has_key` says whether the answer's question has a key, and `carried` is the question of one that answers a move.
--
-- The token reaches the whole account, or `the_reach`, a university (token-reach.sql).
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `item_access` (outline.sql), 'under exam',
-- 'sent before' (with the message, and its answer if it has one), 'closed' (an aside to new words), 'being answered', 'answered' (by the time it was taken
-- up again), 'another time zone', when `today` is not the day in their zone, 'no such move', or 'what was asked', with the `questions`.
create or replace function open_turn(
  the_session bigint, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question bigint, the_token uuid, default_model text, allowed_models text[], tutor_prompt text,
  deepest integer, the_zone text, today date, moment timestamptz, the_reach integer, the_loose_message text,
  is_offered boolean default null, the_move text default null
) returns table (
  refusal text, time_zone text, message_id bigint,
  -- Of an answer that is there.
  answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb, has_key boolean, carried jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id bigint, message text, model text, university_id integer,
  generation bigint, graph json, questions jsonb, move text,
  -- Whether the message was a step, and `right` or `wrong` (tutor-steps.sql).
  step text
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
  candidate record;
  hash text;
  key text;
  node bigint;
  answer text;
  question jsonb;
  reached record;
begin
  -- Many small statements, of which each turn runs those that it needs: what a statement costs here is hardly what it
  -- finds, but how much it is made of. What is read after the lock is what the message before this one left.
  select s.id, s.content_item_id, s.item_fingerprint, s.surroundings_fingerprint, s.content_fingerprint, s.cache_node_id,
         s.cache_state, s.prompt_id, s.rollout_id, s.rollout_arm, s.answering_message_id, s.answering_generation_id, s.answering_token, s.answering_until, s.closed_at
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
    select item.course_id, item.university_id, university.is_active, course.cache_enabled, course.llm_model, type.name as type, item.tutor_mode,
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from) as gate,
           member.is_active is false as is_suspended,
           university.requires_own_provider and the_reach is null and not exists (
             select from user_university_roles where user_id = the_person and role = 'platform_admin'
           ) as needs_own_provider,
           exists (select from exams_that_silence(the_person, item.course_id, moment)) as is_silenced,
           (select mine.course_offering_id from current_offerings as mine
            where mine.user_id = the_person and mine.course_id = item.course_id) as offering
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as university on university.id = item.university_id
    left join university_members as member on member.university_id = item.university_id and member.user_id = the_person
    where item.id = session.content_item_id;
    refusal := case
      when the_reach <> topic.university_id then 'out of reach'
      when topic.is_suspended then 'inactive person'
      when topic.needs_own_provider then 'own provider'
      when not topic.is_active then 'inactive university'
      when topic.gate is not null then topic.gate
      when topic.is_silenced then 'under exam'
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
    select reply.id, reply.created_at, reply.meta, coalesce(replayed.chunks, jsonb_build_array(reply.content)),
           coalesce(reply.question_key, replayed.question_key) is not null,
           case when reply.meta ? 'move' then reply.question end
    into answer_id, answered_at, meta, chunks, has_key, carried
    from chat_messages as reply
    left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.answer = reply.content
    where reply.in_reply_to_id = open_turn.message_id;
  end if;
  refusal := case
    when refusal is not null then refusal
    when answer_id is not null then 'answered'
    when message_id is null and session.closed_at is not null then 'closed'
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
  elsif the_move is not null then
    select taken.refusal, taken.message, taken.parent_id, taken.move, taken.questions, taken.has_key
    into refusal, message, parent_id, move, questions, has_key
    from take_move(
      the_session, case when topic.cache_enabled and session.cache_state = 'tracking' then session.cache_node_id end,
      the_move, the_message, the_loose_message, the_question, is_offered) as taken;
    if refusal is not null then
      return next;
      return;
    end if;
  elsif the_message is not null and session.cache_node_id is not null then
    select case when again then stands.message
                when stands.choices is null then the_message
                else coalesce(stands.choices ->> the_message, stands.choices ->> the_loose_message) end,
           case when again then stands.parent_id else stands.id end
    into message, parent_id
    from cache_nodes as stands
    left join cache_nodes as stood on stood.id = stands.parent_id
    cross join lateral (
      select coalesce(
        stands.message = coalesce(stood.choices ->> the_message, stood.choices ->> the_loose_message, the_message)
        and not coalesce(stands.choices ? the_message or stands.choices ? the_loose_message, false), false)
    ) as said (again)
    where stands.id = session.cache_node_id;
  elsif the_message is not null and topic.cache_enabled and session.cache_state = 'tracking' and is_offered is null then
    questions := questions_asked(the_session);
    if questions is not null then
      refusal := 'what was asked';
      return next;
      return;
    end if;
  end if;
  shared := message is not null and topic.cache_enabled and session.cache_state = 'tracking';
  university_id := topic.university_id;
  if session.prompt_id is null then
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from tutor_prompt_of(topic.type, tutor_prompt) as prompt;
    -- For as long as its rollout runs: when that has ended the conversation goes on with what teaches all others.
    if session.rollout_arm = 'candidate' then
      select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
      into candidate from prompt_rollouts as running join prompts as prompt on prompt.id = running.candidate_id
      where running.id = session.rollout_id and running.state = 'running' and running.base_id = tutor.id;
      if found then tutor := candidate; end if;
    end if;
  else
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from prompts as prompt where prompt.id = session.prompt_id;
  end if;
  model := tutor_model(topic.llm_model, tutor.config, allowed_models, default_model);

  if shared then
    hash := sha256_hex(message);
    key := answer_key(session.item_fingerprint, session.surroundings_fingerprint, session.content_fingerprint,
                      tutor.uses_surroundings);
    select n.id, n.chunks, n.answer, n.question, n.question_key is not null into node, chunks, answer, question, has_key
    from cache_nodes as n
    where n.content_item_id = session.content_item_id
      and coalesce(n.parent_id, 0) = coalesce(open_turn.parent_id, 0)
      and n.message_hash = hash and n.prompt_name = tutor.name and n.prompt_version = tutor.version
      and n.model = open_turn.model and n.prompt_fingerprint = tutor.plain_fingerprint
      and n.content_fingerprint = key
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = session.content_item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor.name and g.prompt_version = tutor.version
        and g.model = open_turn.model and g.prompt_fingerprint = tutor.plain_fingerprint
        and g.content_fingerprint = key
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
      if generation is null and tutor.plain_fingerprint is not null then
        node := known_answer(
          session.content_item_id, open_turn.parent_id, message, hash, tutor.name, tutor.version, open_turn.model,
          tutor.plain_fingerprint, key, session.content_fingerprint, false);
        if node is not null then
          select n.chunks, n.answer, n.question, n.question_key is not null into chunks, answer, question, has_key
          from cache_nodes as n where n.id = node;
        end if;
      end if;
    end if;
    -- What waits for staff to approve it is told to nobody: who comes there meanwhile is answered in private.
    if node is not null and topic.tutor_mode = 'reviewed' and does_node_wait(node) then
      node := null;
      chunks := null;
      shared := false;
    end if;
  end if;

  if the_question is null then
    perform record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, topic.offering, moment, today, last_active);
    step := record_step(
      the_session, the_person, session.content_item_id, topic.offering, the_message, the_loose_message);
    message_id := nextval('chat_messages_id_seq');
  end if;
  if node is not null then
    answer_id := nextval('chat_messages_id_seq');
    answered_at := service_now();
    meta := jsonb_build_object(
      'source', 'cache', 'model', model, 'prompt_name', tutor.name, 'prompt_version', tutor.version,
      'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node);
    if move is not null then
      meta := meta || jsonb_build_object('move', move);
      carried := question;
    end if;
    insert into cache_visits (node_id, hit) values (node, true);
    update chat_sessions
    set cache_node_id = node, updated_at = service_now(), answering_message_id = null, answering_since = null,
        answering_token = null, answering_generation_id = null, answering_until = null
    where id = the_session;
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id, question)
    overriding system value
    select * from (values
      (open_turn.message_id, the_session, 'user', the_content, '{}'::jsonb, null::bigint, false, null::bigint,
       the_client_id, null::jsonb),
      (answer_id, the_session, 'assistant', answer, meta, open_turn.message_id, true, node, null, question)
    ) as said (id) where said.id is distinct from the_question;
  else
    token := the_token;
    if session.answering_message_id = the_question then
      token := (
        select case when not exists (
          select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
          then session.answering_token else the_token end);
    end if;
    -- What is on no path leaves the tree where answers are shared at all, unless it was asked before that path went; free
    -- text does in any case.
    with asked as (
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value
      select open_turn.message_id, the_session, 'user', the_content, the_client_id where the_question is null
    )
    update chat_sessions as s
    set cache_state = case when the_message is null or (topic.cache_enabled and message is null and is_offered is not true)
                           then 'diverged'
                           else s.cache_state end,
        answering_since = case when s.answering_message_id = open_turn.message_id and s.answering_until > now()
                               then s.answering_since else now() end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = open_turn.message_id then s.answering_generation_id end),
        answering_message_id = open_turn.message_id, answering_token = token,
        answering_until = now() + listener_lease()
    where s.id = the_session;
    if generation is null and tutor.id is not null then
      reached := reached_prompts(array[tutor.id], 0, deepest);
      graph := json_build_object(
        'root', tutor.id, 'config', tutor.config, 'prompts', reached.prompts, 'links', reached.links);
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- The next passages that have no vector of the model: `{"up_to", "passages": [{"id", "university_id", "words"}]}`, null
-- where all have been looked at. Once a day all are looked at again, for those that came late or were refused.
create or replace function passages_without_vector(the_model text, moment timestamptz, most integer) returns jsonb
language sql stable as $$
  with next as materialized (
    select passage.id from passages as passage
    where passage.id > coalesce((
      select done_to from passage_vector_sweeps where model = the_model and begun_at > moment - interval '1 day'), 0)
    order by passage.id limit 2000
  ), missing as materialized (
    select next.id from next
    where not exists (select from passage_vectors as told where told.passage_id = next.id and told.model = the_model)
    order by next.id limit most
  )
  select jsonb_build_object(
    'up_to', (select max(id) from (
      select id from missing union all select id from next where (select count(*) from missing) < most) as looked_at),
    'passages', (
      select coalesce(jsonb_agg(jsonb_build_object('id', passage.id, 'university_id', item.university_id,
        'words', item.title || E'\n' || passage.body) order by passage.id), '[]')
      from missing join passages as passage on passage.id = missing.id
      join content_items as item on item.id = passage.content_item_id))
  where exists (select from next)
$$;
--> statement-breakpoint
-- Labels the candidate of a running rollout `production`, as `set_prompt_labels` does. No row: it has ended.
create or replace function promote_rollout(
  the_rollout integer, guarded text[], person integer, deepest integer, longest integer, request jsonb
) returns setof prompt_rollouts language plpgsql as $$
declare
  ended prompt_rollouts;
begin
  perform lock_prompts();
  select * into ended from end_rollout(the_rollout, 'promoted', null, person, request);
  if not found then return; end if;
  perform set_prompt_labels(
    ended.prompt_name, ended.candidate_version,
    array(select label::text from prompt_labels where prompt_id = ended.candidate_id and label <> 'latest') || '{production}',
    guarded, person, deepest, longest);
  return next ended;
end $$;
--> statement-breakpoint
-- Puts labels on a version, whence they leave the others of the name, or takes them off where the version is null.
-- The clock is read after the wait for the lock, so that the recorded moments are in the order of the changes.
create or replace function put_prompt_labels(named text, placed text[], target integer, person integer)
returns void language plpgsql as $$
declare
  moved text[] := array(
    select unnest(placed) except select label from prompt_labels where prompt_id = target order by 1);
begin
  if moved = '{}' then return; end if;
  if 'production' = any (moved) then
    perform stop_rollout(id, 'production_moved', person, jsonb_build_object('at', service_clock()))
    from prompt_rollouts where prompt_name = named and state = 'running';
  end if;
  insert into prompt_label_events (name, label, from_version, to_version, changed_by, changed_at)
  select named, one.label, former.version,
         (select version from prompts where id = target), person, service_clock()
  from unnest(moved) as one (label)
  left join prompt_labels as held on held.name = named and held.label = one.label
  left join prompts as former on former.id = held.prompt_id;
  update prompts set updated_at = service_now() where id = target or id in (
    select prompt_id from prompt_labels where name = named and label = any (moved));
  delete from prompt_labels where name = named and label = any (moved);
  insert into prompt_labels (name, label, prompt_id)
  select named, label, target from unnest(moved) as one (label) where target is not null;
  update prompt_names set version = version + 1 where name = named;
end $$;
--> statement-breakpoint
-- The next questions by which a course that waits for it is measured, for a model that is to say what they mean.
create or replace function questions_to_measure(most integer)
returns table (id integer, university_id integer, question_text text) language sql stable as $$
  select asked.id, course.university_id, asked.question_text
  from (
    select course_id, last_question_id from passage_measures where last_question_id is not null
    order by looked_at, course_id limit 1
  ) as mine join courses as course on course.id = mine.course_id
  cross join lateral asked_in_course(course.id) as asked
  where asked.id > mine.last_question_id order by asked.id limit most
$$;
--> statement-breakpoint
-- The passages of a course whose meaning is nearest, whoever may open them. None where there is no vector to compare.
create or replace function rank_by_meaning(the_course integer, the_model text, asked real[], most integer)
returns table (id bigint, content_item_id integer, distance float8) rows 100 language plpgsql stable as $$
#variable_conflict use_column
begin
  if asked is null or not has_vectors() then return; end if;
  return query
  select passage.id, passage.content_item_id, told.vector::vector <=> asked::vector as distance
  from content_items as item join passages as passage on passage.content_item_id = item.id
  join passage_vectors as told on told.passage_id = passage.id
  where item.course_id = the_course and item.is_active and told.model = the_model
    and cardinality(told.vector) = cardinality(asked)
  order by distance, passage.id limit most;
end $$;
--> statement-breakpoint
-- The passages of a course that fit words best, whoever may open them: any of the words will do. The statistics are those of
-- the course.
create or replace function rank_passages(the_course integer, words text, most integer)
returns table (id bigint, content_item_id integer, score float8) rows 100
language plpgsql stable as $$
#variable_conflict use_column
declare
  asked text[];
  any_of tsquery;
begin
  select (tsvector_to_array(to_tsvector(search_configuration(course.language_code), left(words, 1000))))[1:24] into asked
  from courses as course where course.id = the_course;
  select string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery into any_of
  from unnest(asked) as word;
  if any_of is null then return; end if;
  return query
  with held as materialized (
    select one.id, one.content_item_id, one.length, one.search
    from content_items as item join passages as one on one.content_item_id = item.id
    where item.course_id = the_course and item.is_active
  ), sums as materialized (
    select count(*) as total, avg(held.length)::float8 as mean from held
  ), hit as materialized (
    select held.id, held.content_item_id, held.length, word.lexeme, cardinality(word.positions) as found
    -- Of a passage's words those that are asked for are marked, and kept alone: all of them would take thrice as long.
    from held cross join lateral unnest(ts_filter(setweight(held.search, 'A', asked), '{a}')) as word
    where held.search @@ any_of
  ), known as (
    select lexeme, count(*) as holding from hit group by lexeme
  )
  select hit.id, hit.content_item_id, sum(bm25(hit.found, hit.length, sums.mean, known.holding, sums.total)) as score
  from hit join known using (lexeme) cross join sums
  group by hit.id, hit.content_item_id order by score desc, hit.id limit most;
end $$;
--> statement-breakpoint
-- The prompts that `roots` reach by their references, themselves included, and where each reference leads. `depth` is
-- how deep the roots stand; one level more than `deepest` is fetched, so that "too deep" is told from "missing".
create or replace function reached_prompts(
  roots integer[], depth integer, deepest integer, out prompts json, out links json
) language plpgsql stable as $$
begin
  -- Most prompts reference no other, and are spared the recursion.
  select coalesce(
           json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
  into prompts from prompts as p where p.id = any (roots)
  having not exists (select from prompt_dependencies where prompt_id = any (roots));
  if prompts is not null then
    links := '[]';
    return;
  end if;
  with recursive reached (id, level) as (
      select root, depth from unnest(roots) as root
    union
      select link.child_id, reached.level + 1
      from reached join prompt_links as link on link.prompt_id = reached.id
      where link.child_id is not null and reached.level <= deepest
  )
  select
    (select coalesce(
              json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
     from prompts as p where p.id in (select id from reached)),
    (select coalesce(json_agg(link), '[]') from (
       select distinct child_name, child_version, child_label, child_id
       from prompt_links where prompt_id in (select id from reached)) as link)
  into prompts, links;
end $$;
--> statement-breakpoint
-- Refuses when a version that carries one of the `guarded` labels, or that some learners meet in a rollout, reaches one of
-- those that would move: who moves it changes what that version says. The detail names all such versions.
create or replace function refuse_move_below_guarded(named text, moving text[], guarded text[])
returns void language plpgsql as $$
declare
  followers text;
begin
  if guarded = '{}' then return; end if;
  select string_agg(name || ' (version ' || version || ')', ', ' order by name, version) into followers
  from prompts_reaching(named, moving) as above (id) join prompts on prompts.id = above.id
  where exists (select from prompt_labels where prompt_id = above.id and label = any (guarded))
     or exists (select from prompt_rollouts where candidate_id = above.id and state = 'running');
  if followers is not null then perform refuse_prompt_change('prompt_labels_followed', followers); end if;
end $$;
--> statement-breakpoint
-- Issues a certificate anew, under a code of its own, in place of one that is wrong, lost or over, or that was revoked
-- by mistake. `given` as for issue_certificate; what it leaves out is as it is called today. `refusal`: 'replaced', or
-- 'expired' for one that would be over already.
create or replace function reissue_certificate(which integer, moment timestamptz, given jsonb)
returns table (refusal text, is_new boolean, certificate certificates) language plpgsql as $$
declare
  former certificates;
begin
  select * into former from certificates where id = which for no key update;
  refusal := case
    when former.replaced_at is not null then 'replaced'
    when certificate_expiry(former.course_offering_id, moment, given) <= moment then 'expired'
  end;
  is_new := refusal is null;
  if not is_new then
    return next;
    return;
  end if;
  update certificates set replaced_at = moment where id = which;
  insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name,
    completed_at, issued_at, expires_at, metadata_json, replaces_id)
  select former.user_id, run.id, certificate_code(),
         coalesce(given ->> 'printed_name', name_there(member), (select full_name from users where id = former.user_id),
                  former.printed_name),
         courses.title, universities.name, former.completed_at, moment, certificate_expiry(run.id, moment, given),
         case when given ? 'metadata_json' then nullif(given -> 'metadata_json', 'null') else former.metadata_json end,
         former.id
  from course_offerings as run
  join courses on courses.id = run.course_id
  join universities on universities.id = run.university_id
  left join university_members as member on member.university_id = run.university_id and member.user_id = former.user_id
  where run.id = former.course_offering_id
  returning certificates.* into certificate;
  return next;
end $$;
--> statement-breakpoint
-- What was answered in an arm of a rollout with its version while it ran, of at most so many of the newest conversations. Of
-- answers that were made for one of them it has the length, the cost with all calls, and the time to the first word, each as
-- `moments_of` has it.
create or replace function rollout_arm(the_rollout integer, the_arm text, most integer) returns json language sql stable as $$
  with rollout as (
    select *, case the_arm when 'base' then base_version else candidate_version end as version
    from prompt_rollouts where id = the_rollout
  ), conversation as (
    select id from chat_sessions where rollout_id = the_rollout and rollout_arm = the_arm order by id desc limit most
  ), answer as materialized (
    -- One conversation after the other, by the index of its messages alone (`offset 0`): a plan for all of them would read whole
    -- tables.
    select said.*, (select rating from message_feedback where message_id = said.id) as rating
    from rollout cross join conversation cross join lateral (
      select one.id, one.in_reply_to_id, one.created_at, one.meta ->> 'stop' as stop, length(one.content) as characters,
             one.meta ->> 'source' = 'llm' and not one.meta ? 'joined' as is_made
      from chat_messages as one
      where one.session_id = conversation.id and one.role = 'assistant'
        and one.meta ->> 'prompt_version' = rollout.version::text and one.meta ->> 'prompt_name' = rollout.prompt_name
      offset 0
    ) as said
    where said.created_at <= coalesce(rollout.ended_at, 'infinity')
  ), made as (
    select answer.*, used.*
    from answer cross join lateral (
      select count(*) as calls, sum(cost_micros) as cost_micros,
             max(first_word_ms) filter (where outcome = 'complete' and not is_repair) as first_word_ms
      from llm_calls where message_id = answer.in_reply_to_id and purpose = 'turn'
    ) as used
    where is_made
  )
  select json_build_object(
    'conversations', (select count(*) from chat_sessions where rollout_id = the_rollout and rollout_arm = the_arm),
    'turns', (select count(*) from answer), 'ups', (select count(*) from answer where rating = 'up'),
    'downs', (select count(*) from answer where rating = 'down'), 'made', count(*), 'calls', coalesce(sum(calls), 0),
    'malformed', count(*) filter (where stop = 'malformed'), 'refusals', count(*) filter (where stop = 'refusal'),
    'cut_offs', count(*) filter (where stop = 'length'), 'total_cost_micros', coalesce(sum(cost_micros), 0)::float8,
    'length', moments_of(array_agg(characters::numeric) filter (where stop is distinct from 'stopped')),
    'cost', moments_of(array_agg(cost_micros)), 'first_word', moments_of(array_agg(first_word_ms::numeric)))
  from made
$$;
--> statement-breakpoint
-- What the audit log tells of a rollout.
create or replace function rollout_details(rollout prompt_rollouts) returns jsonb language sql immutable as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'name', rollout.prompt_name, 'version', rollout.candidate_version, 'rollout_id', rollout.id, 'share', rollout.share,
    'stop_reason', rollout.stop_reason))
$$;
--> statement-breakpoint
-- The rollout that a conversation which begins now belongs to, with its arm. No row: none runs for it.
create or replace function rollout_for(the_person integer, the_item integer, tutor_prompt text)
returns table (rollout_id integer, arm text) language sql stable as $$
  select running.id, case when meets_candidate(
    running.id,
    coalesce('offering ' || case running.unit when 'offering' then (
      select mine.course_offering_id from current_offerings as mine
      where mine.user_id = the_person and mine.course_id = item.course_id) end, 'person ' || the_person),
    running.share) then 'candidate' else 'base' end
  from content_items as item join content_types as type on type.id = item.content_type_id
  cross join lateral tutor_prompt_of(type.name, tutor_prompt) as base
  join prompt_rollouts as running on running.prompt_name = base.name and running.state = 'running' and running.base_id = base.id
  where item.id = the_item and (running.universities is null or item.university_id = any (running.universities))
$$;
--> statement-breakpoint
-- The passages of a course that fit best, of what the person may open at that moment.
create or replace function search_passages(
  the_course integer, person integer, moment timestamptz, words text, most integer,
  the_model text default null, asked real[] default null
) returns table (content_item_id integer, title text, place jsonb, body text, score float8)
language sql stable as $$
  with ranked as materialized (
    select * from find_passages(the_course, words, the_model, asked, 100)
  ), open as materialized (
    select hit.id from (select distinct content_item_id as id from ranked) as hit
    where item_access(hit.id, person, moment) is null
  )
  select item.id, item.title::text, passage.place, passage.body, ranked.score
  from ranked join open on open.id = ranked.content_item_id
  join content_items as item on item.id = open.id join passages as passage on passage.id = ranked.id
  order by ranked.score desc, ranked.id limit most
$$;
--> statement-breakpoint
create or replace function search_text_there(member university_members) returns text language sql stable as $$
  select case when num_nonnulls(member.given_name, member.family_name) > 0
    then searched(concat_ws(' ', member.given_name, member.family_name, member.email)) end
$$;
--> statement-breakpoint
-- Stops a running rollout, and tells who wrote the candidate and who approved it, but not whoever does it. No row: it has ended.
create or replace function stop_rollout(the_rollout integer, why text, person integer, request jsonb)
returns setof prompt_rollouts language plpgsql as $$
declare
  ended prompt_rollouts;
begin
  perform from users where id in (
    select unnest(array[author_id, approved_by]) from prompt_rollouts where id = the_rollout) order by id for key share;
  select * into ended from end_rollout(the_rollout, 'stopped', why, person, request);
  if not found then return; end if;
  perform notify(
    array(select one from unnest(array[ended.author_id, ended.approved_by]) as one where one is distinct from person),
    'rollout_stopped', 'rollout:' || ended.id, service_now());
  update notifications set prompt_rollout_id = ended.id
  where user_id in (ended.author_id, ended.approved_by) and kind = 'rollout_stopped' and cause = 'rollout:' || ended.id;
  return next ended;
end $$;
--> statement-breakpoint
create or replace function stop_trial(the_trial bigint) returns setof trials language plpgsql as $$
declare
  stopped trials;
begin
  update trials set state = 'stopped', ended_at = service_now() where id = the_trial and state in ('ready', 'running')
  returning * into stopped;
  if not found then return; end if;
  update trial_cases set
    state = case stage when 'answer' then 'skipped' else 'answered' end,
    reason = case stage when 'answer' then 'stopped' end,
    unjudged_reason = case when stage <> 'answer' then 'stopped' end
  where trial_id = the_trial and state = 'waiting';
  return next stopped;
end $$;
--> statement-breakpoint
-- Takes a launch that was verified: its nonce is good once. `accepted`; `waiting` while nobody has admitted the deployment,
-- which is noted then, twenty of a platform at most; `replayed`; `gone` where the platform was removed meanwhile.
create or replace function take_lti_launch(the_platform integer, the_deployment text, nonce_hash text, moment timestamptz)
returns text language plpgsql as $$
declare
  is_admitted boolean;
begin
  if not take_once('launch of LTI platform ' || the_platform || ' ' || nonce_hash, moment) then return 'replayed'; end if;
  select admitted_at is not null into is_admitted from lti_deployments
  where platform_id = the_platform and deployment_id = the_deployment;
  if is_admitted then return 'accepted'; end if;
  if not found then
    perform from lti_platforms where id = the_platform for no key update;
    if not found then return 'gone'; end if;
    insert into lti_deployments (platform_id, deployment_id)
    select the_platform, the_deployment
    where (select count(*) from lti_deployments where platform_id = the_platform and admitted_at is null) < 20
    on conflict do nothing;
  end if;
  return 'waiting';
end $$;
--> statement-breakpoint
-- Stores an answer that has ended in the sessions that wait for it and have no answer yet, and ends their turns; `standing`
-- is the node that holds it. Whoever calls it holds the node, then the sessions.
create or replace function tell_turns(
  made generations, standing bigint, is_on_path boolean, the_sessions bigint[], the_tokens uuid[], the_questions bigint[]
) returns setof chat_messages language plpgsql as $$
declare
  told text := joined_text(made.chunks);
begin
  return query
    -- Two may listen in one session.
    with waiting as (
      select distinct s.id, turn.question, s.answering_since, s.cache_state = 'tracking' and exists (
        select from content_items as item join courses as course on course.id = item.course_id
        where item.id = s.content_item_id and course.cache_enabled) as is_tracking
      from unnest(the_sessions, the_tokens, the_questions) as turn (session, token, question)
      join chat_sessions as s on s.id = turn.session and s.answering_token = turn.token
      where not exists (select from chat_messages as m where m.in_reply_to_id = turn.question)
    ), visited as (
      insert into cache_visits (node_id, hit) select standing, false from waiting where standing is not null
    ), closed as (
      update chat_sessions as s
      -- A question that no node asks is answered off the tree.
      set cache_node_id = case when waiting.is_tracking and not is_on_path and made.question is not null then null
                               else coalesce(standing, s.cache_node_id) end,
          updated_at = service_now(), answering_message_id = null,
          answering_generation_id = null, answering_since = null, answering_token = null, answering_until = null
      from waiting where s.id = waiting.id
    )
    insert into chat_messages (
      session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, question, question_key, choices)
    select waiting.id, 'assistant', told, jsonb_strip_nulls(jsonb_build_object(
             'source', 'llm', 'model', made.model, 'prompt_name', made.prompt_name,
             'prompt_version', made.prompt_version, 'latency_ms', milliseconds_since(waiting.answering_since),
             'stop', made.stop, 'move', made.move, 'path', case when waiting.is_tracking and not is_on_path then 'lost' end, 'input_tokens', made.input_tokens, 'output_tokens', made.output_tokens,
             'joined', case when not exists (select from llm_calls where message_id = waiting.question) then true end)),
           waiting.question, is_on_path, standing, made.question, case when standing is null then made.question_key end,
           case when standing is null and made.question_key is not null then made.choices end
    from waiting
    returning *;
end;
$$;
--> statement-breakpoint
set local check_function_bodies = on;
