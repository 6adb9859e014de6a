set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "certificate_settings" (
	"course_offering_id" integer PRIMARY KEY NOT NULL,
	"issuance" text DEFAULT 'automatic' NOT NULL,
	"valid_for_days" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "certificate_settings_issuance_check" CHECK ("certificate_settings"."issuance" in ('automatic', 'by_staff'))
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"secret_mark" varchar(64) NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"private_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "signing_keys_secret_mark_unique" UNIQUE("secret_mark")
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "report_totals" DROP CONSTRAINT "report_totals_measure_check";
--> statement-breakpoint
DROP INDEX "certificates_user_id_course_offering_id_index";
--> statement-breakpoint
DROP INDEX "certificates_course_offering_id_index";
--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "printed_name" varchar(255);
--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "course_title" varchar(255);
--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "university_name" varchar(255);
--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "completed_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "revoked_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "revocation_reason" text;
--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "replaced_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "replaces_id" integer;
--> statement-breakpoint
-- Certificates from before say what they would say today.
UPDATE "certificates" AS one SET
	"printed_name" = coalesce(left(one.metadata_json ->> 'name', 255), (select full_name from users where users.id = one.user_id), 'Unknown'),
	"course_title" = courses.title,
	"university_name" = universities.name,
	"completed_at" = (
		select enrollments.completed_at from enrollments
		where enrollments.user_id = one.user_id and enrollments.course_offering_id = one.course_offering_id)
FROM course_offerings AS run
JOIN courses ON courses.id = run.course_id
JOIN universities ON universities.id = run.university_id
WHERE run.id = one.course_offering_id;
--> statement-breakpoint
-- Of those that someone has for the same offering the last one stands.
UPDATE "certificates" AS one SET "replaced_at" = next.issued_at
FROM "certificates" AS next
WHERE next.user_id = one.user_id AND next.course_offering_id = one.course_offering_id AND next.id = (
	select min(later.id) from certificates as later
	where later.user_id = one.user_id and later.course_offering_id = one.course_offering_id and later.id > one.id);
--> statement-breakpoint
UPDATE "certificates" AS one SET "replaces_id" = (
	select max(before.id) from certificates as before
	where before.user_id = one.user_id and before.course_offering_id = one.course_offering_id and before.id < one.id);
--> statement-breakpoint
ALTER TABLE "certificates" ALTER COLUMN "printed_name" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "certificates" ALTER COLUMN "course_title" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "certificates" ALTER COLUMN "university_name" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "certificate_settings" ADD CONSTRAINT "certificate_settings_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_replaces_id_certificates_id_fk" FOREIGN KEY ("replaces_id") REFERENCES "public"."certificates"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "certificates_standing_unique" ON "certificates" USING btree ("user_id","course_offering_id") WHERE replaced_at is null;
--> statement-breakpoint
CREATE INDEX "certificates_user_id_id_index" ON "certificates" USING btree ("user_id","id");
--> statement-breakpoint
CREATE INDEX "certificates_course_offering_id_id_index" ON "certificates" USING btree ("course_offering_id","id");
--> statement-breakpoint
CREATE INDEX "certificates_replaces_id_index" ON "certificates" USING btree ("replaces_id");
--> statement-breakpoint
CREATE INDEX "certificates_withdrawn_index" ON "certificates" USING btree ("id") WHERE revoked_at is not null or replaced_at is not null;
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'enrollment.created', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued'));
--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_revocation_check" CHECK (("certificates"."revoked_at" is null) = ("certificates"."revocation_reason" is null));
--> statement-breakpoint
ALTER TABLE "report_totals" ADD CONSTRAINT "report_totals_measure_check" CHECK ("report_totals"."measure" in ('signups', 'people', 'course_people', 'topic_people', 'topic_milliseconds', 'tutor_people', 'tutor_questions', 'conversations', 'conversation_milliseconds', 'divergences', 'hits', 'misses', 'joined', 'topics_started', 'topics_completed', 'trees_completed', 'trees_interrupted', 'enrollments_active', 'enrollments_completed', 'enrollments_dropped', 'enrollments_pending', 'enrollments_waitlisted', 'drops', 'quizzes_submitted', 'quizzes_passed', 'quizzes_failed', 'quizzes_scored', 'quiz_scores', 'labs_submitted', 'labs_graded', 'labs_scored', 'lab_scores', 'certificates_issued', 'certificates_revoked', 'notes', 'flashcards', 'flashcard_reviews', 'discussion_threads', 'discussion_posts', 'course_reviews', 'course_ratings'));
--> statement-breakpoint
-- 128 random bits, in hexadecimal digits: of a UUID some are fixed, of the hash of two none.
create or replace function certificate_code() returns text language sql volatile as $$
  select left(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'), 32)
$$;
--> statement-breakpoint
-- When a certificate of that moment expires: as it is given, null for never, else by the offering's setting.
create or replace function certificate_expiry(offering integer, moment timestamptz, given jsonb) returns timestamptz
language sql stable as $$
  select case when given ? 'expires_at' then (given ->> 'expires_at')::timestamptz
              else moment + make_interval(days => (
                select valid_for_days from certificate_settings where course_offering_id = offering)) end
$$;
--> statement-breakpoint
-- What whoever verifies is told: first that it does not count, then that another one does, then that its time is over.
create or replace function certificate_state(
  revoked_at timestamptz, replaced_at timestamptz, expires_at timestamptz, moment timestamptz
) returns text language sql immutable as $$
  select case when revoked_at is not null then 'revoked'
              when replaced_at is not null then 'replaced'
              when expires_at <= moment then 'expired'
              else 'valid' end
$$;
--> statement-breakpoint
-- One that is issued in place of another counts for nothing of its own.
create or replace function counts_of(one certificates) returns setof uncounted_changes language sql stable as $$
  select measure, o.course_id, day, null::date, 1::numeric
  from course_offerings as o
  cross join (values
    ('certificates_issued', case when one.replaces_id is null then utc_day(one.issued_at) end),
    ('certificates_revoked', utc_day(one.revoked_at))
  ) as counted (measure, day)
  where o.id = one.course_offering_id and day is not null
$$;
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
  perform leave_certificates(person, keep_certificates);
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
-- Issues a certificate to someone who has completed an offering by more than their own word. No row: they have not, or
-- one stands. `given` may have the keys printed_name, expires_at and metadata_json.
create or replace function issue_certificate(person integer, offering integer, moment timestamptz, given jsonb)
returns setof certificates language sql as $$
  insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name,
    completed_at, issued_at, expires_at, metadata_json)
  select person, offering, certificate_code(), coalesce(given ->> 'printed_name', users.full_name), courses.title,
         universities.name, taken.completed_at, moment, certificate_expiry(offering, moment, given),
         nullif(given -> 'metadata_json', 'null')
  from enrollments as taken
  join users on users.id = taken.user_id
  join course_offerings as run on run.id = taken.course_offering_id
  join courses on courses.id = run.course_id
  join universities on universities.id = run.university_id
  where taken.user_id = person and taken.course_offering_id = offering
    and taken.status = 'completed' and taken.completion_source <> 'self'
  on conflict (user_id, course_offering_id) where replaced_at is null do nothing
  returning *
$$;
--> statement-breakpoint
-- Issues one as its staff do: `is_new` is false for one that stands already, which is answered as it is. `refusal`:
-- 'not completed', or 'revoked' where only a new one in place of it may be issued.
create or replace function issue_certificate_by_staff(
  person integer, offering integer, moment timestamptz, given jsonb
) returns table (refusal text, is_new boolean, certificate certificates) language plpgsql as $$
begin
  select * into certificate from issue_certificate(person, offering, moment, given);
  is_new := found;
  if not is_new then
    select * into certificate from certificates
    where user_id = person and course_offering_id = offering and replaced_at is null;
    refusal := case when not found then 'not completed' when certificate.revoked_at is not null then 'revoked' end;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Whoever completes an enrollment, by a result or as staff, issues the certificate with it. One that was revoked does
-- not come back so.
create or replace function issue_on_completion() returns trigger language plpgsql as $$
begin
  if not exists (
    select from certificate_settings
    where course_offering_id = new.course_offering_id and issuance = 'by_staff'
  ) then
    perform issue_certificate(new.user_id, new.course_offering_id, coalesce(new.completed_at, now()), '{}');
  end if;
  return null;
end $$;
--> statement-breakpoint
-- An account that is erased takes its certificates along or, as the person chose, leaves them to be verified: with what
-- is printed on them, and nothing else.
create or replace function leave_certificates(person integer, keeps boolean) returns void language plpgsql as $$
begin
  if keeps then
    update certificates set user_id = null, metadata_json = null where user_id = person;
  else
    delete from certificates where user_id = person;
  end if;
end $$;
--> statement-breakpoint
-- Counts everything anew, for example what was loaded with the triggers switched off. Until it is done nothing that
-- is counted can be written, and what was deleted since it was counted is forgotten.
create or replace function recount_totals() returns void language plpgsql as $$
begin
  lock table users, enrollments, modules, content_items, user_module_progress, user_content_progress, quiz_attempts,
    lab_submissions, certificates, notes, flashcards, flashcard_reviews, discussion_threads, discussion_posts, course_reviews, activity_events,
    chat_sessions, chat_messages in share mode;
  perform lock_totals();
  delete from uncounted_courses;
  delete from course_trees;
  insert into uncounted_trees
  select course_offering_id, user_id from user_module_progress
  union select course_offering_id, user_id from user_content_progress;
  perform count_trees(null);
  delete from uncounted_events;
  delete from uncounted_messages;
  delete from uncounted_changes;
  delete from report_totals;
  insert into report_totals (measure, course_id, day, since, amount)
  select measure, course_id, day, since, sum(amount)
  from (select * from standing_counts() union all select * from happened_counts()) as counted
  group by grouping sets ((measure, course_id, day, since), (measure, day, since))
  having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1);
