-- Works the rows of an import. Each batch is one transaction, so another worker can continue after a crash. A row
-- that asks for the current state is `unchanged`, so a repeated file changes nothing. Rows apply to the university's
-- own people immediately. The owner of any other address gets an offer, at most one before it expires.
--
-- Locks: the university's imports, the import, the rows of the batch, then courses, offerings and what
-- enrollments.sql says, then invitations and their mails, by their addresses, since universities share an address's
-- mail, then people; of each what a whole batch needs, otherwise by their ids.

-- The university's own person for each row: by the source's id, else by the address. `is_coming`: an earlier row of
-- a dry run would have created them. `named_by`: the other source that named the person. `is_renamable`: they
-- belong to the university alone, and the account has no password or verified address.
create or replace function people_matching_import_rows(import imports, batch bigint[]) returns table (
  row_id bigint, sourced_id text, email text, is_deletion boolean, details jsonb, person integer,
  is_coming boolean, has_other_address boolean, named_by text, is_renamable boolean
) language sql stable as $$
  select found.*, (
      select member.source from university_members as member
      where num_nonnulls(found.details ->> 'given_name', found.details ->> 'family_name') > 0
        and member.university_id = import.university_id and member.user_id = found.person and member.source <> 'import'
        and (member.given_name, member.family_name)
          is distinct from (found.details ->> 'given_name', found.details ->> 'family_name')
    ), (
      select bool_and(known.university_id = import.university_id and known.role is distinct from 'platform_admin') and exists (
        select from users where id = found.person and password_hash is null and email_verified_at is null)
      from known_people as known where known.user_id = found.person
    )
  from (
    select one.id, one.sourced_id, one.email, one.is_deletion, one.details,
      case when owner.id is not null then case when is_person_of_university(import.university_id, owner) then owner.id end
           when is_email_verified_or_account_unused(addressed) and is_person_of_university(import.university_id, addressed) then addressed.id end,
      import.is_dry_run and coalesce(owner.id, addressed.id) is null and exists (
        select from import_rows as earlier
        where earlier.import_id = import.id and earlier.kind = 'person' and earlier.outcome = 'created'
          and (earlier.sourced_id = one.sourced_id or earlier.email = one.email)),
      coalesce(one.email <> owner.email, false)
    from import_rows as one
    left join lateral (
      -- One lookup at a time: without statistics of a table that was just empty, the planner would scan it.
      select known.user_id from sourced_people as known
      where known.university_id = import.university_id and known.sourced_id = one.sourced_id limit 1
    ) as sourced on true
    left join users as owner on owner.id = sourced.user_id
    left join users as addressed on addressed.email = one.email
    where one.id = any (batch)
  ) as found (row_id, sourced_id, email, is_deletion, details, person, is_coming, has_other_address)
$$;

-- For a row without a person: the address of the source id's person, the row's own, or that of an offer for the
-- same id. A row about a person creates an account for a new address.
create or replace function invitation_addresses_of_import_rows(import imports, batch bigint[]) returns table (row_id bigint, address text)
language sql stable as $$
  select one.row_id, coalesce(owner.email, one.email, earlier.email, offered.email)
  from people_matching_import_rows(import, batch) as one
  join import_rows as given on given.id = one.row_id
  left join lateral (
    select users.email from sourced_people as known join users on users.id = known.user_id
    where known.university_id = import.university_id and known.sourced_id = one.sourced_id limit 1
  ) as owner on true
  left join lateral (
    select listed.email from import_rows as listed
    where listed.import_id = import.id and listed.kind = 'person' and listed.sourced_id = one.sourced_id
      and listed.outcome = 'offered' limit 1
  ) as earlier on true
  left join lateral (
    select known.email from invitations as known
    where known.university_id = import.university_id and known.sourced_id = one.sourced_id
    order by known.id desc limit 1
  ) as offered on true
  where one.person is null and not one.is_coming and not one.is_deletion and not one.has_other_address
    and (given.kind <> 'person' or exists (select from users where users.email = one.email))
    and coalesce(owner.email, one.email, earlier.email, offered.email) is not null
