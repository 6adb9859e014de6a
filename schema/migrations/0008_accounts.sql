set local check_function_bodies = off;
--> statement-breakpoint
drop function open_turn(integer,integer,text,text,text,integer,uuid,text,text,integer,text,date,timestamp with time zone);
--> statement-breakpoint
CREATE TABLE "audit_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"action" text NOT NULL,
	"actor_id" integer,
	"subject_id" integer,
	"university_id" integer,
	"request_id" varchar(128),
	"from_address" varchar(64),
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'credentials.stored', 'credentials.removed', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted'))
);
--> statement-breakpoint
CREATE TABLE "login_failures" (
	"account_hash" varchar(64) PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mail_outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mail_outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"address" varchar(255) NOT NULL,
	"user_id" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"failure" varchar(255),
	CONSTRAINT "mail_outbox_kind_check" CHECK ("mail_outbox"."kind" in ('password_reset', 'password_changed', 'verify_email', 'change_email', 'email_changed'))
);
--> statement-breakpoint
CREATE TABLE "one_time_tokens" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "one_time_tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"purpose" text NOT NULL,
	"token_hash" varchar(64) NOT NULL,
	"email" varchar(255) NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "one_time_tokens_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "one_time_tokens_purpose_check" CHECK ("one_time_tokens"."purpose" in ('password_reset', 'verify_email', 'change_email'))
);
--> statement-breakpoint
ALTER TABLE "certificates" DROP CONSTRAINT "certificates_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "discussion_posts" DROP CONSTRAINT "discussion_posts_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "discussion_threads" DROP CONSTRAINT "discussion_threads_created_by_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "certificates" ALTER COLUMN "user_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "discussion_posts" ALTER COLUMN "user_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "discussion_threads" ALTER COLUMN "created_by_user_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "email_verified_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "token_version" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD CONSTRAINT "mail_outbox_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "one_time_tokens" ADD CONSTRAINT "one_time_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "audit_events_university_id_id_index" ON "audit_events" USING btree ("university_id","id");
--> statement-breakpoint
CREATE INDEX "audit_events_subject_id_id_index" ON "audit_events" USING btree ("subject_id","id");
--> statement-breakpoint
CREATE INDEX "audit_events_actor_id_id_index" ON "audit_events" USING btree ("actor_id","id");
--> statement-breakpoint
CREATE INDEX "audit_events_action_id_index" ON "audit_events" USING btree ("action","id");
--> statement-breakpoint
CREATE INDEX "login_failures_until_index" ON "login_failures" USING btree ("until");
--> statement-breakpoint
CREATE INDEX "mail_outbox_due_at_index" ON "mail_outbox" USING btree ("due_at") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "mail_outbox_ended_at_index" ON "mail_outbox" USING btree ("ended_at");
--> statement-breakpoint
CREATE INDEX "mail_outbox_address_kind_created_at_index" ON "mail_outbox" USING btree ("address","kind","created_at");
--> statement-breakpoint
CREATE INDEX "mail_outbox_user_id_index" ON "mail_outbox" USING btree ("user_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "mail_outbox_waiting_key" ON "mail_outbox" USING btree ("kind","address") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "one_time_tokens_user_id_index" ON "one_time_tokens" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "one_time_tokens_expires_at_index" ON "one_time_tokens" USING btree ("expires_at");
--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD CONSTRAINT "discussion_posts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
-- The class's answers in the making, and those that ended and are not stored, that may hold this person's words: made
-- from what goes, or for a message of theirs that nobody else waits for.
create or replace function answers_to_own_words(person integer, doomed integer[]) returns setof integer
language sql stable as $$
  select id from generations where node_id = any (doomed) or parent_id = any (doomed)
  union
  select g.id from chat_sessions as s join generations as g on g.content_item_id = s.content_item_id
  where s.user_id = person and g.question_id is null and g.state <> 'writing' and g.message <> 'Start.'
    and g.node_id is null
  union
  select g.id from chat_sessions as s join generations as g on g.id = s.answering_generation_id
  left join cache_nodes as stood on stood.id = g.parent_id
  where s.user_id = person and g.question_id is null and g.message <> 'Start.'
    and not coalesce(stood.choices ? g.message, false)
    and not exists (
      select from chat_sessions as other where other.answering_generation_id = g.id and other.user_id <> person
    )
$$;
--> statement-breakpoint
-- Notes a mail with a new token, where an account may have the address: that is looked up when the mail is sent, so
-- that here nobody can tell. One a minute is enough for anyone.
create or replace function ask_for_password_reset(asked text, moment timestamptz) returns void language sql as $$
  insert into mail_outbox (kind, address, created_at, due_at)
  select 'password_reset', asked, moment, moment
  where not exists (
    select from mail_outbox
    where address = asked and kind = 'password_reset' and created_at > moment - interval '1 minute'
  )
  on conflict do nothing
$$;
--> statement-breakpoint
-- Adds to the audit log from within another function. `request` is what the service knows of the request:
-- `{"at": "2026-03-10T12:00:00Z", "id": "…", "from": "203.0.113.7"}`.
create or replace function audit(
  the_action text, actor integer, subject integer, university integer, the_details jsonb, request jsonb
) returns void language sql as $$
  insert into audit_events (action, actor_id, subject_id, university_id, details, occurred_at, request_id, from_address)
  values (the_action, actor, subject, university, the_details, (request ->> 'at')::timestamptz, request ->> 'id',
          request ->> 'from')
$$;
--> statement-breakpoint
-- An attempt to sign in to an account, which may not exist, is counted before its password is looked at: however many
-- come at once, no more than `most` in a window go further. Answers until when nobody may, null for those who may.
create or replace function begin_sign_in(account text, most integer, wait interval, moment timestamptz)
returns timestamptz language sql as $$
  insert into login_failures as counted (account_hash, failures, until) values (account, 1, moment + wait)
  on conflict (account_hash) do update set
    failures = case when counted.until <= moment then 1 else least(counted.failures, most) + 1 end,
    until = case when counted.until <= moment then excluded.until else counted.until end
  returning case when failures > most then until end
$$;
--> statement-breakpoint
-- Sets a password in place of `former`, which is the hash that the current password was compared with: of two changes
-- at once the second one is refused. Null then, else the version of the person's tokens.
create or replace function change_password(person integer, former text, wanted text, request jsonb)
returns integer language plpgsql as $$
declare
  own_address text;
begin
  update users set password_hash = wanted
  where id = person and password_hash is not distinct from former returning email into own_address;
  if not found then return null; end if;
  perform send_mail('password_changed', own_address, person, sent_at(request));
  perform audit('password.changed', person, person, null, '{}', request);
  return end_tokens(person);
end $$;
--> statement-breakpoint
-- Takes an address for verified: the account's own, or the new one that it gets by that, of which the former address
-- is told. False when the token is not good. An address that someone else has by now breaks the key of users.
create or replace function confirm_email(hash text, request jsonb) returns boolean language plpgsql as $$
declare
  token one_time_tokens;
  former text;
begin
  select * into token from use_token(hash, '{verify_email,change_email}', sent_at(request));
  if token.id is null then return false; end if;
  select email into former from users
  where id = token.user_id and is_active and (token.purpose = 'change_email' or email = token.email) for update;
  if not found then return false; end if;
  update users set email = token.email, email_verified_at = sent_at(request) where id = token.user_id;
  if former <> token.email then
    perform send_mail('email_changed', former, token.user_id, sent_at(request));
    perform audit('email.changed', token.user_id, token.user_id, null, '{}', request);
    delete from one_time_tokens where user_id = token.user_id and email = former;
  end if;
  return true;
end $$;
--> statement-breakpoint
-- Ends them because the person wants it so; null when there is no such person.
create or replace function end_own_tokens(person integer, request jsonb) returns integer language plpgsql as $$
declare
  version integer := end_tokens(person);
begin
  if version is not null then perform audit('tokens.ended', person, person, null, '{}', request); end if;
  return version;
end $$;
--> statement-breakpoint
-- Ends all tokens of a person, those that were sent by mail or are about to be too; answers the version of the next.
create or replace function end_tokens(person integer) returns integer language plpgsql as $$
declare
  version integer;
begin
  update users set token_version = token_version + 1 where id = person returning token_version into version;
  delete from mail_outbox where user_id = person and kind = 'change_email' and ended_at is null;
  delete from one_time_tokens where user_id = person;
  return version;
end $$;
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
begin
  perform keep_course(offering) from unnest(left_offerings) as offering;
  perform from course_offerings where id = any (left_offerings) order by id for no key update;
  doomed := hold_own_words(person);
  perform lock_totals();
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  -- What happened is counted before it goes, and what is counted stays.
  while (select is_behind from count_some_events()) loop end loop;
  while count_messages(20000) >= 20000 loop end loop;
  perform count_trees(null);
  perform set_config('learning.erasing', 'on', true);

  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  update discussion_posts set body = '', is_deleted = true, user_id = null where user_id = person;
  update discussion_threads set title = null, created_by_user_id = null where created_by_user_id = person;
  if not keep_certificates then delete from certificates where user_id = person; end if;
  delete from course_trees where user_id = person;
  delete from mail_outbox where address = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where actor_id = person or subject_id = person;
  delete from users where id = person;
  delete from uncounted_trees where user_id = person;

  perform set_config('learning.erasing', 'off', true);
  perform fill_places(offering) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Holds what goes of the shared answers, with all below it, and the person's sessions; answers those nodes.
create or replace function hold_own_words(person integer) returns integer[] language plpgsql as $$
declare
  doomed integer[] := array(select nodes_of_own_words(person));
begin
  perform from cache_nodes
  where id = any (doomed) or id in (select nodes_below(one) from unnest(doomed) as one)
  order by id for update;
  perform from generations where id in (select answers_to_own_words(person, doomed)) order by id for update;
  perform from chat_sessions where user_id = person order by id for update;
  -- Looked at anew, now that they say nothing more; what is just locked is being said by someone else too.
  return array(
    select id from cache_nodes where id in (select nodes_of_own_words(person)) for update skip locked);
end $$;
--> statement-breakpoint
-- Whether this transaction erases an account: then what goes stays in the sums of the reports.
create or replace function is_erasing() returns boolean language sql stable as $$
  select coalesce(current_setting('learning.erasing', true), '') = 'on'
$$;
--> statement-breakpoint
create or replace function keep_audit_events() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if to_jsonb(new) - '{actor_id,subject_id,from_address}'::text[]
         = to_jsonb(old) - '{actor_id,subject_id,from_address}'::text[]
       and coalesce(new.actor_id = old.actor_id, new.actor_id is null)
       and coalesce(new.subject_id = old.subject_id, new.subject_id is null)
       and coalesce(new.from_address = old.from_address, new.from_address is null) then
      return new;
    end if;
  end if;
  raise exception 'audit events are neither changed nor deleted' using errcode = 'insufficient_privilege';
end $$;
--> statement-breakpoint
-- The universities that a person belongs to, with the roles there; an enrollment counts as well.
create or replace function known_at(person integer) returns table (university_id integer, role text)
language sql stable as $$
  select r.university_id, r.role from user_university_roles as r where r.user_id = person
  union
  select e.university_id, null from enrollments as e where e.user_id = person
$$;
--> statement-breakpoint
-- Links an identity, whose provider has verified the address, to the account that has it or to a new one. An account
-- whose address nobody had verified is taken over: whoever made it may have been anyone. Of two links at once the
-- later finds what the earlier made. An account has one identity of a provider: an address may pass on to someone
-- else, whom the provider tells apart by the subject. No row: the account is inactive, or someone else's there.
create or replace function link_identity(
  from_provider text, the_subject text, address text, name text, request jsonb
) returns table (id integer, token_version integer) language plpgsql as $$
declare
  account users;
begin
  insert into users (email, full_name, email_verified_at) values (address, name, sent_at(request))
  on conflict (email) do nothing;
  select * into account from users where email = address for update;
  if not account.is_active or exists (
    select from user_identities as other
    where other.user_id = account.id and other.provider = from_provider and other.subject <> the_subject
  ) then
    return;
  end if;
  insert into user_identities as linked (user_id, provider, subject) values (account.id, from_provider, the_subject)
  on conflict (provider, subject) do nothing;
  select one.* into account from user_identities as i join users as one on one.id = i.user_id
  where i.provider = from_provider and i.subject = the_subject;
  if account.email_verified_at is null and account.email = address then
    perform end_tokens(account.id);
    update users set password_hash = null, email_verified_at = sent_at(request) where users.id = account.id;
    perform audit('account.taken_over', account.id, account.id, null, jsonb_build_object('provider', from_provider),
                  request);
  end if;
  return query select u.id, u.token_version from users as u where u.id = account.id;
end $$;
--> statement-breakpoint
-- The stored answers that only this person's words led to: what the tutor had not offered, and nobody else has said
-- there. Each visit of a node is counted, so that a visit which is not one of theirs is another's.
create or replace function nodes_of_own_words(person integer) returns setof integer language sql stable as $$
  with visited as (
    select m.cache_node_id as node_id, count(*) as times
    from chat_sessions as s join chat_messages as m on m.session_id = s.id
    where s.user_id = person and m.cache_node_id is not null
    group by m.cache_node_id
  )
  select n.id
  from visited join cache_nodes as n on n.id = visited.node_id
  left join cache_nodes as stood on stood.id = n.parent_id
  where n.message <> 'Start.' and not coalesce(stood.choices ? n.message, false)
    and n.visit_count + (select count(*) from cache_visits as v where v.node_id = n.id) <= visited.times
$$;
--> statement-breakpoint
-- Notes what a row that was written changes in the totals; nothing of what goes with an account that is erased.
create or replace function note_changes() returns trigger language plpgsql as $$
begin
  if is_erasing() then return null; end if;
  if tg_op = 'INSERT' then
    insert into uncounted_changes select * from counts_of(new);
  elsif tg_op = 'DELETE' then
    insert into uncounted_changes select measure, course_id, day, since, -amount from counts_of(old);
  else
    insert into uncounted_changes
    select measure, course_id, day, since, sum(amount)
    from (
      select * from counts_of(new)
      union all
      select measure, course_id, day, since, -amount from counts_of(old)
    ) as change
    group by measure, course_id, day, since
    having sum(amount) <> 0;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Notes an attempt that failed. Of an account that does not exist nothing is kept that could name anyone.
create or replace function note_failed_sign_in(address text, request jsonb) returns void language sql as $$
  select audit('sign_in.failed', null, (select id from users where email = address), null, '{}', request)
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
-- such session', 'not theirs', 'topic not open', 'sent before' (with the message, and its answer if it has one), 'being
-- answered', 'answered' (by the time it was taken up again), or 'another time zone', when `today` is not the day in
-- their zone.
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
           when not is_item_open(s.content_item_id, the_person) then 'topic not open'
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
    perform record_activity(the_person, 'asked', 'content_item', item_id, open_turn.university_id, item_id, null,
      moment, today);
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
-- Sets the password of whoever the token was sent to, which also shows that their mail reaches them. False when the
-- token is not good, or the account has another address by now or is inactive.
create or replace function reset_password(hash text, wanted text, request jsonb) returns boolean language plpgsql as $$
declare
  token one_time_tokens;
begin
  select * into token from use_token(hash, '{password_reset}', sent_at(request));
  if token.id is null then return false; end if;
  update users
  set password_hash = wanted, email_verified_at = coalesce(email_verified_at, sent_at(request))
  where id = token.user_id and email = token.email and is_active;
  if not found then return false; end if;
  perform end_tokens(token.user_id);
  perform send_mail('password_changed', token.email, token.user_id, sent_at(request));
  perform audit('password.reset', null, token.user_id, null, '{}', request);
  return true;
end $$;
--> statement-breakpoint
-- One that waits for the same address is enough.
create or replace function send_mail(the_kind text, to_address text, person integer, moment timestamptz)
returns void language sql as $$
  insert into mail_outbox (kind, address, user_id, created_at, due_at)
  values (the_kind, to_address, person, moment, moment)
  on conflict (kind, address) where ended_at is null do update set user_id = excluded.user_id
$$;
--> statement-breakpoint
create or replace function sent_at(request jsonb) returns timestamptz language sql immutable as $$
  select (request ->> 'at')::timestamptz
$$;
--> statement-breakpoint
-- Switches an account off or on, and answers it; switching it off ends its tokens.
create or replace function set_account_active(person integer, wanted boolean, actor integer, request jsonb)
returns setof users language plpgsql as $$
begin
  update users set is_active = wanted, updated_at = now() where id = person and is_active <> wanted;
  if found then
    if not wanted then perform end_tokens(person); end if;
    perform audit(case when wanted then 'account.reactivated' else 'account.deactivated' end, actor, person, null, '{}',
                  request);
  end if;
  return query select * from users where id = person;
end $$;
--> statement-breakpoint
-- Uses a token up, if it is good: whoever deletes its row has it, and nobody else.
create or replace function use_token(hash text, purposes text[], moment timestamptz) returns setof one_time_tokens
language sql as $$
  select from users where id = (select user_id from one_time_tokens where token_hash = hash) for no key update;
  delete from one_time_tokens where token_hash = hash and purpose = any (purposes) and expires_at > moment returning *
$$;
--> statement-breakpoint
create or replace trigger keep_audit_events before update or delete on audit_events
  for each row execute function keep_audit_events();
--> statement-breakpoint
create or replace trigger keep_audit_events_whole before truncate on audit_events
  for each statement execute function keep_audit_events();
--> statement-breakpoint
set local check_function_bodies = on;
