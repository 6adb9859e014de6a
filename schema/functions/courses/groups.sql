-- Members of an offering's groups. dates.sql has the groups' dates.
--
-- A member has a seat in the offering. Dropping it removes them from its groups, which prevents a return to a
-- group seat that another has taken.
--
-- Locks: the grades of the offering (grades.sql), as for a change of dates, then the group, the enrollment of
-- the person added (shared, to block a concurrent drop), then the memberships, then attempts and submissions
-- that take later dates (dates.sql).

create or replace view seated_members as
  select one.group_id, one.user_id
  from offering_group_members as one
  join enrollments as taking on taking.course_offering_id = one.course_offering_id and taking.user_id = one.user_id
  join users on users.id = one.user_id and users.erased_at is null
  where one.group_role = 'member' and taking.is_admitted;

-- No row if the group was deleted.
create or replace function lock_group_and_offering_grades(the_group integer) returns setof offering_groups language plpgsql as $$
begin
  perform lock_offering_grades((select course_offering_id from offering_groups where id = the_group));
  return query select one.* from offering_groups as one where one.id = the_group for no key update;
end $$;

-- No row if it was deleted. Rejects self-enrollment if it would open an exam earlier.
create or replace function update_offering_group(the_group integer, new_name text, new_capacity integer, is_open boolean)
returns setof offering_groups language plpgsql as $$
declare
  here offering_groups := lock_group_and_offering_grades(the_group);
begin
  update offering_groups
  set name = new_name, capacity = new_capacity, self_enrollment = is_open, updated_at = service_now()
  where id = here.id;
  perform raise_if_group_opens_exam_early(here.course_offering_id, here.id);
  return query select one.* from offering_groups as one where one.id = here.id;
end $$;

-- Adds a person as `member` or `staff`, or changes that role. A null role stays, or is `member`. Returns the reason if it cannot: no such group, not
-- open to self-enrollment, an exam that would open earlier, no seat or staff role, or full. Joining or leaving
-- oneself does not extend dates of open or submitted work; staff changes can.
create or replace function add_to_group_or_change_role(
  the_group integer, person integer, wanted text, by_owner boolean, actor integer, moment timestamptz, request jsonb
) returns text language plpgsql as $$
declare
  here offering_groups := lock_group_and_offering_grades(the_group);
  refusal text;
begin
  wanted := coalesce(wanted, (
    select group_role from offering_group_members where group_id = here.id and user_id = person), 'member');
  if wanted = 'member' then
    perform from enrollments where user_id = person and course_offering_id = here.course_offering_id for share;
  end if;
  refusal := case
    when here.id is null then 'missing'
    when by_owner and not here.self_enrollment then 'closed'
    -- Dates of the course may have changed since.
    when by_owner and first_exam_opening_early_for_group(here.id) is not null then 'early_exam'
    when wanted = 'staff' and not is_staff_of_offering(person, here.course_offering_id) then 'not_staff'
    when wanted = 'member' and not exists (
      select from enrollments
      where user_id = person and course_offering_id = here.course_offering_id and is_admitted) then 'not_enrolled'
    when wanted = 'member' and here.capacity <= (
      select count(*) from seated_members where group_id = here.id and user_id <> person) then 'full' end;
  if refusal is not null then return refusal; end if;
  insert into offering_group_members as one (group_id, course_offering_id, user_id, group_role, joined_at)
  values (here.id, here.course_offering_id, person, wanted, moment)
  on conflict on constraint offering_group_members_unique do update set group_role = excluded.group_role
    where one.group_role <> excluded.group_role and not by_owner;
  if not found then return null; end if;
  perform audit('group.member_added', actor, person, (select university_id from course_offerings where id = here.course_offering_id),
    jsonb_build_object('group_id', here.id, 'role', upper(wanted)), request);
  if not by_owner then perform apply_extended_dates_to_work(here.course_offering_id, null, person, moment); end if;
  return null;
end $$;

-- Returns the reason as above. Submitted and open work keeps its later date.
create or replace function remove_from_group(
  the_group integer, person integer, by_owner boolean, actor integer, moment timestamptz, request jsonb
) returns text language plpgsql as $$
declare
  here offering_groups := lock_group_and_offering_grades(the_group);
begin
  if here.id is null then return 'missing'; end if;
  if by_owner and not here.self_enrollment then return 'closed'; end if;
  delete from offering_group_members
  where group_id = here.id and user_id = person and (not by_owner or group_role = 'member');
  if not found then return 'not_in_it'; end if;
  perform audit('group.member_removed', actor, person,
    (select university_id from course_offerings where id = here.course_offering_id), jsonb_build_object('group_id', here.id), request);
  if not by_owner then perform apply_extended_dates_to_work(here.course_offering_id, null, person, moment); end if;
  return null;
end $$;

create or replace function delete_group(the_group integer, actor integer, moment timestamptz, request jsonb)
returns integer language plpgsql as $$
declare
  here offering_groups := lock_group_and_offering_grades(the_group);
begin
  delete from offering_groups where id = here.id;
  if not found then return null; end if;
  perform audit('group.deleted', actor, null, (select university_id from course_offerings where id = here.course_offering_id),
    jsonb_build_object('group_id', here.id), request);
  perform apply_extended_dates_to_work(here.course_offering_id, null, null, moment);
  return here.id;
end $$;
