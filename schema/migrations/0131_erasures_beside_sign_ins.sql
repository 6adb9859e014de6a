set local check_function_bodies = off;
--> statement-breakpoint
-- Who has a place again has nothing there of what is put onto a number: what is left of it is put there before. Where that is
-- more than a statement takes, the place is given in a minute, when the steps of the erasure are through.
create or replace function begin_anew() returns trigger language plpgsql as $$
declare
  run integer := (select university_id from course_offerings where id = new.course_offering_id);
  number integer;
begin
  select erased_user_id into number from data_requests
  where user_id = new.user_id and university_id = run and erased_user_id is not null;
  if not found then return new; end if;
  perform drop_what_came_late(run, new.user_id, number);
  if move_results(run, new.user_id, number, new.course_offering_id, rows_of_a_place()) = rows_of_a_place() then
    raise exception 'person % is being erased from offering %', new.user_id, new.course_offering_id
      using errcode = 'lock_not_available';
  end if;
  return new;
end $$;
--> statement-breakpoint
-- Deletes what a person has a second time: a request that began before their places were put onto the number wrote it when the
-- first was there already. It came too late, and the number takes no other of the same thing.
create or replace function drop_what_came_late(university integer, person integer, number integer) returns void
language sql as $$
  delete from user_content_progress as late using user_content_progress as kept
  where late.user_id = person and kept.user_id = number and kept.course_offering_id = late.course_offering_id
    and kept.content_item_id = late.content_item_id and has_left(person, university, late.course_offering_id);
  delete from user_module_progress as late using user_module_progress as kept
  where late.user_id = person and kept.user_id = number and kept.course_offering_id = late.course_offering_id
    and kept.module_id = late.module_id and has_left(person, university, late.course_offering_id);
  delete from course_reviews as late using course_reviews as kept
  where late.user_id = person and kept.user_id = number and kept.course_offering_id = late.course_offering_id
    and has_left(person, university, late.course_offering_id);
  delete from auto_grader_readers as late using auto_grader_readers as kept
  where late.user_id = number and kept.user_id = person and kept.course_offering_id = late.course_offering_id
    and kept.content_item_id = late.content_item_id and has_left(person, university, late.course_offering_id);