end $$;
--> statement-breakpoint
-- Issues a certificate anew, under a code of its own, in place of one that is wrong, lost or over, or that was revoked
-- by mistake. `given` as for issue_certificate; what it leaves out is as it is called today. `refusal`: 'replaced'.
create or replace function reissue_certificate(which integer, moment timestamptz, given jsonb)
returns table (refusal text, is_new boolean, certificate certificates) language plpgsql as $$
declare
  former certificates;
begin
  select * into former from certificates where id = which for no key update;
  is_new := former.replaced_at is null;
  if not is_new then
    refusal := 'replaced';
    return next;
    return;
  end if;
  update certificates set replaced_at = moment where id = which;
  insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name,
    completed_at, issued_at, expires_at, metadata_json, replaces_id)
  select former.user_id, run.id, certificate_code(),
         coalesce(given ->> 'printed_name', (select full_name from users where id = former.user_id), former.printed_name),
         courses.title, universities.name, former.completed_at, moment, certificate_expiry(run.id, moment, given),
         case when given ? 'metadata_json' then nullif(given -> 'metadata_json', 'null') else former.metadata_json end,
         former.id
  from course_offerings as run
  join courses on courses.id = run.course_id
  join universities on universities.id = run.university_id
  where run.id = former.course_offering_id
  returning certificates.* into certificate;
  return next;
