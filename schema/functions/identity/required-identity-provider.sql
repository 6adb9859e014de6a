-- The reach of a token: the whole account, or the one university whose identity provider signed it in. Rules
-- that need rows are here, others in lib/identity/auth/token-reach.ts.
--
-- Locks: the university, to decide whether it requires its own provider; everything else only reads.

-- Without the provider `without`. `asks` replaces whether the university requires one. Locks the university, so its
-- providers and this setting change in turn.
create or replace function lock_and_check_required_provider_exists(
  university integer, without integer default null, asks boolean default null
) returns boolean language plpgsql as $$
declare
  required boolean;
begin
  select coalesce(asks, requires_own_provider) into required from universities where id = university for no key update;
  return not required or exists (
    select from identity_providers where university_id = university and id is distinct from without);
end $$;

-- The only university of an account that signs in by its providers and LMSs alone. Null if the account has another
-- sign-in, or a role or enrollment elsewhere: a sign-in by these providers then does not reach the whole account.
-- A function, because each read names it and few call it: within their text its tables would be opened each time.
create or replace function sole_sign_in_university_of_account(person integer) returns integer language plpgsql stable as $$
begin
  return (
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
    where not exists (select from users as account where account.id = person and account.password_hash is not null)
      and not exists (select from user_identities where user_id = person and provider not like '%.%')
      and not exists (
        select from known_people as known
        where known.user_id = person
          and (known.university_id <> entered.university_id or known.role = 'platform_admin')));
end $$;
