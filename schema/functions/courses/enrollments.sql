-- All changes of seats in an offering use these functions.
--
-- Locks: the course (to prevent its deletion), the seats of the course, the offering, the count of wrong keys
-- (rate-limits.sql), then enrollments, then the course's popularity (popularity.sql), and last the people
-- notified of their seat (notifications.sql). All changes of seats in any offering of a course wait at its
-- seats; later queries of the function see the commits made during the wait.

-- Locks the course before the offering, as a deletion does, to avoid a deadlock. Serializes all offerings of the
-- course: a person has one seat per course and term, and the next on the waitlist is only known after reading the
-- offering.
create or replace function lock_course_seats_of_offering(offering integer) returns void language plpgsql as $$
declare
  course integer := (select course_id from course_offerings where id = offering);
begin
  perform from courses where id = course for key share;
  perform pg_advisory_xact_lock(hashtextextended('seats of a course', course));
end $$;

-- First their courses, then the offerings, by id.
create or replace function lock_offerings_with_course_seats(offerings integer[]) returns void language plpgsql as $$
begin
  perform lock_course_seats_of_offering(one.offering) from (
    select min(id) as offering from course_offerings where id = any (offerings) group by course_id order by course_id
  ) as one;
  perform from course_offerings where id = any (offerings) order by id for no key update;
end $$;

-- The same university term, or overlapping times if one has no term. A missing date is unbounded.
create or replace function is_same_course_and_term(one course_offerings, other course_offerings) returns boolean
language sql immutable as $$
  select one.course_id = other.course_id and case
    when one.id = other.id then true
    when one.term_id is not null and other.term_id is not null then one.term_id = other.term_id
    else coalesce(one.starts_at < other.ends_at, true) and coalesce(other.starts_at < one.ends_at, true)
  end
$$;

-- Both offerings must be active and not over.
create or replace function has_seat_in_parallel_offering(offering course_offerings, person integer, moment timestamptz)
returns boolean language sql stable as $$
  select coalesce(moment <= offering.ends_at, true) and exists (
    select from enrollments as mine join course_offerings as other on other.id = mine.course_offering_id
    where mine.user_id = person and mine.status = 'active' and other.id <> offering.id
      and is_same_course_and_term(other, offering) and coalesce(moment <= other.ends_at, true)
  )
$$;

-- Null without a capacity, which skips the costly count. A self-reported completion keeps its seat. Erased accounts
-- free theirs.
create or replace function count_free_seats(offering course_offerings) returns bigint language sql stable as $$
  select case when offering.capacity is not null then offering.capacity - least(offering.capacity, (
    select count(*) from enrollments join users on users.id = user_id
    where course_offering_id = offering.id and (status = 'active' or completion_source = 'self' and is_admitted)
      and users.erased_at is null)) end
$$;

-- At the end of enrollment or of the offering; without either, of the term. Learners cannot enroll then. `isClosed`
-- in lib/courses/offerings/listing.ts lists offerings by the same rule.
create or replace function is_waitlist_closed(offering course_offerings, moment timestamptz) returns boolean
language sql stable as $$
  select coalesce(moment > coalesce(least(offering.enrollment_end, offering.ends_at), (
    select (term.ends_on + 1)::timestamp at time zone home.time_zone
    from terms as term join universities as home on home.id = term.university_id where term.id = offering.term_id)), false)
$$;

create or replace function refusal_of_inactive_university_or_person(university integer, person integer) returns text language sql stable as $$
  select case when not (select is_active from universities where id = university) then 'inactive_university'
              when not (select is_active from users where id = person) or is_suspended(university, person)
                then 'inactive_person' end
$$;

-- Promotes from the waitlist in order, except `passed_over`, who has just returned to it. People who are inactive
-- or have a seat elsewhere in the course and term keep their position.
create or replace function fill_seats_from_waitlist_and_notify(offering integer, moment timestamptz, passed_over integer default null)
returns void language sql as $$
  with placed as (
    update enrollments set status = 'active' where id in (
      select waiting.id from enrollments as waiting join course_offerings as run on run.id = waiting.course_offering_id
      where run.id = offering and waiting.status = 'waitlisted' and waiting.id is distinct from passed_over
        and not is_waitlist_closed(run, moment)
        and refusal_of_inactive_university_or_person(waiting.university_id, waiting.user_id) is null
        and not has_seat_in_parallel_offering(run, waiting.user_id, moment)
      order by waiting.enrolled_at, waiting.id
      limit (select count_free_seats(run) from course_offerings as run where run.id = offering)
    )
    returning user_id
  )
  select notify(array_agg(user_id), 'place_obtained', 'place:' || offering || ':' || extract(epoch from moment), moment,
                offering)
  from placed having count(*) > 0
