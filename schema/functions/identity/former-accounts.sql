-- Whoever comes again after an erasure is known by the id that their university gives them, by their address or by an
-- identity of a provider, verified or not. Their former attempts count, and nothing of them is shown.
--
-- An address or an identity that is gone is kept as a hash with a key that is not in the database: who has a copy of it
-- cannot try addresses. `key` is that of HMAC-SHA-256, its inner block and then its outer one; without it nothing but
-- the universities' own ids is noted and found.
--
-- Locks: none, rows are only added. Their references hold the person and the erased accounts.

-- By what a person is known, as it is noted when their account is erased.
create or replace function identifiers_of(person integer, key bytea)
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

-- Notes by what an account will be found again, before it is erased.
create or replace function note_identifiers(person integer, key bytea) returns void language sql as $$
  insert into erased_identifiers (user_id, university_id, identifier)
  select person, own.university_id, own.identifier from identifiers_of(person, key) as own
$$;

-- Looks for the erased accounts that a person had before, and notes them, with those that were found for these; answers
-- the person.
create or replace function find_former_accounts(person integer, key bytea) returns integer language plpgsql as $$
begin
  if exists (select from erased_identifiers) then
    insert into former_accounts (user_id, former_user_id)
    select distinct person, former.id
    from identifiers_of(person, key) as own
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

-- A person, and the erased accounts that are known to have been theirs: whose attempts count together.
create or replace function selves_of(person integer) returns integer[] language sql stable as $$
  select person || array(select former_user_id from former_accounts where user_id = person)
$$;
