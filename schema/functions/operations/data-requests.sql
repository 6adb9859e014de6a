-- Requests of people about their data at a university. Two office members handle each: one records it, another
-- approves it. A constraint of the table checks this too.
--
-- An erasure moves the university's part of a person to a number: a `users` row like that of an erased account. As in
-- erasure.sql, the exam record and the sums of reports stay, and other personal data is deleted. The university's
-- former identifiers find the number again, so attempts still count.
--
-- The first step closes roles, seats and directory records; all else follows in steps of so many rows. A step is one
-- transaction, so an interrupted one leaves nothing half done. For an hour it checks again for rows that a running
-- request was writing. A person who returns starts over: their old rows are moved before they get a seat, and later
-- rows without a seat are theirs.
--
-- Locks: the request; the user whom a correction names (university-members.sql); for an erasure the university's row
-- of `retention_policies` (retention.sql), then all in the order of erasure.sql, with the grades of the person's
-- offerings (grades.sql) before their attempts.

create or replace function is_person_under_retention_hold(university integer, person integer, moment timestamptz) returns boolean
language sql stable as $$
  select is_under_retention_hold(university, array[person], 0, 0, moment) or exists (
    select from enrollments
    where user_id = person and university_id = university and is_under_retention_hold(university, '{}', course_offering_id, 0, moment))
$$;