$$;

-- The seat goes to the next in line, except `passed_over`. Then fills the lists of this course on which the person
-- waits.
create or replace function fill_seats_freed_by_person(offering integer, person integer, moment timestamptz, passed_over integer default null)
returns void language plpgsql as $$
begin
  perform fill_seats_from_waitlist_and_notify(offering, moment, passed_over);
  perform fill_seats_from_waitlist_and_notify(one.id, moment) from (
    select other.id
    from course_offerings as here join course_offerings as other on other.course_id = here.course_id
    join enrollments as waiting on waiting.course_offering_id = other.id
    where here.id = offering and other.id <> here.id and waiting.user_id = person and waiting.status = 'waitlisted'
    order by other.id
  ) as one;
end $$;

-- Later than all waiting entries, even with clock skew between callers.
create or replace function next_waitlist_timestamp(offering integer, moment timestamptz) returns timestamptz
language sql as $$
  select greatest(moment, max(enrolled_at) + interval '1 millisecond') from enrollments
  where course_offering_id = offering and status = 'waitlisted'
$$;

-- From 1; null if not waiting.
create or replace function waitlist_position(waiting enrollments) returns integer language sql stable as $$
  select case when waiting.status = 'waitlisted' then (
    select count(*)::integer from enrollments as before join users on users.id = before.user_id
    where users.erased_at is null and before.course_offering_id = waiting.course_offering_id and before.status = 'waitlisted'
      and (before.enrolled_at, before.id) <= (waiting.enrolled_at, waiting.id)
  ) end
$$;

-- Strict prerequisites that the person neither completed in any offering (self-reports do not count) nor is excused
-- from. Hidden ones are unnamed and last.
create or replace function unmet_strict_prerequisites_text(offering course_offerings, person integer) returns text
language sql as $$
  select string_agg(case when is_seen then code || ' ' || title else 'another course' end, ', '
                    order by not is_seen, code)
  from (
    select required.code, required.title,
           required.is_published or is_staff_of_course(person, required.id) as is_seen
    from course_prerequisites join courses as required on required.id = prerequisite_course_id
    where course_id = offering.course_id and prerequisite_type = 'strict' and not exists (
      select from enrollments join course_offerings as taken on taken.id = course_offering_id
      where user_id = person and status = 'completed' and completion_source <> 'self' and taken.course_id = required.id
    ) and not exists (
      select from course_exemptions as excused
      where excused.course_id = offering.course_id and excused.prerequisite_course_id = required.id
        and excused.user_id = person
    )
  ) as required
$$;

-- Both null if the person may enroll.
create or replace function enrollment_window_or_prerequisite_refusal(
  offering course_offerings, person integer, moment timestamptz, out refusal text, out missing text
) language plpgsql as $$
begin
  if moment < offering.enrollment_start or moment > offering.enrollment_end then
    refusal := 'not_open';
    return;
  end if;
  missing := unmet_strict_prerequisites_text(offering, person);
  if missing is not null then refusal := 'unmet_prerequisites'; end if;
end $$;

-- Also gives the student role if they have no role in the university.
create or replace function create_enrollment_and_student_role(run course_offerings, person integer, waits boolean, moment timestamptz)
returns enrollments language plpgsql as $$
declare
  enrollment enrollments;
begin
  insert into enrollments as placed (user_id, course_offering_id, status, enrolled_at)
  values (person, run.id, case when waits then 'waitlisted' else 'active' end,
          case when waits then next_waitlist_timestamp(run.id, moment) else moment end)
  on conflict (user_id, course_offering_id) do update
    set status = excluded.status, enrolled_at = excluded.enrolled_at, is_dropped_by_staff = false
  returning placed.* into enrollment;
  insert into user_university_roles (user_id, university_id, role)
  select person, run.university_id, 'student' where not exists (
    select from user_university_roles
    where user_id = person and university_id = run.university_id
  ) on conflict do nothing;
  return enrollment;
end $$;