$$;

-- Makes no second offer while the same one is open. Returns the reason if it was declined.
create or replace function invite_by_import_unless_declined(
  import imports, address text, the_sourced_id text, the_role text, department integer, offering integer,
  as_instructor boolean, request jsonb
) returns text language plpgsql as $$
declare
  known invitations;
begin
  if not (select is_active from universities where id = import.university_id) then return 'university_inactive'; end if;
  select * into known from invitations as one
  where one.university_id = import.university_id and one.email = address and one.role is not distinct from the_role
    and one.department_id is not distinct from department and one.course_offering_id is not distinct from offering
    and one.teaches = as_instructor
  order by one.id desc limit 1;
  if known.declined_at is not null then return 'row_offer_declined'; end if;
  if known.id is null or num_nonnulls(known.accepted_at, known.revoked_at) > 0 or known.expires_at <= request_time(request) then
    perform invite(import.university_id, address, jsonb_build_object(
      'role', the_role, 'department_id', department, 'offering_id', offering, 'teaches', as_instructor,
      'overrides', import.overrides and not as_instructor, 'sourced_id', the_sourced_id),
      import.created_by_user_id, request, 'import');
  elsif known.sourced_id is null and the_sourced_id is not null then
    update invitations set sourced_id = the_sourced_id where id = known.id;
  end if;
  return null;
end $$;

-- Roles, teaching and seats; the account stays. For other people, revokes the offers of an import.
create or replace function remove_person_from_university_by_import(import imports, the_row bigint, leaver integer, request jsonb)
returns table (outcome text, reason text) language plpgsql as $$
declare
  places integer[];
  roles_left integer;
