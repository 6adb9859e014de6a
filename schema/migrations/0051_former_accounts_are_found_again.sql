set local check_function_bodies = off;
--> statement-breakpoint
drop function erase_account(integer,integer,boolean,jsonb);
--> statement-breakpoint
CREATE TABLE "account_hash_keys" (
	"secret_mark" varchar(64) PRIMARY KEY NOT NULL,
	"ciphertext" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "erased_identifiers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "erased_identifiers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"university_id" integer,
	"identifier" varchar(255) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_accounts" (
	"user_id" integer NOT NULL,
	"former_user_id" integer NOT NULL,
	CONSTRAINT "former_accounts_user_id_former_user_id_pk" PRIMARY KEY("user_id","former_user_id")
);
--> statement-breakpoint
ALTER TABLE "erased_identifiers" ADD CONSTRAINT "erased_identifiers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "erased_identifiers" ADD CONSTRAINT "erased_identifiers_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "former_accounts" ADD CONSTRAINT "former_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "former_accounts" ADD CONSTRAINT "former_accounts_former_user_id_users_id_fk" FOREIGN KEY ("former_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "erased_identifiers_identifier_index" ON "erased_identifiers" USING btree ("identifier");
--> statement-breakpoint
CREATE INDEX "erased_identifiers_user_id_index" ON "erased_identifiers" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "erased_identifiers_university_id_index" ON "erased_identifiers" USING btree ("university_id");
--> statement-breakpoint
CREATE INDEX "former_accounts_former_user_id_index" ON "former_accounts" USING btree ("former_user_id");
--> statement-breakpoint
-- How many attempts at a quiz a person has taken, open ones included, as its limit in an offering counts them: those in
-- that offering and, where they count, in all others that run the course in the same term, whether the person is still
-- in them or not.
create or replace function attempts_taken(person integer, item integer, offering integer) returns integer
language sql stable as $$
  select count(*)::int
  from course_offerings as here
  join quiz_attempts as one on one.user_id = any (selves_of(person)) and one.content_item_id = item
  join course_offerings as run on run.id = one.course_offering_id
  where here.id = offering and (run.id = here.id or is_same_term(here, run) and does_quiz_count(item, here.id))
$$;
--> statement-breakpoint
-- Whether a person can still do something at an item for a result: go on with an attempt that is open, or begin or hand
-- in another, which is not closed, while one is left and their grade is not final.
create or replace function can_be_tried(item integer, offering integer, person integer, moment timestamptz)
returns boolean language sql stable as $$
  select coalesce((
    select exists (
      select from quiz_attempts as one
      where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
        and one.submitted_at is null and not is_over(one, moment)
    ) or coalesce(moment < rules.closes_at, true)
      and coalesce(rules.most_attempts > attempts_taken(person, item, offering), true)
    from quiz_rules(item, offering, person) as rules
    union all
    select not is_grade_final(offering, person) and (rules.takes_late or coalesce(moment <= rules.due_at, true))
      and coalesce(rules.most_attempts > (
        select count(*) from lab_submissions as one
        where one.user_id = any (selves_of(person)) and one.course_offering_id = offering and one.content_item_id = item
          and one.status <> 'returned'
      ), true)
    from work_rules(item, offering, person) as rules
  ), true)
$$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql, `key` that of former-accounts.sql.
create or replace function erase_account(
  person integer, version integer, keep_certificates boolean, request jsonb, key bytea default null
) returns boolean language plpgsql as $$
declare
  own users;
  doomed integer[];
  moment timestamptz := (request ->> 'at')::timestamptz;
  left_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status = 'active' order by 1);
  -- Where they wait they may be given a place just now, and told so.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  -- Before the places, as whoever grades them has it.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person and status <> 'graded' order by id for update;
  perform hold_offerings(held_offerings);
  doomed := hold_own_words(person);
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  -- Nobody revokes or grades any of it while it is counted.
  perform from certificates where user_id = person order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
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
    locale = default, time_zone = default, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_places(offering, moment) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Looks for the erased accounts that a person had before, and notes them, with those that were found for these; answers
-- the person.
create or replace function find_former_accounts(person integer, key bytea) returns integer language plpgsql as $$
begin
  if exists (select from erased_identifiers) then
    insert into former_accounts (user_id, former_user_id)
    select distinct person, former.id
    from identifiers_of(person, key) as own
    join erased_identifiers as left_behind
      on left_behind.identifier = own.identifier and left_behind.university_id is not distinct from own.university_id
    cross join lateral (
      select left_behind.user_id
      union all select before.former_user_id from former_accounts as before where before.user_id = left_behind.user_id
    ) as former (id)
    on conflict do nothing;
  end if;
  return person;
