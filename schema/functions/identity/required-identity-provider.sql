-- The reach of a token: the whole account, or the one university whose identity provider signed it in. Rules
-- that need rows are here, others in lib/identity/auth/token-reach.ts.
--
-- Locks: the university, to decide whether it requires its own provider; everything else only reads.

-- Without the provider `without`. `asks` replaces whether the university requires one. Locks the university, so its
-- providers and this setting change in turn.
create or replace function has_required_identity_provider(
  university integer, without integer default null, asks boolean default null
) returns boolean language plpgsql as $$
declare
  required boolean;
begin
  select coalesce(asks, requires_own_provider) into required from universities where id = university for no key update;
  return not required or exists (
    select from identity_providers where university_id = university and id is distinct from without);
end $$;
