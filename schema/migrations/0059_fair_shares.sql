set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"name" varchar(160) PRIMARY KEY NOT NULL,
	"used" integer NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD COLUMN "from_network" varchar(64);
--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD COLUMN "from_person" integer;
--> statement-breakpoint
CREATE INDEX "rate_limits_ends_at_index" ON "rate_limits" USING btree ("ends_at");
--> statement-breakpoint
-- Notes a mail with a new token, where an account has the address, unless more were asked for from the caller's network
-- within the hour than may be (rate-limits.sql). For any other address no mail is kept, and yet as much is done, so that
-- the time does not tell either: who asks for one address waits for who asked for it before, and what is not worth a row
-- is a message of its size in the write-ahead log, with which the transaction has as much to commit.
create or replace function ask_for_password_reset(asked text, most_of_network integer, request jsonb) returns void
language plpgsql as $$
declare
  moment timestamptz := sent_at(request);
  is_known boolean;
  is_due boolean;
  is_within boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('password reset of an address', hashtextextended(asked, 0)));
  is_known := exists (select from users where email = asked and is_active);
  is_due := next_mail_at('password_reset', asked, null, moment) <= moment;
  is_within := take_account_mail(most_of_network, request);
  insert into mail_outbox (kind, address, created_at, due_at, from_network, from_person)
  select 'password_reset', asked, moment, moment, request ->> 'network', (request ->> 'person')::int
  where is_known and is_due and is_within
  on conflict do nothing;
  if not found then perform pg_logical_emit_message(true, 'password_reset', repeat(' ', 255)); end if;
end $$;
--> statement-breakpoint
-- Sets a password in place of `former`, which is the hash that the current password was compared with: of two changes
-- at once the second one is refused. Null then, else the version of the person's tokens.
create or replace function change_password(person integer, former text, wanted text, request jsonb)
returns integer language plpgsql as $$
declare
  own_address text;
begin
  update users set password_hash = wanted
  where id = person and erased_at is null and password_hash is not distinct from former returning email into own_address;
  if not found then return null; end if;
  perform send_mail('password_changed', own_address, person, request);
  perform audit('password.changed', person, person, null, '{}', request);
  return end_tokens(person);
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
    perform send_mail('password_changed', token.email, token.user_id, request);
    perform audit('account.taken_over', token.user_id, token.user_id, null, '{}', request);
  end if;
  if former <> token.email then
    perform send_mail('email_changed', former, token.user_id, request);
    perform audit('email.changed', token.user_id, token.user_id, null, '{}', request);
    delete from one_time_tokens where user_id = token.user_id and email = former;
  end if;
  return true;
end $$;
--> statement-breakpoint
-- Gives a place, or one on the waiting list, and the student role to whoever has no role in the university.
-- A dropped enrollment is taken up again. Who has a seat elsewhere in the course and term may wait, and no more. No row:
-- the offering is gone.
--
-- With `staff` it is they who enroll the person, which the audit log is told with `request`: no key is asked for, and
-- where they override it, neither the window nor the prerequisites nor the capacity nor a seat elsewhere keep anyone
-- out; with `doubles` at least the seat elsewhere does not. For themselves they are nobody's staff: what keeps others out
-- keeps them out, and to override it is refused as 'own'.
create or replace function enroll(
  offering integer, person integer, moment timestamptz, the_key text default null, staff integer default null,
  overrides boolean default false, request jsonb default null, doubles boolean default false
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  passed text;
  waits boolean;
  is_double boolean;
begin
  perform keep_course(offering);
  select * into run from course_offerings where id = offering for no key update;
  if not found then return; end if;
  if staff = person then
    if overrides then
      refusal := 'own';
      return next;
      return;
    end if;
    staff := null;
    doubles := false;
  end if;
  select * into refusal, missing from refusal_to_enroll(run, person, moment);
  if staff is null and refusal is distinct from 'not_open' then
    refusal := coalesce(refusal_of_key(run, person, the_key, moment), refusal);
  end if;
  waits := is_full(run);
  if refusal is null and waits and is_list_closed(run, moment) then refusal := 'full'; end if;
  if overrides then
    passed := coalesce(refusal, case when waits then 'full' end);
    refusal := null;
    waits := false;
  end if;
  is_double := not waits and has_seat_elsewhere(run, person, moment);
  if is_double and (overrides or doubles) then
    passed := concat_ws(', ', passed, 'enrolled_in_course');
  elsif is_double then
    refusal := coalesce(refusal, 'enrolled_in_course');
  end if;
  if refusal is distinct from 'not_open' and exists (
    select from enrollments
    where course_offering_id = offering and user_id = person and status <> 'dropped'
  ) then
    refusal := 'already_enrolled';
  end if;
  -- Which nobody overrides.
  refusal := coalesce(refusal_of_inactive(run.university_id, person), refusal);
  if refusal is null then
    insert into enrollments as placed (user_id, course_offering_id, status, enrolled_at)
    values (person, offering, case when waits then 'waitlisted' else 'active' end,
            case when waits then end_of_waiting_list(offering, moment) else moment end)
    on conflict (user_id, course_offering_id) do update
      set status = excluded.status, enrolled_at = excluded.enrolled_at
    returning placed.* into enrollment;
    insert into user_university_roles (user_id, university_id, role)
    select person, run.university_id, 'student' where not exists (
      select from user_university_roles
      where user_id = person and university_id = run.university_id
    ) on conflict do nothing;
    waits_at := place_in_line(enrollment);
    if staff is not null then
      perform audit('enrollment.created', staff, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
        'course_offering_id', offering, 'override', overrides, 'passed', passed)), request);
    end if;
  end if;
  return next;
