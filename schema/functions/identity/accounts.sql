-- Changes of a person's credentials. Each function makes the change, ends tokens, queues mail and writes the
-- audit log in one transaction. `request` is that of audit.sql.
--
-- Locks: the address to reset a password for, then the limit of the caller's network (rate-limits.sql); that
-- limit, the person, then their mail and one-time tokens, or the offerings where they wait (enrollments.sql).

create or replace function request_time(request jsonb) returns timestamptz language sql immutable as $$
  select (request ->> 'at')::timestamptz
$$;

-- Ends mailed and queued tokens too, and the calendar's secret address, which an intruder may have kept. Returns
-- the next token version.
create or replace function revoke_tokens_and_secret_links(person integer) returns integer language plpgsql as $$
declare
  version integer;
begin
  update users set token_version = token_version + 1 where id = person returning token_version into version;
  delete from mail_outbox where user_id = person and kind = 'change_email' and ended_at is null;
  delete from one_time_tokens where user_id = person;
  delete from calendar_addresses where user_id = person;
  return version;
end $$;

-- Changes it if its hash is still `former`: the second of two concurrent changes is refused. Returns null if
-- refused, else the token version.
create or replace function change_password(person integer, former text, wanted text, request jsonb)
returns integer language plpgsql as $$
declare
  own_address text;
begin
  update users set password_hash = wanted
  where id = person and erased_at is null and password_hash is not distinct from former returning email into own_address;
  if not found then return null; end if;
  perform queue_mail('password_changed', own_address, person, request);
  perform audit('password.changed', person, person, null, '{}', request);
  return revoke_tokens_and_secret_links(person);
end $$;

-- Respects the hourly limit of the caller's network (rate-limits.sql). Unknown addresses get no mail but take the
-- same time, so timing does not reveal accounts. Requests for one address wait for each other. A message of the
-- row's size in the write-ahead log makes the commit equally long.
create or replace function queue_password_reset_mail(asked text, most_of_network integer, request jsonb) returns void
language plpgsql as $$
declare
  moment timestamptz := request_time(request);
  is_known boolean;
  is_due boolean;
  sent_on timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('password reset of an address', hashtextextended(asked, 0)));
  is_known := exists (select from users where email = asked and is_active);
  is_due := next_allowed_mail_at('password_reset', asked, null, moment) <= moment;
  sent_on := reserve_account_mail_time_of_network(most_of_network, request);
  insert into mail_outbox (kind, address, created_at, due_at, from_network, from_person)
  select 'password_reset', asked, moment, sent_on, request ->> 'network', (request ->> 'person')::int
  where is_known and is_due
  on conflict do nothing;
  if not found then perform pg_logical_emit_message(true, 'password_reset', repeat(' ', 255)); end if;
end $$;

-- Deletes queued mail to the person's other addresses unless it was tried; then it counts for the time of the next.
-- Above the limit of the caller's network, the mail waits (`reserve_account_mail_time_of_network`).
create or replace function queue_confirmation_mail(
  the_kind text, to_address text, person integer, most_of_network integer, request jsonb
) returns void language plpgsql as $$
declare
  moment timestamptz := request_time(request);
begin
  perform from users where id = person for no key update;
  delete from mail_outbox
  where user_id = person and kind = the_kind and address <> to_address and ended_at is null and tries = 0;
  insert into mail_outbox (kind, address, user_id, created_at, due_at, from_address, from_network, from_person)
  values (the_kind, to_address, person, moment,
          greatest(next_allowed_mail_at(the_kind, to_address, person, moment), reserve_account_mail_time_of_network(most_of_network, request)),
          request ->> 'from',
          request ->> 'network', (request ->> 'person')::int)
  on conflict (kind, address) where ended_at is null
  do update set user_id = excluded.user_id, from_address = excluded.from_address;
end $$;

-- Only the caller that deletes its row gets it.
create or replace function consume_one_time_token(hash text, purposes text[], moment timestamptz) returns setof one_time_tokens
language sql as $$
  select from users where id = (select user_id from one_time_tokens where token_hash = hash) for no key update;
  delete from one_time_tokens where token_hash = hash and purpose = any (purposes) and expires_at > moment returning *
$$;

-- Also verifies the address. False if the token is invalid, or the account has another address or is inactive.
create or replace function reset_password(hash text, wanted text, request jsonb) returns boolean language plpgsql as $$
declare
  token one_time_tokens;
begin
  select * into token from consume_one_time_token(hash, '{password_reset}', request_time(request));
  if token.id is null then return false; end if;
  update users
  set password_hash = wanted, email_verified_at = coalesce(email_verified_at, request_time(request))
  where id = token.user_id and email = token.email and is_active;
  if not found then return false; end if;
  perform revoke_tokens_and_secret_links(token.user_id);
  perform queue_mail('password_changed', token.email, token.user_id, request);
  perform audit('password.reset', null, token.user_id, null, '{}', request);
  return true;
