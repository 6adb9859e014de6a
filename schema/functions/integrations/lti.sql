-- Launches by LTI platforms, which are external and may send anything twice.
--
-- Locks: the nonce's row; for an unknown deployment the platform's row, to count the waiting ones; if a launch gives
-- or takes anything, the course and the offering (enrollments.sql); the platform's record of that subject, and their
-- account; then what it gives: the enrollment, the staff of the offering, the link, the code.

-- Links a platform's person to an account, audited.
create or replace function link_lti_person_to_account(known integer, person integer, how text, request jsonb) returns void
language plpgsql as $$
begin
  update lti_people set user_id = person, linked_by = how where id = known;
  perform audit('lti_person.linked', person, person, platform.university_id,
    jsonb_build_object('lti_platform_id', platform.id, 'linked_by', how), request)
  from lti_people as one join lti_platforms as platform on platform.id = one.platform_id where one.id = known;
end $$;

-- The account has an address only if the platform is trusted for it and the address is free.
create or replace function create_account_for_lti_person(platform lti_platforms, known integer, told jsonb, request jsonb)
returns integer language plpgsql as $$
declare
  address text := (
    select lower(told ->> 'email') from university_domains
    where platform.trusts_email and university_id = platform.university_id
      and domain = split_part(lower(told ->> 'email'), '@', 2)
      and not exists (select from users where email = lower(told ->> 'email')));
  person integer;
begin
  insert into users (email, full_name, email_verified_at, made_by_university_id)
  values (address, coalesce(told ->> 'name', 'Learner'), case when address is not null then request_time(request) end,
          platform.university_id)
  on conflict (email) do nothing returning id into person;
  -- Another account has just taken the address.
  if person is null then return create_account_for_lti_person(platform, known, told - 'email', request); end if;
  if told ->> 'name' is null then update users set full_name = 'Learner ' || person where id = person; end if;
  perform link_lti_person_to_account(known, person, 'made', request);
  return person;
end $$;

-- Finds the linked account, else one by the data sent, else creates one. `told` has their `subject`, and perhaps
-- `name`, `email` and `sourced_id`. Refusals: `sign_in` if only the person can confirm that an account is theirs;
-- `inactive`.
--
-- An untrusted address finds only the university's own people: an LMS cannot probe for accounts.
create or replace function find_or_create_lti_person_account(
  the_platform integer, told jsonb, request jsonb, out known integer, out person integer, out refusal text
) language plpgsql as $$
declare
  platform lti_platforms;
  met lti_people;
  address text := lower(told ->> 'email');
  account users;
  linking text;
  is_vouched boolean;
  held integer;
