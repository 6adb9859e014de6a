-- Extra time that a university grants to a person, and who may grant it. dates.sql and quiz-attempts.sql
-- apply it when they compute deadlines.
--
-- Locks: to grant: the grades of each offering of the university in which the person is enrolled, in their
-- order (grades.sql), then the person's enrollments there, which a new enrollment locks shared, and the
-- grades of an offering joined before that lock was taken; then attempts and submissions that take the later
-- dates (dates.sql). An attempt is therefore lengthened here or starts with the grant, also in an offering
-- that the person is just joining.

create or replace function valid_accommodation_of_person(person integer, university integer, moment timestamptz)
returns table (time_factor numeric, extra_days integer, zone text) language sql stable as $$
  select one.time_factor, one.extra_days, place.time_zone
  from accommodations as one join universities as place on place.id = one.university_id
  where one.user_id = person and one.university_id = university
    and coalesce((moment at time zone place.time_zone)::date <= one.valid_until, true)
$$;

-- At the same local time, limited to the calendar's range.
create or replace function moment_plus_accommodation_days(moment timestamptz, person integer, university integer) returns timestamptz
language sql stable as $$
  select coalesce((
    select least((moment at time zone zone + make_interval(days => extra_days)) at time zone zone, '9999-12-31 23:59:59Z')
    from valid_accommodation_of_person(person, university, moment)
    where isfinite(moment)
  ), moment)
$$;

create or replace function lock_key_of_person_enrollments(person integer, university integer) returns bigint language sql immutable as $$
  select hashtextextended('enrollments of ' || person || ' at a university', university)
$$;

create or replace function lock_offering_grades_of_person(person integer, university integer) returns void language plpgsql as $$
begin
  perform lock_offering_grades(held.course_offering_id) from (
    select course_offering_id from enrollments where user_id = person and university_id = university order by 1 offset 0
  ) as held;
end $$;

-- `{"time_factor", "extra_days", "valid_until"}`; an absent key keeps its value. No row: the person is not a member
-- of the university.
create or replace function grant_accommodation_and_extend_work(
  university integer, person integer, granted jsonb, actor integer, moment timestamptz, request jsonb
) returns setof accommodations language plpgsql as $$
declare
  present accommodations;
begin
  perform lock_offering_grades_of_person(person, university);
  perform pg_advisory_xact_lock(lock_key_of_person_enrollments(person, university));
  perform lock_offering_grades_of_person(person, university);
  insert into accommodations as one (university_id, user_id, time_factor, extra_days, valid_until, updated_at)
  select member.university_id, member.user_id, coalesce(wanted.time_factor, 1), coalesce(wanted.extra_days, 0),
         wanted.valid_until, moment
  from university_members as member,
       jsonb_to_record(granted) as wanted (time_factor numeric, extra_days integer, valid_until date)
  where member.university_id = university and member.user_id = person
  on conflict on constraint accommodations_unique do update
    set time_factor = case when granted ? 'time_factor' then excluded.time_factor else one.time_factor end,
        extra_days = case when granted ? 'extra_days' then excluded.extra_days else one.extra_days end,
        valid_until = case when granted ? 'valid_until' then excluded.valid_until else one.valid_until end,
        updated_at = excluded.updated_at
  returning one.* into present;
  if not found then return; end if;
  perform audit('accommodation.granted', actor, person, university, jsonb_build_object('time_factor', present.time_factor,
    'extra_days', present.extra_days, 'valid_until', present.valid_until), request);
  perform apply_extended_dates_to_work(course_offering_id, null, person, moment) from (
    select course_offering_id from enrollments where user_id = person and university_id = university order by 1 offset 0
  ) as held;
  return next present;
end $$;
