set local check_function_bodies = off;
--> statement-breakpoint
-- People are enrolled as by staff, one after another, since places are given one after another; teachers teach. Who is
-- in two offerings of a course by the university's own records is so here.
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
  perform hold_offerings(array(select offering from imported_places(import, batch) where offering is not null));
  offered := (
    select jsonb_object_agg(made_offer.row_id, made_offer.refusal) from (
      select one.row_id, coalesce(offer_by_import(
        import, one.address, given.sourced_id, null, null, place.offering, given.details ->> 'as' = 'teacher', request),
        '') as refusal
      from import_addressees(import, batch) as one join import_rows as given on given.id = one.row_id
      join imported_places(import, batch) as place on place.row_id = one.row_id where place.offering is not null
      order by one.address, one.row_id) as made_offer);
  -- In one order, since whoever becomes a member is locked for it.
  joining := array(
    select one.person from import_batch(import, batch) as one
    where not exists (
      select from university_members as member
      where member.university_id = import.university_id and member.user_id = one.person));
  perform from users where id = any (joining) order by id for share;
  for asked in
    select one.*, addressee.address, place.offering, place.is_coming as offering_is_coming,
      one.details ->> 'as' = 'teacher' as teaches
    from import_batch(import, batch) as one join imported_places(import, batch) as place on place.row_id = one.row_id
    left join import_addressees(import, batch) as addressee on addressee.row_id = one.row_id
    order by one.row_id
  loop
    row_id := asked.row_id;
    person := asked.person;
    outcome := 'refused';
    reason := case
      when asked.has_other_address then 'The person with this sourced_id has another e-mail address'
      when asked.person is null and not asked.is_coming and asked.address is null then 'There is no such person'
      when asked.offering is null and not asked.offering_is_coming then 'The university has no such offering'
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
        insert into course_offering_instructors (course_offering_id, user_id) values (asked.offering, asked.person)
        on conflict do nothing;
      end if;
      outcome := case when not found then 'unchanged' when asked.is_deletion then 'updated' else 'created' end;
    else
      select * into known from enrollments
      where course_offering_id = asked.offering and user_id = asked.person;
      if asked.is_deletion and known.status in ('active', 'pending', 'waitlisted') then
        perform set_enrollment_status(known.id, 'dropped', false, sent_at(request));
        outcome := 'updated';
      elsif asked.is_deletion or known.status <> 'dropped' then
        outcome := 'unchanged';
      else
        select placed.refusal, placed.missing into refusal, missing
        from enroll(asked.offering, asked.person, sent_at(request), null, import.created_by_user_id, import.overrides,
                    request, true) as placed;
        if refusal is null then
          outcome := case when known.id is null then 'created' else 'updated' end;
        else
          reason := refusal_in_words(refusal, missing);
        end if;
      end if;
    end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- People are made, or found; found ones get the source's id, and the role of a student where they have nothing in the