begin
  outcome := 'refused';
  if leaver is null then
    update invitations as one set revoked_at = request_time(request) from import_rows as given
    where given.id = the_row and one.university_id = import.university_id and one.source = 'import'
      and (one.email = given.email or one.sourced_id = given.sourced_id)
      and one.accepted_at is null and one.revoked_at is null;
    outcome := case when found then 'updated' else 'unchanged' end;
    return next;
    return;
  end if;
  reason := case
    when leaver = import.created_by_user_id then 'row_own_removal'
    when exists (
      select from user_university_roles as held
      where held.user_id = leaver and held.university_id = import.university_id
        and not can_grant_role(import.created_by_user_id, held.role, held.university_id, held.department_id)
    ) then 'row_role_out_of_reach' end;
  if reason is not null then
    return next;
    return;
  end if;
  places := array(
    select id from enrollments
    where user_id = leaver and university_id = import.university_id and status in ('active', 'pending', 'waitlisted')
    -- Active seats are left last, so no seat is freed for the same person's place on a waiting list.
    order by status = 'active', id);
  perform lock_offerings_with_course_seats(array(select course_offering_id from enrollments where id = any (places)));
  perform set_enrollment_status_and_fill_seat(place, 'dropped', false, request_time(request)) from unnest(places) as place;
  delete from course_offering_instructors as teaching using course_offerings as run
  where teaching.user_id = leaver and run.id = teaching.course_offering_id and run.university_id = import.university_id;
  with gone as (
    delete from user_university_roles where user_id = leaver and university_id = import.university_id returning *
  ), audited as materialized (
    select audit('role.revoked', import.created_by_user_id, gone.user_id, gone.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', gone.role, 'department_id', gone.department_id, 'import_id', import.id)), request)
    from gone
  )
  -- The count makes PostgreSQL run the calls: it skips a select that is not read.
  select count(*) into roles_left from audited;
  outcome := case when roles_left > 0 or cardinality(places) > 0 then 'updated' else 'unchanged' end;
  return next;
end $$;

-- Found people get the source's id, and the role student if they have none in the university; people from elsewhere
-- an offer. The university's name for them is stored separately, unless its staff corrected it. Two rows of one
-- file never match the same person.
create or replace function import_people(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  made integer[];
  changed integer[];
  leaving integer[];
  touched integer[];
  offered jsonb;
begin
  leaving := array(select one.person from people_matching_import_rows(import, batch) as one where one.is_deletion);
  perform lock_offerings_with_course_seats(array(
    select course_offering_id from enrollments
    where user_id = any (leaving) and university_id = import.university_id
      and status in ('active', 'pending', 'waitlisted')));
  with fresh as (
    insert into users (email, full_name, made_by_university_id)
    select one.email, one.details ->> 'full_name', import.university_id from people_matching_import_rows(import, batch) as one
    where one.person is null and not one.is_deletion
      and (select is_active from universities where id = import.university_id)
    order by one.email
    on conflict (email) do nothing returning users.id
  )
  select coalesce(array_agg(id), '{}') into made from fresh;
  offered := (
    select jsonb_object_agg(made_offer.row_id, made_offer.refusal) from (
      select one.row_id, coalesce(invite_by_import_unless_declined(
        import, one.address, given.sourced_id, 'student', null, null, false, request), '') as refusal
      from invitation_addresses_of_import_rows(import, batch) as one join import_rows as given on given.id = one.row_id
      order by one.address, one.row_id) as made_offer);
  -- In one order: new members and renamed people are locked.
  touched := array(
    select one.person from people_matching_import_rows(import, batch) as one
    where not one.is_deletion and (
      not exists (
        select from university_members as member
        where member.university_id = import.university_id and member.user_id = one.person)
      or one.details ->> 'full_name' <> (select full_name from users where id = one.person) and one.is_renamable));
  perform from users where id = any (touched) order by id for no key update;
  with welcomed as (
    insert into user_university_roles (user_id, university_id, role)
    select one.person, import.university_id, 'student' from people_matching_import_rows(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and (select is_active from universities where id = import.university_id)
      and one.named_by is null
      and not exists (select from known_people as known where known.user_id = one.person and known.university_id = import.university_id)
    on conflict do nothing returning user_university_roles.user_id
  )
  select coalesce(array_agg(user_id), '{}') into changed from welcomed;
  -- Second, because people without a university belong to this one by now; a repeated file finds the same state.
  with listed as materialized (
    select one.* from people_matching_import_rows(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and one.named_by is null
  ), named as (
    update university_members as member set given_name = listed.details ->> 'given_name',
      family_name = listed.details ->> 'family_name', source = 'import'
    from listed
    where member.university_id = import.university_id and member.user_id = listed.person
      and num_nonnulls(listed.details ->> 'given_name', listed.details ->> 'family_name') > 0
      and coalesce(member.source, 'import') = 'import'
      and (member.given_name, member.family_name, member.source) is distinct from (
        listed.details ->> 'given_name', listed.details ->> 'family_name', 'import')
    returning member.user_id
  ), misnamed as materialized (
    select listed.person, listed.is_renamable, listed.details ->> 'full_name' as name from listed join users on users.id = listed.person
    where users.full_name <> listed.details ->> 'full_name'
  ), renamed as (
    update users set full_name = misnamed.name, updated_at = service_now() from misnamed
    where users.id = misnamed.person and misnamed.is_renamable
    returning users.id
  ), sourced as (
    insert into sourced_people (university_id, sourced_id, user_id)
    select import.university_id, listed.sourced_id, listed.person from listed
    where listed.sourced_id is not null and not exists (
      select from sourced_people as known
      where known.university_id = import.university_id and known.sourced_id = listed.sourced_id)
    on conflict do nothing returning sourced_people.user_id
  )
  select changed || array(select id from renamed union select user_id from sourced union select user_id from named)
  into changed;
  return query
  select one.row_id,
    case when one.has_other_address or offered ->> one.row_id::text <> '' or one.named_by is not null or judged.comes_too_late then 'refused'
         when offered ? one.row_id::text then 'offered' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'row_address_is_theirs'
         when one.named_by = 'directory'
         then 'row_name_of_directory'
         when one.named_by is not null then 'row_name_corrected'
         when judged.comes_too_late then 'university_inactive'
         else nullif(offered ->> one.row_id::text, '') end,
    one.person
  from people_matching_import_rows(import, batch) as one
  cross join lateral (
    select not (select is_active from universities where id = import.university_id)
        and not exists (select from known_people as known where known.user_id = one.person and known.university_id = import.university_id) as comes_too_late) as judged
  where not one.is_deletion;
  return query
  select gone.row_id, parted.outcome, parted.reason, gone.person
  from (select one.* from people_matching_import_rows(import, batch) as one where one.is_deletion order by one.row_id) as gone
  cross join lateral remove_person_from_university_by_import(import, gone.row_id, gone.person, request) as parted;
end $$;

-- Acts in the importer's name, within the importer's rights.
create or replace function import_roles(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language sql as $$
  with judged as materialized (
    select one.*, one.details ->> 'role' as role, department.id as department_id,
      row_number() over (
        partition by one.person, one.details ->> 'role', department.id, one.is_deletion order by one.row_id) as nth,
      case when one.has_other_address then 'row_address_differs'
           when one.person is null and not one.is_coming and addressee.address is null then 'row_person_unknown'
           when one.details ->> 'department_code' is not null and department.id is null
             then 'row_department_unknown'
           when one.is_deletion and one.person = import.created_by_user_id then 'row_own_removal'
           when not one.is_deletion and not (select is_active from universities where id = import.university_id)
             then 'university_inactive'
           when not can_grant_role(import.created_by_user_id, one.details ->> 'role', import.university_id, department.id)
             then 'row_role_not_yours' end as refusal, addressee.address
    from people_matching_import_rows(import, batch) as one
    left join invitation_addresses_of_import_rows(import, batch) as addressee on addressee.row_id = one.row_id
    left join departments as department
      on department.university_id = import.university_id and department.code = one.details ->> 'department_code'
  ), offered as materialized (
    select judged.row_id, invite_by_import_unless_declined(
      import, judged.address, judged.sourced_id, judged.role, judged.department_id, null, false, request) as refusal
    from judged where judged.refusal is null and judged.address is not null
    order by judged.address, judged.row_id
  ), granted as (
    insert into user_university_roles (user_id, university_id, role, department_id)
    select distinct on (judged.person, judged.role, judged.department_id)
      judged.person, import.university_id, judged.role, judged.department_id
    from judged where judged.refusal is null and judged.person is not null and not judged.is_deletion
      -- After the offers, whose mails are locked before people.
      and (select count(*) from offered) >= 0 and not exists (
        select from user_university_roles as held
        where held.user_id = judged.person and held.university_id = import.university_id and held.role = judged.role
          and held.department_id is not distinct from judged.department_id)
    order by judged.person, judged.role, judged.department_id
    on conflict do nothing returning user_university_roles.*
  ), revoked as (
    delete from user_university_roles as held using judged
    where judged.refusal is null and judged.is_deletion and held.user_id = judged.person
      and held.university_id = import.university_id and held.role = judged.role
      and held.department_id is not distinct from judged.department_id
    returning held.*
  ), changed as (
    select 'role.granted' as action, granted.* from granted union all select 'role.revoked', revoked.* from revoked
  ), audited as materialized (
    select audit(changed.action, import.created_by_user_id, changed.user_id, changed.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', changed.role, 'department_id', changed.department_id, 'import_id', import.id)),
      request)
    from changed
  )
  select judged.row_id,
    case when coalesce(judged.refusal, offered.refusal) is not null then 'refused'
         when offered.row_id is not null then 'offered'
         when judged.is_deletion and changed.id is not null then 'updated'
         when changed.id is not null or judged.is_coming and not judged.is_deletion then 'created'
         else 'unchanged' end,
    coalesce(judged.refusal, offered.refusal), judged.person
  from judged left join offered on offered.row_id = judged.row_id
  left join changed on judged.refusal is null and judged.nth = 1 and changed.user_id = judged.person
    and changed.role = judged.role and changed.department_id is not distinct from judged.department_id
  -- PostgreSQL does not run a select that is not read.
  where (select count(*) from audited) >= 0
$$;

-- Finds offerings by the source's id, else by course and term if no other class has them, else creates them, with
-- their course if the university has none of that code. A file without the course finds it by an earlier class.
-- Existing courses stay unchanged; nothing is deleted.
create or replace function import_offerings(import imports, batch bigint[])
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  one import_rows;
  offering integer;
  course integer;
  begins timestamptz;
  ends timestamptz;
  zone text := (select time_zone from universities where id = import.university_id);
begin
  for one in select * from import_rows where id = any (batch) order by id loop
    row_id := one.id;
    outcome := 'unchanged';
    reason := null;
    -- By the university's clock, unless the row names a time zone.
    select min(said.moment) filter (where said.name = 'starts_at'), min(said.moment) filter (where said.name = 'ends_at')
    into begins, ends from (
      select name, case when words like '%Z' then words::timestamptz else words::timestamp at time zone zone end as moment
      from jsonb_each_text(one.details) as told (name, words) where name in ('starts_at', 'ends_at')) as said;
    offering := (
      select course_offering_id from sourced_offerings
      where university_id = import.university_id and sourced_offerings.sourced_id = one.sourced_id);
    if one.is_deletion then
      if offering is not null then
        outcome := 'refused';
        reason := 'row_offering_kept';
      end if;
      return next;
      continue;
    end if;
    course := case when one.details ->> 'course_code' is not null
      then (select id from courses where university_id = import.university_id and code = one.details ->> 'course_code')
      else (
        select run.course_id from sourced_offerings as known join course_offerings as run on run.id = known.course_offering_id
        where known.university_id = import.university_id
          and known.course_sourced_id = one.details ->> 'course_sourced_id'
        order by known.id desc limit 1) end;
    if offering is null and course is null and one.details ->> 'course_code' is null then
      outcome := 'refused';
      reason := 'row_course_not_in_file';
      return next;
      continue;
    end if;
    if offering is null then
      offering := (
        select run.id from course_offerings as run
        where run.course_id = course and run.term_name is not distinct from one.details ->> 'term_name'
          and not exists (select from sourced_offerings where course_offering_id = run.id)
        order by run.id limit 1);
      if offering is null then
        if course is null then
          insert into courses (university_id, code, title)
          values (import.university_id, one.details ->> 'course_code', one.details ->> 'course_title')
          on conflict (university_id, code) do nothing;
          course := (
            select id from courses where university_id = import.university_id and code = one.details ->> 'course_code');
        end if;
        insert into course_offerings (course_id, university_id, term_name, starts_at, ends_at)
        values (course, import.university_id, one.details ->> 'term_name',
                begins, ends)
        returning id into offering;
        outcome := 'created';
      end if;
    end if;
    if exists (
      select from course_offerings as run
      where run.id = offering and coalesce(ends, run.ends_at)
        <= coalesce(begins, run.starts_at)
    ) then
      outcome := 'refused';
      reason := 'row_offering_ends_first';
      return next;
      continue;
    end if;
    update sourced_offerings set course_sourced_id = one.details ->> 'course_sourced_id'
    where university_id = import.university_id and sourced_offerings.sourced_id = one.sourced_id
      and course_sourced_id is distinct from one.details ->> 'course_sourced_id';
    insert into sourced_offerings (university_id, sourced_id, course_offering_id, course_sourced_id)
    select import.university_id, one.sourced_id, offering, one.details ->> 'course_sourced_id'
    where not exists (
      select from sourced_offerings as known
      where known.university_id = import.university_id and known.sourced_id = one.sourced_id)
    on conflict do nothing;
    if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    update course_offerings set
      term_name = coalesce(one.details ->> 'term_name', term_name),
      starts_at = coalesce(begins, starts_at),
      ends_at = coalesce(ends, ends_at),
      updated_at = service_now()
    where id = offering and (
      term_name is distinct from coalesce(one.details ->> 'term_name', term_name)
      or starts_at is distinct from coalesce(begins, starts_at)
      or ends_at is distinct from coalesce(ends, ends_at));
    if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    return next;
  end loop;
end $$;

-- Finds the offering by its id, else by the source's. `is_coming` as in `people_matching_import_rows`.
create or replace function offerings_named_by_import_rows(import imports, batch bigint[])
returns table (row_id bigint, offering integer, is_coming boolean) language sql stable as $$
  select one.id, coalesce(run.id, sourced.course_offering_id), import.is_dry_run and exists (
    select from import_rows as earlier
    where earlier.import_id = import.id and earlier.kind = 'offering' and earlier.outcome = 'created'
      and earlier.sourced_id = one.details ->> 'class_sourced_id')
  from import_rows as one
  left join course_offerings as run
    on run.id = (one.details ->> 'course_offering_id')::integer and run.university_id = import.university_id
  left join lateral (
    select known.course_offering_id from sourced_offerings as known
    where known.university_id = import.university_id and known.sourced_id = one.details ->> 'class_sourced_id' limit 1
  ) as sourced on true
  where one.id = any (batch)
$$;

-- Enrolls as staff would, one by one, since seats are given one by one. Two offerings of a course are allowed if
-- the university's records say so.
create or replace function import_enrollments(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  asked record;
  known enrollments;
  refusal text;
  missing text;
  joining integer[];
  offered jsonb;
begin
  perform lock_offerings_with_course_seats(array(select offering from offerings_named_by_import_rows(import, batch) where offering is not null));
  offered := (
    select jsonb_object_agg(made_offer.row_id, made_offer.refusal) from (
      select one.row_id, coalesce(invite_by_import_unless_declined(
        import, one.address, given.sourced_id, null, null, place.offering, given.details ->> 'as' = 'teacher', request),
        '') as refusal
      from invitation_addresses_of_import_rows(import, batch) as one join import_rows as given on given.id = one.row_id
      join offerings_named_by_import_rows(import, batch) as place on place.row_id = one.row_id where place.offering is not null
      order by one.address, one.row_id) as made_offer);
  -- In one order: new members are locked.
  joining := array(
    select one.person from people_matching_import_rows(import, batch) as one
    where not exists (
      select from university_members as member
      where member.university_id = import.university_id and member.user_id = one.person));
  perform from users where id = any (joining) order by id for share;
  for asked in
    select one.*, addressee.address, place.offering, place.is_coming as offering_is_coming,
      one.details ->> 'as' = 'teacher' as teaches
    from people_matching_import_rows(import, batch) as one join offerings_named_by_import_rows(import, batch) as place on place.row_id = one.row_id
    left join invitation_addresses_of_import_rows(import, batch) as addressee on addressee.row_id = one.row_id
    order by one.row_id
  loop
    row_id := asked.row_id;
    person := asked.person;
    outcome := 'refused';
    reason := case
      when asked.has_other_address then 'row_address_differs'
      when asked.person is null and not asked.is_coming and asked.address is null then 'row_person_unknown'
      when not asked.is_deletion and not (select is_active from universities where id = import.university_id)
        then 'university_inactive'
      when asked.offering is null and not asked.offering_is_coming then 'row_offering_unknown'
      else nullif(offered ->> row_id::text, '') end;
    if reason is not null then
      return next;
      continue;
    end if;
    if asked.address is not null then
      outcome := 'offered';
    elsif asked.person is null or asked.offering is null then
      outcome := case when asked.is_deletion then 'unchanged' else 'created' end;
    elsif asked.teaches then
      if asked.is_deletion then
        delete from course_offering_instructors
        where course_offering_id = asked.offering and user_id = asked.person;
      else
        insert into course_offering_instructors (course_offering_id, user_id)
        select asked.offering, asked.person
        where not exists (
          select from course_offering_instructors as held
          where held.course_offering_id = asked.offering and held.user_id = asked.person)
        on conflict do nothing;
      end if;
      outcome := case when not found then 'unchanged' when asked.is_deletion then 'updated' else 'created' end;
    else
      select * into known from enrollments
      where course_offering_id = asked.offering and user_id = asked.person;
      if asked.is_deletion and known.status in ('active', 'pending', 'waitlisted') then
        perform set_enrollment_status_and_fill_seat(known.id, 'dropped', false, request_time(request));
        outcome := 'updated';
      elsif asked.is_deletion or known.status <> 'dropped' then
        outcome := 'unchanged';
      else
        select placed.refusal, placed.missing into refusal, missing
        from enroll(asked.offering, asked.person, request_time(request), null, import.created_by_user_id, import.overrides,
                    request, true) as placed;
        if refusal is null then
          outcome := case when known.id is null then 'created' else 'updated' end;
        else
          reason := case refusal
            when 'not_open' then 'enrollment_not_open' when 'full' then 'offering_full'
            when 'unmet_prerequisites' then 'unmet_prerequisites ' || jsonb_build_object('courses', missing)::text
            when 'by_staff' then 'enrollment_by_staff' when 'wrong_key' then 'wrong_enrollment_key'
            when 'own' then 'row_own_override' else refusal end;
        end if;
      end if;
    end if;
    return next;
  end loop;
end $$;

-- Processes up to `most` next rows of one kind. Returns how many are left; null while another worker has an import
-- of the same university. A dry run is rolled back but keeps its outcomes. `key` is that of former-accounts.sql.
create or replace function process_next_import_rows(the_import integer, most integer, request jsonb, key bytea)
returns integer language plpgsql set lock_timeout = '25s' as $$
declare
  import imports;
  batch bigint[];
  the_kind text;
  results jsonb;
  waiting integer;
begin
  if not pg_try_advisory_xact_lock(
    hashtext('imports'), (select university_id from imports where id = the_import)
  ) then
    return null;
  end if;
  select * into import from imports where id = the_import for no key update;
  the_kind := (select kind from import_rows where import_id = the_import and outcome is null order by id limit 1);
  batch := array(
    select id from import_rows
    where import_id = the_import and outcome is null and kind = the_kind order by id limit most for update);
  begin
    if the_kind is null then
      results := '[]';
    elsif not can_grant_role(import.created_by_user_id, 'university_admin', import.university_id, null) then
      results := (
        select jsonb_agg(jsonb_build_object(
          'row_id', id, 'outcome', 'refused', 'reason', 'row_importer_lost_right'))
        from unnest(batch) as id);
    elsif the_kind = 'offering' then
      results := (select jsonb_agg(to_jsonb(done)) from import_offerings(import, batch) as done);
    elsif the_kind = 'person' then
      results := (select jsonb_agg(to_jsonb(done)) from import_people(import, batch, request) as done);
    elsif the_kind = 'role' then
      results := (select jsonb_agg(to_jsonb(done)) from import_roles(import, batch, request) as done);
    else
      results := (select jsonb_agg(to_jsonb(done)) from import_enrollments(import, batch, request) as done);
    end if;
    if import.is_dry_run then raise exception 'a dry run' using errcode = 'ROLBK'; end if;
  exception when sqlstate 'ROLBK' then
    null;
  end;
  with done as (
    update import_rows set outcome = one.outcome, reason = one.reason,
      user_id = (select id from users where id = one.person)
    from jsonb_to_recordset(results) as one (row_id bigint, outcome text, reason text, person integer)
    where import_rows.id = one.row_id
    returning import_rows.outcome
  ), counted as (
    select count(*) filter (where outcome = 'created') as created,
      count(*) filter (where outcome = 'updated') as updated,
      count(*) filter (where outcome = 'unchanged') as unchanged, count(*) filter (where outcome = 'offered') as offered,
      count(*) filter (where outcome = 'refused') as refused
    from done
  )
  update imports set created = imports.created + counted.created, updated = imports.updated + counted.updated,
    unchanged = imports.unchanged + counted.unchanged, offered = imports.offered + counted.offered,
    refused = imports.refused + counted.refused
  from counted where imports.id = the_import;
  if the_kind = 'enrollment' and not import.is_dry_run then
    perform find_and_store_former_accounts(enrolled.user_id, key) from (
      select distinct user_id from import_rows where id = any (batch) and user_id is not null order by user_id
    ) as enrolled;
  end if;
  -- There may be fewer rows than before: erasing an account deletes its rows.
  waiting := (select count(*) from import_rows where import_id = the_import and outcome is null);
  if waiting = 0 then
    update imports set ended_at = request_time(request) where id = the_import and ended_at is null;
  end if;
  return waiting;
end $$;
