-- Directory records of people (SCIM). This file decides what a record gives: the university's own people get it
-- immediately; others receive an offer while the record exists (invitations.sql). A directory never changes the
-- address of an account that was signed in to.
--
-- Locks: the address of a new record; the groups of a write, by their ids; the records, by theirs; the invitations of
-- an address and their mail; then the people, before they become members.

-- Refuses if they have another one at the university. Returns whether it did.
create or replace function set_scim_record_person_unless_taken(the_record integer, person integer) returns boolean language plpgsql as $$
begin
  update scim_users set user_id = person where id = the_record and user_id is null;
  return found;
exception when unique_violation then
  return false;
end $$;

-- Gives the mapped roles of the records' groups, or student without any. Takes back roles that the directory no
-- longer gives. Locks the records.
create or replace function sync_roles_of_scim_records(university integer, records integer[], actor integer, request jsonb)
returns void language plpgsql as $$
declare
  changed_roles integer;
  given_roles integer;
begin
  if records = '{}' then return; end if;
  perform from scim_users where id = any (records) order by id for no key update;
  with wanted as materialized (
    select distinct record.user_id, coalesce(mapped.role, 'student') as role
    from scim_users as record
    left join (
      select member.scim_user_id, one.role
      from scim_group_members as member join scim_groups as one on one.id = member.group_id
      where member.scim_user_id = any (records) and one.role is not null
    ) as mapped on mapped.scim_user_id = record.id
    where record.id = any (records) and record.user_id is not null
  ), gone as (
    delete from user_university_roles as held using scim_users as record
    where record.id = any (records) and held.user_id = record.user_id and held.university_id = university
      and held.by_directory and not exists (
        select from wanted where wanted.user_id = held.user_id and wanted.role = held.role)
    returning held.user_id, held.role
  ), given as (
    insert into user_university_roles (user_id, university_id, role, by_directory)
    select wanted.user_id, university, wanted.role, true from wanted
    where not exists (
      select from user_university_roles as held
      where held.user_id = wanted.user_id and held.university_id = university and held.role = wanted.role
        and held.department_id is null)
    order by wanted.user_id, wanted.role
    on conflict do nothing returning user_university_roles.user_id, user_university_roles.role
  )
  -- The count makes PostgreSQL run the calls: it skips a select that is not read.
  select count(*), count(*) filter (where changed.action = 'role.granted') into changed_roles, given_roles from (
    select 'role.revoked' as action, gone.* from gone union all select 'role.granted', given.* from given
  ) as changed cross join lateral audit(
    changed.action, actor, changed.user_id, university, jsonb_build_object('role', changed.role, 'directory', true),
    request);
  if given_roles > 0 then perform raise_if_university_inactive(university); end if;
end $$;

-- The person's names, unless from another source, and id. Also the name and address of an account that the
-- university made, if it was never signed in to and has no other university. `says_activity`: suspends or restores;
-- only staff restore people whom staff suspended.
create or replace function apply_scim_record_to_person(record scim_users, says_activity boolean, actor integer, request jsonb) returns void
language plpgsql as $$
declare
  names jsonb := record.attributes -> 'name';
begin
  if num_nonnulls(names ->> 'givenName', names ->> 'familyName') > 0 then
    update university_members as member
    set given_name = names ->> 'givenName', family_name = names ->> 'familyName', source = 'directory'
    where member.university_id = record.university_id and member.user_id = record.user_id
      and coalesce(member.source, 'directory') = 'directory'
      and (member.given_name, member.family_name, member.source)
        is distinct from (names ->> 'givenName', names ->> 'familyName', 'directory');
  end if;
  insert into sourced_people (university_id, sourced_id, user_id)
  select record.university_id, record.external_id, record.user_id where record.external_id is not null
  on conflict do nothing;
  if exists (
    select from users where id = record.user_id and made_by_university_id = record.university_id and not was_account_used(users)
  ) and not exists (
    select from known_people as known
    where known.user_id = record.user_id
      and (known.university_id <> record.university_id or known.role = 'platform_admin')
  ) then
    update users set full_name = record.full_name, updated_at = service_now()
    where id = record.user_id and full_name <> record.full_name;
    update users set email = record.email, updated_at = service_now()
    where id = record.user_id and record.email is not null and email <> record.email
      and not exists (select from users as other where other.email = record.email);
  end if;
  if not says_activity then return; end if;
  update university_members set is_active = record.is_active, suspended_by_directory = not record.is_active
  where university_id = record.university_id and user_id = record.user_id and is_active <> record.is_active
    and (not record.is_active or suspended_by_directory);
  if found then
    perform audit(case when record.is_active then 'member.restored' else 'member.suspended' end, actor, record.user_id,
                  record.university_id, '{"directory": true}', request);
  end if;
end $$;

create or replace function revoke_scim_invitation(record scim_users, request jsonb) returns void language sql as $$
  update invitations set revoked_at = request_time(request)
  where university_id = record.university_id and email = record.email and source = 'directory'
    and accepted_at is null and revoked_at is null
$$;

