-- Recognizes a person who returns after an erasure by the university's id, an address or a provider's
-- identity, verified or not. Former attempts count, and none of their data is shown.
--
-- Deleted addresses and identities are stored as hashes with a key outside the database, so a copy of the
-- database cannot be searched for addresses. `key` is the inner, then the outer block of HMAC-SHA-256.
-- Without it, only universities' own ids are stored and matched.
--
-- Locks: none, rows are only added. Their foreign keys lock the person and the erased accounts.

-- Stored when the account is erased.
create or replace function hashed_identifiers_of_account(person integer, key bytea)
returns table (university_id integer, identifier text) language sql stable as $$
  select null::integer, encode(sha256(substring(key from 65) || sha256(
    substring(key for 64) || convert_to(known.words, 'UTF8'))), 'hex')
  from (
    select 'address ' || email from users where id = person and email is not null
    union all
    select 'identity ' || provider || ' ' || subject from user_identities where user_id = person
  ) as known (words)
  where key is not null
  union all
  select sourced.university_id, sourced.sourced_id from sourced_people as sourced where sourced.user_id = person
$$;

-- Finds and stores a person's erased accounts and their former accounts; returns the person.
create or replace function find_and_store_former_accounts(person integer, key bytea) returns integer language plpgsql as $$
begin
  if exists (select from erased_identifiers) then
    insert into former_accounts (user_id, former_user_id)
    select distinct person, former.id
    from hashed_identifiers_of_account(person, key) as own
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

-- Their attempts count together.
create or replace function current_and_former_account_ids(person integer) returns integer[] language sql stable as $$
  select person || array(select former_user_id from former_accounts where user_id = person)
$$;
