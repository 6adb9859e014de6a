set local check_function_bodies = off;
--> statement-breakpoint
drop function confirm_email(text,jsonb);
--> statement-breakpoint
drop function invite(integer,text,text,integer,integer,boolean,integer,jsonb);
--> statement-breakpoint
drop function mail_confirmation(text,text,integer,timestamp with time zone);
--> statement-breakpoint
CREATE TABLE "university_domains" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "university_domains_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"domain" varchar(255) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "university_domains_university_id_domain_unique" UNIQUE("university_id","domain")
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "import_rows" DROP CONSTRAINT "import_rows_outcome_check";
--> statement-breakpoint
ALTER TABLE "identity_providers" ADD COLUMN "vouches" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "offered" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "declined_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "source" text DEFAULT 'operation' NOT NULL;
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "overrides" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "sourced_id" varchar(255);
--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD COLUMN "from_address" varchar(64);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "made_by_university_id" integer;
--> statement-breakpoint
ALTER TABLE "university_domains" ADD CONSTRAINT "university_domains_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_made_by_university_id_universities_id_fk" FOREIGN KEY ("made_by_university_id") REFERENCES "public"."universities"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "invitations_university_id_sourced_id_index" ON "invitations" USING btree ("university_id","sourced_id") WHERE sourced_id is not null;
--> statement-breakpoint
CREATE INDEX "users_made_by_university_id_index" ON "users" USING btree ("made_by_university_id") WHERE "users"."made_by_university_id" is not null;
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted'));
--> statement-breakpoint
ALTER TABLE "import_rows" ADD CONSTRAINT "import_rows_outcome_check" CHECK ("import_rows"."outcome" in ('created', 'updated', 'unchanged', 'offered', 'refused'));
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_source_check" CHECK ("invitations"."source" in ('operation', 'import'));
--> statement-breakpoint
-- Gives a person who has its address what an invitation offers, as far as who made it may still give it. Answers why
-- not, and then gives nothing of it: `void` when it is none any more, or not theirs.
create or replace function accept_invitation(
  the_invitation integer, person integer, request jsonb, out refusal text, out missing text
) language plpgsql as $$
declare
  offer invitations;
begin
  perform hold_invited_places(array[the_invitation]);
  select * into offer from invitations
  where id = the_invitation and accepted_at is null and revoked_at is null and expires_at > sent_at(request)
  for update;
  if offer.id is null or not exists (
    select from users where id = person and is_active and email = offer.email
  ) then
    refusal := 'void';
  elsif not exists (select from users where id = offer.invited_by_user_id and is_active)
      or offer.role is not null
        and not may_grant(offer.invited_by_user_id, offer.role, offer.university_id, offer.department_id)
      or offer.course_offering_id is not null and not exists (
        select from course_offerings as run
        where run.id = offer.course_offering_id and case when offer.teaches
          then is_instructor_of_offering(offer.invited_by_user_id, run.id)
          else is_staff_of_offering(offer.invited_by_user_id, run.id) end) then
    refusal := 'withdrawn';
  elsif offer.course_offering_id is not null and not offer.teaches and not exists (
    select from enrollments
    where course_offering_id = offer.course_offering_id and user_id = person and status <> 'dropped'
  ) then
    -- Who is in two offerings of a course by the university's own records is so here.
    select placed.refusal, placed.missing into refusal, missing
    from enroll(offer.course_offering_id, person, sent_at(request), null, offer.invited_by_user_id, offer.overrides,
                request, offer.source = 'import') as placed;
  end if;
  if refusal is not null then return; end if;
  if offer.role is not null then
    insert into user_university_roles (user_id, university_id, role, department_id)
    values (person, offer.university_id, offer.role, offer.department_id) on conflict do nothing;
    if found then
      perform audit('role.granted', offer.invited_by_user_id, person, offer.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', offer.role, 'department_id', offer.department_id, 'invitation_id', offer.id)),
        request);
    end if;
  end if;
  if offer.teaches then
    insert into course_offering_instructors (course_offering_id, user_id) values (offer.course_offering_id, person)
    on conflict do nothing;
  end if;
  insert into sourced_people (university_id, sourced_id, user_id)
  select offer.university_id, offer.sourced_id, person where offer.sourced_id is not null on conflict do nothing;
  update invitations set accepted_at = sent_at(request), accepted_by_user_id = person where id = offer.id;
