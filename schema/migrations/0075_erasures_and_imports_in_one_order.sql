set local check_function_bodies = off;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql, `key` that of former-accounts.sql. It acts with its owner's rights as a whole, so that nobody is taken
-- out of the audit log but by the end of their account.
create or replace function erase_account(
  person integer, version integer, keep_certificates boolean, request jsonb, key bytea default null
) returns boolean language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '25s' as $$
declare
  own users;
  moment timestamptz := (request ->> 'at')::timestamptz;
  -- Whether they have done anything to others or to a university, for which someone may have to answer.
  held_office boolean;
  -- Where they wait they may be given a place just now, which is free then.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  perform refuse_last_administrator(person);
  -- Before all that an import gives, as whoever works it has them.
  perform from imports where created_by_user_id = person order by id for no key update;
  perform from import_rows where email = (select email from users where id = person) order by id for update;
  -- Before the places and the person, as whoever grades or revokes them has it; and nobody does while they are counted.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  perform from certificates where user_id = person order by id for update;
  perform hold_offerings(held_offerings);
  -- Nobody follows a link to them any more.
  update chat_sessions set share_enabled = false, share_token = null where user_id = person and share_token is not null;
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  if keep_certificates then perform leave_certificates(person); end if;

  perform note_identifiers(person, key);
  insert into erasures (user_id, begun_at) values (person, moment);
  delete from message_feedback where message_id in (
    select said.id from chat_sessions as talk join chat_messages as said on said.session_id = talk.id
    where talk.user_id = person);
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
-- Forgets up to `most` notifications, and as many reminders, from before a moment; answers how many.
create or replace function forget_notifications(before timestamptz, most integer) returns integer language sql as $$
  with reminders as (
    delete from due_reminders where (course_offering_id, content_item_id, due_at) in (
      select course_offering_id, content_item_id, due_at from due_reminders
      where due_at < before order by due_at limit most for update skip locked)
    returning 1
  ), forgotten as (
    delete from notifications where id in (
      select id from notifications where created_at < before order by created_at limit most for update skip locked)
    returning id
  )
  select ((select count(*) from reminders) + (select count(*) from forgotten))::integer
$$;
--> statement-breakpoint
-- The stored answers that only this person's words led to: what the tutor had not offered, and nobody else has said
-- there; of one item, or of all. Each visit of a node is counted, so that a visit which is not one of theirs is another's.
-- An answer that was just stored, and that they alone wait for, has no visit yet.
-- Nodes are looked up one by one: the tree is much larger than what a person said.
create or replace function nodes_of_own_words(person integer, item integer default null) returns setof bigint
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
--> statement-breakpoint
-- Works the next rows of an import, as many of one kind as `most`; answers how many are left, null while someone else
-- works an import of the same university. Of a dry run what was done is undone, and what came of it stays. Whoever was
-- enrolled is known again by the accounts that they had before: `key` is that of former-accounts.sql.
create or replace function work_import(the_import integer, most integer, request jsonb, key bytea)
returns integer language plpgsql set lock_timeout = '25s' as $$
declare
  import imports;
  batch bigint[];
  the_kind text;
  results jsonb;
  waiting integer;
begin
  if not pg_try_advisory_xact_lock(
    hashtext('imports'), (select university_id from imports where id = the_import)
  ) then
    return null;
  end if;
  select * into import from imports where id = the_import for no key update;
  the_kind := (select kind from import_rows where import_id = the_import and outcome is null order by id limit 1);
  batch := array(
    select id from import_rows
    where import_id = the_import and outcome is null and kind = the_kind order by id limit most for update);
  begin
    if the_kind is null then
      results := '[]';
    elsif not may_grant(import.created_by_user_id, 'university_admin', import.university_id, null) then
      results := (
        select jsonb_agg(jsonb_build_object(
          'row_id', id, 'outcome', 'refused', 'reason', 'Who started the import may not import any more'))
        from unnest(batch) as id);
    elsif the_kind = 'offering' then
      results := (select jsonb_agg(to_jsonb(done)) from import_offerings(import, batch) as done);
    elsif the_kind = 'person' then
      results := (select jsonb_agg(to_jsonb(done)) from import_people(import, batch, request) as done);
    elsif the_kind = 'role' then
      results := (select jsonb_agg(to_jsonb(done)) from import_roles(import, batch, request) as done);
    else
      results := (select jsonb_agg(to_jsonb(done)) from import_enrollments(import, batch, request) as done);
    end if;
    if import.is_dry_run then raise exception 'a dry run' using errcode = 'ROLBK'; end if;
  exception when sqlstate 'ROLBK' then
    null;
  end;
  with done as (
    update import_rows set outcome = one.outcome, reason = one.reason,
      user_id = (select id from users where id = one.person)
    from jsonb_to_recordset(results) as one (row_id bigint, outcome text, reason text, person integer)
    where import_rows.id = one.row_id
    returning import_rows.outcome
  ), counted as (
    select count(*) filter (where outcome = 'created') as created,
      count(*) filter (where outcome = 'updated') as updated,
      count(*) filter (where outcome = 'unchanged') as unchanged, count(*) filter (where outcome = 'offered') as offered,
      count(*) filter (where outcome = 'refused') as refused
    from done
  )
  update imports set created = imports.created + counted.created, updated = imports.updated + counted.updated,
    unchanged = imports.unchanged + counted.unchanged, offered = imports.offered + counted.offered,
    refused = imports.refused + counted.refused
  from counted where imports.id = the_import;
  if the_kind = 'enrollment' and not import.is_dry_run then
    perform find_former_accounts(enrolled.user_id, key) from (
      select distinct user_id from import_rows where id = any (batch) and user_id is not null order by user_id
    ) as enrolled;
  end if;
  -- Rows may be fewer than they were: who erases their account takes theirs along.
  waiting := (select count(*) from import_rows where import_id = the_import and outcome is null);
  if waiting = 0 then
    update imports set ended_at = sent_at(request) where id = the_import and ended_at is null;
  end if;
  return waiting;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
