-- Invitations to an address and their acceptance, as a whole, with the inviter's authority. Anything given to
-- a person who is not the university's own (identities.sql) is an invitation.
--
-- Locks: of an invitation its own row; of an acceptance the university and the department, the course, the
-- offering, the prerequisite, the directory's record of the address (scim.sql), the invitation, then the
-- person.

-- Same as the caller's actions `role:grant…`, for use if only the database knows the inviter.
create or replace function can_grant_role(person integer, the_role text, university integer, department integer)
returns boolean language sql stable as $$
  select exists (
    select from users join user_university_roles as held on held.user_id = users.id
    where users.id = person and users.is_active and (held.role = 'platform_admin'
      or the_role <> 'platform_admin' and held.university_id = university and not is_suspended(university, person) and (
        held.role = 'university_admin' and held.department_id is null
        or held.role in ('department_admin', 'university_admin') and coalesce(held.department_id, department) = department
          and the_role in ('student', 'ta', 'instructor')))
  )
$$;

-- Raises: an inactive university gives no new access.
create or replace function raise_if_university_inactive(university integer) returns void language plpgsql as $$
begin
  if exists (select from universities where id = university and not is_active) then
    raise exception 'university % is inactive', university
      using errcode = 'check_violation', table = 'universities', constraint = 'university_is_active';
  end if;
end $$;

-- Renews an equal open invitation for the new inviter; `is_new` says which. Keys of `offer`: role, department_id,
-- offering_id, teaches, overrides (ignores the window, prerequisites and capacity), sourced_id of an import,
-- excused_from, a prerequisite, and token_hash of a displayed link.
create or replace function invite(
  university integer, to_address text, offer jsonb, inviter integer, request jsonb, the_source text default 'operation',
  out invitation invitations, out is_new boolean
) language plpgsql as $$
declare
  moment timestamptz := request_time(request);
  given record;
  offered record;
begin
  select one.*, excused.course_id, excused.prerequisite_course_id into given
  from jsonb_to_record(offer) as one (
    role text, department_id integer, offering_id integer, teaches boolean, overrides boolean, sourced_id text,
    excused_from jsonb, token_hash text)
  left join lateral jsonb_to_record(one.excused_from) as excused (course_id integer, prerequisite_course_id integer) on true;
  perform raise_if_university_inactive(university);
  insert into invitations as one
    (university_id, email, role, department_id, course_offering_id, teaches, invited_by_user_id, created_at,
     expires_at, overrides, source, sourced_id, course_id, prerequisite_course_id)
  values (university, to_address, given.role, given.department_id, given.offering_id, coalesce(given.teaches, false),
          inviter, moment,
          case when the_source = 'directory' then timestamptz '9999-12-31 00:00:00Z' else moment + interval '7 days' end,
          coalesce(given.overrides, false), the_source, given.sourced_id, given.course_id, given.prerequisite_course_id)
  on conflict (university_id, email, coalesce(role, ''), coalesce(department_id, 0), coalesce(course_offering_id, 0),
               teaches, coalesce(course_id, 0), coalesce(prerequisite_course_id, 0))
    where accepted_at is null and revoked_at is null
  do update set invited_by_user_id = inviter, mail_id = null, overrides = excluded.overrides,
    -- A directory's invitation expires with its record, even if renewed by another inviter.
    expires_at = case when one.source = 'directory' then one.expires_at else excluded.expires_at end,
    source = case when one.source = 'directory' then one.source else excluded.source end,
    sourced_id = coalesce(excluded.sourced_id, one.sourced_id)
  returning one, one.xmax = 0 as is_new into offered;
  invitation := offered.one;
  is_new := offered.is_new;
  if given.token_hash is not null then
    -- A mail would create another link and invalidate this one.
    update invitations set token_hash = given.token_hash, mail_id = 0 where id = invitation.id
    returning invitations.* into invitation;
  else
    -- One queued mail per address is enough. One being sent is queued again, since it may miss the newest
    -- invitation.
    insert into mail_outbox as waiting (kind, address, created_at, due_at, from_network, from_person)
    values ('invitation', to_address, moment, next_allowed_mail_at('invitation', to_address, null, moment), request ->> 'network',
            (request ->> 'person')::int)
    on conflict (kind, address) where ended_at is null
    do update set tries = waiting.tries + (waiting.lease_until is not null)::int, lease_until = null;
  end if;
  perform audit('invitation.sent', inviter, null, university, jsonb_strip_nulls(jsonb_build_object(
    'invitation_id', invitation.id, 'role', given.role, 'department_id', given.department_id,
    'course_offering_id', given.offering_id, 'teaches', nullif(given.teaches, false), 'course_id', given.course_id,
    'prerequisite_course_id', given.prerequisite_course_id)), request);
