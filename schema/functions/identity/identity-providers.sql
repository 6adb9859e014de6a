-- Sign-in by universities' identity providers. A university's administrators control its provider and can
-- assert anything. It is therefore trusted for addresses in the domains granted by the platform only, and its
-- sign-ins reach only that university (lib/identity/auth/token-reach.ts).
--
-- Locks: the first time the address at the directory, and the directory's records of that address without an
-- account yet (scim.sql); then the person, then the locks of accounts.sql.

-- Signs in the provider's person as a member of its university; the first time by address. Refusals:
-- `domain`, an address the provider may not assert (null if unverified); `taken`, as in `link_identity_or_create_account`;
-- `inactive_university`.
create or replace function sign_in_by_identity_provider(
  the_provider integer, the_subject text, address text, name text, request jsonb,
  out refusal text, out person integer, out version integer
) language plpgsql as $$
declare
  trusted identity_providers;
  provider_name text;
  is_first boolean;
begin
  select * into trusted from identity_providers where id = the_provider for key share;
  provider_name := trusted.university_id || '.' || trusted.name;
  loop
    person := (select user_id from user_identities where provider = provider_name and subject = the_subject);
    is_first := person is null;
    if is_first then
      if not coalesce(trusted.vouches, false) or not exists (
        select from university_domains
        where university_id = trusted.university_id and domain = split_part(address, '@', 2)
      ) then
        refusal := 'domain';
        return;
      end if;
      if not (select is_active from universities where id = trusted.university_id) and not exists (
        select from users join user_university_roles as held on held.user_id = users.id
        where users.email = address and held.university_id = trusted.university_id
      ) then
        refusal := 'inactive_university';
        return;
      end if;
      perform lock_scim_address_at_university(trusted.university_id, address);
      perform from scim_users
      where university_id = trusted.university_id and email = address and user_id is null order by id for update;
      insert into users (email, full_name, email_verified_at) values (address, name, request_time(request))
      on conflict (email) do nothing;
      person := (select id from users where email = address);
    end if;
    perform from users where id = person for update;
    -- The account was erased while the lock was awaited: the person gets a new one.
    exit when exists (select from users where id = person and erased_at is null);
  end loop;
  if exists (
    select from user_identities where provider = provider_name and subject = the_subject and user_id = person
  ) then
    version := (select token_version from users where id = person and is_active);
  else
    version := (
      select linked.token_version from link_identity_or_create_account(provider_name, the_subject, address, name, request) as linked
      where linked.id = person);
  end if;
  if refusal is null and version is null then refusal := 'taken'; end if;
  if refusal is null and not exists (
    select from user_university_roles where user_id = person and university_id = trusted.university_id
  ) and not (select is_active from universities where id = trusted.university_id) then
    refusal := 'inactive_university';
  end if;
  if refusal is null and not exists (
    select from user_university_roles where user_id = person and university_id = trusted.university_id
  ) then
    insert into user_university_roles (user_id, university_id, role) values (person, trusted.university_id, 'student')
    on conflict do nothing;
    perform audit('role.granted', person, person, trusted.university_id,
                  jsonb_build_object('role', 'student', 'provider', provider_name), request);
  end if;
  if refusal is null and is_first then
    perform link_scim_user_and_apply_record(trusted.university_id, address, person, person, request);
  end if;
  if refusal is null then
    perform audit('sign_in', person, person, trusted.university_id, jsonb_build_object('provider', provider_name),
                  request);
  end if;
end $$;
