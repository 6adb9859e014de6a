-- What people have asked of their data at a university. Two of its office handle a request: one writes it down, another
-- approves it, which the table holds as well.
--
-- An erasure takes a university's part of a person off their account, and puts it onto a number: a row of `users` as that of an
-- account that was erased. There it becomes what erasure.sql leaves of one: the record of examinations and the sums of reports
-- stay, and what else is a person's own goes. By what the university knew them they are found again, so that attempts count.
--
-- Locks: the request; whom a correction names (university-members.sql); of an erasure the university's row of
-- `retention_policies` (retention.sql), then all in the order of erasure.sql.

-- Whether a university holds anything of a person, which then is not erased.
create or replace function is_person_held(university integer, person integer, moment timestamptz) returns boolean
language sql stable as $$
  select is_held(university, array[person], 0, 0, moment) or exists (
    select from enrollments
    where user_id = person and university_id = university and is_held(university, '{}', course_offering_id, 0, moment))
$$;

-- Decides a request that is open. An export can be downloaded for a week then, and a correction is written. No row: the
-- university has no such request; `refusal` says why nothing was done.
create or replace function decide_data_request(
  university integer, the_request integer, actor integer, approve boolean, why text, moment timestamptz, request jsonb
) returns table (refusal text, decided data_requests, member university_members) language plpgsql as $$
declare
  corrected record;
begin
  select * into decided from data_requests where id = the_request and university_id = university for no key update;
  if not found then return; end if;
  refusal := case
    when decided.user_id = actor then 'own_data_request'
    when decided.state <> 'open' then 'data_request_decided'
    when approve and decided.made_by_user_id = actor then 'data_request_four_eyes' end;
  if refusal is null and approve and decided.kind = 'erase' then
    perform hold_policy(university);
    refusal := case
      when is_person_held(university, decided.user_id, moment) then 'data_request_held'
      when exists (
        select from user_university_roles
        where user_id = decided.user_id and university_id = university and role like '%admin')
        then 'data_request_administrator' end;
  end if;
  if refusal is null and approve and decided.kind = 'rectify' then
    select * into corrected from correct_member(university, decided.user_id, decided.correction, actor, request);
    refusal := case when corrected is null then 'data_request_no_member'
                    when corrected.is_taken then 'data_request_external_id_taken' end;
  end if;
  if refusal is not null then
    return next;
    return;
  end if;
  update data_requests as one set
    state = case when not approve then 'rejected' when one.kind = 'erase' then 'approved' else 'done' end,
    decided_by_user_id = actor, decided_at = moment, reason = why, correction = null,
    done_at = case when approve and one.kind <> 'erase' then moment end,
    available_until = case when approve and one.kind = 'export' then moment + interval '7 days' end
  where one.id = the_request returning one.* into decided;
  perform audit(case when approve then 'data_request.approved' else 'data_request.rejected' end, actor, decided.user_id,
    university, jsonb_build_object('request_id', the_request, 'kind', decided.kind), request);
  perform send_mail('data_request', email, id, request) from users
  where id = decided.user_id and email is not null;
  select one.* into member from university_members as one
  where one.university_id = university and one.user_id = decided.user_id;
  return next;
end $$;

-- Puts what of a university names a person onto a number, but for what may be many rows, and closes it there.
create or replace function split_person(university integer, person integer, number integer, moment timestamptz, key bytea)
returns void language plpgsql as $$
declare
  runs integer[] := array(select id from course_offerings where university_id = university);
  items integer[];
  deck integer;
  held_offerings integer[] := array(
    select course_offering_id from enrollments
    where user_id = person and university_id = university and status in ('active', 'waitlisted') order by 1);
