-- How far a token reaches: the whole account, or one university, whose identity provider made the sign-in. Most of that is
-- said by lib/auth/token-reach.ts, of what was read; here is what takes rows to say.
--
-- Locks: none, it only reads.

-- The university by whose providers alone an account is entered and to which alone it belongs; null where there is another
-- way in, or a role or an enrollment elsewhere: then a sign-in by such a provider does not reach the whole account.
create or replace function only_university_of(person integer) returns integer language sql stable as $$
  select entered.university_id
  from (
    select min(split_part(provider, '.', 1)::integer) as university_id
    from user_identities where user_id = person and provider like '%.%'
    having count(distinct split_part(provider, '.', 1)) = 1
  ) as entered
  where not exists (select from users where id = person and password_hash is not null)
    and not exists (select from user_identities where user_id = person and provider not like '%.%')
    and not exists (
      select from known_at(person) as known
      where known.university_id <> entered.university_id or known.role = 'platform_admin')
$$;
