-- What people may do where.
--
-- Locks: none, it is only read.

-- The roles that people hold: those that they were granted, and in the course of an offering that they teach that of an
-- instructor, for as long as they hold one of ta or above in its university, if only for a department.
create or replace view held_roles as
select user_id, role, university_id, department_id, null::integer as course_id from user_university_roles
union all
select distinct teaching.user_id, 'instructor', offering.university_id, null::integer, offering.course_id
from course_offering_instructors as teaching
join course_offerings as offering on offering.id = teaching.course_offering_id
where exists (
  select from user_university_roles as granted
  where granted.user_id = teaching.user_id and granted.university_id = offering.university_id
    and granted.role <> 'student'
);

-- Whether a person may not sign in for the universities that they belong to: none of them is active, and they are staff
-- of none, to read what its people have.
create or replace function is_shut_out(person integer) returns boolean language sql stable as $$
  select coalesce(bool_and(not campus.is_active and coalesce(known.role, 'student') = 'student'), false)
  from known_at(person) as known join universities as campus on campus.id = known.university_id
$$;

-- Whether a person is staff of a course: of ta or above for its university or department, or its instructor. What the
-- service knows of a caller as the action `course:read-unpublished`, where the database alone knows who asks.
create or replace function is_staff_of_course(person integer, the_course integer) returns boolean
language sql stable as $$
  select exists (
    select from held_roles as held
    join courses as course on course.id = the_course
    where held.user_id = person and (held.role = 'platform_admin' or held.role <> 'student'
      and held.university_id = course.university_id
      and coalesce(held.course_id, course.id) = course.id
      and (held.department_id is null or held.department_id = course.department_id))
  )
$$;
