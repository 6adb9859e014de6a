-- How far a token reaches: the whole account, or one university, whose identity provider made the sign-in. Most of that is
-- said by lib/identity/auth/token-reach.ts, of what was read; here is what takes rows to say.
--
-- Locks: the university, while it is decided whether it asks for its own provider; everything else only reads.

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