end $$;
--> statement-breakpoint
-- Takes an address for verified: the account's own, or the new one that it gets by that, of which the former address
-- is told. It takes a sign-in to the account, `as_person`, or, for its own address, the hash of a password that is `wanted`:
-- whoever has the mail takes the account over then, since whoever made it may have typed anyone's address. False when the
-- token is not good, or someone else's. An address that someone else has by now breaks the key of users.
create or replace function confirm_email(
  hash text, request jsonb, as_person integer default null, wanted text default null
) returns boolean language plpgsql as $$
declare
  token one_time_tokens;
  former text;
begin
  if not exists (
    select from one_time_tokens
    where token_hash = hash and case when as_person is not null then user_id = as_person
                                     else wanted is not null and purpose = 'verify_email' end
  ) then
    return false;
  end if;
  select * into token from use_token(hash, '{verify_email,change_email}', sent_at(request));
  if token.id is null then return false; end if;
  select email into former from users
  where id = token.user_id and is_active and (token.purpose = 'change_email' or email = token.email) for update;
  if not found then return false; end if;
  update users set email = token.email, email_verified_at = sent_at(request) where id = token.user_id;
  if wanted is not null and token.purpose = 'verify_email' then
    perform end_tokens(token.user_id);
    update users set password_hash = wanted where id = token.user_id;
    perform send_mail('password_changed', token.email, token.user_id, sent_at(request));
    perform audit('account.taken_over', token.user_id, token.user_id, null, '{}', request);
  end if;
  if former <> token.email then
    perform send_mail('email_changed', former, token.user_id, sent_at(request));
    perform audit('email.changed', token.user_id, token.user_id, null, '{}', request);
    delete from one_time_tokens where user_id = token.user_id and email = former;
  end if;
  return true;
end $$;
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
  -- Where they wait they may be given a place just now, which is free then.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
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
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where actor_id = person or subject_id = person;
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
-- To which address a row of a batch offers what it says, since nobody of the university's own is known by it: that of
-- whom the source's id means, the row's own, or the one that the import, or an earlier one, has offered a role with the
-- same id. An address that no account has is given one by a row about a person.
create or replace function import_addressees(import imports, batch bigint[]) returns table (row_id bigint, address text)
language sql stable as $$
  select one.row_id, coalesce(owner.email, one.email, earlier.email, offered.email)
  from import_batch(import, batch) as one
  join import_rows as given on given.id = one.row_id
  left join lateral (
    select users.email from sourced_people as known join users on users.id = known.user_id
    where known.university_id = import.university_id and known.sourced_id = one.sourced_id limit 1
  ) as owner on true
  left join lateral (
    select listed.email from import_rows as listed
    where listed.import_id = import.id and listed.kind = 'person' and listed.sourced_id = one.sourced_id
      and listed.outcome = 'offered' limit 1
  ) as earlier on true
  left join lateral (
    select known.email from invitations as known
    where known.university_id = import.university_id and known.sourced_id = one.sourced_id
    order by known.id desc limit 1
  ) as offered on true
  where one.person is null and not one.is_coming and not one.is_deletion and not one.has_other_address
    and (given.kind <> 'person' or exists (select from users where users.email = one.email))
    and coalesce(owner.email, one.email, earlier.email, offered.email) is not null