-- university, and people of elsewhere are offered that role. Their name changes only as `may_rename` says, and their address, by which they sign in, never. Two rows of
-- one file never name the same person.
create or replace function import_people(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  made integer[];
  changed integer[];
  gone record;
  has_left boolean;
  leaving integer[];
  touched integer[];
  offered jsonb;
begin
  leaving := array(select one.person from import_batch(import, batch) as one where one.is_deletion);
  perform hold_offerings(array(
    select course_offering_id from enrollments
    where user_id = any (leaving) and university_id = import.university_id
      and status in ('active', 'pending', 'waitlisted')));
  with fresh as (
    insert into users (email, full_name, made_by_university_id)
    select one.email, one.details ->> 'full_name', import.university_id from import_batch(import, batch) as one
    where one.person is null and not one.is_deletion order by one.email
    on conflict (email) do nothing returning users.id
  )
  select coalesce(array_agg(id), '{}') into made from fresh;
  offered := (
    select jsonb_object_agg(made_offer.row_id, made_offer.refusal) from (
      select one.row_id, coalesce(offer_by_import(
        import, one.address, given.sourced_id, 'student', null, null, false, request), '') as refusal
      from import_addressees(import, batch) as one join import_rows as given on given.id = one.row_id
      order by one.address, one.row_id) as made_offer);
  -- In one order, since whoever becomes a member is locked for it, and so is whoever is renamed.
  touched := array(
    select one.person from import_batch(import, batch) as one
    where not one.is_deletion and (
      not exists (
        select from university_members as member
        where member.university_id = import.university_id and member.user_id = one.person)
      or one.details ->> 'full_name' <> (select full_name from users where id = one.person)
        and may_rename(import.university_id, one.person)));
  perform from users where id = any (touched) order by id for no key update;
  with welcomed as (
    insert into user_university_roles (user_id, university_id, role)
    select one.person, import.university_id, 'student' from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and not exists (select from known_at(one.person) as known where known.university_id = import.university_id)
    on conflict do nothing returning user_university_roles.user_id
  )
  select coalesce(array_agg(user_id), '{}') into changed from welcomed;
  -- After that, since whoever belonged nowhere belongs here alone now: the same file would find it so.
  with listed as materialized (
    select one.* from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
  ), misnamed as materialized (
    select listed.person, listed.details ->> 'full_name' as name from listed join users on users.id = listed.person
    where users.full_name <> listed.details ->> 'full_name'
  ), renamed as (
    update users set full_name = misnamed.name, updated_at = service_now() from misnamed
    where users.id = misnamed.person and may_rename(import.university_id, misnamed.person)
    returning users.id
  ), sourced as (
    insert into sourced_people (university_id, sourced_id, user_id)
    select import.university_id, listed.sourced_id, listed.person from listed
    where listed.sourced_id is not null
    on conflict do nothing returning sourced_people.user_id
  )
  select changed || array(select id from renamed union select user_id from sourced) into changed;
  return query
  select one.row_id,
    case when one.has_other_address or offered ->> one.row_id::text <> '' then 'refused'
         when offered ? one.row_id::text then 'offered' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'The person with this sourced_id has another e-mail address, which only they can change'
         else nullif(offered ->> one.row_id::text, '') end,
    one.person
  from import_batch(import, batch) as one where not one.is_deletion;
  for gone in select one.* from import_batch(import, batch) as one where one.is_deletion order by one.row_id loop
    row_id := gone.row_id;
    person := gone.person;
    outcome := 'refused';
    reason := null;
    if person is null then
      update invitations as one set revoked_at = sent_at(request)
      where one.university_id = import.university_id and one.source = 'import'
        and (one.email = gone.email or one.sourced_id = gone.sourced_id)
        and one.accepted_at is null and one.revoked_at is null;
      outcome := case when found then 'updated' else 'unchanged' end;
    elsif person = import.created_by_user_id then
      reason := 'Nobody removes themselves';
    else
      has_left := import_leaving(import, person, request);
      if has_left is null then
        reason := 'They hold a role that you may not revoke';
      else
        outcome := case when has_left then 'updated' else 'unchanged' end;
      end if;
    end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- Roles are granted and revoked in the importer's name, each as far as they may.
create or replace function import_roles(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language sql as $$
  with judged as materialized (
    select one.*, one.details ->> 'role' as role, department.id as department_id,
      row_number() over (
        partition by one.person, one.details ->> 'role', department.id, one.is_deletion order by one.row_id) as nth,
      case when one.has_other_address then 'The person with this sourced_id has another e-mail address'
           when one.person is null and not one.is_coming and addressee.address is null then 'There is no such person'
           when one.details ->> 'department_code' is not null and department.id is null
             then 'The university has no department with this code'
           when one.is_deletion and one.person = import.created_by_user_id then 'Nobody removes themselves'
           when not may_grant(import.created_by_user_id, one.details ->> 'role', import.university_id, department.id)
             then 'You may not grant or revoke this role' end as refusal, addressee.address
    from import_batch(import, batch) as one
    left join import_addressees(import, batch) as addressee on addressee.row_id = one.row_id
    left join departments as department
      on department.university_id = import.university_id and department.code = one.details ->> 'department_code'
  ), offered as materialized (
    select judged.row_id, offer_by_import(
      import, judged.address, judged.sourced_id, judged.role, judged.department_id, null, false, request) as refusal
    from judged where judged.refusal is null and judged.address is not null
    order by judged.address, judged.row_id
  ), granted as (
    insert into user_university_roles (user_id, university_id, role, department_id)
    select distinct on (judged.person, judged.role, judged.department_id)
      judged.person, import.university_id, judged.role, judged.department_id
    from judged where judged.refusal is null and judged.person is not null and not judged.is_deletion
      -- After the offers, whose mails are locked before people.
      and (select count(*) from offered) >= 0
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
  ), audited as (
    insert into audit_events
      (action, actor_id, subject_id, university_id, details, occurred_at, request_id, from_address)
    select changed.action, import.created_by_user_id, changed.user_id, changed.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', changed.role, 'department_id', changed.department_id, 'import_id', import.id)),
      sent_at(request), request ->> 'id', request ->> 'from'
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
$$;
--> statement-breakpoint
set local check_function_bodies = on;