end $$;

-- Verifies an account's own or new address; the former address is notified. Requires a sign-in `as_person` or, for
-- its own address, the hash of a `wanted` password. That takes the account over, since its creator may have typed
-- any address. False if the token is invalid or another person's. An address taken since then violates the key of
-- users.
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
  select * into token from consume_one_time_token(hash, '{verify_email,change_email}', request_time(request));
  if token.id is null then return false; end if;
  select email into former from users
  where id = token.user_id and is_active and (token.purpose = 'change_email' or email = token.email) for update;
  if not found then return false; end if;
  update users set email = token.email, email_verified_at = request_time(request), updated_at = service_now() where id = token.user_id;
  if wanted is not null and token.purpose = 'verify_email' then
    perform revoke_tokens_and_secret_links(token.user_id);
    update users set password_hash = wanted where id = token.user_id;
    perform queue_mail('password_changed', token.email, token.user_id, request);
    perform audit('account.taken_over', token.user_id, token.user_id, null, '{}', request);
  end if;
  if former <> token.email then
    perform queue_mail('email_changed', former, token.user_id, request);
    perform audit('email.changed', token.user_id, token.user_id, null, '{}', request);
    delete from one_time_tokens where user_id = token.user_id and email = former;
  end if;
  return true;
end $$;

-- Links an identity with a verified address to its account or a new one. Takes over an account with an unverified
-- address, since its creator is unknown. The later of two concurrent links finds the account of the first. One
-- identity per account and provider: an address may pass to another person. No row: the account is inactive, or
-- linked to another identity there.
create or replace function link_identity_or_create_account(
  from_provider text, the_subject text, address text, name text, request jsonb
) returns table (id integer, token_version integer) language plpgsql as $$
declare
  account users;
begin
  loop
    insert into users (email, full_name, email_verified_at) values (address, name, request_time(request))
    on conflict (email) do nothing;
    select * into account from users where email = address for update;
    -- The account was erased while the lock was awaited: the address is free.
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
    perform revoke_tokens_and_secret_links(account.id);
    update users set password_hash = null, email_verified_at = request_time(request) where users.id = account.id;
    perform audit('account.taken_over', account.id, account.id, null, jsonb_build_object('provider', from_provider),
                  request);
  end if;
  return query select u.id, u.token_version from users as u where u.id = account.id;
end $$;

-- Counts an attempt before the password is checked, even for unknown accounts: at most `most` per window continue,
-- also concurrently. Returns the end of a lockout, or null. Also deletes expired counts faster than they arrive,
-- without blocking others.
create or replace function count_sign_in_attempt_returning_lockout(account text, most integer, wait interval, moment timestamptz)
returns timestamptz language plpgsql as $$
declare
  refused_until timestamptz;
begin
  insert into login_failures as counted (account_hash, failures, until) values (account, 1, moment + wait)
  on conflict (account_hash) do update set
    failures = case when counted.until <= moment then 1 else least(counted.failures, most) + 1 end,
    until = case when counted.until <= moment then excluded.until else counted.until end
  returning case when failures > most then until end into refused_until;
  delete from login_failures where account_hash = any (array(
    select account_hash from login_failures where until <= moment order by until limit 3 for update skip locked));
  return refused_until;
end $$;

-- Enrollments and staff roles from an LMS count too.
create or replace view known_people as
  select user_id, university_id, role from user_university_roles
  union
  select user_id, university_id, null from enrollments
  union
  select user_id, university_id, null from offering_staff;

-- Only the name without an address.
create or replace function update_user_search_text() returns trigger language plpgsql as $$
begin
  new.search_text := case when new.erased_at is null then searched(concat_ws(' ', new.full_name, new.email)) end;
  return new;
end $$;

create or replace trigger update_user_search_text before insert or update of full_name, email, erased_at on users
  for each row execute function update_user_search_text();

-- Deactivating ends the tokens; activating fills the free seats where the person waits.
create or replace function set_account_active(person integer, wanted boolean, actor integer, request jsonb)
returns setof users language plpgsql as $$
begin
  update users set is_active = wanted, updated_at = service_now() where id = person and is_active <> wanted;
  if found then
    if wanted then perform fill_seats_after_reactivation(null, person); else perform revoke_tokens_and_secret_links(person); end if;
    perform audit(case when wanted then 'account.reactivated' else 'account.deactivated' end, actor, person, null, '{}',
                  request);
  end if;
  return query select * from users where id = person;
end $$;
