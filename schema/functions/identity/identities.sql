-- Whose an account is. Whatever finds a person, by an address, an id or a line of a file, asks here before it gives them
-- anything: a university's own people get it at once, and everyone else is offered it (invitations.sql).
--
-- Locks: none, it is only read.

-- Whether anyone has ever been in an account: with a password, as a provider or an LMS knows them, or by a link that was
-- sent to its address. What an import made and nobody has opened since was not entered.
create or replace function was_entered(account users) returns boolean language sql stable as $$
  select account.password_hash is not null or account.email_verified_at is not null
    or exists (select from user_identities where user_id = account.id)
    or exists (select from lti_people where user_id = account.id and last_launched_at is not null)
$$;

-- Whether an account gets what is given to its address. Not where someone entered it who has not shown that the address
-- is theirs: they may have typed anyone's.
create or replace function is_reached_by_address(account users) returns boolean language sql stable as $$
  select account.email_verified_at is not null or not was_entered(account)
$$;

-- Whether an account is one of a university's own people: who has or had a role, a place or an offering as its staff there, who is known there by an
-- account that it made and nobody entered, and who has a verified address in one of its domains.
create or replace function is_own_person(university integer, account users) returns boolean language sql stable as $$
  select account.erased_at is null and (
    exists (select from user_university_roles where user_id = account.id and university_id = university)
    or exists (select from enrollments where user_id = account.id and university_id = university)
    or exists (select from offering_staff where user_id = account.id and university_id = university)
    or coalesce(account.made_by_university_id = university, false) and not was_entered(account)
    or account.email_verified_at is not null and exists (
      select from university_domains
      where university_id = university and domain = split_part(account.email, '@', 2)))
$$;