begin
  select * into platform from lti_platforms where id = the_platform for key share;
  loop
    insert into lti_people (platform_id, subject) values (the_platform, told ->> 'subject') on conflict do nothing;
    select * into met from lti_people where platform_id = the_platform and subject = told ->> 'subject' for update;
    -- The account was erased before the lock was taken; its links are gone.
    exit when found;
  end loop;
  known := met.id;
  person := met.user_id;
  update lti_people set (told_name, told_email, told_sourced_id) = (told ->> 'name', told ->> 'email', told ->> 'sourced_id')
  where id = known and (told_name, told_email, told_sourced_id)
    is distinct from (told ->> 'name', told ->> 'email', told ->> 'sourced_id');
  if person is null then
    loop
      account := null;
      if platform.trusts_sourced_id then
        select one.* into account from sourced_people as sourced join users as one on one.id = sourced.user_id
        where sourced.university_id = platform.university_id and sourced.sourced_id = told ->> 'sourced_id';
        linking := 'sourced_id';
        is_vouched := true;
      end if;
      if account.id is null and address is not null then
        select one.* into account from users as one where one.email = address;
        linking := 'email';
        is_vouched := platform.trusts_email and is_email_verified_or_account_unused(account) and exists (
          select from university_domains
          where university_id = platform.university_id and domain = split_part(address, '@', 2));
        if not is_vouched and not coalesce(is_person_of_university(platform.university_id, account), false) then account := null; end if;
      end if;
      exit when account.id is not distinct from held;
      held := account.id;
      perform from users where id = held for no key update;
    end loop;
    if account.id is null then
      person := create_account_for_lti_person(platform, known, told, request);
    else
      -- For staff anywhere, members of another university, people with an unaccepted offer, and other people of the
      -- same LMS.
      if met.unlinked_at is not null or not is_vouched or not account.is_active or account.erased_at is not null
          or account.made_by_university_id <> platform.university_id
          or exists (select from user_university_roles where user_id = account.id and role <> 'student')
          or exists (select from offering_staff where user_id = account.id)
          or exists (select from known_people as there where there.user_id = account.id and there.university_id <> platform.university_id)
          or exists (
            select from invitations where email = account.email and accepted_at is null and revoked_at is null
              and expires_at > request_time(request))
          or exists (select from lti_people where platform_id = platform.id and user_id = account.id) then
        refusal := 'sign_in';
        return;
      end if;
      person := account.id;
      perform link_lti_person_to_account(known, person, linking, request);
    end if;
  end if;
  if not exists (select from users where id = person and is_active) then
    refusal := 'inactive';
    person := null;
  end if;
end $$;

-- `student`, `ta`, `instructor` or null for none; takes back only what the LMS gave. Enrollment window,
-- prerequisites and capacity do not apply, which is audited. Refusals: `dropped` by staff, which also blocks staff
-- roles; `inactive_person`, `inactive_university`.
create or replace function set_lti_role_in_offering(
  bound lti_contexts, person integer, wanted text, the_source text, request jsonb
) returns text language plpgsql as $$
declare
  run course_offerings;
  mine enrollments;
  passed text;
  refusal text;
  given integer;
  moment timestamptz := request_time(request);
begin
  perform lock_course_seats_of_offering(bound.course_offering_id);
  select * into run from course_offerings where id = bound.course_offering_id for no key update;
  if wanted is distinct from 'student' then
    -- Keeps the seat if another course gave it too, or the person has completed it.
    delete from lti_enrollments as one using enrollments as seat
    where seat.id = one.enrollment_id and seat.course_offering_id = run.id and seat.user_id = person
      and one.context_id = bound.id returning seat.id into given;
    perform set_enrollment_status_and_fill_seat(seat.id, 'dropped', null, moment)
    from enrollments as seat
    where seat.id = given and seat.status in ('active', 'pending', 'waitlisted')
      and not exists (select from lti_enrollments where enrollment_id = given);
  end if;
  if coalesce(wanted, 'student') = 'student' then
    delete from offering_staff
    where course_offering_id = run.id and user_id = person and lti_context_id = bound.id and removed_at is null;
    if found then
      perform audit('offering_staff.removed', null, person, run.university_id,
        jsonb_build_object('course_offering_id', run.id, 'lti_context_id', bound.id), request);
    end if;
  end if;
  if wanted is null then return null; end if;
  refusal := refusal_of_inactive_university_or_person(run.university_id, person);
  if refusal is not null then return refusal; end if;
  if wanted in ('ta', 'instructor') then
    if exists (
      select from offering_staff where course_offering_id = run.id and user_id = person and removed_at is not null)
    then return 'dropped'; end if;
    insert into offering_staff as staff (course_offering_id, university_id, user_id, role, source, lti_context_id)
    values (run.id, run.university_id, person, wanted, the_source, bound.id)
    on conflict (course_offering_id, user_id) do update
      set (role, source, lti_context_id) = (excluded.role, excluded.source, excluded.lti_context_id)
      where (staff.role, staff.lti_context_id) is distinct from (excluded.role, excluded.lti_context_id);
    if found then
      perform audit('offering_staff.named', null, person, run.university_id, jsonb_build_object(
        'course_offering_id', run.id, 'role', wanted, 'lti_context_id', bound.id), request);
    end if;
  elsif wanted = 'student' then
    select * into mine from enrollments where course_offering_id = run.id and user_id = person;
    if mine.status = 'dropped' and mine.is_dropped_by_staff then return 'dropped'; end if;
    if mine.id is null or mine.status not in ('active', 'completed') then
      passed := concat_ws(', ', (enrollment_window_or_prerequisite_refusal(run, person, moment)).refusal, case when count_free_seats(run) = 0 then 'full' end,
        case when has_seat_in_parallel_offering(run, person, moment) then 'enrolled_in_course' end);
      mine := create_enrollment_and_student_role(run, person, false, moment);
      insert into lti_enrollments (enrollment_id, context_id, source) values (mine.id, bound.id, the_source)
      on conflict do nothing;
      perform audit('enrollment.created', null, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
        'course_offering_id', run.id, 'override', true, 'passed', nullif(passed, ''), 'lti_context_id', bound.id)),
        request);
    elsif exists (select from lti_enrollments where enrollment_id = mine.id) then
      -- Another course of an LMS gave it: it ends when both take it back.
      insert into lti_enrollments (enrollment_id, context_id, source) values (mine.id, bound.id, the_source)
      on conflict do nothing;
    end if;
  end if;
  return null;
