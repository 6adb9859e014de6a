set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "identity_providers" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "identity_providers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(32) NOT NULL,
	"label" varchar(255) NOT NULL,
	"issuer" varchar(512) NOT NULL,
	"client_id" varchar(255) NOT NULL,
	"secret_ciphertext" text NOT NULL,
	"email_domains" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "identity_providers_university_id_name_unique" UNIQUE("university_id","name")
);
--> statement-breakpoint
CREATE TABLE "import_rows" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "import_rows_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"import_id" integer NOT NULL,
	"kind" text NOT NULL,
	"file" varchar(64) NOT NULL,
	"line" integer NOT NULL,
	"sourced_id" varchar(255),
	"email" varchar(255),
	"is_deletion" boolean NOT NULL,
	"details" jsonb NOT NULL,
	"outcome" text,
	"reason" text,
	"user_id" integer,
	CONSTRAINT "import_rows_kind_check" CHECK ("import_rows"."kind" in ('offering', 'person', 'role', 'enrollment')),
	CONSTRAINT "import_rows_outcome_check" CHECK ("import_rows"."outcome" in ('created', 'updated', 'unchanged', 'refused'))
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "imports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"created_by_user_id" integer,
	"format" text NOT NULL,
	"is_dry_run" boolean NOT NULL,
	"overrides" boolean NOT NULL,
	"total" integer NOT NULL,
	"created" integer DEFAULT 0 NOT NULL,
	"updated" integer DEFAULT 0 NOT NULL,
	"unchanged" integer DEFAULT 0 NOT NULL,
	"refused" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "imports_format_check" CHECK ("imports"."format" in ('csv', 'one_roster'))
);
--> statement-breakpoint
CREATE TABLE "sourced_offerings" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sourced_offerings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"sourced_id" varchar(255) NOT NULL,
	"course_offering_id" integer NOT NULL,
	CONSTRAINT "sourced_offerings_university_id_sourced_id_unique" UNIQUE("university_id","sourced_id")
);
--> statement-breakpoint
CREATE TABLE "sourced_people" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sourced_people_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"sourced_id" varchar(255) NOT NULL,
	"user_id" integer NOT NULL,
	CONSTRAINT "sourced_people_university_id_sourced_id_unique" UNIQUE("university_id","sourced_id")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "invitations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"email" varchar(255) NOT NULL,
	"role" text,
	"department_id" integer,
	"course_offering_id" integer,
	"invited_by_user_id" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"token_hash" varchar(64),
	"mail_id" bigint,
	"accepted_at" timestamp (3) with time zone,
	"accepted_by_user_id" integer,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "invitations_role_check" CHECK ("invitations"."role" in ('student', 'ta', 'instructor', 'department_admin', 'university_admin', 'platform_admin')),
	CONSTRAINT "invitations_offer_check" CHECK ("invitations"."role" is not null or "invitations"."course_offering_id" is not null and "invitations"."department_id" is null)
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "mail_outbox" DROP CONSTRAINT "mail_outbox_kind_check";
--> statement-breakpoint
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "import_rows" ADD CONSTRAINT "import_rows_import_id_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."imports"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "import_rows" ADD CONSTRAINT "import_rows_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sourced_offerings" ADD CONSTRAINT "sourced_offerings_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sourced_offerings" ADD CONSTRAINT "sourced_offerings_course_offering_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sourced_people" ADD CONSTRAINT "sourced_people_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sourced_people" ADD CONSTRAINT "sourced_people_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_user_id_users_id_fk" FOREIGN KEY ("invited_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_accepted_by_user_id_users_id_fk" FOREIGN KEY ("accepted_by_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_department_id_departments_id_fk" FOREIGN KEY ("department_id","university_id") REFERENCES "public"."departments"("id","university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "import_rows_waiting_index" ON "import_rows" USING btree ("import_id","id") WHERE outcome is null;
--> statement-breakpoint
CREATE INDEX "import_rows_import_id_outcome_id_index" ON "import_rows" USING btree ("import_id","outcome","id");
--> statement-breakpoint
CREATE INDEX "import_rows_import_id_sourced_id_index" ON "import_rows" USING btree ("import_id","sourced_id");
--> statement-breakpoint
CREATE INDEX "import_rows_email_index" ON "import_rows" USING btree ("email");
--> statement-breakpoint
CREATE INDEX "import_rows_user_id_index" ON "import_rows" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "imports_university_id_id_index" ON "imports" USING btree ("university_id","id");
--> statement-breakpoint
CREATE INDEX "imports_created_by_user_id_index" ON "imports" USING btree ("created_by_user_id");
--> statement-breakpoint
CREATE INDEX "imports_unfinished_index" ON "imports" USING btree ("id") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "imports_ended_at_index" ON "imports" USING btree ("ended_at");
--> statement-breakpoint
CREATE INDEX "sourced_offerings_course_offering_id_index" ON "sourced_offerings" USING btree ("course_offering_id");
--> statement-breakpoint
CREATE INDEX "sourced_people_user_id_index" ON "sourced_people" USING btree ("user_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_open_key" ON "invitations" USING btree ("university_id","email",coalesce("role", ''),coalesce("department_id", 0),coalesce("course_offering_id", 0)) WHERE accepted_at is null and revoked_at is null;
--> statement-breakpoint
CREATE INDEX "invitations_email_index" ON "invitations" USING btree ("email") WHERE accepted_at is null and revoked_at is null;
--> statement-breakpoint
CREATE INDEX "invitations_university_id_id_index" ON "invitations" USING btree ("university_id","id");
--> statement-breakpoint
CREATE INDEX "invitations_department_id_index" ON "invitations" USING btree ("department_id");
--> statement-breakpoint
CREATE INDEX "invitations_course_offering_id_index" ON "invitations" USING btree ("course_offering_id");
--> statement-breakpoint
CREATE INDEX "invitations_invited_by_user_id_index" ON "invitations" USING btree ("invited_by_user_id");
--> statement-breakpoint
CREATE INDEX "invitations_accepted_by_user_id_index" ON "invitations" USING btree ("accepted_by_user_id");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'enrollment.created', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded'));
--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD CONSTRAINT "mail_outbox_kind_check" CHECK ("mail_outbox"."kind" in ('password_reset', 'password_changed', 'verify_email', 'change_email', 'email_changed', 'invitation'));
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
        where run.id = offer.course_offering_id and is_staff_of_course(offer.invited_by_user_id, run.course_id)) then
    refusal := 'withdrawn';
  elsif offer.course_offering_id is not null and not exists (
    select from enrollments
    where course_offering_id = offer.course_offering_id and user_id = person and status <> 'dropped'
  ) then
    select placed.refusal, placed.missing into refusal, missing
    from enroll(offer.course_offering_id, person, sent_at(request), null, offer.invited_by_user_id, false, request)
      as placed;
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
  update invitations set accepted_at = sent_at(request), accepted_by_user_id = person where id = offer.id;
