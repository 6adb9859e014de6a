set local check_function_bodies = off;
--> statement-breakpoint
drop trigger fill_seats_again on users;
--> statement-breakpoint
drop function cache_tree_violations();
--> statement-breakpoint
create or replace function fill_seats_again() returns trigger language plpgsql as $$
begin
  perform fill_seats_of_reactivated(new.id, null);
  return null;
end $$;
--> statement-breakpoint
-- Places that came free while a university or a person was inactive go to those who wait when it is active again: at the
-- university, or where the person waits.
create or replace function fill_seats_of_reactivated(university integer, person integer) returns void language plpgsql as $$
declare
  offerings integer[] := array(
    select distinct course_offering_id from enrollments
    where status = 'waitlisted' and (university_id = university or user_id = person)
    order by 1);
begin
  perform lock_offerings(offerings);
  perform fill_seats(offering, service_now()) from unnest(offerings) as offering;
end $$;
--> statement-breakpoint
-- Takes from a person what the university of an import gave them: their roles, what they teach, and their places. The account stays.
-- Answers whether there was anything; null when they hold a role that the importer could not grant.
create or replace function import_leaving(import imports, person integer, request jsonb) returns boolean
language plpgsql as $$
declare
  places integer[];
  roles_left integer;
begin
  if exists (
    select from user_university_roles as held
    where held.user_id = person and held.university_id = import.university_id
      and not may_grant(import.created_by_user_id, held.role, held.university_id, held.department_id)
  ) then
    return null;
  end if;
  places := array(
    select id from enrollments
    where user_id = person and university_id = import.university_id and status in ('active', 'pending', 'waitlisted')
    -- Seats are left last, so that none is given where the person waits.
    order by status = 'active', id);
  perform lock_offerings(array(select course_offering_id from enrollments where id = any (places)));
  perform set_enrollment_status(place, 'dropped', false, sent_at(request)) from unnest(places) as place;
  delete from course_offering_instructors as teaching using course_offerings as run
  where teaching.user_id = person and run.id = teaching.course_offering_id and run.university_id = import.university_id;
  with gone as (
    delete from user_university_roles where user_id = person and university_id = import.university_id returning *
  ), audited as materialized (
    select audit('role.revoked', import.created_by_user_id, gone.user_id, gone.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', gone.role, 'department_id', gone.department_id, 'import_id', import.id)), request)
    from gone
  )
  -- PostgreSQL calls what is counted, and would call nothing that is read by nobody.
  select count(*) into roles_left from audited;
  return roles_left > 0 or cardinality(places) > 0;
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
  -- PostgreSQL runs a select that nothing reads not at all.
  where (select count(*) from audited) >= 0
$$;
--> statement-breakpoint
-- Switches an account off or on, and answers it; switching it off ends its tokens, and switching it on gives the seats
-- that came free where the person waits.
create or replace function set_account_active(person integer, wanted boolean, actor integer, request jsonb)
returns setof users language plpgsql as $$
begin
  update users set is_active = wanted, updated_at = service_now() where id = person and is_active <> wanted;
  if found then
    if wanted then perform fill_seats_of_reactivated(null, person); else perform end_tokens(person); end if;
    perform audit(case when wanted then 'account.reactivated' else 'account.deactivated' end, actor, person, null, '{}',
                  request);
  end if;
  return query select * from users where id = person;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