begin
  perform from imports where created_by_user_id = person and university_id = university order by id for no key update;
  perform from import_rows where email = (select email from users where id = person)
    and import_id in (select id from imports where university_id = university) order by id for update;
  perform from scim_users where user_id = person and university_id = university order by id for update;
  perform from quiz_attempts where user_id = person and course_offering_id = any (runs) and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person and course_offering_id = any (runs) order by id for update;
  perform from certificates where user_id = person and course_offering_id = any (runs) order by id for update;
  perform lock_offerings(held_offerings);
  perform from users where id = person for update;

  insert into erased_identifiers (user_id, university_id, identifier)
  select number, own.university_id, own.identifier from identifiers_of(person, key) as own
  where own.university_id is null or own.university_id = university;
  -- With their roles and offices, and more time.
  delete from university_members where university_id = university and user_id = person;
  delete from invitations where university_id = university
    and (accepted_by_user_id = person or email = (select email from users where id = person));
  delete from import_rows where import_id in (select id from imports where university_id = university)
    and (user_id = person or email = (select email from users where id = person));
  delete from retention_holds where university_id = university and user_id = person;
  update invitations set invited_by_user_id = null where invited_by_user_id = person and university_id = university;
  update imports set created_by_user_id = null where created_by_user_id = person and university_id = university;
  update cartridge_imports set created_by_user_id = null, title = null where created_by_user_id = person and university_id = university;

  -- What they did there as staff stays, without a name.
  update announcements set created_by_user_id = null where created_by_user_id = person and university_id = university;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null
  where claimed_by_user_id = person and course_offering_id = any (runs);
  update lab_submissions set graded_by_user_id = null where graded_by_user_id = person and course_offering_id = any (runs);
  update submission_marks set grader_id = null
  where grader_id = person and submission_id in (select id from lab_submissions where course_offering_id = any (runs));
  update grade_changes set changed_by_user_id = null where changed_by_user_id = person and course_offering_id = any (runs);
  update course_exemptions set granted_by_user_id = null
  where granted_by_user_id = person and course_id in (select id from courses where university_id = university);
  update tutor_notes set updated_by = null
  where updated_by = person and course_id in (select id from courses where university_id = university);
  update retention_holds set placed_by_user_id = null where placed_by_user_id = person and university_id = university;
  items := array(select id from content_items where university_id = university);
  update answer_pins set pinned_by = null where pinned_by = person and content_item_id = any (items);
  update cache_nodes set edited_by = null where edited_by = person and content_item_id = any (items);
  update tree_changes set changed_by = null where changed_by = person and content_item_id = any (items);
  update tree_changes set undone_by = null where undone_by = person and content_item_id = any (items);

  -- Before the work that has them.
  update anonymous_codes set user_id = number where user_id = person and course_offering_id = any (runs);
  update quiz_attempts set user_id = number where user_id = person and course_offering_id = any (runs);
  update lab_submissions set user_id = number where user_id = person and course_offering_id = any (runs);
  update certificates set user_id = number where user_id = person and course_offering_id = any (runs);
  update enrollments set user_id = number where user_id = person and university_id = university;
  update quiz_overrides set user_id = number where user_id = person and course_offering_id = any (runs);
  update offering_group_members set user_id = number where user_id = person and course_offering_id = any (runs);
  update item_grades set user_id = number where user_id = person and course_offering_id = any (runs);
  update course_grades set user_id = number where user_id = person and course_offering_id = any (runs);
  update grade_changes set user_id = number where user_id = person and course_offering_id = any (runs);
  update user_module_progress set user_id = number where user_id = person and course_offering_id = any (runs);
  update user_content_progress set user_id = number where user_id = person and course_offering_id = any (runs);
  update stale_trees set user_id = number where user_id = person and course_offering_id = any (runs);
  update course_trees set user_id = number where user_id = person and course_offering_id = any (runs);
  update course_reviews set user_id = number where user_id = person and course_offering_id = any (runs);
  update course_exemptions set user_id = number
  where user_id = person and course_id in (select id from courses where university_id = university);
  update course_offering_instructors set user_id = number where user_id = person and course_offering_id = any (runs);
  update offering_staff set user_id = number where user_id = person and course_offering_id = any (runs);
  update auto_grader_readers set user_id = number where user_id = person and course_offering_id = any (runs);
  update lti_people set user_id = number
  where user_id = person and platform_id in (select id from lti_platforms where university_id = university);
  update lti_score_marks set user_id = number where user_id = person and course_offering_id = any (runs);
  update lti_rosters set asked_by_user_id = null
  where asked_by_user_id = person and context_id in (select id from lti_contexts where university_id = university);
  update lti_contexts set bound_by_user_id = null where bound_by_user_id = person and university_id = university;
  update sourced_people set user_id = number where user_id = person and university_id = university;
  update scim_users set user_id = number where user_id = person and university_id = university;
  update files set uploaded_by_user_id = number where uploaded_by_user_id = person and university_id = university;
  update discussion_threads set created_by_user_id = number where created_by_user_id = person and course_offering_id = any (runs);
  update discussion_threads set learner_user_id = number where learner_user_id = person and course_offering_id = any (runs);
  update discussion_posts set user_id = number where user_id = person
    and thread_id in (select id from discussion_threads where course_offering_id = any (runs));
  update tutor_handovers set user_id = number where user_id = person
    and thread_id in (select id from discussion_threads where course_offering_id = any (runs));
  update discussion_reports set user_id = number where user_id = person and course_offering_id = any (runs);
  update announcement_reads set user_id = number where user_id = person
    and announcement_id in (select id from announcements where university_id = university);
  update notifications set user_id = number where user_id = person
    and (course_offering_id = any (runs) or content_item_id = any (items));
  update notes set user_id = number where user_id = person and content_item_id = any (items);
  if exists (select from flashcards where user_id = person and content_item_id = any (items)) then
    insert into flashcard_decks (user_id, title) values (number, 'Erased') returning id into deck;
    update flashcards set user_id = number, deck_id = deck where user_id = person and content_item_id = any (items);
  end if;

  perform keep_statistics(number);
  perform end_open_attempts(number, moment);
  perform fill_seats(offering, moment) from unnest(held_offerings) as offering;
