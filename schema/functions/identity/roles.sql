-- Roles and their scopes.
--
-- Locks: none, read only.

-- Granted ones, and instructor in the courses of offerings they teach while they hold ta or above in the university
-- or a department. Instructors or above of the whole university gain nothing from teaching.
create or replace view held_roles as
select user_id, role, university_id, department_id, null::integer as course_id from user_university_roles
union all
select distinct teaching.user_id, 'instructor', offering.university_id, null::integer, offering.course_id
from (
  select user_id, university_id from user_university_roles group by user_id, university_id
  having bool_or(role <> 'student') and not bool_or(role not in ('student', 'ta') and department_id is null)
) as granted
join course_offering_instructors as teaching on teaching.user_id = granted.user_id
join course_offerings as offering
  on offering.id = teaching.course_offering_id and offering.university_id = granted.university_id;

create or replace view offering_teachers as
select teaching.user_id, teaching.course_offering_id
from course_offering_instructors as teaching join course_offerings as run on run.id = teaching.course_offering_id
where exists (
  select from user_university_roles as held
  where held.user_id = teaching.user_id and held.university_id = run.university_id and held.role <> 'student');

create or replace function roles_at_course(person integer, the_course integer) returns setof text
language sql stable as $$
  select held.role from held_roles as held
  join courses as course on course.id = the_course
  where held.user_id = person and (held.role = 'platform_admin'
    or held.university_id = course.university_id and not is_suspended(course.university_id, person)
    and coalesce(held.course_id, course.id) = course.id
    and (held.department_id is null or held.department_id = course.department_id))
$$;

-- Staff has the action `enrollment:manage`; with `teaches`, `offering:write`. Roles below department_admin do not
-- apply while they learn there.
create or replace function is_staff_of_offering(person integer, offering integer, teaches boolean default false)
returns boolean language sql stable as $$
  select exists (
    select from course_offerings as run cross join lateral roles_at_course(person, run.course_id) as held
    where run.id = offering and held <> 'student' and not (teaches and held = 'ta')
      and (held in ('department_admin', 'university_admin', 'platform_admin') or not exists (
        select from learners where user_id = person and course_offering_id = offering)))
$$;

-- Ta or above for its university or department, or its instructor. Same as the caller's action
-- `course:read-unpublished`, for use if only the database knows the person.
create or replace function is_staff_of_course(person integer, the_course integer) returns boolean
language sql stable as $$
  select exists (select from roles_at_course(person, the_course) as held where held <> 'student')
$$;
