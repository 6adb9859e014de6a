-- Erasure of an account. Its row stays as a number, without name, address or sign-in. The exam record (enrollments,
-- finished attempts, graded work, grades and their changes) and what reports count (events, progress, stars) stay on
-- the number. Other personal data is deleted, and the user's words leave shared content.
--
-- One statement closes the account: its sign-ins, name, address, rights and visible parts end, and its seats become
-- free. The schedule then deletes conversations and the stored answers from them, and ungraded work beyond a thousand
-- submissions, in steps.
--
-- Locks: for an administrator, the other administrators who erase themselves; the imports that the user began and the
-- rows of imports with their address; their directory records (scim.sql); their open attempts, their work and their
-- certificates; the courses and offerings whose seats become free (enrollments.sql); their LTI identities; stored
-- answers, generations and sessions, in the order of cache-tree.sql; the user; the totals (daily-report-aggregates.sql); their
-- discussions (discussions.sql); their files (files.sql); what else is erased; the next on waiting lists. Pins with
-- the user's own words are deleted in a step before.

-- Looks in one item or in all. Every visit of a node is counted, so another user's visit shows. A fresh answer that
-- only they wait for has no visit yet. Looks nodes up one by one: the tree is much larger than one user's messages.
create or replace function nodes_only_visited_by_person(person integer, item integer default null) returns setof bigint
language sql stable set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with visited as (
    select node_id, sum(visits) as times from (
      select m.cache_node_id as node_id, 1 as visits
      from chat_sessions as s join chat_messages as m on m.session_id = s.id
      where s.user_id = person and (item is null or s.content_item_id = item) and m.cache_node_id is not null
      union all
      select g.node_id, 0
      from chat_sessions as s join generations as g on g.id = s.answering_generation_id
      where s.user_id = person and (item is null or s.content_item_id = item) and g.node_id is not null
        and not exists (
          select from chat_sessions as other where other.answering_generation_id = g.id and other.user_id <> person)
    ) as own
    group by node_id
  )
  select n.id
  from visited join cache_nodes as n on n.id = visited.node_id
  left join cache_nodes as stood on stood.id = n.parent_id
  where n.message <> 'Start.' and not coalesce(stood.choices ? n.message, false)
    and n.visit_count + (select count(*) from cache_visits as v where v.node_id = n.id) <= visited.times
$$;

-- Generations of a class that may hold this user's words: built on deleted nodes, or for a message that only they
-- wait for.
create or replace function generations_containing_words_of_person(person integer, doomed bigint[], item integer default null)
returns setof bigint language sql stable as $$
  select id from generations where node_id = any (doomed) or parent_id = any (doomed)
  union
  select g.id from chat_sessions as s join generations as g on g.content_item_id = s.content_item_id
  where s.user_id = person and (item is null or s.content_item_id = item)
    and g.question_id is null and g.state <> 'writing' and g.message <> 'Start.'
    and g.node_id is null
  union
  select g.id from chat_sessions as s join generations as g on g.id = s.answering_generation_id
  left join cache_nodes as stood on stood.id = g.parent_id
  where s.user_id = person and (item is null or s.content_item_id = item)
    and g.question_id is null and g.message <> 'Start.' and not coalesce(stood.choices ? g.message, false)
    and not exists (
      select from chat_sessions as other where other.answering_generation_id = g.id and other.user_id <> person
    )
$$;

-- Locks subtrees and the user's sessions too; of one item or of all. Returns those nodes.
create or replace function lock_nodes_only_visited_by_person(person integer, item integer default null) returns bigint[]
language plpgsql set enable_seqscan = off as $$
declare
  doomed bigint[] := array(select nodes_only_visited_by_person(person, item));
begin
  perform from cache_nodes
  where id = any (doomed || array(select cache_node_ids_below(one) from unnest(doomed) as one)) order by id for update;
  perform from generations where id in (select generations_containing_words_of_person(person, doomed, item)) order by id for update;
  perform from chat_sessions
  where user_id = person and (item is null or content_item_id = item) order by id for update;
  -- Reads again behind the session locks. A node that another user just reached is no longer theirs alone.
  return array(
    select id from cache_nodes where id = any (array(select nodes_only_visited_by_person(person, item)))
    for update skip locked);
