set local check_function_bodies = off;
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
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "notification_preferences" DROP CONSTRAINT "notification_preferences_kind_check";
--> statement-breakpoint
ALTER TABLE "notifications" DROP CONSTRAINT "notifications_kind_check";
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD COLUMN "rollout_id" integer;
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD COLUMN "rollout_arm" text;
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD COLUMN "first_word_ms" integer;
--> statement-breakpoint
ALTER TABLE "notifications" ADD COLUMN "prompt_rollout_id" integer;
--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "is_whole" boolean DEFAULT false NOT NULL;
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
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_rollout_id_prompt_rollouts_id_fk" FOREIGN KEY ("rollout_id") REFERENCES "public"."prompt_rollouts"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_prompt_rollout_id_prompt_rollouts_id_fk" FOREIGN KEY ("prompt_rollout_id") REFERENCES "public"."prompt_rollouts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "chat_sessions_rollout_id_rollout_arm_id_index" ON "chat_sessions" USING btree ("rollout_id","rollout_arm","id") WHERE "chat_sessions"."rollout_id" is not null;
--> statement-breakpoint
CREATE INDEX "notifications_prompt_rollout_id_index" ON "notifications" USING btree ("prompt_rollout_id") WHERE "notifications"."prompt_rollout_id" is not null;
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'api_key.created', 'api_key.revoked', 'api_key.adopted', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'prompt.rollout_started', 'prompt.rollout_promoted', 'prompt.rollout_stopped', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'tutor_progress.read', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused'));
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_rollout_arm_check" CHECK ("chat_sessions"."rollout_arm" in ('base', 'candidate'));
--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_kind_check" CHECK ("notification_preferences"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained', 'rollout_stopped', 'tutor_handover'));
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_kind_check" CHECK ("notifications"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained', 'rollout_stopped', 'tutor_handover'));
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
-- Whether a unit of a rollout meets the candidate, of which a hash of both decides: the same in every process, at any time.
create or replace function meets_candidate(the_rollout integer, unit text, share integer) returns boolean
language sql immutable as $$
  select ('x' || left(sha256_hex(the_rollout || ' ' || unit), 8))::bit(32)::bigint % 100 < share
$$;
--> statement-breakpoint
-- How many there are of a measure, their mean and their variance.
create or replace function moments_of(measured numeric[]) returns json language sql immutable as $$
  select json_build_object('count', count(one), 'mean', coalesce(avg(one), 0)::float8,
                           'variance', coalesce(var_samp(one), 0)::float8)
  from unnest(measured) as one
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
  offering integer;
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
    select item.course_id, item.university_id, university.is_active, university.requires_own_provider, course.cache_enabled, course.llm_model, type.name as type, item.tutor_mode,
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from) as gate
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as university on university.id = item.university_id
    where item.id = session.content_item_id;
    refusal := case
      when the_reach <> topic.university_id then 'out of reach'
      when is_suspended(topic.university_id, the_person) then 'inactive person'
      when topic.requires_own_provider and the_reach is null and not exists (
        select from user_university_roles where user_id = the_person and role = 'platform_admin') then 'own provider'
      when not topic.is_active then 'inactive university'
      when topic.gate is not null then topic.gate
      when is_tutor_silenced(the_person, topic.course_id, moment) then 'under exam'
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
    offering := (
      select mine.course_offering_id from current_offerings as mine
      where mine.user_id = the_person and mine.course_id = topic.course_id);
    perform record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, offering, moment, today, last_active);
    step := record_step(
      the_session, the_person, session.content_item_id, offering, the_message, the_loose_message);
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
    if session.answering_message_id = the_question and not exists (
      select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
    then token := session.answering_token; end if;
    -- What is on no path leaves the tree where answers are shared at all, unless it was asked before that path went; free
    -- text does in any case.
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
    if the_question is null then
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value values (open_turn.message_id, the_session, 'user', the_content, the_client_id);
    end if;
    if generation is null and tutor.id is not null then
      select json_build_object('root', tutor.id, 'config', tutor.config, 'prompts', reached.prompts, 'links', reached.links)
      into graph
      from reached_prompts(array[tutor.id], 0, deepest) as reached;
    end if;
  end if;
  return next;
end;
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
set local check_function_bodies = on;