end $$;

-- Removes or restores a person on request of the staff; the LMS does not give the role back. Locks the offering
-- against concurrent launches.
create or replace function remove_or_restore_lti_staff(offering integer, staff integer, removes boolean, actor integer, request jsonb)
returns offering_staff language plpgsql as $$
declare
  changed offering_staff;
begin
  perform from course_offerings where id = offering for no key update;
  update offering_staff set removed_at = case when removes then request_time(request) end
  where id = staff and course_offering_id = offering and (removed_at is not null) <> removes returning * into changed;
  if changed.id is null then
    select * into changed from offering_staff where id = staff and course_offering_id = offering;
    return changed;
  end if;
  perform audit(case when removes then 'offering_staff.removed' else 'offering_staff.readmitted' end, actor,
    changed.user_id, changed.university_id, jsonb_strip_nulls(jsonb_build_object(
      'course_offering_id', offering, 'role', changed.role, 'lti_context_id', changed.lti_context_id)), request);
  return changed;
end $$;

-- True of most launches.
create or replace function has_lti_role_in_offering(bound lti_contexts, person integer, wanted text) returns boolean
language sql stable as $$
  select refusal_of_inactive_university_or_person(bound.university_id, person) is null and case wanted
    when 'student' then exists (
        select from enrollments as mine
        where course_offering_id = bound.course_offering_id and user_id = person and status in ('active', 'completed')
          and (exists (select from lti_enrollments where enrollment_id = mine.id and context_id = bound.id)
            or not exists (select from lti_enrollments where enrollment_id = mine.id)))
      and not exists (
        select from offering_staff
        where course_offering_id = bound.course_offering_id and user_id = person and lti_context_id = bound.id
          and removed_at is null)
    else exists (
        select from offering_staff
        where course_offering_id = bound.course_offering_id and user_id = person and lti_context_id = bound.id
          and role = wanted and removed_at is null)
      and not exists (
        select from enrollments as mine join lti_enrollments as one on one.enrollment_id = mine.id
        where mine.course_offering_id = bound.course_offering_id and mine.user_id = person and one.context_id = bound.id)
    end
$$;

