-- How far a token reaches: the whole account, or one university, whose identity provider made the sign-in. Most of that is
-- said by lib/auth/token-reach.ts, of what was read; here is what takes rows to say.
--
-- Locks: the university, while it is decided whether it asks for its own provider; everything else only reads.

-- The university by whose providers and LMSs alone an account is entered and to which alone it belongs; null where there is another
-- way in, or a role or an enrollment elsewhere: then a sign-in by such a provider does not reach the whole account.
create or replace function only_university_of(person integer) returns integer language sql stable as $$
  select entered.university_id
  from (
    select min(way.university_id) as university_id
    from (
      select split_part(provider, '.', 1)::integer as university_id
      from user_identities where user_id = person and provider like '%.%'
      union all
      select platform.university_id
      from lti_people as known join lti_platforms as platform on platform.id = known.platform_id
      where known.user_id = person
    ) as way
    having count(distinct way.university_id) = 1
  ) as entered
  where not exists (select from users where id = person and password_hash is not null)
    and not exists (select from user_identities where user_id = person and provider not like '%.%')
    and not exists (
      select from known_at(person) as known
      where known.university_id <> entered.university_id or known.role = 'platform_admin')
$$;

-- Whether a university may ask for a sign-in by its own provider: it has one, and keeps it until this transaction ends.
create or replace function may_ask_for_provider(university integer) returns boolean language plpgsql as $$
begin
  perform from universities where id = university for no key update;
  return exists (select from identity_providers where university_id = university);
end $$;

-- Whether one of a university's providers may go: it is not the last one that the university asks for.
create or replace function may_remove_provider(university integer, provider integer) returns boolean
language plpgsql as $$
declare
  asks boolean;
begin
  select requires_own_provider into asks from universities where id = university for no key update;
  return not asks or exists (
    select from identity_providers where university_id = university and id <> provider);
end $$;