end $$;
--> statement-breakpoint
-- The same with a new account, which there is only if the invitation can be accepted. An account that has the address
-- and was never verified may be anyone's who typed it: whoever has the mail takes it over. `registered` when it is
-- someone's already, who has to sign in.
create or replace function accept_invitation_anew(
  hash text, name text, wanted text, request jsonb,
  out person integer, out version integer, out refusal text, out missing text
) language plpgsql as $$
declare
  offer invitations;
  account users;
begin
  select * into offer from invitations where token_hash = hash;
  perform hold_invited_places(array[offer.id]);
  begin
    insert into users (email, full_name, password_hash, email_verified_at)
    select offer.email, name, wanted, sent_at(request) where offer.id is not null
    on conflict (email) do nothing returning users.* into account;
    if account.id is null and offer.id is not null then
      select * into account from users where email = offer.email for update;
      if account.email_verified_at is not null or not account.is_active then
        refusal := 'registered';
        return;
      end if;
      account.token_version := end_tokens(account.id);
      update users set full_name = name, password_hash = wanted, email_verified_at = sent_at(request)
      where id = account.id;
      perform audit('account.taken_over', account.id, account.id, null,
                    jsonb_build_object('invitation_id', offer.id), request);
    end if;
    select one.refusal, one.missing into refusal, missing from accept_invitation(offer.id, account.id, request) as one;
    if refusal is not null then raise exception 'not accepted' using errcode = 'ROLBK'; end if;
  exception when sqlstate 'ROLBK' then
    return;
  end;
  person := account.id;
  version := account.token_version;