end $$;

-- Locks in the common order.
create or replace function lock_targets_of_invitations(invited integer[]) returns void language plpgsql as $$
begin
  perform from universities where id in (select university_id from invitations where id = any (invited))
  order by id for key share;
  perform from departments where id in (select department_id from invitations where id = any (invited))
  order by id for key share;
  perform lock_offerings_with_course_seats(array(select course_offering_id from invitations where id = any (invited)));
  perform from course_prerequisites as required
  where exists (
    select from invitations as one
    where one.id = any (invited) and one.course_id = required.course_id
      and one.prerequisite_course_id = required.prerequisite_course_id)
  order by id for key share;
  perform from scim_users as record
  where exists (
    select from invitations as one
    where one.id = any (invited) and one.university_id = record.university_id and one.email = record.email)
  order by id for update;
end $$;

-- Accepts if the inviter may still give it. `by_link`: the person has its link, which also verifies the address.
-- Returns the reason if it cannot; `void` if it is no longer valid or not theirs.
create or replace function accept_invitation(
  the_invitation integer, person integer, request jsonb, by_link boolean default false, out refusal text, out missing text
) language plpgsql as $$
declare
  offer invitations;
begin
  perform lock_targets_of_invitations(array[the_invitation]);
  select * into offer from invitations
  where id = the_invitation and accepted_at is null and revoked_at is null and expires_at > request_time(request)
  for update;
  if offer.id is null or not exists (
    select from users where id = person and is_active and email = offer.email
  ) then
    refusal := 'void';
  elsif not (select is_active from universities where id = offer.university_id) then
    refusal := 'inactive_university';
  elsif offer.source = 'directory' then
    -- The directory owns it, even if made by an API key: the right to act without the key is checked on each
    -- request.
    if not exists (
      select from scim_users where university_id = offer.university_id and email = offer.email and is_active
    ) then
      refusal := 'withdrawn';
    end if;
  elsif offer.source <> 'installation' and (
      not exists (select from users where id = offer.invited_by_user_id and is_active)
      or offer.role is not null
        and not can_grant_role(offer.invited_by_user_id, offer.role, offer.university_id, offer.department_id)
      or offer.course_offering_id is not null and not exists (
        select from course_offerings as run
        where run.id = offer.course_offering_id
          and is_staff_of_offering(offer.invited_by_user_id, run.id, offer.teaches))
      or offer.course_id is not null
        and (offer.invited_by_user_id = person or not is_staff_of_course(offer.invited_by_user_id, offer.course_id))) then
    refusal := 'withdrawn';
  elsif offer.course_offering_id is not null and not offer.teaches and not exists (
    select from enrollments
    where course_offering_id = offer.course_offering_id and user_id = person and status <> 'dropped'
  ) then
    -- University records may place a person in two offerings of a course.
    select placed.refusal, placed.missing into refusal, missing
    from enroll(offer.course_offering_id, person, request_time(request), null, offer.invited_by_user_id, offer.overrides,
                request, offer.source = 'import') as placed;
  end if;
  if refusal is not null then return; end if;
  if offer.role is not null then
    insert into user_university_roles (user_id, university_id, role, department_id, by_directory)
    values (person, offer.university_id, offer.role, offer.department_id, offer.source = 'directory')
    on conflict do nothing;
    if found then
      perform audit('role.granted', offer.invited_by_user_id, person, offer.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', offer.role, 'department_id', offer.department_id, 'invitation_id', offer.id)),
        request);
    end if;
  end if;
  if offer.teaches then
    insert into course_offering_instructors (course_offering_id, user_id) values (offer.course_offering_id, person)
    on conflict do nothing;
  end if;
  if offer.course_id is not null then
    insert into course_exemptions (course_id, prerequisite_course_id, user_id, granted_by_user_id)
    values (offer.course_id, offer.prerequisite_course_id, person, offer.invited_by_user_id)
    on conflict do nothing;
    if found then
      perform audit('exemption.granted', offer.invited_by_user_id, person, offer.university_id, jsonb_build_object(
        'course_id', offer.course_id, 'prerequisite_course_id', offer.prerequisite_course_id,
        'invitation_id', offer.id), request);
    end if;
  end if;
  insert into sourced_people (university_id, sourced_id, user_id)
  select offer.university_id, offer.sourced_id, person where offer.sourced_id is not null on conflict do nothing;
  update invitations set accepted_at = request_time(request), accepted_by_user_id = person where id = offer.id;
  perform link_scim_user_and_apply_record(offer.university_id, offer.email, person, offer.invited_by_user_id, request);
  if by_link then
    update users set email_verified_at = request_time(request) where id = person and email_verified_at is null;
  end if;