end $$;
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
  perform mail_invitations(to_address, request);
  perform audit('invitation.sent', inviter, null, university, jsonb_strip_nulls(jsonb_build_object(
    'invitation_id', invitation.id, 'role', the_role, 'department_id', department, 'course_offering_id', offering,
    'teaches', nullif(as_instructor, false))), request);
end $$;
--> statement-breakpoint
-- Whether nothing is left of a limit.
create or replace function is_limit_reached(the_name text, most integer, moment timestamptz) returns boolean
language sql stable as $$
  select exists (select from rate_limits where name = the_name and used >= most and ends_at > moment)
$$;
--> statement-breakpoint
-- Has a link sent that shows whether mail to an address reaches a person. What waits for another address of theirs is not
-- sent any more, unless it has been tried, and then counts for the time of the next. Beyond the limit of the caller's
-- network it raises LIMIT (rate-limits.sql).
create or replace function mail_confirmation(
  the_kind text, to_address text, person integer, most_of_network integer, request jsonb
) returns void language plpgsql as $$
declare
  moment timestamptz := sent_at(request);
begin
  perform spend_account_mail(most_of_network, request);
  perform from users where id = person for no key update;
  delete from mail_outbox
  where user_id = person and kind = the_kind and address <> to_address and ended_at is null and tries = 0;
  insert into mail_outbox (kind, address, user_id, created_at, due_at, from_address, from_network, from_person)
  values (the_kind, to_address, person, moment, next_mail_at(the_kind, to_address, person, moment), request ->> 'from',
          request ->> 'network', (request ->> 'person')::int)
  on conflict (kind, address) where ended_at is null
  do update set user_id = excluded.user_id, from_address = excluded.from_address;
end $$;
--> statement-breakpoint
-- Has a mail sent about the invitations of an address that none has told of. One that is just being sent is made again,
-- since it may not have seen the newest: its sender finds that it lost the lease.
create or replace function mail_invitations(to_address text, request jsonb) returns void language sql as $$
  insert into mail_outbox as waiting (kind, address, created_at, due_at, from_network, from_person)
  values ('invitation', to_address, sent_at(request),
          next_mail_at('invitation', to_address, null, sent_at(request)), request ->> 'network',
          (request ->> 'person')::int)
  on conflict (kind, address) where ended_at is null
  do update set tries = waiting.tries + (waiting.lease_until is not null)::int, lease_until = null
$$;
--> statement-breakpoint
-- The same of someone who says what the key is. Ten wrong keys of a person in an hour, and a thousand of all, keep also a
-- right one from being looked at: whoever tries does not learn which it was. Under the lock of the offering.
create or replace function refusal_of_key(
  offering course_offerings, person integer, the_key text, moment timestamptz
) returns text language plpgsql as $$
declare
  of_all text := 'wrong keys of offering ' || offering.id;
  own text := of_all || ' by person ' || person;
  refusal text := refusal_of_mode(offering, the_key);