end $$;
--> statement-breakpoint
-- The same by a link, which has shown in addition that mail to the address reaches the person.
create or replace function accept_invitation_by_link(
  hash text, person integer, request jsonb, out invitation integer, out refusal text, out missing text
) language plpgsql as $$
begin
  invitation := (select id from invitations where token_hash = hash);
  select one.refusal, one.missing into refusal, missing from accept_invitation(invitation, person, request) as one;
  if refusal is null then
    update users set email_verified_at = sent_at(request) where id = person and email_verified_at is null;
  end if;
end $$;
--> statement-breakpoint
-- Accepts all that is offered to the address of a person who has shown that it is theirs; answers how many were. What
-- cannot be accepted yet stays open. With a university only what it offers is.
create or replace function accept_invitations_of(person integer, request jsonb, only_of integer default null)
returns integer language plpgsql as $$
declare
  invited integer[] := array(
    select one.id from users join invitations as one on one.email = users.email
    where users.id = person and users.email_verified_at is not null and users.is_active
      and one.accepted_at is null and one.revoked_at is null and one.expires_at > sent_at(request)
      and one.university_id = coalesce(only_of, one.university_id)
    order by one.id);
begin
  perform hold_invited_places(invited);
  return (
    select count(*) filter (where one.refusal is null)
    from unnest(invited) as offered, lateral accept_invitation(offered, person, request) as one);
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

  perform leave_discussions(person);
  if not keep_certificates then delete from certificates where user_id = person; end if;
  delete from course_trees where user_id = person;
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
  delete from users where id = person;
  delete from uncounted_trees where user_id = person;

  perform set_config('learning.erasing', 'off', true);
  perform fill_places(offering, (request ->> 'at')::timestamptz) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Forgets who was linked by a provider: another issuer may give the same subjects to others.
create or replace function forget_identities(provider_name text) returns void language sql as $$
  delete from user_identities where provider = provider_name
$$;
--> statement-breakpoint
-- Waits for whatever else changes what invitations name, in the order in which all others do.
create or replace function hold_invited_places(invited integer[]) returns void language plpgsql as $$
declare
  offerings integer[] := array(select course_offering_id from invitations where id = any (invited) order by 1);
begin
  perform from universities where id in (select university_id from invitations where id = any (invited))
  order by id for key share;
  perform from departments where id in (select department_id from invitations where id = any (invited))
  order by id for key share;
  perform keep_course(offering) from unnest(offerings) as offering;
  perform from course_offerings where id = any (offerings) order by id for no key update;
end $$;
--> statement-breakpoint
-- Locks offerings before anything is done in them, as all others do: the courses, then the offerings by their ids.
create or replace function hold_offerings(offerings integer[]) returns void language plpgsql as $$
begin
  perform keep_course(offering) from unnest(offerings) as offering;
  perform from course_offerings where id = any (offerings) order by id for no key update;