$$;
--> statement-breakpoint
-- What the rows of a batch say, with the own person of the university that each is about: by the source's id, else by the
-- address. Of a dry run, in which nobody is made, `is_coming` says that an earlier row would have made them.
create or replace function import_batch(import imports, batch bigint[]) returns table (
  row_id bigint, sourced_id text, email text, is_deletion boolean, details jsonb, person integer,
  is_coming boolean, has_other_address boolean
) language sql stable as $$
  select one.id, one.sourced_id, one.email, one.is_deletion, one.details,
    case when owner.id is not null then case when is_own_person(import.university_id, owner) then owner.id end
         when is_reached_by_address(addressed) and is_own_person(import.university_id, addressed) then addressed.id end,
    import.is_dry_run and coalesce(owner.id, addressed.id) is null and exists (
      select from import_rows as earlier
      where earlier.import_id = import.id and earlier.kind = 'person' and earlier.outcome = 'created'
        and (earlier.sourced_id = one.sourced_id or earlier.email = one.email)),
    coalesce(one.email <> owner.email, false)
  from import_rows as one
  left join lateral (
    -- One at a time: of a table that was empty a moment ago the planner knows nothing, and would look through all of it.
    select known.user_id from sourced_people as known
    where known.university_id = import.university_id and known.sourced_id = one.sourced_id limit 1
  ) as sourced on true
  left join users as owner on owner.id = sourced.user_id
  left join users as addressed on addressed.email = one.email
  where one.id = any (batch)
