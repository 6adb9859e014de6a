-- Who has a place in an offering is decided here, whoever writes.
--
-- Locks: the course (so that it is not deleted), the offering, then enrollments, then the course's popularity
-- (popularity.sql). Whatever gives or frees a place waits at the offering; each query in a function looks anew, so what
-- others committed during the wait is seen.

-- Whoever takes or gives up a place keeps the course from being deleted first, and only then locks the offering and
-- the popularity: a deletion takes the course before both, so that the two never wait for each other.
create or replace function keep_course(offering integer) returns void language sql as $$
  select from courses where id = (select course_id from course_offerings where id = offering) for key share
$$;

create or replace function is_full(offering course_offerings) returns boolean language sql as $$
  select coalesce(offering.capacity <= (
    select count(*) from enrollments where course_offering_id = offering.id and status = 'active'
  ), false)
$$;

-- Free places go to those who have waited longest, all of them where there is no capacity; `passed_over` is who has
-- just gone back to waiting.
create or replace function fill_places(offering integer, passed_over integer default null) returns void
language sql as $$
  update enrollments set status = 'active' where id in (
    select id from enrollments
    where course_offering_id = offering and status = 'waitlisted' and id is distinct from passed_over
    order by enrolled_at, id
    limit (
      select capacity - least(capacity, (
        select count(*) from enrollments where course_offering_id = offering and status = 'active'
      )) from course_offerings where id = offering
    )
  )
$$;

-- Later than everyone who waits already, however the clocks of the callers differ.
create or replace function end_of_waiting_list(offering integer, moment timestamptz) returns timestamptz
language sql as $$
  select greatest(moment, max(enrolled_at) + interval '1 millisecond') from enrollments
  where course_offering_id = offering and status = 'waitlisted'
$$;

-- The strict prerequisites of the offering's course that the person has completed in no offering; null for none. Those
-- that the person cannot see have no name and stand last.
create or replace function unmet_prerequisites(offering course_offerings, person integer) returns text
language sql as $$
  select string_agg(case when is_seen then code || ' ' || title else 'another course' end, ', '
                    order by not is_seen, code)
  from (
    select required.code, required.title,
           required.is_published or is_staff_of_course(person, required.id) as is_seen
    from course_prerequisites join courses as required on required.id = prerequisite_course_id
    where course_id = offering.course_id and prerequisite_type = 'strict' and not exists (
      select from enrollments join course_offerings as taken on taken.id = course_offering_id
      where user_id = person and status = 'completed' and taken.course_id = required.id
    )
  ) as required
$$;

-- Why the person may not take up the offering at that moment, and what is missing; two nulls when they may.
create or replace function refusal_to_enroll(
  offering course_offerings, person integer, moment timestamptz, out refusal text, out missing text
) language plpgsql as $$
begin
  if moment < offering.enrollment_start or moment > offering.enrollment_end then
    refusal := 'not_open';
    return;
  end if;
  missing := unmet_prerequisites(offering, person);
  if missing is not null then refusal := 'unmet_prerequisites'; end if;
end $$;

-- Gives a place, or one on the waiting list, and the student role to whoever has no role in the university.
-- A dropped enrollment is taken up again. No row: the offering is gone.
create or replace function enroll(offering integer, person integer, moment timestamptz)
returns table (refusal text, missing text, enrollment enrollments) language plpgsql as $$
declare
  run course_offerings;
  waits boolean;
begin
  perform keep_course(offering);
  select * into run from course_offerings where id = offering for no key update;
  if not found then return; end if;
  select * into refusal, missing from refusal_to_enroll(run, person, moment);
  if refusal is distinct from 'not_open' and exists (
    select from enrollments
    where course_offering_id = offering and user_id = person and status <> 'dropped'
  ) then
    refusal := 'already_enrolled';
  end if;
  if refusal is null then
    waits := is_full(run);
    insert into enrollments as placed (user_id, course_offering_id, status, enrolled_at)
    values (person, offering, case when waits then 'waitlisted' else 'active' end,
            case when waits then end_of_waiting_list(offering, moment) else moment end)
    on conflict (user_id, course_offering_id) do update
      set status = excluded.status, enrolled_at = excluded.enrolled_at
    returning placed.* into enrollment;
    insert into user_university_roles (user_id, university_id, role)
    select person, run.university_id, 'student' where not exists (
      select from user_university_roles
      where user_id = person and university_id = run.university_id
    ) on conflict do nothing;
  end if;
  return next;
end $$;

-- Moves an enrollment to another status, `wanted` null for none. The owner takes a place up only as if enrolling
-- anew; staff may overfill an offering. Whoever goes to the waiting list stands at its end, and a place that is
-- left goes to the next in line.
create or replace function set_enrollment_status(
  moved integer, wanted text, by_owner boolean, moment timestamptz
) returns table (refusal text, missing text, enrollment enrollments) language plpgsql as $$
declare
  run course_offerings;
  former text;
begin
  perform keep_course(course_offering_id) from enrollments where id = moved;
  select course_offerings.* into run
  from enrollments join course_offerings on course_offerings.id = course_offering_id
  where enrollments.id = moved for no key update of course_offerings;
  select * into enrollment from enrollments where id = moved;
  former := enrollment.status;
  if wanted <> former and wanted = 'active' and by_owner then
    select * into refusal, missing from refusal_to_enroll(run, enrollment.user_id, moment);
    if refusal is null and is_full(run) then refusal := 'full'; end if;
  end if;
  if wanted <> former and refusal is null then
    update enrollments set
      status = wanted,
      completed_at = case when wanted = 'completed' then moment end,
      enrolled_at = case when wanted = 'waitlisted' then end_of_waiting_list(run.id, moment)
                           else enrolled_at end
    where id = moved returning enrollments.* into enrollment;
    if former = 'active' then perform fill_places(run.id, moved); end if;
  end if;
  return next;
end $$;

create or replace function course_offerings_fill_places() returns trigger language plpgsql as $$
begin
  perform fill_places(new.id);
  return null;
end $$;

create or replace trigger course_offerings_fill_places after update of capacity on course_offerings
  for each row when (old.capacity is distinct from new.capacity)
  execute function course_offerings_fill_places();

create or replace function enrollments_take_university() returns trigger language plpgsql as $$
begin
  new.university_id := (select university_id from course_offerings where id = new.course_offering_id);
  return new;
end $$;

create or replace trigger enrollments_take_university before insert or update of course_offering_id on enrollments
  for each row execute function enrollments_take_university();

-- Enrollments are dropped in many ways, and each is noted; one that is taken up again keeps the moment.
create or replace function note_drop() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.dropped_at := coalesce(new.dropped_at, now());
  elsif old.status <> 'dropped' and new.dropped_at is not distinct from old.dropped_at then
    new.dropped_at := now();
  end if;
  return new;
end $$;

create or replace trigger note_drop before insert or update of status on enrollments
  for each row when (new.status = 'dropped') execute function note_drop();