-- Serializes searches for the person of an address in a university's directory.
create or replace function lock_scim_address_at_university(university integer, address text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('address at a directory', hashtextextended(university || ' ' || address, 0)))
$$;

-- `missing` or, for none of the expected versions, `stale`.
create or replace function scim_version_refusal(present integer, expected integer[]) returns text language sql immutable as $$
  select case when present is null then 'missing' when present <> all (expected) then 'stale' end
$$;

-- Then finds its person, makes an account for a free address, or offers the address's owner membership, unless they
-- declined. `outcome`: a refusal as above, else `written` with the record. A duplicate name or external id breaks
-- the key of scim_users.
create or replace function create_or_replace_scim_user(
  university integer, the_record integer, wanted jsonb, expected integer[], actor integer, request jsonb
) returns table (outcome text, record scim_users) language plpgsql as $$
#variable_conflict use_column
declare
  said scim_users := jsonb_populate_record(null::scim_users, wanted);
  former scim_users;
  is_linked boolean;
  person integer;
  held integer;
  was_made boolean := false;
begin
  if the_record is null then
    perform raise_if_university_inactive(university);
    if said.email is not null then perform lock_scim_address_at_university(university, said.email); end if;
    insert into scim_users (university_id, user_name, external_id, email, full_name, is_active, attributes)
    values (university, said.user_name, said.external_id, said.email, said.full_name, said.is_active, said.attributes)
    returning * into record;
    perform audit('scim_user.created', actor, null, university, jsonb_build_object('scim_user_id', record.id), request);
  else
    select * into former from scim_users as one where one.id = the_record and one.university_id = university for update;
    outcome := scim_version_refusal(former.version, expected);
    if outcome is not null then
      record := former;
      return next;
      return;
    end if;
    if former.email is distinct from said.email then perform revoke_scim_invitation(former, request); end if;
    update scim_users as one set user_name = said.user_name, external_id = said.external_id, email = said.email,
      full_name = said.full_name, is_active = said.is_active, attributes = said.attributes,
      version = one.version + 1, updated_at = service_now()
    where one.id = the_record returning one.* into record;
  end if;
  is_linked := former.user_id is not null;
  if record.user_id is null then
    loop
      -- The university's own person: by the external id, else by the address.
      person := coalesce(
        (select account.id from sourced_people as known join users as account on account.id = known.user_id
         where known.university_id = university and known.sourced_id = record.external_id
           and is_person_of_university(university, account)),
        (select account.id from users as account
         where account.email = record.email and is_email_verified_or_account_unused(account)
           and is_person_of_university(university, account)));
      if person is null and not was_made and record.is_active and record.email is not null then
        insert into users (email, full_name, made_by_university_id)
        values (record.email, record.full_name, university)
        on conflict (email) do nothing returning id into person;
        exit when person is not null;
        -- A concurrent call may have created it: looks once more.
        was_made := true;
        continue;
      end if;
      exit when person is not distinct from held;
      -- The account may just be erased, and is then no one's.
      perform from users where id = person for no key update;
      held := person;
    end loop;
    if person is not null then
      perform set_scim_record_person_unless_taken(record.id, person);
    elsif not record.is_active then
      perform revoke_scim_invitation(record, request);
    elsif record.email is not null and not exists (
      select from invitations as one
      where one.university_id = record.university_id and one.email = record.email and one.role = 'student'
        and one.department_id is null and one.course_offering_id is null
        and (one.declined_at is not null
          or one.source = 'directory' and one.accepted_at is null and one.revoked_at is null)
    ) then
      perform invite(record.university_id, record.email,
        jsonb_build_object('role', 'student', 'sourced_id', record.external_id), actor, request, 'directory');
    end if;
    select one.* into record from scim_users as one where one.id = record.id;
  end if;
  if record.user_id is not null then
    perform from users where id = record.user_id for no key update;
    if not is_linked then perform sync_roles_of_scim_records(university, array[record.id], actor, request); end if;
    perform apply_scim_record_to_person(record, not is_linked or former.is_active <> record.is_active, actor, request);
  end if;
  outcome := 'written';
  return next;
end $$;

-- Deletes roles, names and offer too. A suspension stays. Returns `deleted` or a refusal.
create or replace function delete_scim_user(
  university integer, the_record integer, expected integer[], actor integer, request jsonb
) returns text language plpgsql as $$
declare
  former scim_users;
  refusal text;
  roles_taken integer;
begin
  perform from scim_groups where id in (select group_id from scim_group_members where scim_user_id = the_record)
  order by id for no key update;
  select * into former from scim_users where id = the_record and university_id = university for update;
  refusal := scim_version_refusal(former.version, expected);
  if refusal is not null then return refusal; end if;
  update scim_groups set version = version + 1, updated_at = service_now()
  where id in (select group_id from scim_group_members where scim_user_id = the_record);
  perform revoke_scim_invitation(former, request);
  with gone as (
    delete from user_university_roles as held
    where held.user_id = former.user_id and held.university_id = university and held.by_directory
    returning held.role
  )
  select count(*) into roles_taken from gone cross join lateral audit(
    'role.revoked', actor, former.user_id, university, jsonb_build_object('role', gone.role, 'directory', true), request);
  update university_members set source = null
  where university_id = university and user_id = former.user_id and source = 'directory';
  delete from scim_users where id = the_record;
  perform audit('scim_user.deleted', actor, former.user_id, university, jsonb_build_object('scim_user_id', the_record),
                request);
  return 'deleted';