$$;
--> statement-breakpoint
-- People are enrolled as by staff, one after another, since places are given one after another; teachers teach. Who is
-- in two offerings of a course by the university's own records is so here.
create or replace function import_enrollments(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  asked record;
  known enrollments;
  refusal text;
  missing text;
  joining integer[];
  offered jsonb;
begin
  perform hold_offerings(array(select offering from imported_places(import, batch) where offering is not null));
  offered := (
    select jsonb_object_agg(one.row_id, coalesce(offer_by_import(
        import, one.address, given.sourced_id, null, null, place.offering, given.details ->> 'as' = 'teacher', request),
        ''))
    from import_addressees(import, batch) as one join import_rows as given on given.id = one.row_id
    join imported_places(import, batch) as place on place.row_id = one.row_id where place.offering is not null);
  -- In one order, since whoever becomes a member is locked for it.
  joining := array(
    select one.person from import_batch(import, batch) as one
    where not exists (
      select from university_members as member
      where member.university_id = import.university_id and member.user_id = one.person));
  perform from users where id = any (joining) order by id for share;
  for asked in
    select one.*, addressee.address, place.offering, place.is_coming as offering_is_coming,
      one.details ->> 'as' = 'teacher' as teaches
    from import_batch(import, batch) as one join imported_places(import, batch) as place on place.row_id = one.row_id
    left join import_addressees(import, batch) as addressee on addressee.row_id = one.row_id
    order by one.row_id
  loop
    row_id := asked.row_id;
    person := asked.person;
    outcome := 'refused';
    reason := case
      when asked.has_other_address then 'The person with this sourced_id has another e-mail address'
      when asked.person is null and not asked.is_coming and asked.address is null then 'There is no such person'
      when asked.offering is null and not asked.offering_is_coming then 'The university has no such offering'
      else nullif(offered ->> row_id::text, '') end;
    if reason is not null then
      return next;
      continue;
    end if;
    if asked.address is not null then
      outcome := 'offered';
    elsif asked.person is null or asked.offering is null then
      outcome := case when asked.is_deletion then 'unchanged' else 'created' end;
    elsif asked.teaches then
      if asked.is_deletion then
        delete from course_offering_instructors
        where course_offering_id = asked.offering and user_id = asked.person;
      else
        insert into course_offering_instructors (course_offering_id, user_id) values (asked.offering, asked.person)
        on conflict do nothing;
      end if;
      outcome := case when not found then 'unchanged' when asked.is_deletion then 'updated' else 'created' end;
    else
      select * into known from enrollments
      where course_offering_id = asked.offering and user_id = asked.person;
      if asked.is_deletion and known.status in ('active', 'pending', 'waitlisted') then
        perform set_enrollment_status(known.id, 'dropped', false, sent_at(request));
        outcome := 'updated';
      elsif asked.is_deletion or known.status <> 'dropped' then
        outcome := 'unchanged';
      else
        select placed.refusal, placed.missing into refusal, missing
        from enroll(asked.offering, asked.person, sent_at(request), null, import.created_by_user_id, import.overrides,
                    request, true) as placed;
        if refusal is null then
          outcome := case when known.id is null then 'created' else 'updated' end;
        else
          reason := refusal_in_words(refusal, missing);
        end if;
      end if;
    end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- People are made, or found; found ones get the source's id, and the role of a student where they have nothing in the
-- university, and people of elsewhere are offered that role. Their name changes only as `may_rename` says, and their address, by which they sign in, never. Two rows of
-- one file never name the same person.
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
  perform hold_offerings(array(
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
    select jsonb_object_agg(one.row_id, coalesce(offer_by_import(
        import, one.address, given.sourced_id, 'student', null, null, false, request), ''))
    from import_addressees(import, batch) as one join import_rows as given on given.id = one.row_id);
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
      and not exists (select from known_at(one.person) as known where known.university_id = import.university_id)
    on conflict do nothing returning user_university_roles.user_id
  )
  select coalesce(array_agg(user_id), '{}') into changed from welcomed;
  -- After that, since whoever belonged nowhere belongs here alone now: the same file would find it so.
  with listed as materialized (
    select one.* from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
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
    where listed.sourced_id is not null
    on conflict do nothing returning sourced_people.user_id
  )
  select changed || array(select id from renamed union select user_id from sourced) into changed;
  return query
  select one.row_id,
    case when one.has_other_address or offered ->> one.row_id::text <> '' then 'refused'
         when offered ? one.row_id::text then 'offered' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'The person with this sourced_id has another e-mail address, which only they can change'
         else nullif(offered ->> one.row_id::text, '') end,
    one.person
  from import_batch(import, batch) as one where not one.is_deletion;
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
-- Roles are granted and revoked in the importer's name, each as far as they may.
create or replace function import_roles(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language sql as $$
  with judged as materialized (
    select one.*, one.details ->> 'role' as role, department.id as department_id,
      row_number() over (
        partition by one.person, one.details ->> 'role', department.id, one.is_deletion order by one.row_id) as nth,
      case when one.has_other_address then 'The person with this sourced_id has another e-mail address'
           when one.person is null and not one.is_coming and addressee.address is null then 'There is no such person'
           when one.details ->> 'department_code' is not null and department.id is null
             then 'The university has no department with this code'
           when one.is_deletion and one.person = import.created_by_user_id then 'Nobody removes themselves'
           when not may_grant(import.created_by_user_id, one.details ->> 'role', import.university_id, department.id)
             then 'You may not grant or revoke this role' end as refusal, addressee.address
    from import_batch(import, batch) as one
    left join import_addressees(import, batch) as addressee on addressee.row_id = one.row_id
    left join departments as department
      on department.university_id = import.university_id and department.code = one.details ->> 'department_code'
  ), offered as materialized (
    select judged.row_id, offer_by_import(
      import, judged.address, judged.sourced_id, judged.role, judged.department_id, null, false, request) as refusal
    from judged where judged.refusal is null and judged.address is not null order by judged.row_id
  ), granted as (
    insert into user_university_roles (user_id, university_id, role, department_id)
    select distinct on (judged.person, judged.role, judged.department_id)
      judged.person, import.university_id, judged.role, judged.department_id
    from judged where judged.refusal is null and judged.person is not null and not judged.is_deletion
    order by judged.person, judged.role, judged.department_id
    on conflict do nothing returning user_university_roles.*
  ), revoked as (
    delete from user_university_roles as held using judged
    where judged.refusal is null and judged.is_deletion and held.user_id = judged.person
      and held.university_id = import.university_id and held.role = judged.role
      and held.department_id is not distinct from judged.department_id
    returning held.*
  ), changed as (
    select 'role.granted' as action, granted.* from granted union all select 'role.revoked', revoked.* from revoked
  ), audited as (
    insert into audit_events
      (action, actor_id, subject_id, university_id, details, occurred_at, request_id, from_address)
    select changed.action, import.created_by_user_id, changed.user_id, changed.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', changed.role, 'department_id', changed.department_id, 'import_id', import.id)),
      sent_at(request), request ->> 'id', request ->> 'from'
    from changed
  )
  select judged.row_id,
    case when coalesce(judged.refusal, offered.refusal) is not null then 'refused'
         when offered.row_id is not null then 'offered'
         when judged.is_deletion and changed.id is not null then 'updated'
         when changed.id is not null or judged.is_coming and not judged.is_deletion then 'created'
         else 'unchanged' end,
    coalesce(judged.refusal, offered.refusal), judged.person
  from judged left join offered on offered.row_id = judged.row_id
  left join changed on judged.refusal is null and judged.nth = 1 and changed.user_id = judged.person
    and changed.role = judged.role and changed.department_id is not distinct from judged.department_id
$$;
--> statement-breakpoint
-- Offers, or renews the same open offer in the name of who asks now. `is_new` says which. With `passes` the place is given
-- whatever the window, the prerequisites and the capacity say; `the_sourced_id` is that of an import.
create or replace function invite(
  university integer, to_address text, the_role text, department integer, offering integer, as_instructor boolean,
  inviter integer, request jsonb, passes boolean default false, the_source text default 'operation',
  the_sourced_id text default null, out invitation invitations, out is_new boolean
) language plpgsql as $$
declare
  moment timestamptz := sent_at(request);
  offered record;
begin
  insert into invitations as one
    (university_id, email, role, department_id, course_offering_id, teaches, invited_by_user_id, created_at,
     expires_at, overrides, source, sourced_id)
  values (university, to_address, the_role, department, offering, as_instructor, inviter, moment,
          moment + interval '7 days', passes, the_source, the_sourced_id)
  on conflict (university_id, email, coalesce(role, ''), coalesce(department_id, 0), coalesce(course_offering_id, 0),
               teaches)
    where accepted_at is null and revoked_at is null
  do update set invited_by_user_id = inviter, expires_at = excluded.expires_at, mail_id = null,
    overrides = excluded.overrides, source = excluded.source,
    sourced_id = coalesce(excluded.sourced_id, one.sourced_id)
  returning one, one.xmax = 0 as is_new into offered;
  invitation := offered.one;
  is_new := offered.is_new;
  perform mail_invitations(to_address, moment);
  perform audit('invitation.sent', inviter, null, university, jsonb_strip_nulls(jsonb_build_object(
    'invitation_id', invitation.id, 'role', the_role, 'department_id', department, 'course_offering_id', offering,
    'teaches', nullif(as_instructor, false))), request);
end $$;
--> statement-breakpoint
-- Whether an account is one of a university's own people: who has or had a role or a place there, who is known there by an
-- account that it made and nobody entered, and who has a verified address in one of its domains.
create or replace function is_own_person(university integer, account users) returns boolean language sql stable as $$
  select account.erased_at is null and (
    exists (select from user_university_roles where user_id = account.id and university_id = university)
    or exists (select from enrollments where user_id = account.id and university_id = university)
    or coalesce(account.made_by_university_id = university, false) and not was_entered(account)
    or account.email_verified_at is not null and exists (
      select from university_domains
      where university_id = university and domain = split_part(account.email, '@', 2)))
$$;
--> statement-breakpoint
-- Whether an account gets what is given to its address. Not where someone entered it who has not shown that the address
-- is theirs: they may have typed anyone's.
create or replace function is_reached_by_address(account users) returns boolean language sql stable as $$
  select account.email_verified_at is not null or not was_entered(account)
$$;
--> statement-breakpoint
-- Has a link sent that shows whether mail to an address reaches a person. What waits for another address of theirs is not
-- sent any more, unless it has been tried, and then counts for the time of the next.
create or replace function mail_confirmation(
  the_kind text, to_address text, person integer, moment timestamptz, origin text default null
) returns void language plpgsql as $$
begin
  perform from users where id = person for no key update;
  delete from mail_outbox
  where user_id = person and kind = the_kind and address <> to_address and ended_at is null and tries = 0;
  insert into mail_outbox (kind, address, user_id, created_at, due_at, from_address)
  values (the_kind, to_address, person, moment, next_mail_at(the_kind, to_address, person, moment), origin)
  on conflict (kind, address) where ended_at is null
  do update set user_id = excluded.user_id, from_address = excluded.from_address;
end $$;
--> statement-breakpoint
-- Offers what a row says, unless the same offer is open; answers why not, where it was declined.
create or replace function offer_by_import(
  import imports, address text, the_sourced_id text, the_role text, department integer, offering integer,
  as_instructor boolean, request jsonb
) returns text language plpgsql as $$
declare
  known invitations;
begin
  select * into known from invitations as one
  where one.university_id = import.university_id and one.email = address and one.role is not distinct from the_role
    and one.department_id is not distinct from department and one.course_offering_id is not distinct from offering
    and one.teaches = as_instructor
  order by one.id desc limit 1;
  if known.declined_at is not null then return 'They have declined it'; end if;
  if known.id is null or num_nonnulls(known.accepted_at, known.revoked_at) > 0 or known.expires_at <= sent_at(request) then
    perform invite(import.university_id, address, the_role, department, offering, as_instructor,
                   import.created_by_user_id, request, import.overrides and not as_instructor, 'import', the_sourced_id);
  elsif known.sourced_id is null and the_sourced_id is not null then
    update invitations set sourced_id = the_sourced_id where id = known.id;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Signs in whom a university's provider names, and makes them one of its people; the first time by their address. The
-- refusals: `domain`, an address that the provider may not vouch for (null for one that it has not verified); `elsewhere`,
-- an account that reaches beyond the university; `taken`, as `link_identity` refuses.
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
  -- Whoever gives the person something elsewhere waits for this, or is seen by it.
  perform from users where id = person for update;
  if exists (
    select from known_at(person) as known
    where known.university_id <> trusted.university_id or known.role = 'platform_admin'
  ) then
    refusal := 'elsewhere';
  elsif exists (
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
end $$;
--> statement-breakpoint
-- Whether anyone has ever been in an account: with a password, as a provider knows them, or by a link that was sent to
-- its address. What an import made and nobody has opened since was not entered.
create or replace function was_entered(account users) returns boolean language sql stable as $$
  select account.password_hash is not null or account.email_verified_at is not null
    or exists (select from user_identities where user_id = account.id)
$$;
--> statement-breakpoint
-- Works the next rows of an import, as many of one kind as `most`; answers how many are left, null while someone else
-- works an import of the same university. Of a dry run what was done is undone, and what came of it stays.
create or replace function work_import(the_import integer, most integer, request jsonb) returns integer
language plpgsql set lock_timeout = '25s' as $$
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
    where import_id = the_import and outcome is null and kind = the_kind order by id limit most);
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
  -- Rows may be fewer than they were: who erases their account takes theirs along.
  waiting := (select count(*) from import_rows where import_id = the_import and outcome is null);
  if waiting = 0 then
    update imports set ended_at = sent_at(request) where id = the_import and ended_at is null;
  end if;
  return waiting;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
--> statement-breakpoint
-- The domains of providers are their universities'. A provider that was granted none of them vouches for none.
insert into university_domains (university_id, domain)
select distinct university_id, unnest(email_domains) from identity_providers
on conflict do nothing;
--> statement-breakpoint
update identity_providers as one set vouches = false
where one.email_domains = '{}' and exists (
  select from university_domains as granted where granted.university_id = one.university_id);
--> statement-breakpoint
-- Whoever was made by an import, and has never been in the account, is its university's own.
update users set made_by_university_id = belongs.university_id
from (
  select user_id, min(university_id) as university_id from university_members group by user_id having count(*) = 1
) as belongs
where belongs.user_id = users.id and erased_at is null and password_hash is null and email_verified_at is null
  and not exists (select from user_identities where user_id = users.id);
