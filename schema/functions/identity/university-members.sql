-- People who have or had a role or enrollment in a university, with the sort key of lists. One index reads a
-- page, without a search through all names or all members. Members stay after their last role ends, so no two
-- writers can overlook each other.
--
-- Locks: the person, before they become a member, to prevent a concurrent rename. A correction locks the
-- member's external ids, then the member.

-- By key, even without statistics on the table, as in the first import.
create or replace function ensure_university_member(university integer, person integer) returns void
language plpgsql set enable_seqscan = off as $$
begin
  if exists (select from university_members where university_id = university and user_id = person) then return; end if;
  insert into university_members (university_id, user_id, full_name, email, search_text, created_at)
  select university, id, full_name, coalesce(email, ''), coalesce(search_text, ''), created_at
  from users where id = person for share
  on conflict do nothing;
end $$;

-- A revoked role changes the member for readers of changes; a granted one has its own timestamp.
create or replace function ensure_or_touch_university_member() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    -- Nothing is left to change if the person or the university is deleted.
    update university_members set updated_at = service_now()
    where university_id = old.university_id and user_id = old.user_id
      and exists (select from users where id = old.user_id)
      and exists (select from universities where id = old.university_id);
    return old;
  end if;
  perform ensure_university_member(new.university_id, new.user_id);
  return new;
end $$;

-- Before the write, since a role references its member.
create or replace trigger become_member before insert or update of user_id, university_id or delete on user_university_roles
  for each row execute function ensure_or_touch_university_member();

create or replace trigger become_member before insert on offering_staff
  for each row execute function ensure_or_touch_university_member();

create or replace function is_suspended(university integer, person integer) returns boolean language sql stable as $$
  select exists (
    select from university_members
    where university_id = university and user_id = person and not is_active)
$$;

-- Revokes the tokens of suspended members. Restoring returns rights, not tokens.
create or replace function university_members_before_update() returns trigger language plpgsql as $$
begin
  new.updated_at := service_now();
  if old.is_active and not new.is_active then new.tokens_ended_at := service_now(); end if;
  return new;
end $$;

create or replace trigger university_members_before_update before update on university_members
  for each row execute function university_members_before_update();

-- `sign_in` is in seconds since 1970. The service checks the same (lib/identity/auth/actor.ts).
create or replace function is_university_token_revoked(university integer, person integer, sign_in bigint) returns boolean
language sql stable as $$
  select exists (
    select from university_members
    where university_id = university and user_id = person
      and (not is_active or to_timestamp(coalesce(sign_in, 0)) <= tokens_ended_at))
$$;

create or replace function name_at_university(member university_members) returns text language sql stable as $$
  select nullif(concat_ws(' ', member.given_name, member.family_name), '')
$$;

-- Keys of `wanted`: is_active, external_id, given_name, family_name, and source with null, which allows imports to
-- rename. Null external_id removes all. A directory cannot restore a person suspended by staff (scim.sql). Returns
-- the member, or that another member has the id, and then nothing is done. No row: not a member.
create or replace function update_university_member(
  university integer, person integer, wanted jsonb, actor integer, request jsonb
) returns table (is_taken boolean, member university_members, external_id text) language plpgsql as $$
#variable_conflict use_column
declare
  corrected text[] := array(
    select key from jsonb_object_keys(wanted) as key where key <> 'is_active' order by key);
begin
  if not exists (select from known_people as known where known.user_id = person and known.university_id = university) then return; end if;
  is_taken := false;
  if wanted ? 'external_id' then
    delete from sourced_people as known
    where known.university_id = university and known.user_id = person
      and (wanted ->> 'external_id' is null or known.sourced_id = wanted ->> 'external_id');
    if wanted ->> 'external_id' is not null then
      insert into sourced_people (university_id, sourced_id, user_id) values (university, wanted ->> 'external_id', person)
      on conflict do nothing;
      is_taken := not found;
    end if;
  end if;
  if is_taken then
    return next;
    return;
  end if;
  if wanted ?| array['given_name', 'family_name', 'source'] then
    update university_members as one set
      given_name = case when wanted ? 'given_name' then wanted ->> 'given_name' else one.given_name end,
      family_name = case when wanted ? 'family_name' then wanted ->> 'family_name' else one.family_name end,
      source = case when not wanted ? 'source' then 'staff' end
    where one.university_id = university and one.user_id = person;
  end if;
  if corrected <> '{}' then
    perform audit('member.corrected', actor, person, university, jsonb_build_object('fields', corrected), request);
  end if;
  if wanted ? 'is_active' then
    update university_members as one set is_active = (wanted ->> 'is_active')::boolean, suspended_by_directory = false
    where one.university_id = university and one.user_id = person
      and (one.is_active <> (wanted ->> 'is_active')::boolean or one.suspended_by_directory);
    if found then
      perform audit(case when (wanted ->> 'is_active')::boolean then 'member.restored' else 'member.suspended' end, actor,
                    person, university, '{}', request);
    end if;
  end if;
  select one.* into member from university_members as one where one.university_id = university and one.user_id = person;
  external_id := (
    select known.sourced_id from sourced_people as known
    where known.university_id = university and known.user_id = person order by known.id desc limit 1);
  return next;
end $$;

create or replace function refresh_member_names() returns trigger language plpgsql as $$
begin
  update university_members
  set (full_name, email, search_text, created_at) =
    (new.full_name, coalesce(new.email, ''), coalesce(new.search_text, ''), new.created_at)
  where user_id = new.id;
  return null;
end $$;

create or replace trigger refresh_member_names after update of full_name, email, created_at on users
  for each row
  when ((old.full_name, old.email, old.created_at) is distinct from (new.full_name, new.email, new.created_at))
  execute function refresh_member_names();
