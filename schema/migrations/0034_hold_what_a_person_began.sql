set local check_function_bodies = off;
--> statement-breakpoint
DROP INDEX "mail_outbox_due_at_index";
--> statement-breakpoint
CREATE INDEX "mail_outbox_turn_index" ON "mail_outbox" USING btree ((kind = 'notifications'),"due_at","id") WHERE ended_at is null;
--> statement-breakpoint
-- The announcements that are for a person and published by that moment: `readers_of`, seen from the reader.
create or replace function announcements_for(person integer, moment timestamptz) returns setof announcements
language sql stable as $$
  select said.* from announcements as said
  where said.published_at <= moment and said.course_offering_id in (
    select course_offering_id from enrollments where user_id = person and is_admitted
    union
    select course_offering_id from offering_teachers where user_id = person
  )
  union all
  select said.* from announcements as said
  where said.published_at <= moment and said.course_offering_id is null
    and said.university_id in (select known.university_id from known_at(person) as known)
$$;
--> statement-breakpoint
-- An attempt keeps the deadline with which it started. One that started without any gets one with its quiz or offering:
-- else whoever leaves it open would take the quiz for ever, and keep what is shown when it is due from everyone. Those
-- that are just being written are left out, since who writes them may wait for the offering.
create or replace function bound_open_attempts() returns trigger language plpgsql as $$
begin
  update quiz_attempts as mine set due_at = greatest(mine.started_at, bounded.due_at)
  from (
    select one.id, least(one.started_at + rules.time_limit, rules.closes_at) as due_at
    from quiz_attempts as one
    cross join lateral quiz_rules(one.content_item_id, one.course_offering_id, one.user_id) as rules
    where case tg_table_name when 'content_items' then one.content_item_id else one.course_offering_id end = new.id
      and one.submitted_at is null and one.due_at is null
    for update of one skip locked
  ) as bounded
  where mine.id = bounded.id and bounded.due_at is not null;
  return null;
end $$;
--> statement-breakpoint
-- Ends all tokens of a person, those that were sent by mail or are about to be too, and the secret address of their
-- calendar, which whoever was in the account may have kept; answers the version of the next.
create or replace function end_tokens(person integer) returns integer language plpgsql as $$
declare
  version integer;
begin
  update users set token_version = token_version + 1 where id = person returning token_version into version;
  delete from mail_outbox where user_id = person and kind = 'change_email' and ended_at is null;
  delete from one_time_tokens where user_id = person;
  delete from calendar_addresses where user_id = person;
  return version;
end $$;
--> statement-breakpoint
-- Offerings are found by the source's id, else by the code of the course and the term, as far as no other class has
-- them; else they are made, with their course where the university has none of that code. A course that is there stays
-- as it is, and nothing is deleted.
create or replace function import_offerings(import imports, batch bigint[])
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  one import_rows;
  offering integer;
  course integer;
begin
  for one in select * from import_rows where id = any (batch) order by id loop
    row_id := one.id;
    outcome := 'unchanged';
    reason := null;
    offering := (
      select course_offering_id from sourced_offerings
      where university_id = import.university_id and sourced_offerings.sourced_id = one.sourced_id);
    if one.is_deletion then
      if offering is not null then
        outcome := 'refused';
        reason := 'An import deletes no offering';
      end if;
      return next;
      continue;
    end if;
    if offering is null then
      offering := (
        select run.id from course_offerings as run join courses on courses.id = run.course_id
        where run.university_id = import.university_id and courses.code = one.details ->> 'course_code'
          and run.term_name is not distinct from one.details ->> 'term_name'
          and not exists (select from sourced_offerings where course_offering_id = run.id)
        order by run.id limit 1);
      if offering is null then
        insert into courses (university_id, code, title)
        values (import.university_id, one.details ->> 'course_code', one.details ->> 'course_title')
        on conflict (university_id, code) do nothing;
        course := (
          select id from courses where university_id = import.university_id and code = one.details ->> 'course_code');
        insert into course_offerings (course_id, university_id, term_name, starts_at, ends_at)
        values (course, import.university_id, one.details ->> 'term_name',
                (one.details ->> 'starts_at')::timestamptz, (one.details ->> 'ends_at')::timestamptz)
        returning id into offering;
        outcome := 'created';
      end if;
    end if;
    if exists (
      select from course_offerings as run
      where run.id = offering and coalesce((one.details ->> 'ends_at')::timestamptz, run.ends_at)
        <= coalesce((one.details ->> 'starts_at')::timestamptz, run.starts_at)
    ) then
      outcome := 'refused';
      reason := 'The offering would end before it begins';
      return next;
      continue;
    end if;
    insert into sourced_offerings (university_id, sourced_id, course_offering_id)
    values (import.university_id, one.sourced_id, offering) on conflict do nothing;
    if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    update course_offerings set
      term_name = coalesce(one.details ->> 'term_name', term_name),
      starts_at = coalesce((one.details ->> 'starts_at')::timestamptz, starts_at),
      ends_at = coalesce((one.details ->> 'ends_at')::timestamptz, ends_at),
      updated_at = service_now()
    where id = offering and (
      term_name is distinct from coalesce(one.details ->> 'term_name', term_name)
      or starts_at is distinct from coalesce((one.details ->> 'starts_at')::timestamptz, starts_at)
      or ends_at is distinct from coalesce((one.details ->> 'ends_at')::timestamptz, ends_at));
    if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- Those whom an announcement is for, its writer left out: who has a place in the offering or teaches it, or everyone of