-- Gives a seat or a waitlist position. A person with a seat elsewhere in the course and term can only wait. No row:
-- the offering is gone.
--
-- `staff` enroll the person without a key, also after the end, audited with `request`. Their override ignores the window,
-- prerequisites, capacity and a seat elsewhere; `doubles` only the seat. Staff who enroll themselves are subject to
-- all rules; an override is refused as 'own'.
create or replace function enroll(
  offering integer, person integer, moment timestamptz, the_key text default null, staff integer default null,
  overrides boolean default false, request jsonb default null, doubles boolean default false
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  by_all text := 'wrong keys of offering ' || offering;
  by_person text := by_all || ' by person ' || person;
  by_mode text;
  passed text;
  waits boolean;
  is_double boolean;
begin
  perform lock_course_seats_of_offering(offering);
  select * into run from course_offerings where id = offering for no key update;
  if not found then return; end if;
  if staff = person then
    if overrides then
      refusal := 'own';
      return next;
      return;
    end if;
    staff := null;
    doubles := false;
  end if;
  select * into refusal, missing from enrollment_window_or_prerequisite_refusal(run, person, moment);
  if staff is null and is_waitlist_closed(run, moment) then
    refusal := 'not_open';
    missing := null;
  end if;
  if staff is null and refusal is distinct from 'not_open' then
    by_mode := case
      when run.enrollment_mode = 'staff' then 'by_staff'
      when run.enrollment_mode = 'key' and the_key is distinct from run.enrollment_key then 'wrong_key' end;
    -- After ten wrong keys of a person in an hour, or a thousand in total, no key is checked. The refusal is
    -- the same for a correct key, so it reveals nothing.
    if run.enrollment_mode = 'key' and the_key is not null then
      if exists (select from rate_limits where ends_at > moment
                 and (name = by_person and used >= 10 or name = by_all and used >= 1000)) then
        by_mode := 'too_many_keys';
      elsif by_mode is not null then
        perform consume_rate_limit_unless_reached(by_person, 10, moment), consume_rate_limit_unless_reached(by_all, 1000, moment);
      end if;
    end if;
    refusal := coalesce(by_mode, refusal);
  end if;
  waits := coalesce(count_free_seats(run) = 0, false);
  if refusal is null and waits and is_waitlist_closed(run, moment) then refusal := 'full'; end if;
  if overrides then
    passed := coalesce(refusal, case when waits then 'full' end);
    refusal := null;
    waits := false;
  end if;
  is_double := not waits and has_seat_in_parallel_offering(run, person, moment);
  if is_double and (overrides or doubles) then
    passed := concat_ws(', ', passed, 'enrolled_in_course');
  elsif is_double then
    refusal := coalesce(refusal, 'enrolled_in_course');
  end if;
  if refusal is distinct from 'not_open' and exists (
    select from enrollments
    where course_offering_id = offering and user_id = person and status <> 'dropped'
  ) then
    refusal := 'already_enrolled';
  end if;
  -- Cannot be overridden.
  refusal := coalesce(refusal_of_inactive_university_or_person(run.university_id, person), refusal);
  if refusal is null then
    enrollment := create_enrollment_and_student_role(run, person, waits, moment);
    waits_at := waitlist_position(enrollment);
    if staff is not null then
      perform audit('enrollment.created', staff, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
        'course_offering_id', offering, 'override', overrides, 'passed', passed)), request);
    end if;
  end if;
  return next;
end $$;