end $$;

-- The account is created only if acceptance succeeds. Takes over an unverified account, since its creator may have
-- typed any address. `registered`: a verified account exists and must sign in.
create or replace function accept_invitation_with_new_account(
  hash text, name text, wanted text, request jsonb,
  out person integer, out version integer, out refusal text, out missing text
) language plpgsql as $$
declare
  offer invitations;
  account users;
begin
  select * into offer from invitations where token_hash = hash;
  perform lock_targets_of_invitations(array[offer.id]);
  begin
    insert into users (email, full_name, password_hash, email_verified_at)
    select offer.email, name, wanted, request_time(request) where offer.id is not null
    on conflict (email) do nothing returning users.* into account;
    if account.id is null and offer.id is not null then
      select * into account from users where email = offer.email for update;
      if account.email_verified_at is not null or not account.is_active then
        refusal := 'registered';
        return;
      end if;
      account.token_version := revoke_tokens_and_secret_links(account.id);
      update users set full_name = name, password_hash = wanted, email_verified_at = request_time(request), updated_at = service_now()
      where id = account.id;
      perform audit('account.taken_over', account.id, account.id, null,
                    jsonb_build_object('invitation_id', offer.id), request);
    end if;
    select one.refusal, one.missing into refusal, missing from accept_invitation(offer.id, account.id, request) as one;
    if refusal is not null then raise exception 'not accepted' using errcode = 'ROLBK'; end if;
  exception when sqlstate 'ROLBK' then
    return;
  end;
  person := account.id;
  version := account.token_version;
end $$;

-- Accepts those of a university, or of all. Exemptions are accepted before the seats that need them.
create or replace function accept_invitations_of_person(person integer, request jsonb, only_of integer default null)
returns integer language plpgsql as $$
declare
  invited integer[] := array(
    select one.id from users join invitations as one on one.email = users.email
    where users.id = person and users.email_verified_at is not null and users.is_active
      and one.accepted_at is null and one.revoked_at is null and one.expires_at > request_time(request)
      and one.university_id = coalesce(only_of, one.university_id)
    order by one.course_id is null, one.id);
begin
  perform lock_targets_of_invitations(invited);
  return (
    select count(*) filter (where one.refusal is null)
    from unnest(invited) as offered, lateral accept_invitation(offered, person, request) as one);
end $$;