end $$;
--> statement-breakpoint
-- Revokes a certificate; one that is revoked already stays as it is. `refusal`: 'replaced'.
create or replace function revoke_certificate(which integer, reason text, moment timestamptz)
returns table (refusal text, is_new boolean, certificate certificates) language plpgsql as $$
begin
  select * into certificate from certificates where id = which for no key update;
  is_new := certificate.revoked_at is null and certificate.replaced_at is null;
  if is_new then
    update certificates set revoked_at = moment, revocation_reason = reason where id = which
    returning certificates.* into certificate;
  elsif certificate.revoked_at is null then
    refusal := 'replaced';
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Everything that is counted as it stands, from the rows themselves.
create or replace function standing_counts() returns setof uncounted_changes language sql stable as $$
  select counted.* from users as one, counts_of(one) as counted
  union all select counted.* from enrollments as one, counts_of(one) as counted
  union all select counted.* from user_content_progress as one, counts_of(one) as counted
  union all select counted.* from course_trees as one, counts_of(one) as counted
  union all select counted.* from quiz_attempts as one, counts_of(one) as counted
  union all select counted.* from lab_submissions as one, counts_of(one) as counted
  union all select counted.* from certificates as one, counts_of(one) as counted
  union all select counted.* from notes as one, counts_of(one) as counted
  union all select counted.* from flashcards as one, counts_of(one) as counted
  union all select counted.* from flashcard_reviews as one, counts_of(one) as counted
  union all select counted.* from discussion_threads as one, counts_of(one) as counted
  union all select counted.* from discussion_posts as one, counts_of(one) as counted
  union all select counted.* from course_reviews as one, counts_of(one) as counted
$$;
--> statement-breakpoint
create or replace trigger issue_on_completion after insert or update of status, completion_source on enrollments
  for each row when (new.status = 'completed' and new.completion_source <> 'self')
  execute function issue_on_completion();
--> statement-breakpoint
create or replace trigger note_changes after insert or update of revoked_at or delete on certificates
  for each row execute function note_changes();
--> statement-breakpoint
set local check_function_bodies = on;
--> statement-breakpoint
-- What reports count from now on is there already.
insert into uncounted_changes select counted.* from certificates as one, counts_of(one) as counted;