end $$;
--> statement-breakpoint
-- What the rows of a batch say, with the person that each is about: by the source's id, else by the address. Of a dry
-- run, in which nobody is made, `is_coming` says that an earlier row would have made them.
create or replace function import_batch(import imports, batch bigint[]) returns table (
  row_id bigint, sourced_id text, email text, is_deletion boolean, details jsonb, person integer,
  is_coming boolean, has_other_address boolean
) language sql stable as $$
  select one.id, one.sourced_id, one.email, one.is_deletion, one.details, coalesce(sourced.user_id, addressed.id),
    import.is_dry_run and coalesce(sourced.user_id, addressed.id) is null and exists (
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
-- People are enrolled as by staff, one after another, since places are given one after another; teachers teach.
create or replace function import_enrollments(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  asked record;
  known enrollments;
  refusal text;
  missing text;
begin
  perform hold_offerings(array(select offering from imported_places(import, batch) where offering is not null));
  for asked in
    select one.*, place.offering, place.is_coming as offering_is_coming, one.details ->> 'as' = 'teacher' as teaches
    from import_batch(import, batch) as one join imported_places(import, batch) as place on place.row_id = one.row_id
    order by one.row_id
  loop
    row_id := asked.row_id;
    person := asked.person;
    outcome := 'refused';
    reason := case
      when asked.has_other_address then 'The person with this sourced_id has another e-mail address'
      when asked.person is null and not asked.is_coming then 'There is no such person'
      when asked.offering is null and not asked.offering_is_coming then 'The university has no such offering' end;
    if reason is not null then
      return next;
      continue;
    end if;
    if asked.person is null or asked.offering is null then
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
                    request) as placed;
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
-- Takes from a person what the university of an import gave them: their roles, what they teach, and their places. The account stays.
-- Answers whether there was anything; null when they hold a role that the importer could not grant.
create or replace function import_leaving(import imports, person integer, request jsonb) returns boolean
language plpgsql as $$
declare
  places integer[];
  roles_left integer;
begin
  if exists (
    select from user_university_roles as held
    where held.user_id = person and held.university_id = import.university_id
      and not may_grant(import.created_by_user_id, held.role, held.university_id, held.department_id)
  ) then
    return null;
  end if;
  places := array(
    select id from enrollments
    where user_id = person and university_id = import.university_id and status in ('active', 'pending', 'waitlisted'));
  perform hold_offerings(array(select course_offering_id from enrollments where id = any (places)));
  perform set_enrollment_status(place, 'dropped', false, sent_at(request)) from unnest(places) as place;
  delete from course_offering_instructors as teaching using course_offerings as run
  where teaching.user_id = person and run.id = teaching.course_offering_id and run.university_id = import.university_id;
  with gone as (
    delete from user_university_roles where user_id = person and university_id = import.university_id returning *
  ), audited as (
    insert into audit_events
      (action, actor_id, subject_id, university_id, details, occurred_at, request_id, from_address)
    select 'role.revoked', import.created_by_user_id, gone.user_id, gone.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', gone.role, 'department_id', gone.department_id, 'import_id', import.id)),
      sent_at(request), request ->> 'id', request ->> 'from'
    from gone
  )
  select count(*) into roles_left from gone;
  return roles_left > 0 or cardinality(places) > 0;
end $$;
--> statement-breakpoint
-- Offerings are found by the source's id, else by the code of the course and the term, as far as no other class has
-- them; else they are made, with their course where the university has none of that code. A course that is there stays
-- as it is, and nothing is deleted.
create or replace function import_offerings(import imports, batch bigint[])
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  one import_rows;
  offering integer;
  course integer;
begin
  for one in select * from import_rows where id = any (batch) order by id loop
    row_id := one.id;
    outcome := 'unchanged';
    reason := null;
    offering := (
      select course_offering_id from sourced_offerings
      where university_id = import.university_id and sourced_offerings.sourced_id = one.sourced_id);
    if one.is_deletion then
      if offering is not null then
        outcome := 'refused';
        reason := 'An import deletes no offering';
      end if;
      return next;
      continue;
    end if;
    if offering is null then
      offering := (
        select run.id from course_offerings as run join courses on courses.id = run.course_id
        where run.university_id = import.university_id and courses.code = one.details ->> 'course_code'
          and run.term_name is not distinct from one.details ->> 'term_name'
          and not exists (select from sourced_offerings where course_offering_id = run.id)
        order by run.id limit 1);
      if offering is null then
        insert into courses (university_id, code, title)
        values (import.university_id, one.details ->> 'course_code', one.details ->> 'course_title')
        on conflict (university_id, code) do nothing;
        course := (
          select id from courses where university_id = import.university_id and code = one.details ->> 'course_code');
        insert into course_offerings (course_id, university_id, term_name, starts_at, ends_at)
        values (course, import.university_id, one.details ->> 'term_name',
                (one.details ->> 'starts_at')::timestamptz, (one.details ->> 'ends_at')::timestamptz)
        returning id into offering;
        outcome := 'created';
      end if;
      insert into sourced_offerings (university_id, sourced_id, course_offering_id)
      values (import.university_id, one.sourced_id, offering) on conflict do nothing;
      if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    end if;
    update course_offerings set
      term_name = coalesce(one.details ->> 'term_name', term_name),
      starts_at = coalesce((one.details ->> 'starts_at')::timestamptz, starts_at),
      ends_at = coalesce((one.details ->> 'ends_at')::timestamptz, ends_at),
      updated_at = now()
    where id = offering and (
      term_name is distinct from coalesce(one.details ->> 'term_name', term_name)
      or starts_at is distinct from coalesce((one.details ->> 'starts_at')::timestamptz, starts_at)
      or ends_at is distinct from coalesce((one.details ->> 'ends_at')::timestamptz, ends_at));
    if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- People are made, or found; found ones get the source's id, and the role of a student where they have nothing in the
-- university. Their name changes only as `may_rename` says, and their address, by which they sign in, never. Two rows of
-- one file never name the same person.
create or replace function import_people(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  made integer[];
  changed integer[];
  gone record;
  has_left boolean;
begin
  with fresh as (
    insert into users (email, full_name)
    select one.email, one.details ->> 'full_name' from import_batch(import, batch) as one
    where one.person is null and not one.is_deletion order by one.email
    on conflict (email) do nothing returning users.id
  )
  select coalesce(array_agg(id), '{}') into made from fresh;
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
    update users set full_name = misnamed.name, updated_at = now() from misnamed
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
    case when one.has_other_address then 'refused' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'The person with this sourced_id has another e-mail address, which only they can change' end,
    one.person
  from import_batch(import, batch) as one where not one.is_deletion;
  for gone in select one.* from import_batch(import, batch) as one where one.is_deletion order by one.row_id loop
    row_id := gone.row_id;
    person := gone.person;
    outcome := 'refused';
    reason := null;
    if person is null then
      outcome := 'unchanged';
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
           when one.person is null and not one.is_coming then 'There is no such person'
           when one.details ->> 'department_code' is not null and department.id is null
             then 'The university has no department with this code'
           when one.is_deletion and one.person = import.created_by_user_id then 'Nobody removes themselves'
           when not may_grant(import.created_by_user_id, one.details ->> 'role', import.university_id, department.id)
             then 'You may not grant or revoke this role' end as refusal
    from import_batch(import, batch) as one
    left join departments as department
      on department.university_id = import.university_id and department.code = one.details ->> 'department_code'
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
    case when judged.refusal is not null then 'refused'
         when judged.is_deletion and changed.id is not null then 'updated'
         when changed.id is not null or judged.is_coming and not judged.is_deletion then 'created'
         else 'unchanged' end,
    judged.refusal, judged.person
  from judged left join changed on judged.refusal is null and judged.nth = 1 and changed.user_id = judged.person
    and changed.role = judged.role and changed.department_id is not distinct from judged.department_id
$$;
--> statement-breakpoint
-- The offering that each row of a batch names: by its id, else by the source's. `is_coming` as in `import_batch`.
create or replace function imported_places(import imports, batch bigint[])
returns table (row_id bigint, offering integer, is_coming boolean) language sql stable as $$
  select one.id, coalesce(run.id, sourced.course_offering_id), import.is_dry_run and exists (
    select from import_rows as earlier
    where earlier.import_id = import.id and earlier.kind = 'offering' and earlier.outcome = 'created'
      and earlier.sourced_id = one.details ->> 'class_sourced_id')
  from import_rows as one
  left join course_offerings as run
    on run.id = (one.details ->> 'course_offering_id')::integer and run.university_id = import.university_id
  left join lateral (
    select known.course_offering_id from sourced_offerings as known
    where known.university_id = import.university_id and known.sourced_id = one.details ->> 'class_sourced_id' limit 1
  ) as sourced on true
  where one.id = any (batch)
$$;
--> statement-breakpoint
-- Invites, or renews the same open offer in the name of who asks now. `is_new` says which.
create or replace function invite(
  university integer, to_address text, the_role text, department integer, offering integer, inviter integer,
  request jsonb, out invitation invitations, out is_new boolean
) language plpgsql as $$
declare
  moment timestamptz := sent_at(request);
  offered record;
begin
  insert into invitations as one
    (university_id, email, role, department_id, course_offering_id, invited_by_user_id, created_at, expires_at)
  values (university, to_address, the_role, department, offering, inviter, moment, moment + interval '7 days')
  on conflict (university_id, email, coalesce(role, ''), coalesce(department_id, 0), coalesce(course_offering_id, 0))
    where accepted_at is null and revoked_at is null
  do update set invited_by_user_id = inviter, expires_at = excluded.expires_at, mail_id = null
  returning one, one.xmax = 0 as is_new into offered;
  invitation := offered.one;
  is_new := offered.is_new;
  perform mail_invitations(to_address, moment);
  perform audit('invitation.sent', inviter, null, university, jsonb_strip_nulls(jsonb_build_object(
    'invitation_id', invitation.id, 'role', the_role, 'department_id', department, 'course_offering_id', offering)),
    request);
end $$;
--> statement-breakpoint
-- Has a mail sent about the invitations of an address that none has told of. One a minute at most goes to an address. One
-- that is just being sent is made again, since it may not have seen the newest: its sender finds that it lost the lease.
create or replace function mail_invitations(to_address text, moment timestamptz) returns void language sql as $$
  insert into mail_outbox as waiting (kind, address, created_at, due_at)
  values ('invitation', to_address, moment, greatest(moment, (
    select max(created_at) + interval '1 minute' from mail_outbox where address = to_address and kind = 'invitation'
  )))
  on conflict (kind, address) where ended_at is null
  do update set tries = waiting.tries + (waiting.lease_until is not null)::int, lease_until = null
$$;
--> statement-breakpoint
-- Whether a person may grant a role there: what the service knows of a caller as the actions `role:grant…`, where the
-- database alone knows in whose name it is done.
create or replace function may_grant(person integer, the_role text, university integer, department integer)
returns boolean language sql stable as $$
  select exists (
    select from users join user_university_roles as held on held.user_id = users.id
    where users.id = person and users.is_active and (held.role = 'platform_admin'
      or the_role <> 'platform_admin' and held.university_id = university and (
        held.role = 'university_admin' and held.department_id is null
        or held.role in ('department_admin', 'university_admin') and coalesce(held.department_id, department) = department
          and the_role in ('student', 'ta', 'instructor')))
  )
$$;
--> statement-breakpoint
-- Whether a university may say what a person is called: all that they have is there, and nobody has taken the account
-- into use, with a password or an address that was verified.
create or replace function may_rename(university integer, person integer) returns boolean language sql stable as $$
  select bool_and(known.university_id = university and known.role is distinct from 'platform_admin') and exists (
    select from users where id = person and password_hash is null and email_verified_at is null)
  from known_at(person) as known
$$;
--> statement-breakpoint
-- What `enroll` refuses, in words.
create or replace function refusal_in_words(refusal text, missing text) returns text language sql immutable as $$
  select case refusal when 'not_open' then 'Enrollment is not open' when 'full' then 'Offering is full'
                      when 'unmet_prerequisites' then 'Unmet prerequisites: ' || missing else refusal end
$$;
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
    if trusted.id is null or not coalesce(split_part(address, '@', 2) = any (trusted.email_domains), false) then
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
-- Works the next rows of an import, as many of one kind as `most`; answers how many are left, null while someone else
-- works an import of the same university. Of a dry run what was done is undone, and what came of it stays.
create or replace function work_import(the_import integer, most integer, request jsonb) returns integer
language plpgsql as $$
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
      count(*) filter (where outcome = 'unchanged') as unchanged, count(*) filter (where outcome = 'refused') as refused
    from done
  )
  update imports set created = imports.created + counted.created, updated = imports.updated + counted.updated,
    unchanged = imports.unchanged + counted.unchanged, refused = imports.refused + counted.refused
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