end $$;

-- Puts up to so many of a person's further rows at a university onto the number; answers whether there were any.
create or replace function split_rows(university integer, person integer, number integer, most integer) returns boolean
language plpgsql as $$
declare
  moved integer;
  found_any boolean := false;
begin
  update chat_sessions set user_id = number, share_enabled = false, share_token = null where id in (
    select talk.id from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
    where talk.user_id = person and item.university_id = university order by talk.id limit most);
  get diagnostics moved = row_count;
  found_any := moved > 0;
  update tutor_steps set user_id = number where id in (
    select step.id from tutor_steps as step join content_items as item on item.id = step.content_item_id
    where step.user_id = person and item.university_id = university order by step.id limit most);
  get diagnostics moved = row_count;
  found_any := found_any or moved > 0;
  update activity_events set user_id = number where id in (
    select id from activity_events where user_id = person and university_id = university order by id limit most);
  get diagnostics moved = row_count;
  found_any := found_any or moved > 0;
  update llm_calls set user_id = null where id in (
    select id from llm_calls where user_id = person and university_id = university order by id limit most);
  get diagnostics moved = row_count;
  return found_any or moved > 0;
end $$;

-- Does a step of the erasures that were approved, each once nothing of it is held; answers whether more may be left. `key` is
-- that of former-accounts.sql.
create or replace function erase_at_universities(moment timestamptz, most integer, key bytea) returns boolean
language plpgsql as $$
declare
  next data_requests;
  number integer;
begin
  select one.* into next from data_requests as one
  where one.state = 'approved'
    and (one.erased_user_id is not null or not is_person_held(one.university_id, one.user_id, moment))
  order by one.id limit 1 for update skip locked;
  if not found then return false; end if;
  if next.erased_user_id is null then
    perform hold_policy(next.university_id);
    if is_person_held(next.university_id, next.user_id, moment) then return true; end if;
    insert into users (full_name, is_active, erased_at, created_at) values ('', false, moment, moment) returning id into number;
    perform split_person(next.university_id, next.user_id, number, moment, key);
    update data_requests set erased_user_id = number where id = next.id;
    return true;
  end if;
  number := next.erased_user_id;
  if split_rows(next.university_id, next.user_id, number, most) then return true; end if;
  perform pg_advisory_xact_lock(hashtextextended('activity of person ' || next.user_id, 0));
  update activity_days set user_id = number
  where user_id = next.user_id and course_id in (select id from courses where university_id = next.university_id);
  update activity_months set user_id = number
  where user_id = next.user_id and course_id in (select id from courses where university_id = next.university_id);
  delete from message_feedback where message_id in (
    select said.id from chat_sessions as talk join chat_messages as said on said.session_id = talk.id
    where talk.user_id = number);
  -- Conversations go as those of any account that was erased.
  insert into erasures (user_id, begun_at) values (number, moment);
  update data_requests set state = 'done', done_at = moment, erased_user_id = null where id = next.id;
  perform audit('data_request.done', null, next.user_id, next.university_id,
    jsonb_build_object('request_id', next.id, 'kind', next.kind), jsonb_build_object('at', moment));
  return true;
end $$;