-- the university.
create or replace function readers_of(said announcements) returns setof integer language sql stable as $$
  select reader.id from (
    select user_id from enrollments where course_offering_id = said.course_offering_id and is_admitted
    union
    select user_id from offering_teachers where course_offering_id = said.course_offering_id
    union
    select user_id from user_university_roles
    where said.course_offering_id is null and university_id = said.university_id
    union
    select user_id from enrollments where said.course_offering_id is null and university_id = said.university_id
  ) as addressed (id) join users as reader using (id)
  where reader.is_active and reader.id is distinct from said.created_by_user_id
$$;
--> statement-breakpoint
-- Moves an enrollment to another status, `wanted` null for none. The owner takes a place up, or waits for one, only as
-- if enrolling anew, leaves the waiting list for nothing but `dropped`, and completes it on their own word alone; staff
-- may overfill an offering, and confirm such a word. Whoever goes to the waiting list stands at its end, and a place that
-- is left goes to the next in line.
create or replace function set_enrollment_status(
  moved integer, wanted text, by_owner boolean, moment timestamptz
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  former text;
  confirms boolean;
begin
  perform keep_course(course_offering_id) from enrollments where id = moved;
  select course_offerings.* into run
  from enrollments join course_offerings on course_offerings.id = course_offering_id
  where enrollments.id = moved for no key update of course_offerings;
  select * into enrollment from enrollments where id = moved for no key update;
  former := enrollment.status;
  confirms := wanted = 'completed' and not by_owner and enrollment.completion_source = 'self';
  if wanted <> former and by_owner and former = 'waitlisted' and wanted <> 'dropped' then
    refusal := 'waiting';
  elsif wanted <> former and by_owner and (wanted = 'active' or wanted = 'waitlisted' and former <> 'active') then
    select * into refusal, missing from refusal_to_enroll(run, enrollment.user_id, moment);
    if refusal is distinct from 'not_open' then
      refusal := coalesce(refusal_of_mode(run, null), refusal);
    end if;
    if refusal is null and wanted = 'active' and is_full(run) then refusal := 'full'; end if;
  end if;
  if wanted <> former and wanted in ('active', 'pending', 'waitlisted') then
    refusal := coalesce(refusal_of_inactive(run.university_id, enrollment.user_id), refusal);
  end if;
  if (wanted <> former or confirms) and refusal is null then
    update enrollments set
      status = wanted,
      completed_at = case when wanted = 'completed' then coalesce(completed_at, moment) end,
      completion_source = case when wanted = 'completed' then case when by_owner then 'self' else 'staff' end end,
      enrolled_at = case when wanted = 'waitlisted' then end_of_waiting_list(run.id, moment)
                           else enrolled_at end
    where id = moved returning enrollments.* into enrollment;
    if former = 'active' then perform fill_places(run.id, moment, moved); end if;
  end if;
  waits_at := place_in_line(enrollment);
  return next;
end $$;
--> statement-breakpoint
-- Whether a person has a place in an offering, or teaches it.
create or replace function takes_part(person integer, offering integer) returns boolean language sql stable as $$
  select exists (
    select from enrollments where user_id = person and course_offering_id = offering and is_admitted
  ) or exists (
    select from offering_teachers where user_id = person and course_offering_id = offering
  )
$$;
--> statement-breakpoint
create or replace trigger bound_open_attempts after update of due_at, data_json on content_items
  for each row when ((new.due_at, new.data_json) is distinct from (old.due_at, old.data_json))
  execute function bound_open_attempts();
--> statement-breakpoint
create or replace trigger bound_open_attempts after update of ends_at on course_offerings
  for each row when (new.ends_at is distinct from old.ends_at) execute function bound_open_attempts();
--> statement-breakpoint
-- Who teaches offerings: those who are named, for as long as they hold a role of ta or above in the university.
create or replace view offering_teachers as
select teaching.user_id, teaching.course_offering_id
from course_offering_instructors as teaching join course_offerings as run on run.id = teaching.course_offering_id
where exists (
  select from user_university_roles as held
  where held.user_id = teaching.user_id and held.university_id = run.university_id and held.role <> 'student');
--> statement-breakpoint
set local check_function_bodies = on;