end $$;

-- Whatever its spelling: the question and the answer, without blanks.
create or replace function normalize_path_message(message text) returns text language plpgsql immutable as $$
declare
  blanks constant text := E'\\\\([nrtf]|u000b)|[\\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]';
begin
  return regexp_replace(normalize(
    jsonb_build_array(message::jsonb -> 'questionId', message::jsonb -> 'answer')::text, nfc), blanks, '', 'g');
exception
  -- Escapes that jsonb cannot hold.
  when data_exception then return regexp_replace(normalize(message, nfc), blanks, '', 'g');
end $$;

-- An item and all its direct and indirect copies.
create or replace function item_and_its_copies(the_item integer) returns setof integer language sql stable as $$
  with recursive copy (id) as (
    select the_item
    union
    select item.id from copy join content_items as item on item.origin_item_id = copy.id
  )
  select id from copy
$$;

-- Messages on paths that only this user said and the tutor did not offer. Their nodes may be gone; copies have the
-- same paths.
create or replace function path_messages_only_sent_by_person(person integer, items integer[]) returns text[]
language plpgsql stable as $$
begin
  if not exists (select from answer_pins where content_item_id = any (items))
    and not exists (select from tree_changes where content_item_id = any (items)) then return '{}'; end if;
  return array(
    with held (message) as materialized (
      select message from (
        select jsonb_array_elements_text(path) from answer_pins where content_item_id = any (items)
        union
        select jsonb_array_elements_text(path) from tree_changes where content_item_id = any (items)
        union
        select gone ->> 'message' from tree_changes, jsonb_array_elements(removed) as gone
        where content_item_id = any (items)
      ) as said (message)
      where message <> 'Start.'
    ), mine as materialized (
      select m.role, m.content, m.question from chat_sessions as s join chat_messages as m on m.session_id = s.id
      where s.user_id = person and s.content_item_id = any (items) and exists (select from held)
    ), offered as materialized (
      select distinct answer_messages_of_options(question) as message from mine where question is not null
    ), own as materialized (
      select message, normalize_path_message(message) as words from held
      where normalize_path_message(message) in (select normalize_path_message(content) from mine where role = 'user' and content like '%{%')
        and not exists (select from offered where offered.message = held.message)
        and not exists (
          select from cache_nodes as node where node.content_item_id = any (items) and node.choices ? held.message)
    ), of_others as materialized (
      select normalize_path_message(m.content) as words from chat_sessions as s join chat_messages as m on m.session_id = s.id
      where s.user_id <> person and s.content_item_id = any (items) and m.role = 'user' and m.content like '%{%'
        and exists (select from own)
    )
    select message from own where not exists (select from of_others where of_others.words = own.words));
end $$;

-- If attempts are limited, submits them as saved: deleting them would allow a second try at a known exam. Otherwise
-- deletes them.
create or replace function close_open_attempts_for_erasure(person integer, moment timestamptz) returns void language plpgsql as $$
begin
  delete from quiz_attempts as one
  where one.user_id = person and one.submitted_at is null and not exists (
    select from effective_quiz_rules_of_person(one.content_item_id, one.course_offering_id, person) as rules
    where rules.most_attempts is not null);
  update quiz_attempts as one
  set submitted_at = case when is_attempt_over(one, moment) then one.due_at else moment end,
      timed_out = is_attempt_over(one, moment), awaits_grading = true
  where one.user_id = person and one.submitted_at is null;
end $$;

