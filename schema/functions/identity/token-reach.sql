-- The reach of a token: the whole account, or the one university whose identity provider signed it in. Rules
-- that need rows are here, others in lib/identity/auth/token-reach.ts.
--
-- Locks: the university, to decide whether it requires its own provider; everything else only reads.

-- Whether a university may require its own provider: it has one, which is locked until this transaction ends.
create or replace function may_ask_for_provider(university integer) returns boolean language plpgsql as $$
begin
  perform from universities where id = university for no key update;
  return exists (select from identity_providers where university_id = university);
end $$;

-- Whether a provider may be removed: it is not the last one of a university that requires its own.
create or replace function may_remove_provider(university integer, provider integer) returns boolean
language plpgsql as $$
declare
  asks boolean;
begin
  select requires_own_provider into asks from universities where id = university for no key update;
  return not asks or exists (
    select from identity_providers where university_id = university and id <> provider);
end $$;