begin
  if offering.enrollment_mode <> 'key' or the_key is null then return refusal; end if;
  if is_limit_reached(own, 10, moment) or is_limit_reached(of_all, 1000, moment) then return 'too_many_keys'; end if;
  if refusal is not null then
    perform take_from_limit(own, 10, moment), take_from_limit(of_all, 1000, moment);
  end if;
  return refusal;
end $$;
--> statement-breakpoint
-- Sets the password of whoever the token was sent to, which also shows that their mail reaches them. False when the
-- token is not good, or the account has another address by now or is inactive.
create or replace function reset_password(hash text, wanted text, request jsonb) returns boolean language plpgsql as $$
declare
  token one_time_tokens;
begin
  select * into token from use_token(hash, '{password_reset}', sent_at(request));
  if token.id is null then return false; end if;
  update users
  set password_hash = wanted, email_verified_at = coalesce(email_verified_at, sent_at(request))
  where id = token.user_id and email = token.email and is_active;
  if not found then return false; end if;
  perform end_tokens(token.user_id);
  perform send_mail('password_changed', token.email, token.user_id, request);
  perform audit('password.reset', null, token.user_id, null, '{}', request);
  return true;
end $$;
--> statement-breakpoint
-- One that waits for the same address is enough. `request` is that of audit.sql: whoever asked has their turn by it.
create or replace function send_mail(the_kind text, to_address text, person integer, request jsonb)
returns void language sql as $$
  insert into mail_outbox (kind, address, user_id, created_at, due_at, from_network, from_person)
  values (the_kind, to_address, person, sent_at(request), sent_at(request), request ->> 'network',
          (request ->> 'person')::int)
  on conflict (kind, address) where ended_at is null do update set user_id = excluded.user_id
$$;
--> statement-breakpoint
create or replace function spend_account_mail(most integer, request jsonb) returns void language sql as $$
  select spend_limit('mails about accounts from ' || (request ->> 'network'), most, sent_at(request))
  where request ->> 'network' is not null
$$;
--> statement-breakpoint
-- Invitations that a person makes, and all people of a university together.
create or replace function spend_invitation(
  inviter integer, university integer, most_of_person integer, most_of_university integer, request jsonb
) returns void language plpgsql as $$
begin
  perform spend_limit('invitations by person ' || inviter, most_of_person, sent_at(request));
  perform spend_limit('invitations of university ' || university, most_of_university, sent_at(request));
end $$;
--> statement-breakpoint
-- The same for what is not done at all beyond the limit: raises LIMIT, with the seconds until the next hour.
create or replace function spend_limit(the_name text, most integer, moment timestamptz) returns void language plpgsql as $$
begin
  if not take_from_limit(the_name, most, moment) then
    raise exception 'limit reached: %', the_name using errcode = 'LIMIT',
      detail = ceil(3600 - mod(extract(epoch from moment), 3600))::text;
  end if;
end $$;
--> statement-breakpoint
-- Mails about accounts that a network has sent: links to set a password, and to confirm an address. Whoever comes from
-- nowhere known is counted nowhere. `request` is that of audit.sql.
create or replace function take_account_mail(most integer, request jsonb) returns boolean language sql as $$
  select request ->> 'network' is null
    or take_from_limit('mails about accounts from ' || (request ->> 'network'), most, sent_at(request))
$$;
--> statement-breakpoint
-- Counts one more, unless it would be beyond the limit; whether it was counted. 0 is no limit.
create or replace function take_from_limit(the_name text, most integer, moment timestamptz) returns boolean
language plpgsql as $$
declare
  is_within boolean;
begin
  if most = 0 then return true; end if;
  insert into rate_limits as one (name, used, ends_at)
  values (the_name, 1, date_trunc('hour', moment, 'UTC') + interval '1 hour')
  on conflict (name) do update set
    used = case when one.ends_at <= moment then 1 else one.used + 1 end,
    ends_at = case when one.ends_at <= moment then excluded.ends_at else one.ends_at end
  where one.ends_at <= moment or one.used < most;
  is_within := found;
  delete from rate_limits where name in (
    select name from rate_limits where ends_at <= moment order by ends_at limit 3 for update skip locked);
  return is_within;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