-- Removes a user's name from their work as staff.
create or replace function anonymize_staff_work(person integer) returns void language plpgsql as $$
begin
  update announcements set created_by_user_id = null where created_by_user_id = person;
  update answer_pins set pinned_by = null where pinned_by = person;
  update cache_nodes set edited_by = null where edited_by = person;
  update course_exemptions set granted_by_user_id = null where granted_by_user_id = person;
  update grade_changes set changed_by_user_id = null where changed_by_user_id = person;
  update imports set created_by_user_id = null where created_by_user_id = person;
  update cartridge_imports set created_by_user_id = null, title = null where created_by_user_id = person;
  update invitations set invited_by_user_id = null where invited_by_user_id = person;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null where claimed_by_user_id = person;
  update lab_submissions set graded_by_user_id = null where graded_by_user_id = person;
  update submission_marks set grader_id = null where grader_id = person;
  update prompts set created_by = null where created_by = person;
  update trials set created_by = null where created_by = person;
  update prompt_rollouts set author_id = null where author_id = person;
  update prompt_rollouts set approved_by = null where approved_by = person;
  update prompt_rollouts set ended_by = null where ended_by = person;
  update tree_changes set changed_by = null where changed_by = person;
  update tree_changes set undone_by = null where undone_by = person;
  update tutor_notes set updated_by = null where updated_by = person;
  update prompt_label_events set changed_by = null where changed_by = person;
  update retention_holds set placed_by_user_id = null where placed_by_user_id = person;
  update data_requests set made_by_user_id = null where made_by_user_id = person;
  update data_requests set decided_by_user_id = null where decided_by_user_id = person;
  update stored_credentials set updated_by = null where updated_by = person;
end $$;

-- Erases conversations of one user and item at a time, with the stored answers that only their words led to; then
-- steps (answers-to-tutor-questions.sql) and work. Returns whether more may be left. An erasure ends, audited, when nothing is
-- left and no request of the account can still run.
create or replace function process_next_account_erasure_step(moment timestamptz, most integer) returns boolean language plpgsql as $$
declare
  next chat_sessions;
  items integer[];
  own text[];
  doomed bigint[];
  ended integer;
begin
  select talk.* into next from erasures join chat_sessions as talk on talk.user_id = erasures.user_id
  order by erasures.begun_at, talk.user_id, talk.content_item_id limit 1;
  if found then
    items := array(select item_and_its_copies(next.content_item_id) order by 1);
    own := path_messages_only_sent_by_person(next.user_id, items);
    if own <> '{}' then
      perform lock_answer_pins_of_item(item) from unnest(items) as item;
      delete from answer_pins where content_item_id = any (items) and path ?| own;
      delete from tree_changes where content_item_id = any (items) and path ?| own;
      update tree_changes set removed = null
      where content_item_id = any (items) and exists (
        select from jsonb_array_elements(removed) as gone where gone ->> 'message' = any (own));
      return true;
    end if;
    doomed := lock_nodes_only_visited_by_person(next.user_id, next.content_item_id);
    -- A locked node was skipped; after its turn it is shared or this user's, so run once more.
    if exists (
      select from nodes_only_visited_by_person(next.user_id, next.content_item_id) as own (id) where id <> all (doomed)
    ) then return true; end if;
    -- A pin was just written. Pins are locked before sessions, so run once more.
    if path_messages_only_sent_by_person(next.user_id, array(select item_and_its_copies(next.content_item_id))) <> '{}' then return true; end if;
    delete from generations where id in (select generations_containing_words_of_person(next.user_id, doomed, next.content_item_id));
    delete from cache_nodes where id = any (doomed);
    delete from chat_sessions where id in (
      select id from chat_sessions
      where user_id = next.user_id and content_item_id = next.content_item_id
      -- Deleting a conversation cascades to all its asides: delete those first.
      order by aside_of_id is null, id limit most);
    return true;
  end if;
  if delete_tutor_steps_keeping_counts(array(
    select step.id from erasures join tutor_steps as step on step.user_id = erasures.user_id
    order by step.id limit most for update of step skip locked)) > 0
  then return true; end if;
  select user_id into next.user_id from erasures
  where exists (select from lab_submissions as work where work.user_id = erasures.user_id and work.status <> 'graded')
  order by begun_at, user_id limit 1;
  if found then
    perform erase_personal_data_keeping_statistics(next.user_id, most);
    return true;
  end if;
  for ended in
    delete from erasures where begun_at < moment - interval '1 hour' returning user_id
  loop
    perform audit('account.erasure_ended', null, null, null, jsonb_build_object('user_id', ended),
      jsonb_build_object('at', moment));
  end loop;
  return false;