end $$;
--> statement-breakpoint
-- The same for everyone whom an import enrolled; answers how many.
create or replace function find_former_accounts_of(the_import integer, key bytea) returns integer language sql as $$
  select count(find_former_accounts(one.user_id, key))::integer
  from (
    select distinct user_id from import_rows
    where import_id = the_import and kind = 'enrollment' and user_id is not null order by user_id
  ) as one
$$;
--> statement-breakpoint
-- By what a person is known, as it is noted when their account is erased.
create or replace function identifiers_of(person integer, key bytea)
returns table (university_id integer, identifier text) language sql stable as $$
  select null::integer, keyed_hash(key, 'address ' || email) from users
  where id = person and email is not null and key is not null
  union all
  select null, keyed_hash(key, 'identity ' || provider || ' ' || subject) from user_identities
  where user_id = person and key is not null
  union all
  select sourced.university_id, sourced.sourced_id from sourced_people as sourced where sourced.user_id = person
$$;
--> statement-breakpoint
create or replace function keyed_hash(key bytea, words text) returns text language sql immutable strict as $$
  select encode(sha256(substring(key from 65) || sha256(substring(key for 64) || convert_to(words, 'UTF8'))), 'hex')
$$;
--> statement-breakpoint
-- Notes by what an account will be found again, before it is erased.
create or replace function note_identifiers(person integer, key bytea) returns void language sql as $$
  insert into erased_identifiers (user_id, university_id, identifier)
  select person, own.university_id, own.identifier from identifiers_of(person, key) as own
$$;
--> statement-breakpoint
-- A person, and the erased accounts that are known to have been theirs: whose attempts count together.
create or replace function selves_of(person integer) returns integer[] language sql stable as $$
  select person || array(select former_user_id from former_accounts where user_id = person)
$$;
--> statement-breakpoint
-- Hands in a person's next attempt. The same again, while it waits for its grade, is answered as it is. `refusal` says
-- why there is none: one of `gate_of_work` (outline.sql), 'not enrolled', 'final', 'closed' or 'no attempt left'. What
-- was returned is no attempt that counts. What comes before a grade is final is seen by whoever makes it so.
create or replace function submit_work(
  person integer, offering integer, item integer, given jsonb, moment timestamptz, today date
) returns table (refusal text, is_new boolean, submission lab_submissions) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  work record;
begin
  is_new := false;
  perform keep_grades(offering);
  select * into rules from work_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_work(item, person, offering, moment) is not null then gate_of_work(item, person, offering, moment)
    when not exists (
      select from enrollments where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
    when is_grade_final(offering, person) then 'final'
  end;
  select * into work from jsonb_to_record(given) as one (body text, links text[], data_json jsonb, artifacts_url text);
  while refusal is null and not is_new loop
    select one.* into submission from lab_submissions as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
    order by one.attempt_number desc limit 1;
    if submission.status = 'submitted' and (submission.body, submission.links, submission.data_json, submission.artifacts_url)
         is not distinct from (work.body, work.links, work.data_json, work.artifacts_url::varchar) then
      return next;
      return;
    end if;
    refusal := case
      when not rules.takes_late and moment > rules.due_at then 'closed'
      when (
        select count(*) from lab_submissions
        where user_id = any (selves_of(person)) and course_offering_id = offering and content_item_id = item and status <> 'returned'
      ) >= rules.most_attempts then 'no attempt left'
    end;
    if refusal is null then
      insert into lab_submissions as one (
        user_id, course_offering_id, content_item_id, attempt_number, submitted_at, due_at, is_late, body, links,
        data_json, artifacts_url)
      -- The next after the one that was looked at: where another came meanwhile, it takes this number.
      values (person, offering, item, coalesce(submission.attempt_number, 0) + 1, moment, rules.due_at,
        coalesce(moment > rules.due_at, false), work.body, work.links, work.data_json, work.artifacts_url)
      on conflict do nothing returning one.* into submission;
      is_new := found;
    end if;
  end loop;
  if refusal is null then
    perform begin_item(person, offering, item, moment, moment);
    perform record_activity(
      person, 'submitted', 'content_item', item, rules.university_id, item, offering, moment, today);
  else
    submission := null;
  end if;
  return next;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