end $$;

create or replace view scim_group_values as
  select one.id as group_id, (
    select coalesce(json_agg(json_build_object('value', member.scim_user_id::text) order by member.scim_user_id), '[]')
    from scim_group_members as member where member.group_id = one.id) as members
  from scim_groups as one;

-- Sets the name, the external id if `wanted` has the key, and the members: `added`, `removed`, or `members` to
-- replace all. Raises SCIMM if one is no record of the university; else as `create_or_replace_scim_user`. Returns the members
-- if `answers_members`.
create or replace function create_or_update_scim_group(
  university integer, the_group integer, wanted jsonb, expected integer[], answers_members boolean, actor integer,
  request jsonb
) returns table (outcome text, written scim_groups, members json) language plpgsql as $$
#variable_conflict use_column
declare
  named integer[] := array(
    select distinct value::integer from jsonb_array_elements_text(coalesce(wanted -> 'members', wanted -> 'added', '[]')));
  leaving integer[] := array(select value::integer from jsonb_array_elements_text(coalesce(wanted -> 'removed', '[]')));
  changed integer[];
begin
  if the_group is null then
    insert into scim_groups (university_id, display_name, external_id)
    values (university, wanted ->> 'display_name', wanted ->> 'external_id') returning * into written;
  else
    select * into written from scim_groups as one where one.id = the_group and one.university_id = university for no key update;
    outcome := scim_version_refusal(written.version, expected);
    if outcome is not null then
      return next;
      return;
    end if;
    update scim_groups as one set display_name = coalesce(wanted ->> 'display_name', one.display_name),
      external_id = case when wanted ? 'external_id' then wanted ->> 'external_id' else one.external_id end,
      version = one.version + 1, updated_at = service_now()
    where one.id = the_group returning one.* into written;
  end if;
  if (select count(*) from scim_users as record where record.id = any (named) and record.university_id = university)
      < cardinality(named) then
    raise exception 'no such member' using errcode = 'SCIMM';
  end if;
  with gone as (
    delete from scim_group_members as member
    where member.group_id = written.id
      and (member.scim_user_id = any (leaving) or wanted ? 'members' and not member.scim_user_id = any (named))
    returning member.scim_user_id
  ), come as (
    insert into scim_group_members (group_id, scim_user_id) select written.id, named_id from unnest(named) as named_id order by named_id
    on conflict do nothing returning scim_group_members.scim_user_id
  )
  select coalesce(array_agg(scim_user_id), '{}') into changed
  from (select scim_user_id from gone union all select scim_user_id from come) as either;
  if written.role is not null then perform sync_roles_of_scim_records(university, changed, actor, request); end if;
  outcome := 'written';
  if answers_members then
    members := (select one.members from scim_group_values as one where one.group_id = written.id);
  end if;
  return next;
end $$;

create or replace function delete_scim_group(
  university integer, the_group integer, expected integer[], actor integer, request jsonb
) returns text language plpgsql as $$
declare
  former scim_groups;
  refusal text;
  left_over integer[];
begin
  select * into former from scim_groups where id = the_group and university_id = university for update;
  refusal := scim_version_refusal(former.version, expected);
  if refusal is not null then return refusal; end if;
  left_over := array(select scim_user_id from scim_group_members where group_id = the_group order by 1);
  delete from scim_groups where id = the_group;
  if former.role is not null then perform sync_roles_of_scim_records(university, left_over, actor, request); end if;
  return 'deleted';
end $$;

-- No row without the group.
create or replace function map_scim_group_to_role(university integer, the_group integer, wanted text, actor integer, request jsonb)
returns setof scim_groups language plpgsql as $$
declare
  mapped scim_groups;
begin
  update scim_groups set role = wanted, version = version + 1, updated_at = service_now()
  where id = the_group and university_id = university returning * into mapped;
  if mapped.id is null then return; end if;
  perform sync_roles_of_scim_records(
    university, array(select scim_user_id from scim_group_members where group_id = the_group order by 1), actor, request);
  perform audit('scim_group.mapped', actor, null, university,
                jsonb_strip_nulls(jsonb_build_object('scim_group_id', the_group, 'role', wanted)), request);
  return next mapped;
end $$;

create or replace function link_scim_user_and_apply_record(university integer, address text, person integer, actor integer, request jsonb)
returns void language plpgsql as $$
declare
  the_record integer;
begin
  select id into the_record from scim_users
  where university_id = university and email = address and user_id is null order by id limit 1;
  if the_record is null or not set_scim_record_person_unless_taken(the_record, person) then return; end if;
  perform sync_roles_of_scim_records(university, array[the_record], actor, request);
  perform apply_scim_record_to_person(record, true, actor, request) from scim_users as record where id = the_record;
end $$;