-- An export is then available for a week, and a correction is written. No row: the university has no such request;
-- `refusal` is the reason if nothing was done.
create or replace function approve_or_reject_data_request(
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
    perform ensure_and_lock_retention_policy(university);
    refusal := case
      when is_person_under_retention_hold(university, decided.user_id, moment) then 'data_request_held'
      when exists (
        select from user_university_roles
        where user_id = decided.user_id and university_id = university and role like '%admin')
        then 'data_request_administrator' end;
  end if;
  if refusal is null and approve and decided.kind = 'rectify' then
    select * into corrected from update_university_member(university, decided.user_id, decided.correction, actor, request);
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
  perform queue_mail('data_request', email, id, request) from users
  where id = decided.user_id and email is not null;
  select one.* into member from university_members as one
  where one.university_id = university and one.user_id = decided.user_id;
  return next;
end $$;

create or replace function is_without_enrollment_in_offering(person integer, university integer, offering integer) returns boolean
language sql stable as $$
  select exists (select from course_offerings where id = offering and university_id = university)
    and not exists (select from enrollments where user_id = person and course_offering_id = offering)
$$;

-- Moves the person's means of access to a number, which it closes.
create or replace function end_university_access_of_erased_person(university integer, person integer, number integer, moment timestamptz, key bytea)
returns void language plpgsql as $$
declare
  held_offerings integer[] := array(
    select course_offering_id from enrollments
    where user_id = person and university_id = university
      and (status in ('active', 'waitlisted') or completion_source = 'self') order by 1);
begin
  perform from imports where created_by_user_id = person and university_id = university and ended_at is null order by id for no key update;
  perform from scim_users where user_id = person and university_id = university order by id for update;
  -- Submitting, starting and grading check the enrollment behind this lock.
  perform lock_offering_grades_of_person(person, university);
  perform from quiz_attempts where user_id = person and submitted_at is null
    and course_offering_id in (select id from course_offerings where university_id = university) order by id for update;
  perform lock_offerings_with_course_seats(held_offerings);
  -- Before the person, in the order of an LTI launch.
  perform from lti_people
  where user_id = person and platform_id in (select id from lti_platforms where university_id = university)
  order by id for update;
  perform from users where id = person for update;

  insert into erased_identifiers (user_id, university_id, identifier)
  select number, own.university_id, own.identifier from hashed_identifiers_of_account(person, key) as own
  where own.university_id is null or own.university_id = university;
  -- With their roles, offices and accommodations.
  delete from university_members where university_id = university and user_id = person;
  delete from invitations where university_id = university
    and (accepted_by_user_id = person or email = (select email from users where id = person));
  delete from retention_holds where university_id = university and user_id = person;
  update imports set created_by_user_id = null
  where created_by_user_id = person and university_id = university and ended_at is null;

  update quiz_attempts set user_id = number where user_id = person and submitted_at is null
    and course_offering_id in (select id from course_offerings where university_id = university);
  update enrollments set user_id = number where user_id = person and university_id = university;
  update course_offering_instructors set user_id = number
  where user_id = person and course_offering_id in (select id from course_offerings where university_id = university);
  update offering_staff set user_id = number where user_id = person and university_id = university;
  -- A return by one of them must not lead to the number.
  delete from lti_people
  where user_id = person and platform_id in (select id from lti_platforms where university_id = university);
  delete from sourced_people where user_id = person and university_id = university;
  delete from scim_users where user_id = person and university_id = university;

  perform close_open_attempts_for_erasure(number, moment);
  perform fill_seats_from_waitlist_and_notify(offering, moment) from unnest(held_offerings) as offering;
end $$;

-- Moves up to `most` rows of a person in an offering, or in all that they left at the university. Codes move before
-- the work that uses them. First deletes late duplicates: a request that began before the seats were moved wrote a
-- row that the number already has.
create or replace function reassign_results_to_erased_user(university integer, person integer, number integer, offering integer, most integer)
returns integer language plpgsql as $$
declare
  moved integer;
  done integer := 0;
begin
  delete from user_content_progress as late using user_content_progress as kept
  where late.user_id = person and kept.user_id = number and kept.course_offering_id = late.course_offering_id
    and kept.content_item_id = late.content_item_id and is_without_enrollment_in_offering(person, university, late.course_offering_id);
  delete from user_module_progress as late using user_module_progress as kept
  where late.user_id = person and kept.user_id = number and kept.course_offering_id = late.course_offering_id
    and kept.module_id = late.module_id and is_without_enrollment_in_offering(person, university, late.course_offering_id);
  delete from course_reviews as late using course_reviews as kept
  where late.user_id = person and kept.user_id = number and kept.course_offering_id = late.course_offering_id
    and is_without_enrollment_in_offering(person, university, late.course_offering_id);
  delete from auto_grader_readers as late using auto_grader_readers as kept
  where late.user_id = number and kept.user_id = person and kept.course_offering_id = late.course_offering_id
    and kept.content_item_id = late.content_item_id and is_without_enrollment_in_offering(person, university, late.course_offering_id);
  update anonymous_codes set user_id = number where id = any (array(
    select one.id from anonymous_codes as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update quiz_attempts set user_id = number where id = any (array(
    select one.id from quiz_attempts as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lab_submissions set user_id = number where id = any (array(
    select one.id from lab_submissions as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update scorm_attempts set user_id = number where id = any (array(
    select one.id from scorm_attempts as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update certificates set user_id = number where id = any (array(
    select one.id from certificates as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update quiz_overrides set user_id = number where id = any (array(
    select one.id from quiz_overrides as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update offering_group_members set user_id = number where id = any (array(
    select one.id from offering_group_members as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update item_grades set user_id = number where id = any (array(
    select one.id from item_grades as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_grades set user_id = number where id = any (array(
    select one.id from course_grades as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update grade_changes set user_id = number where id = any (array(
    select one.id from grade_changes as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update user_module_progress set user_id = number where id = any (array(
    select one.id from user_module_progress as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update user_content_progress set user_id = number where id = any (array(
    select one.id from user_content_progress as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_reviews set user_id = number where id = any (array(
    select one.id from course_reviews as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update auto_grader_readers set user_id = number where id = any (array(
    select one.id from auto_grader_readers as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lti_score_marks set user_id = number where id = any (array(
    select one.id from lti_score_marks as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update stale_trees set user_id = number where ctid = any (array(
    select one.ctid from stale_trees as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_trees set user_id = number where ctid = any (array(
    select one.ctid from course_trees as one where one.user_id = person and (one.course_offering_id = offering or offering is null and is_without_enrollment_in_offering(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  return done;
end $$;

-- Before a person gets a seat again, their old rows move to the number. With more rows than almost anyone has, the
-- seat must wait about a minute for the erasure's steps.
create or replace function reassign_erased_results_before_enrollment() returns trigger language plpgsql as $$
declare
  most constant integer := 5000;
  run integer := (select university_id from course_offerings where id = new.course_offering_id);
  number integer;
begin
  select erased_user_id into number from data_requests
  where user_id = new.user_id and university_id = run and erased_user_id is not null;
  if not found then return new; end if;
  if reassign_results_to_erased_user(run, new.user_id, number, new.course_offering_id, most) = most then
    raise exception 'person % is being erased from offering %', new.user_id, new.course_offering_id
      using errcode = 'lock_not_available';
  end if;
  return new;
end $$;

create or replace trigger detach_from_erased_record before insert on enrollments for each row execute function reassign_erased_results_before_enrollment();

-- Removes the person's name from up to `most` rows, which stay. Returns whether there were any.
create or replace function anonymize_staff_work_at_university(university integer, person integer, most integer) returns boolean
language plpgsql as $$
declare
  moved integer;
  done integer := 0;
begin
  update imports set created_by_user_id = null where id = any (array(
    select one.id from imports as one where one.created_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update cartridge_imports set created_by_user_id = null, title = null where id = any (array(
    select one.id from cartridge_imports as one where one.created_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update invitations set invited_by_user_id = null where id = any (array(
    select one.id from invitations as one where one.invited_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update announcements set created_by_user_id = null where id = any (array(
    select one.id from announcements as one where one.created_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null where id = any (array(
    select one.id from lab_submissions as one where one.claimed_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lab_submissions set graded_by_user_id = null where id = any (array(
    select one.id from lab_submissions as one where one.graded_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update submission_marks set grader_id = null where id = any (array(
    select one.id from submission_marks as one where one.grader_id = person and exists (select from lab_submissions as work join course_offerings as run on run.id = work.course_offering_id
      where work.id = one.submission_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update grade_changes set changed_by_user_id = null where id = any (array(
    select one.id from grade_changes as one where one.changed_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_exemptions set granted_by_user_id = null where id = any (array(
    select one.id from course_exemptions as one where one.granted_by_user_id = person and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tutor_notes set updated_by = null where id = any (array(
    select one.id from tutor_notes as one where one.updated_by = person and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update retention_holds set placed_by_user_id = null where id = any (array(
    select one.id from retention_holds as one where one.placed_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update answer_pins set pinned_by = null where id = any (array(
    select one.id from answer_pins as one where one.pinned_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update cache_nodes set edited_by = null where id = any (array(
    select one.id from cache_nodes as one where one.edited_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tree_changes set changed_by = null where id = any (array(
    select one.id from tree_changes as one where one.changed_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tree_changes set undone_by = null where id = any (array(
    select one.id from tree_changes as one where one.undone_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lti_rosters set asked_by_user_id = null where context_id = any (array(
    select one.context_id from lti_rosters as one where one.asked_by_user_id = person and one.context_id in (select id from lti_contexts where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update one_roster_sources set created_by_user_id = null where id = any (array(
    select one.id from one_roster_sources as one where one.created_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lti_contexts set bound_by_user_id = null where id = any (array(
    select one.id from lti_contexts as one where one.bound_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  delete from import_rows where id = any (array(
    select one.id from import_rows as one join imports as its on its.id = one.import_id
    where its.university_id = university
      and (one.user_id = person or one.email = (select email from users where id = person)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  delete from course_exemptions where id = any (array(
    select one.id from course_exemptions as one where one.user_id = person and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  return done > 0;
end $$;

-- Moves up to `most` other rows from before `until` to the number, and erases the rest there. Without any, moves up
-- to `most` of each further kind. Returns whether there were any.
create or replace function reassign_other_rows_to_erased_user(university integer, person integer, number integer, until timestamptz, most integer)
returns boolean language plpgsql as $$
declare
  moved integer;
  done integer := 0;
  deck integer;
  talks bigint[];
begin
  update files set uploaded_by_user_id = number where id = any (array(
    select one.id from files as one where one.uploaded_by_user_id = person and one.university_id = university and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_threads set created_by_user_id = number where id = any (array(
    select one.id from discussion_threads as one where one.created_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_threads set learner_user_id = number where id = any (array(
    select one.id from discussion_threads as one where one.learner_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tutor_handovers set user_id = number where id = any (array(
    select one.id from tutor_handovers as one where one.user_id = person and exists (select from discussion_threads as thread join course_offerings as run on run.id = thread.course_offering_id
      where thread.id = one.thread_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_posts set user_id = number where id = any (array(
    select one.id from discussion_posts as one where one.user_id = person and exists (select from discussion_threads as thread join course_offerings as run on run.id = thread.course_offering_id
      where thread.id = one.thread_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_reports set user_id = number where id = any (array(
    select one.id from discussion_reports as one where one.user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  delete from announcement_reads where ctid = any (array(
    select one.ctid from announcement_reads as one where one.user_id = person and one.read_at < until and exists (
      select from announcements as its where its.id = one.announcement_id and its.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update notifications set user_id = number where id = any (array(
    select one.id from notifications as one where one.user_id = person and one.created_at < until and (exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university)
      or exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update notes set user_id = number where id = any (array(
    select one.id from notes as one where one.user_id = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  if done < most and exists (select from flashcards as one where one.user_id = person and one.created_at < until
    and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university)) then
    insert into flashcard_decks (user_id, title) values (number, 'Erased') returning id into deck;
    update flashcards set user_id = number, deck_id = deck where id = any (array(
      select one.id from flashcards as one where one.user_id = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) and one.created_at < until limit most - done));
    get diagnostics moved = row_count;
    done := done + moved;
  end if;
  if done > 0 then
    perform erase_personal_data_keeping_statistics(number, most);
    return true;
  end if;
  talks := array(
    select talk.id from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
    where talk.user_id = person and item.university_id = university and talk.created_at < until order by talk.id limit most);
  done := cardinality(talks);
  update chat_sessions set user_id = number, share_enabled = false, share_token = null where id = any (talks);
  delete from message_feedback where message_id in (select id from chat_messages where session_id = any (talks));
  -- A person who returned within that minute counts tries from one again: append them after those of the number.
  update tutor_steps as late set user_id = number, try_number = late.try_number + greatest(0, (
      select max(kept.try_number) from tutor_steps as kept
      where kept.user_id = number and kept.content_item_id = late.content_item_id and kept.question_hash = late.question_hash
    ) + 1 - (
      select min(own.try_number) from tutor_steps as own
      where own.user_id = person and own.content_item_id = late.content_item_id and own.question_hash = late.question_hash))
  where late.id in (
    select step.id from tutor_steps as step join content_items as item on item.id = step.content_item_id
    where step.user_id = person and item.university_id = university and step.created_at < until order by step.id limit most);
  get diagnostics moved = row_count;
  done := done + moved;
  update activity_events set user_id = number where id in (
    select id from activity_events
    where user_id = person and university_id = university and occurred_at < until order by id limit most);
  get diagnostics moved = row_count;
  done := done + moved;
  update llm_calls set user_id = null where id in (
    select id from llm_calls
    where user_id = person and university_id = university and started_at < until order by id limit most);
  get diagnostics moved = row_count;
  done := done + moved;
  perform pg_advisory_xact_lock(hashtextextended('activity of person ' || person, 0));
  update activity_days set user_id = number where ctid = any (array(
    select one.ctid from activity_days as one where one.user_id = person and one.day <= until::date and one.course_id in (select id from courses where university_id = university) limit most));
  get diagnostics moved = row_count;
  done := done + moved;
  update activity_months set user_id = number where ctid = any (array(
    select one.ctid from activity_months as one where one.user_id = person and one.month <= until::date and one.course_id in (select id from courses where university_id = university) limit most));
  get diagnostics moved = row_count;
  done := done + moved;
  return done > 0;
end $$;

-- Skips erasures under a hold. Returns whether more may be left. Rows from more than a minute after the first step
-- stay: no request from before it writes for so long.
create or replace function process_next_university_erasure_step(moment timestamptz, most integer, key bytea) returns boolean
language plpgsql as $$
declare
  next data_requests;
  number integer;
  begun_at timestamptz;
  until timestamptz;
  behind integer := 0;
  moved integer;
begin
  loop
    select one.* into next from data_requests as one
    where one.state = 'approved' and one.id > behind
      and (one.erased_user_id is not null or not is_person_under_retention_hold(one.university_id, one.user_id, moment))
    order by one.id limit 1 for update skip locked;
    if not found then return false; end if;
    behind := next.id;
    number := next.erased_user_id;
    if number is null then
      perform ensure_and_lock_retention_policy(next.university_id);
      if is_person_under_retention_hold(next.university_id, next.user_id, moment) then return true; end if;
      insert into users (full_name, is_active, erased_at, created_at) values ('', false, moment, service_now())
      returning id into number;
      perform end_university_access_of_erased_person(next.university_id, next.user_id, number, moment, key);
      update data_requests set erased_user_id = number where id = next.id;
      return true;
    end if;
    select erased_at, created_at + interval '1 minute' into begun_at, until from users where id = number;
    moved := reassign_results_to_erased_user(next.university_id, next.user_id, number, null, most);
    -- With all of the record on the number, erases up to `most` rows there that are no exam record.
    if moved < most and (
      moved > 0 or exists (select from lab_submissions where user_id = number and status <> 'graded')
      or exists (select from quiz_overrides where user_id = number)
      or exists (select from offering_group_members where user_id = number)
      or exists (select from lti_score_marks where user_id = number)
      or exists (select from certificates where user_id = number)
    ) then
      perform erase_personal_data_keeping_statistics(number, most);
      return true;
    end if;
    if moved > 0 or anonymize_staff_work_at_university(next.university_id, next.user_id, most)
      or reassign_other_rows_to_erased_user(next.university_id, next.user_id, number, until, most) then return true; end if;
    continue when moment < begun_at + interval '1 hour';
    perform erase_personal_data_keeping_statistics(number, most);
    perform close_open_attempts_for_erasure(number, moment);
    -- Conversations are erased like those of any erased account.
    insert into erasures (user_id, begun_at) values (number, moment);
    update data_requests set state = 'done', done_at = moment, erased_user_id = null where id = next.id;
    perform audit('data_request.done', null, next.user_id, next.university_id,
      jsonb_build_object('request_id', next.id, 'kind', next.kind), jsonb_build_object('at', moment));
    return true;
  end loop;
end $$;