end $$;

-- The last person in an administrative role, of all or of the whole university, raises. Of two who give up their
-- roles at the same time, the second waits and is refused.
create or replace function lock_and_refuse_last_administrator(person integer, university integer default null) returns boolean
language plpgsql as $$
begin
  if not exists (select from user_university_roles where user_id = person and role like '%admin') then return true; end if;
  perform pg_advisory_xact_lock(hashtextextended('erasure of an administrator', 0));
  if exists (
    select from user_university_roles as held
    where held.user_id = person and held.role like '%admin'
      and (university is null
        or held.university_id = university and held.role = 'university_admin' and held.department_id is null)
      and not exists (
        select from user_university_roles as other join users on users.id = other.user_id
        where other.role = held.role and other.user_id <> person and users.is_active
          and (held.role = 'platform_admin' or other.university_id = held.university_id
            and other.department_id is not distinct from held.department_id
            and not is_suspended(other.university_id, other.user_id)))
  ) then
    raise exception 'the last administrator' using errcode = 'check_violation', constraint = 'last_administrator';
  end if;
  return true;
end $$;

-- Returns false unless the tokens have that version. Runs with its owner's rights: only an erasure may remove a
-- name from the audit log.
create or replace function erase_account(
  person integer, version integer, keep_certificates boolean, request jsonb, key bytea default null
) returns boolean language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '25s' as $$
declare
  own users;
  moment timestamptz := (request ->> 'at')::timestamptz;
  held_office boolean;
  -- Waiting lists too: they may just receive a seat, which becomes free.
  held_offerings integer[] := array(
    select course_offering_id from enrollments
    where user_id = person and (status in ('active', 'waitlisted') or completion_source = 'self') order by 1);
begin
  perform lock_and_refuse_last_administrator(person);
  -- Before all that an import writes, in the order of its worker.
  perform from imports where created_by_user_id = person order by id for no key update;
  perform from import_rows where email = (select email from users where id = person) order by id for update;
  -- Before the user, in the order of directory writes.
  perform from scim_users where user_id = person order by id for update;
  -- Before the seats and the user, in the order of grading and revoking. It also blocks both during the count.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  perform from certificates where user_id = person order by id for update;
  perform lock_offerings_with_course_seats(held_offerings);
  -- Before the user, in the order of an LTI launch.
  perform from lti_people where user_id = person order by id for update;
  -- Shared links stop working.
  update chat_sessions set share_enabled = false, share_token = null where user_id = person and share_token is not null;
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  -- Certificates stay verifiable, with only their printed fields.
  if keep_certificates then update certificates set user_id = null, metadata_json = null where user_id = person; end if;

  insert into erased_identifiers (user_id, university_id, identifier)
  select person, known.university_id, known.identifier from hashed_identifiers_of_account(person, key) as known;
  insert into erasures (user_id, begun_at) values (person, moment);
  delete from message_feedback where message_id in (
    select said.id from chat_sessions as talk join chat_messages as said on said.session_id = talk.id
    where talk.user_id = person);
  perform erase_personal_data_keeping_statistics(person);
  perform anonymize_staff_work(person);
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where starts_with(account_hash, left(sha256_hex(own.email), 32));
  held_office := exists (select from audit_events where actor_id = person and subject_id is distinct from person);
  if held_office then
    insert into audit_people (user_id, full_name, email, erased_at) values (person, own.full_name, own.email, moment)
    on conflict do nothing;
  end if;
  -- Their actions on others keep the actor, as do others' actions on an office holder.
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where (actor_id = person or subject_id = person)
    and not (held_office and actor_id is not null and subject_id is distinct from actor_id);
  -- The streak expires on its own date: the count of people with a streak stays right until then.
  update users set email = null, full_name = '', password_hash = null, email_verified_at = null, is_active = false,
    locale = default, time_zone = default, tutor_sees_results = default, avatar_token = null, made_by_university_id = null, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform close_open_attempts_for_erasure(person, moment);
  perform fill_seats_from_waitlist_and_notify(offering, moment) from unnest(held_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