-- Once. Finds the person, gives their role, and stores a code that its page exchanges for a session. `told` is the
-- output of lib/integrations/lti/launch.ts. Returns `accepted`; `replayed` (the nonce was used); `waiting` (the
-- deployment awaits approval and is recorded, up to twenty per platform); `gone` (the platform was removed);
-- `no_context`, `unbound`, `no_role`; or a refusal of find_or_create_lti_person_account and set_lti_role_in_offering. A refused launch uses its
-- nonce.
create or replace function process_lti_launch(
  the_platform integer, told jsonb, nonce_hash text, the_code text, the_challenge text, request jsonb
) returns text language plpgsql as $$
declare
  bound lti_contexts;
  met record;
  link lti_links;
  moment timestamptz := request_time(request);
  wanted text := told ->> 'role';
  outcome text;
  is_admitted boolean;
  item integer;
  module integer;
  column_url text;
begin
  if not claim_single_use_key_for_hour('launch of LTI platform ' || the_platform || ' ' || nonce_hash, moment) then return 'replayed'; end if;
  select admitted_at is not null into is_admitted from lti_deployments
  where platform_id = the_platform and deployment_id = told ->> 'deployment_id';
  if not found then
    perform from lti_platforms where id = the_platform for no key update;
    if not found then return 'gone'; end if;
    insert into lti_deployments (platform_id, deployment_id)
    select the_platform, told ->> 'deployment_id'
    where (select count(*) from lti_deployments where platform_id = the_platform and admitted_at is null) < 20
    on conflict do nothing;
  end if;
  if is_admitted is not true then return 'waiting'; end if;
  if told -> 'context' is null then return 'no_context'; end if;
  select one.* into bound from lti_contexts as one join lti_deployments as place on place.id = one.deployment_id
  where one.platform_id = the_platform and place.deployment_id = told ->> 'deployment_id'
    and one.context_id = told #>> '{context,id}';
  if bound.id is null then return 'unbound'; end if;
  select user_id as person into met from lti_people where platform_id = the_platform and subject = told ->> 'subject';
  if wanted is null and met.person is null then return 'no_role'; end if;
  if wanted is null or met.person is null or not has_lti_role_in_offering(bound, met.person, wanted) then
    perform lock_course_seats_of_offering(bound.course_offering_id);
    perform from course_offerings where id = bound.course_offering_id for no key update;
  end if;
  select * into met from find_or_create_lti_person_account(the_platform, told, request);
  if met.refusal is not null then return met.refusal; end if;
  if wanted is null or not has_lti_role_in_offering(bound, met.person, wanted) then
    outcome := set_lti_role_in_offering(bound, met.person, wanted, 'launch', request);
    if outcome is not null then return outcome; end if;
    if wanted is null then return 'no_role'; end if;
  end if;
  update lti_people set last_launched_at = moment where id = met.known;
  update lti_contexts set
    (title, memberships_url, line_items_url, grade_scopes, last_launched_at) = (
      told #>> '{context,title}', told #>> '{context,memberships_url}', told #>> '{context,line_items_url}',
      array(select jsonb_array_elements_text(told #> '{context,grade_scopes}')), moment)
  where id = bound.id and (last_launched_at is null or last_launched_at < moment - interval '1 minute'
    or (title, memberships_url, line_items_url) is distinct from (
      told #>> '{context,title}', told #>> '{context,memberships_url}', told #>> '{context,line_items_url}'));
  if told ? 'link' then
    -- The item or module of the bound course that the launch names, else the earlier target, else the course.
    -- Ignores a column that a link of another course has: grades of two offerings would overwrite each other.
    item := (
      select one.id from content_items as one join course_offerings as run on run.course_id = one.course_id
      where run.id = bound.course_offering_id and one.id = (told #>> '{link,content_item_id}')::integer);
    module := (
      select one.id from modules as one join course_offerings as run on run.course_id = one.course_id
      where item is null and run.id = bound.course_offering_id and one.id = (told #>> '{link,module_id}')::integer);
    column_url := told #>> '{link,line_item_url}';
    select * into link from lti_links where context_id = bound.id and resource_link_id = told #>> '{link,id}';
    if column_url is distinct from link.line_item_url and exists (
      select from lti_links as other join lti_contexts as theirs on theirs.id = other.context_id
      where other.line_item_url = column_url and theirs.id <> bound.id and theirs.platform_id = bound.platform_id)
    then column_url := null; end if;
    if link.id is not null and num_nonnulls(item, module) = 0 then
      item := link.content_item_id;
      module := link.module_id;
    end if;
    if link.id is null or (link.title, link.content_item_id, link.module_id, link.line_item_url)
        is distinct from (told #>> '{link,title}', item, module, column_url) then
      insert into lti_links as kept (context_id, resource_link_id, title, content_item_id, module_id, line_item_url)
      values (bound.id, told #>> '{link,id}', told #>> '{link,title}', item, module, column_url)
      on conflict (context_id, resource_link_id) do update set
        (title, content_item_id, module_id, line_item_url, updated_at) =
        (excluded.title, excluded.content_item_id, excluded.module_id, excluded.line_item_url, service_now())
      returning kept.* into link;
    end if;
  end if;
  delete from lti_launch_codes where code_hash = any (array(
    select code_hash from lti_launch_codes where expires_at <= moment order by expires_at limit 3
    for update skip locked));
  insert into lti_launch_codes (code_hash, platform_id, user_id, challenge, launch, expires_at)
  select the_code, the_platform, met.person, the_challenge, jsonb_build_object(
    'university_id', run.university_id, 'course_offering_id', run.id, 'course_id', run.course_id,
    'content_item_id', link.content_item_id, 'module_id', link.module_id, 'role', wanted,
    'deep_linking', told -> 'deep_linking'),
    moment + interval '60 seconds'
  from course_offerings as run where run.id = bound.course_offering_id;
  return 'accepted';
end $$;

-- Links the person and accepts the university's offers. `gone`: the platform was removed; `taken`: they are linked
-- to another account.
create or replace function link_lti_person_after_sign_in(the_platform integer, the_subject text, person integer, request jsonb)
returns text language plpgsql as $$
declare
  met lti_people;
  university integer := (select university_id from lti_platforms where id = the_platform);
begin
  perform accept_invitations_of_person(person, request, university);
  insert into lti_people (platform_id, subject)
  select the_platform, the_subject from lti_platforms where id = the_platform on conflict do nothing;
  select * into met from lti_people where platform_id = the_platform and subject = the_subject for update;
  if met.id is null then return 'gone'; end if;
  if met.user_id = person then return null; end if;
  if met.user_id is not null then return 'taken'; end if;
  perform link_lti_person_to_account(met.id, person, 'sign_in', request);
  return null;
end $$;

-- Ends what a wrong link gave the person, and the account's tokens. Returns the account; null if none is linked.
create or replace function unlink_lti_person_revoking_access(the_platform integer, known integer, actor integer, request jsonb)
returns integer language plpgsql as $$
declare
  met lti_people;
  former integer;
  bound lti_contexts;
begin
  for bound in
    select one.* from lti_contexts as one where one.platform_id = the_platform order by one.course_offering_id
  loop
    continue when not exists (
      select from lti_people as one where one.id = known and (
        exists (select from offering_staff where user_id = one.user_id and lti_context_id = bound.id)
        or exists (
          select from enrollments as mine join lti_enrollments as given on given.enrollment_id = mine.id
          where mine.user_id = one.user_id and given.context_id = bound.id)));
    perform set_lti_role_in_offering(bound, (select user_id from lti_people where id = known), null, 'launch', request);
  end loop;
  select * into met from lti_people where id = known and platform_id = the_platform for update;
  former := met.user_id;
  if former is null then return null; end if;
  update lti_people set user_id = null, linked_by = null, unlinked_at = request_time(request) where id = known;
  delete from lti_launch_codes where user_id = former;
  perform revoke_tokens_and_secret_links(former);
  perform audit('lti_person.unlinked', actor, former, platform.university_id,
    jsonb_build_object('lti_platform_id', platform.id), request)
  from lti_platforms as platform where platform.id = the_platform;
  return former;
end $$;
