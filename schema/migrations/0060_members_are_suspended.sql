set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "audit_people" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"full_name" varchar(255) NOT NULL,
	"email" varchar(255) NOT NULL,
	"erased_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "university_members" ADD COLUMN "is_active" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
CREATE INDEX "university_members_suspended_index" ON "university_members" USING btree ("user_id") WHERE not is_active;
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted'));
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql, `key` that of former-accounts.sql.
create or replace function erase_account(
  person integer, version integer, keep_certificates boolean, request jsonb, key bytea default null
) returns boolean language plpgsql set lock_timeout = '25s' as $$
declare
  own users;
  doomed integer[];
  moment timestamptz := (request ->> 'at')::timestamptz;
  -- Whether they have done anything to others or to a university, for which someone may have to answer.
  held_office boolean;
  -- Where they wait they may be given a place just now, which is free then.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  perform refuse_last_administrator(person);
  -- Before the places and the person, as whoever grades or revokes them has it; and nobody does while they are counted.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  perform from certificates where user_id = person order by id for update;
  perform hold_offerings(held_offerings);
  doomed := hold_own_words(person);
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  if keep_certificates then perform leave_certificates(person); end if;

  perform note_identifiers(person, key);
  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  perform keep_statistics(person);
  perform leave_office(person);
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  held_office := exists (select from audit_events where actor_id = person and subject_id is distinct from person);
  if held_office then
    insert into audit_people (user_id, full_name, email, erased_at) values (person, own.full_name, own.email, moment)
    on conflict do nothing;
  end if;
  -- What they did to others stays theirs, and what others did to an office's holder.
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where (actor_id = person or subject_id = person)
    and not (held_office and actor_id is not null and subject_id is distinct from actor_id);
  -- The streak runs out by itself: until then the people who have one stay as many.
  update users set email = null, full_name = '', password_hash = null, email_verified_at = null, is_active = false,
    locale = default, time_zone = default, made_by_university_id = null, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_places(offering, moment) from unnest(held_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Forgets up to `most` of the oldest audit events, of those from before a moment; answers how many.
create or replace function forget_audit_events(before timestamptz, most integer) returns integer language plpgsql as $$
declare
  forgotten integer;
begin
  perform set_config('learning.audit_kept_from', before::text, true);
  delete from audit_events where occurred_at < before
    and id in (select id from audit_events order by id limit most for update skip locked);
  get diagnostics forgotten = row_count;
  perform set_config('learning.audit_kept_from', '', true);
  delete from audit_people as one
  where forgotten > 0 and not exists (select from audit_events where actor_id = one.user_id)
    and not exists (select from audit_events where subject_id = one.user_id);
  return forgotten;
end $$;
--> statement-breakpoint
-- Whether a university has suspended a person: none of their rights there count.
create or replace function is_suspended(university integer, person integer) returns boolean language sql stable as $$
  select exists (
    select from university_members
    where university_id = university and user_id = person and not is_active)
$$;
--> statement-breakpoint
-- Whether a person may grant a role there: what the service knows of a caller as the actions `role:grant…`, where the
-- database alone knows in whose name it is done.
create or replace function may_grant(person integer, the_role text, university integer, department integer)
returns boolean language sql stable as $$
  select exists (
    select from users join user_university_roles as held on held.user_id = users.id
    where users.id = person and users.is_active and (held.role = 'platform_admin'
      or the_role <> 'platform_admin' and held.university_id = university and not is_suspended(university, person) and (
        held.role = 'university_admin' and held.department_id is null
        or held.role in ('department_admin', 'university_admin') and coalesce(held.department_id, department) = department
          and the_role in ('student', 'ta', 'instructor')))
  )
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
-- The token reaches the whole account, or `the_reach`, a university (token-reach.sql).
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `gate_of_item` (outline.sql), 'under exam' (of the course),
-- 'sent before' (with the message, and its answer if it has one), 'being answered', 'answered' (by the time it was taken
-- up again), or 'another time zone', when `today` is not the day in their zone.
create or replace function open_turn(
  the_session integer, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question integer, the_token uuid, default_model text, tutor_prompt text, deepest integer,
  the_zone text, today date, moment timestamptz, the_reach integer
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
    select item.course_id, item.university_id, campus.is_active, campus.requires_own_provider, course.cache_enabled, course.llm_model, type.name as type,
           gate_of_module(item.module_id, the_person, moment, item.is_active, item.available_from) as gate
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as campus on campus.id = item.university_id
    where item.id = session.content_item_id;
    refusal := case
      when the_reach <> topic.university_id then 'out of reach'
      when is_suspended(topic.university_id, the_person) then 'inactive person'
      when topic.requires_own_provider and the_reach is null and not exists (
        select from user_university_roles where user_id = the_person and role = 'platform_admin') then 'own provider'
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
-- Why nobody gets a place there, or this person none: the university or they are inactive. Null where both are not.
create or replace function refusal_of_inactive(university integer, person integer) returns text language sql stable as $$
  select case when not (select is_active from universities where id = university) then 'inactive_university'
              when not (select is_active from users where id = person) or is_suspended(university, person)
                then 'inactive_person' end
$$;
--> statement-breakpoint
-- Refuses who is the last to hold a role that administers: the office is to be handed over first. Of two who erase
-- themselves at once the later one sees that the other has gone.
create or replace function refuse_last_administrator(person integer) returns void language plpgsql as $$
begin
  if not exists (select from user_university_roles where user_id = person and role like '%admin') then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('erasure of an administrator', 0));
  if exists (
    select from user_university_roles as held
    where held.user_id = person and held.role like '%admin' and not exists (
      select from user_university_roles as other join users on users.id = other.user_id
      where other.role = held.role and other.user_id <> person and users.is_active
        and (held.role = 'platform_admin' or other.university_id = held.university_id
          and other.department_id is not distinct from held.department_id
          and not is_suspended(other.university_id, other.user_id)))
  ) then
    raise exception 'the last administrator' using errcode = 'check_violation', constraint = 'last_administrator';
  end if;
end $$;
--> statement-breakpoint
-- The roles that count for a person in a course: the university's, its department's, and that of its instructor.
create or replace function roles_at_course(person integer, the_course integer) returns setof text
language sql stable as $$
  select held.role from held_roles as held
  join courses as course on course.id = the_course
  where held.user_id = person and (held.role = 'platform_admin'
    or held.university_id = course.university_id and not is_suspended(course.university_id, person)
    and coalesce(held.course_id, course.id) = course.id
    and (held.department_id is null or held.department_id = course.department_id))
$$;
--> statement-breakpoint
-- Suspends a person, or restores what they have: which is what it was. False for who has nothing there to suspend.
create or replace function set_member_active(
  university integer, person integer, wanted boolean, actor integer, request jsonb
) returns boolean language plpgsql as $$
begin
  if not exists (select from known_at(person) as known where known.university_id = university) then
    return false;
  end if;
  update university_members set is_active = wanted
  where university_id = university and user_id = person and is_active <> wanted;
  if found then
    perform audit(case when wanted then 'member.restored' else 'member.suspended' end, actor, person, university, '{}',
                  request);
  end if;
  return true;
end $$;
--> statement-breakpoint
-- Signs in whom a university's provider names, and makes them one of its people; the first time by their address. The
-- refusals: `domain`, an address that the provider may not vouch for (null for one that it has not verified); `taken`, as
-- `link_identity` refuses.
create or replace function sign_in_by_university(
  the_provider integer, the_subject text, address text, name text, request jsonb,
  out refusal text, out person integer, out version integer
) language plpgsql as $$
declare
  trusted identity_providers;
  provider_name text;
begin
  select * into trusted from identity_providers where id = the_provider for key share;
  provider_name := trusted.university_id || '.' || trusted.name;
  person := (select user_id from user_identities where provider = provider_name and subject = the_subject);
  if person is null then
    if not coalesce(trusted.vouches, false) or not exists (
      select from university_domains
      where university_id = trusted.university_id and domain = split_part(address, '@', 2)
    ) then
      refusal := 'domain';
      return;
    end if;
    insert into users (email, full_name, email_verified_at) values (address, name, sent_at(request))
    on conflict (email) do nothing;
    person := (select id from users where email = address);
  end if;
  perform from users where id = person for update;
  if exists (
    select from user_identities where provider = provider_name and subject = the_subject and user_id = person
  ) then
    version := (select token_version from users where id = person and is_active);
  else
    version := (
      select linked.token_version from link_identity(provider_name, the_subject, address, name, request) as linked
      where linked.id = person);
  end if;
  if refusal is null and version is null then refusal := 'taken'; end if;
  if refusal is null and not exists (
    select from user_university_roles where user_id = person and university_id = trusted.university_id
  ) then
    insert into user_university_roles (user_id, university_id, role) values (person, trusted.university_id, 'student')
    on conflict do nothing;
    perform audit('role.granted', person, person, trusted.university_id,
                  jsonb_build_object('role', 'student', 'provider', provider_name), request);
  end if;
  if refusal is null then
    perform audit('sign_in', person, person, trusted.university_id, jsonb_build_object('provider', provider_name),
                  request);
  end if;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