-- The caller is the owner, staff, or with `by_owner` null the LMS that created the enrollment. Owners take a seat
-- or wait under the rules of enrolling, leave the waitlist only as `dropped`, and complete only as self-reported.
-- Staff may exceed the capacity, confirm a self-report, and give a second seat in a course and term.
create or replace function set_enrollment_status_and_fill_seat(
  moved integer, wanted text, by_owner boolean, moment timestamptz, staff integer default null,
  request jsonb default null
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  former text;
  confirms boolean;
  had_seat boolean;
  is_double boolean;
begin
  perform lock_course_seats_of_offering(course_offering_id) from enrollments where id = moved;
  select course_offerings.* into run
  from enrollments join course_offerings on course_offerings.id = course_offering_id
  where enrollments.id = moved for no key update of course_offerings;
  select * into enrollment from enrollments where id = moved for no key update;
  former := enrollment.status;
  confirms := wanted = 'completed' and not by_owner and enrollment.completion_source = 'self';
  had_seat := former = 'active' or coalesce(enrollment.completion_source = 'self' and enrollment.is_admitted, false);
  if wanted <> former and by_owner and former = 'waitlisted' and wanted <> 'dropped' then
    refusal := 'waiting';
  elsif wanted <> former and by_owner and (wanted = 'active' or wanted = 'waitlisted' and former <> 'active') then
    select * into refusal, missing from enrollment_window_or_prerequisite_refusal(run, enrollment.user_id, moment);
    if is_waitlist_closed(run, moment) then
      refusal := 'not_open';
      missing := null;
    end if;
    if refusal is distinct from 'not_open' then
      -- Without a key.
      refusal := coalesce(case
        when run.enrollment_mode = 'staff' then 'by_staff'
        when run.enrollment_mode = 'key' and run.enrollment_key is not null then 'wrong_key' end, refusal);
    end if;
    if refusal is null and wanted = 'active' and not had_seat and count_free_seats(run) = 0 then refusal := 'full'; end if;
  end if;
  is_double := wanted = 'active' and former <> 'active' and has_seat_in_parallel_offering(run, enrollment.user_id, moment);
  if is_double and by_owner then refusal := coalesce(refusal, 'enrolled_in_course'); end if;
  if wanted <> former and wanted in ('active', 'pending', 'waitlisted') then
    refusal := coalesce(refusal_of_inactive_university_or_person(run.university_id, enrollment.user_id), refusal);
  end if;
  if (wanted <> former or confirms) and refusal is null then
    update enrollments set
      status = wanted,
      is_dropped_by_staff = wanted = 'dropped' and not coalesce(by_owner, true),
      completed_at = case when wanted = 'completed' then coalesce(completed_at, moment) end,
      completion_source = case when wanted = 'completed' then case when by_owner then 'self' else 'staff' end end,
      enrolled_at = case when wanted = 'waitlisted' then next_waitlist_timestamp(run.id, moment)
                           else enrolled_at end
    where id = moved returning enrollments.* into enrollment;
    if had_seat then perform fill_seats_freed_by_person(run.id, enrollment.user_id, moment, moved); end if;
    if is_double then
      perform audit('enrollment.changed', staff, enrollment.user_id, run.university_id, jsonb_build_object(
        'course_offering_id', run.id, 'status', wanted, 'passed', 'enrolled_in_course'), request);
    end if;
  end if;
  waits_at := waitlist_position(enrollment);
  return next;
end $$;

create or replace function fill_seats_after_reactivation(university integer, person integer) returns void language plpgsql as $$
declare
  offerings integer[] := array(
    select distinct course_offering_id from enrollments
    where status = 'waitlisted' and (university_id = university or user_id = person)
    order by 1);
begin
  perform lock_offerings_with_course_seats(offerings);
  perform fill_seats_from_waitlist_and_notify(offering, service_now()) from unnest(offerings) as offering;
end $$;

-- A seat or a completion from one. LMS staff of an offering may enter too, to read their learners' work.
create or replace function is_admitted_to_course(person integer, the_course integer) returns boolean language sql stable as $$
  select exists (
    select from enrollments join course_offerings as run on run.id = course_offering_id
    where user_id = person and is_admitted and run.course_id = the_course
  ) or exists (
    select from offering_staff as staff join course_offerings as run on run.id = staff.course_offering_id
    where staff.user_id = person and run.course_id = the_course and staff.removed_at is null
      and not is_suspended(staff.university_id, person))
$$;

create or replace view current_offerings as
  select distinct on (mine.user_id, run.course_id) mine.user_id, run.course_id, run.id as course_offering_id
  from enrollments as mine join course_offerings as run on run.id = mine.course_offering_id
  where mine.status <> 'dropped' order by mine.user_id, run.course_id, mine.enrolled_at desc, mine.id desc;

-- Staff roles below department_admin do not apply there. Includes the waitlist and self-reported completion. With
-- an attempt or submission, a dropped learner stays until the offering or its term ends.
create or replace view learners as
  select mine.user_id, mine.course_offering_id, run.course_id
  from enrollments as mine join course_offerings as run on run.id = mine.course_offering_id
  where case mine.status
    when 'completed' then mine.completion_source = 'self'
    when 'dropped' then not coalesce(service_now() >= coalesce(run.ends_at, (
        select (terms.ends_on + 1)::timestamp at time zone home.time_zone
        from terms join universities as home on home.id = terms.university_id where terms.id = run.term_id)), false)
      and (exists (
        select from quiz_attempts as one
        where one.user_id = mine.user_id and one.course_offering_id = mine.course_offering_id
      ) or exists (
        select from lab_submissions as one
        where one.user_id = mine.user_id and one.course_offering_id = mine.course_offering_id))
    else true end;

create or replace view pools_of_learners as
  select mine.user_id, pool.id as question_pool_id
  from learners as mine join question_pools as pool on pool.course_id = mine.course_id
  union all
  select mine.user_id, pool_of_quiz(item.data_json)
  from learners as mine
  join content_items as item on item.course_id = mine.course_id
  join content_types as type on type.id = item.content_type_id and type.name = 'quiz'
  where pool_of_quiz(item.data_json) is not null;

create or replace function enrollments_before_write() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then new.updated_at := service_now(); end if;
  new.completion_source := case when new.status = 'completed' then coalesce(new.completion_source, 'staff') end;
  new.is_admitted := new.status = 'active' or coalesce(
    new.completion_source <> 'self' or (new.completion_source = 'self' and tg_op = 'UPDATE' and old.is_admitted), false);
  if tg_op = 'INSERT' or new.course_offering_id <> old.course_offering_id then
    new.university_id := (select university_id from course_offerings where id = new.course_offering_id);
  end if;
  if tg_op = 'INSERT' then
    -- A grant of accommodations waits for this lock (accommodations.sql), and then sees the enrollment.
    perform pg_advisory_xact_lock_shared(lock_key_of_person_enrollments(new.user_id, new.university_id));
    if new.status = 'dropped' then new.dropped_at := coalesce(new.dropped_at, service_now()); end if;
  elsif new.status = 'dropped' and old.status <> 'dropped' and new.dropped_at is not distinct from old.dropped_at then
    new.dropped_at := service_now();
  end if;
  -- Rosters of tools ask for changes.
  new.changed_at := service_now();
  return new;
end $$;

create or replace trigger enrollments_before_write
  before insert or update of status, completion_source, user_id, course_offering_id on enrollments
  for each row execute function enrollments_before_write();

create or replace function enrollments_after_write() returns trigger language plpgsql as $$
declare
  taken integer := coalesce(new.status in ('active', 'completed'), false)::int
                   - coalesce(old.status in ('active', 'completed'), false)::int;
  percent numeric := 0;
  completed integer := 0;
  course integer;
  moment timestamptz;
begin
  if tg_op = 'INSERT' or tg_op = 'UPDATE' and (new.user_id, new.university_id) <> (old.user_id, old.university_id) then
    perform ensure_university_member(new.university_id, new.user_id);
  end if;
  -- From the person's earlier work there (course-progress.sql). Needs no lock: only enrolled people have progress.
  if tg_op = 'INSERT' then
    if exists (
      select from user_content_progress where user_id = new.user_id and course_offering_id = new.course_offering_id
    ) then
      select progress_percent, completed_items into percent, completed
      from course_progress_of_people(new.course_offering_id, array[new.user_id]);
    end if;
    insert into enrollment_progress (user_id, course_offering_id, progress_percent, completed_items)
    values (new.user_id, new.course_offering_id, percent, completed);
  end if;
  -- Updates the course's popularity (popularity.sql).
  if taken <> 0 then
    select course_id into course from course_offerings
    where id = coalesce(new.course_offering_id, old.course_offering_id);
    perform from course_popularity where course_id = course and subject_id is null for update;
    update course_popularity set enrollments = enrollments + taken where course_id = course;
  end if;
  -- Issues the certificate, unless already expired. A revoked one is not reissued.
  if tg_op <> 'DELETE' and new.status = 'completed' and new.completion_source <> 'self'
     and (tg_op = 'INSERT' or (new.status, new.completion_source) is distinct from (old.status, old.completion_source)) then
    moment := coalesce(new.completed_at, service_now());
    if not exists (
      select from certificate_settings where course_offering_id = new.course_offering_id and issuance = 'by_staff'
    ) and not coalesce(certificate_expiry(new.course_offering_id, moment, '{}') <= service_now(), false) then
      perform issue_missing_certificate_of_completion(new.user_id, new.course_offering_id, moment, '{}');
    end if;
  end if;
  -- A person who drops a seat leaves the offering's groups; before taking one, they had none.
  if tg_op = 'UPDATE' and new.is_admitted <> old.is_admitted then
    delete from offering_group_members
    where course_offering_id = new.course_offering_id and user_id = new.user_id and group_role = 'member';
  end if;
  return null;
end $$;

create or replace trigger enrollments_after_write
  after insert or update of status, completion_source, user_id, course_offering_id, university_id or delete on enrollments
  for each row execute function enrollments_after_write();
