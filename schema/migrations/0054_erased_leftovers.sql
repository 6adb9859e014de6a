set local check_function_bodies = off;
--> statement-breakpoint
CREATE INDEX "users_erased_index" ON "users" USING btree ("erased_at") WHERE "users"."erased_at" is not null;
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
    locale = default, time_zone = default, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_places(offering, moment) from unnest(held_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Erases once more of an erased account: what a request was just writing in its name, or to it, came after.
create or replace function erase_leftovers(person integer, moment timestamptz) returns void language plpgsql as $$
begin
  perform keep_statistics(person);
  perform leave_office(person);
  perform end_open_attempts(person, moment);
end $$;
--> statement-breakpoint
-- What those rows of a person count for that go when they are erased, and not only those: of all that stays as much is
-- there before as after.
create or replace function personal_totals(person integer) returns setof report_totals language sql stable as $$
  select measure, course_id, utc_day(moment), utc_day(since), sum(amount), true, null::int
  from (table standing_facts union all table assessment_facts) as fact
  where user_id = person and moment is not null
    and measure in ('notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'labs_submitted', 'labs_graded',
                    'labs_scored', 'lab_scores', 'assignments_submitted', 'assignments_graded', 'assignments_scored',
                    'assignment_scores')
  group by 1, 2, 3, 4
  union all
  select counted.measure, run.course_id, utc_day(counted.moment), null, count(*), true, run.id
  from certificates as own join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('certificates_issued', case when own.replaces_id is null then own.issued_at end),
    ('certificates_revoked', own.revoked_at)) as counted (measure, moment)
  where own.user_id = person and counted.moment is not null group by 1, 2, 3, 7
$$;
--> statement-breakpoint
set local check_function_bodies = on;