$$;
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
  -- Before the person, as whoever writes what a directory says of them has it.
  perform from scim_users where user_id = person order by id for update;
  -- Before the places and the person, as whoever grades or revokes them has it; and nobody does while they are counted.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  perform from certificates where user_id = person order by id for update;
  perform lock_offerings(held_offerings);
  -- Before the person, as a launch by LTI has whom it knows.
  perform from lti_people where user_id = person order by id for update;
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
  perform keep_statistics(person, work_at_once());
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
    locale = default, time_zone = default, tutor_sees_results = default, avatar_token = null, made_by_university_id = null, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_seats(offering, moment) from unnest(held_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Erases once more of an erased account: what a request was just writing in its name, or to it, came after.
-- Not of the number of an erasure at a university, onto which rows are just put: it would take a code whose work comes in
-- the next step, and that erasure looks once more by itself (data-requests.sql).
create or replace function erase_leftovers(person integer, moment timestamptz) returns void language plpgsql as $$
begin
  if exists (select from data_requests where erased_user_id = person) then return; end if;
  perform keep_statistics(person, work_at_once());
  perform leave_office(person);
  perform end_open_attempts(person, moment);
end $$;
--> statement-breakpoint
-- Whose account a platform's person is: as it was settled before, else by what it tells, else by a new account. `told` has
-- their `subject`, and perhaps `name`, `email` and `sourced_id`, as a launch or a roster says. The refusals: `sign_in`,
-- where an account may be theirs that only they can say; `inactive`. Of two who come at once as one the later finds what
-- the earlier settled.
create or replace function find_lti_person(
  the_platform integer, told jsonb, request jsonb, out known integer, out person integer, out refusal text
) language plpgsql as $$
declare
  platform lti_platforms;
  met lti_people;
  candidate record;
  held integer;
begin
  select * into platform from lti_platforms where id = the_platform for key share;
  loop
    insert into lti_people (platform_id, subject) values (the_platform, told ->> 'subject') on conflict do nothing;
    select * into met from lti_people where platform_id = the_platform and subject = told ->> 'subject' for update;
    -- Whoever it was erased their account meanwhile: nobody is known by that any more.
    exit when found;
  end loop;
  known := met.id;
  person := met.user_id;
  update lti_people set (told_name, told_email, told_sourced_id) = (told ->> 'name', told ->> 'email', told ->> 'sourced_id')
  where id = known and (told_name, told_email, told_sourced_id)
    is distinct from (told ->> 'name', told ->> 'email', told ->> 'sourced_id');
  if person is null then
    loop
      select * into candidate from lti_candidate(platform, told);
      exit when (candidate.account).id is not distinct from held;
      held := (candidate.account).id;
      perform from users where id = held for no key update;
    end loop;
    if (candidate.account).id is null then
      person := make_lti_account(platform, known, told, request);
    else
      if met.unlinked_at is not null or not candidate.is_vouched
          or not is_linked_silently(platform, candidate.account, sent_at(request)) then
        refusal := 'sign_in';
        return;
      end if;
      person := (candidate.account).id;
      perform link_lti_person(known, person, candidate.linking, request);
    end if;
  end if;
  if not exists (select from users where id = person and is_active) then
    refusal := 'inactive';
    person := null;
  end if;
end $$;
--> statement-breakpoint
-- Finds whom a record is about, makes an account for an address that none has, or offers its owner to be one of the
-- university's own, unless they have declined that. Answers the record. Whoever calls it holds the record.
create or replace function find_scim_person(the_record integer, actor integer, request jsonb) returns scim_users
language plpgsql as $$
declare
  record scim_users;
  person integer;
  held integer;
begin
  select * into record from scim_users where id = the_record;
  if record.user_id is not null then return record; end if;
  loop
    person := person_of_scim_user(record);
    exit when person is not distinct from held;
    -- Whoever it was may just erase their account, and is nobody's then.
    perform from users where id = person for no key update;
    held := person;
  end loop;
  if person is null and record.is_active and record.email is not null then
    insert into users (email, full_name, made_by_university_id)
    values (record.email, record.full_name, record.university_id)
    on conflict (email) do nothing returning id into person;
    -- Somebody else may have made it meanwhile.
    person := coalesce(person, person_of_scim_user(record));
  end if;
  if person is not null then
    perform link_scim_user(the_record, person);
  elsif not record.is_active then
    perform revoke_scim_offer(record, request);
  elsif record.email is not null and not exists (
    select from invitations
    where university_id = record.university_id and email = record.email and role = 'student' and department_id is null
      and course_offering_id is null
      and (declined_at is not null or source = 'directory' and accepted_at is null and revoked_at is null)
  ) then
    perform invite(record.university_id, record.email, 'student', null, null, false, actor, request, false, 'directory',
                   record.external_id);
  end if;
  select * into record from scim_users where id = the_record;
  return record;
end $$;
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
  loop
    insert into users (email, full_name, email_verified_at) values (address, name, sent_at(request))
    on conflict (email) do nothing;
    select * into account from users where email = address for update;
    -- Whoever had the address erased their account meanwhile: it is free.
    exit when found;
  end loop;
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
  is_first boolean;
begin
  select * into trusted from identity_providers where id = the_provider for key share;
  provider_name := trusted.university_id || '.' || trusted.name;
  loop
    person := (select user_id from user_identities where provider = provider_name and subject = the_subject);
    is_first := person is null;
    if is_first then
      if not coalesce(trusted.vouches, false) or not exists (
        select from university_domains
        where university_id = trusted.university_id and domain = split_part(address, '@', 2)
      ) then
        refusal := 'domain';
        return;
      end if;
      perform lock_directory_address(trusted.university_id, address);
      perform from scim_users
      where university_id = trusted.university_id and email = address and user_id is null order by id for update;
      insert into users (email, full_name, email_verified_at) values (address, name, sent_at(request))
      on conflict (email) do nothing;
      person := (select id from users where email = address);
    end if;
    perform from users where id = person for update;
    -- Whoever it was erased their account meanwhile: they come as someone new.
    exit when exists (select from users where id = person and erased_at is null);
  end loop;
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
  -- Whom the directory has suspended before it knew who they are is so from the first moment on.
  if refusal is null and is_first then
    perform link_scim_user_of(trusted.university_id, address, person, person, request);
  end if;
  if refusal is null then
    perform audit('sign_in', person, person, trusted.university_id, jsonb_build_object('provider', provider_name),
                  request);
  end if;
end $$;
--> statement-breakpoint
-- Puts up to so many of a person's other rows of until then onto the number, and erases there what goes; answers whether there were any.
create or replace function split_belongings(university integer, person integer, number integer, until timestamptz, most integer)
returns boolean language plpgsql as $$
declare
  moved integer;
  done integer := 0;
  deck integer;
begin
  -- What they did there as staff stays, without a name.
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
  if done > 0 then return true; end if;
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
  if done > 0 then perform keep_statistics(number, most); end if;
  return done > 0;
end $$;
--> statement-breakpoint
-- Takes a person out of a university, and puts what lets them in there onto a number, which it closes.
create or replace function split_person(university integer, person integer, number integer, moment timestamptz, key bytea)
returns void language plpgsql as $$
declare
  held_offerings integer[] := array(
    select course_offering_id from enrollments
    where user_id = person and university_id = university and status in ('active', 'waitlisted') order by 1);
begin
  perform from imports where created_by_user_id = person and university_id = university and ended_at is null order by id for no key update;
  perform from scim_users where user_id = person and university_id = university order by id for update;
  -- Nothing is handed in, begun or graded meanwhile: whoever does looks at the place behind this.
  perform lock_grades_of(person, university);
  perform from quiz_attempts where user_id = person and submitted_at is null
    and course_offering_id in (select id from course_offerings where university_id = university) order by id for update;
  perform lock_offerings(held_offerings);
  -- Before the person, as a launch by LTI has whom it knows.
  perform from lti_people
  where user_id = person and platform_id in (select id from lti_platforms where university_id = university)
  order by id for update;
  perform from users where id = person for update;

  insert into erased_identifiers (user_id, university_id, identifier)
  select number, own.university_id, own.identifier from identifiers_of(person, key) as own
  where own.university_id is null or own.university_id = university;
  -- With their roles and offices, and more time.
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
  -- By what they are known there goes at once: whoever comes by it again is nobody's number.
  delete from lti_people
  where user_id = person and platform_id in (select id from lti_platforms where university_id = university);
  delete from sourced_people where user_id = person and university_id = university;
  delete from scim_users where user_id = person and university_id = university;

  perform end_open_attempts(number, moment);
  perform fill_seats(offering, moment) from unnest(held_offerings) as offering;
end $$;
--> statement-breakpoint
-- Does that in all that a person has left, and erases there, once all is on the number, up to so much of what is no record of
-- examinations; answers whether there was anything to do.
create or replace function split_results(university integer, person integer, number integer, most integer) returns boolean
language plpgsql as $$
declare
  moved integer;
begin
  perform drop_what_came_late(university, person, number);
  moved := move_results(university, person, number, null, most);
  if moved < most and (
    moved > 0 or has_ungraded_work(number)
    or exists (select from quiz_overrides where user_id = number)
    or exists (select from offering_group_members where user_id = number)
    or exists (select from lti_score_marks where user_id = number)
    or exists (select from certificates where user_id = number)
  ) then
    perform keep_statistics(number, most);
    return true;
  end if;
  return moved > 0;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
