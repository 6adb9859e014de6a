-- Decides ownership of accounts. Code that finds a person by an address, id or file must ask here before it
-- grants access: a university's own people get it immediately, others get an invitation (invitations.sql).
--
-- Locks: none, read only.

-- An account was used with a password, a provider, an LMS, or a mailed link. An unopened imported account was not.
create or replace function was_account_used(account users) returns boolean language sql stable as $$
  select account.password_hash is not null or account.email_verified_at is not null
    or exists (select from user_identities where user_id = account.id)
    or exists (select from lti_people where user_id = account.id and last_launched_at is not null)
$$;

-- False if it was used without verifying the address, which may be another person's.
create or replace function is_email_verified_or_account_unused(account users) returns boolean language sql stable as $$
  select account.email_verified_at is not null or not was_account_used(account)
$$;

-- They have or had a role, a seat or an LMS staff role there. Also unused accounts that it created, and verified
-- addresses in its domains.
create or replace function is_person_of_university(university integer, account users) returns boolean language sql stable as $$
  select account.erased_at is null and (
    exists (select from user_university_roles where user_id = account.id and university_id = university)
    or exists (select from enrollments where user_id = account.id and university_id = university)
    or exists (select from offering_staff where user_id = account.id and university_id = university)
    or coalesce(account.made_by_university_id = university, false) and not was_account_used(account)
    or account.email_verified_at is not null and exists (
      select from university_domains
      where university_id = university and domain = split_part(account.email, '@', 2)))
$$;
