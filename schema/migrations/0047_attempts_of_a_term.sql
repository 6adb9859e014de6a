set local check_function_bodies = off;
--> statement-breakpoint
drop function enroll(integer,integer,timestamp with time zone,text,integer,boolean,jsonb);
--> statement-breakpoint
drop function set_enrollment_status(integer,text,boolean,timestamp with time zone);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted'));
--> statement-breakpoint
-- Whether the taker of an attempt may see its right answers: by the item's policy once it is over, once nobody can be
-- taking the quiz any more, or never. Not while they take an exam of the course, which may ask the same, nor for as long
-- as an attempt that counts would be the better for it.
create or replace function are_answers_shown(attempt quiz_attempts, moment timestamptz) returns boolean
language sql stable as $$
  select is_over(attempt, moment) and not is_under_exam(attempt.user_id, offering.course_id, moment) and case
           coalesce(item.data_json ->> 'show_answers', case when attempt.is_exam then 'after_due' else 'after_submit' end)
           when 'after_submit' then true
           when 'after_due' then coalesce(moment > due.at + quiz_grace(), false) and not exists (
             select from quiz_overrides as granted
             where granted.course_offering_id = offering.id and granted.content_item_id = item.id
               and moment <= granted.due_at + quiz_grace()
           ) and not exists (
             select from quiz_attempts as other
             where other.course_offering_id = offering.id and other.content_item_id = item.id
               and other.submitted_at is null and not is_over(other, moment)
           )
           else false
         end and not serves_another_attempt(attempt, moment)
  from content_items as item, course_offerings as offering, lateral (
    select coalesce(item.due_at, offering.ends_at) as at
  ) as due
  where item.id = attempt.content_item_id and offering.id = attempt.course_offering_id
$$;
--> statement-breakpoint
-- How many attempts at a quiz a person has taken, open ones included, as its limit in an offering counts them: those in
-- that offering and, where they count, in all others that run the course in the same term, whether the person is still
-- in them or not.
create or replace function attempts_taken(person integer, item integer, offering integer) returns integer
language sql stable as $$
  select count(*)::int
  from course_offerings as here
  join quiz_attempts as one on one.user_id = any (array[person]) and one.content_item_id = item
  join course_offerings as run on run.id = one.course_offering_id
  where here.id = offering and (run.id = here.id or is_same_term(here, run) and does_quiz_count(item, here.id))
$$;
--> statement-breakpoint
-- Whether a person can still do something at an item for a result: go on with an attempt that is open, or begin or hand
-- in another, which is not closed, while one is left and their grade is not final.
create or replace function can_be_tried(item integer, offering integer, person integer, moment timestamptz)
returns boolean language sql stable as $$
  select coalesce((
    select exists (
      select from quiz_attempts as one
      where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
        and one.submitted_at is null and not is_over(one, moment)
    ) or coalesce(moment < rules.closes_at, true)
      and coalesce(rules.most_attempts > attempts_taken(person, item, offering), true)
    from quiz_rules(item, offering, person) as rules
    union all
    select not is_grade_final(offering, person) and (rules.takes_late or coalesce(moment <= rules.due_at, true))
      and coalesce(rules.most_attempts > (
        select count(*) from lab_submissions as one
        where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
          and one.status <> 'returned'
      ), true)
    from work_rules(item, offering, person) as rules
  ), true)
$$;
--> statement-breakpoint
-- Completes a person's enrollment where that is earned. Of two last items that are completed at once, the second waits,
-- and sees the first.
create or replace function complete_enrollment(offering integer, person integer, moment timestamptz) returns void
language plpgsql as $$
declare
  former text;
begin
  perform pg_advisory_xact_lock(offering, person);
  if not exists (
    select from enrollments where course_offering_id = offering and user_id = person and is_admitted
      and (status = 'active' or completion_source = 'self')
  ) or not is_earned(offering, person) then return; end if;
  perform keep_course(offering);
  perform from course_offerings where id = offering for no key update;
  select status into former from enrollments
  where course_offering_id = offering and user_id = person and is_admitted
    and (status = 'active' or completion_source = 'self') for no key update;
  if not found then return; end if;
  update enrollments set status = 'completed', completion_source = 'result', completed_at = moment
  where course_offering_id = offering and user_id = person;
  if former = 'active' then perform free_place(offering, person, moment); end if;
end $$;
--> statement-breakpoint
-- Whether attempts at a quiz count in an offering: those at an exam, and at any other quiz that is part of a grade there.
-- That it is where staff have said how the offering is graded, and have put it into a group that has weight, or made no
-- groups. A practice that is in no such group, or in an offering of which nobody said how it is graded, is ungraded.
create or replace function does_quiz_count(item integer, offering integer) returns boolean language sql stable as $$
  select exists (select from content_items where id = item and data_json ->> 'quiz_mode' = 'exam') or exists (
    select from grading_schemes as scheme
    where scheme.course_offering_id = offering and (jsonb_array_length(scheme.groups) = 0 or exists (
      select from jsonb_array_elements(scheme.groups) as one
      where (one ->> 'weight')::numeric > 0 and one -> 'content_item_ids' @> to_jsonb(item)))
  )
$$;
--> statement-breakpoint
-- Gives a place, or one on the waiting list, and the student role to whoever has no role in the university.
-- A dropped enrollment is taken up again. Who has a seat elsewhere in the course and term may wait, and no more. No row:
-- the offering is gone.
--
-- With `staff` it is they who enroll the person, which the audit log is told with `request`: no key is asked for, and
-- where they override it, neither the window nor the prerequisites nor the capacity nor a seat elsewhere keep anyone
-- out; with `doubles` at least the seat elsewhere does not.
create or replace function enroll(
  offering integer, person integer, moment timestamptz, the_key text default null, staff integer default null,
  overrides boolean default false, request jsonb default null, doubles boolean default false
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  passed text;
  waits boolean;
  is_double boolean;
begin
  perform keep_course(offering);
  select * into run from course_offerings where id = offering for no key update;
  if not found then return; end if;
  select * into refusal, missing from refusal_to_enroll(run, person, moment);
  if staff is null and refusal is distinct from 'not_open' then
    refusal := coalesce(refusal_of_mode(run, the_key), refusal);
  end if;
  waits := is_full(run);
  if refusal is null and waits and is_list_closed(run, moment) then refusal := 'full'; end if;
  if overrides then
    passed := coalesce(refusal, case when waits then 'full' end);
    refusal := null;
    waits := false;
  end if;
  is_double := not waits and has_seat_elsewhere(run, person, moment);
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
  -- Which nobody overrides.
  refusal := coalesce(refusal_of_inactive(run.university_id, person), refusal);
  if refusal is null then
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
    waits_at := place_in_line(enrollment);
    if staff is not null then
      perform audit('enrollment.created', staff, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
        'course_offering_id', offering, 'override', overrides, 'passed', passed)), request);
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql.
create or replace function erase_account(person integer, version integer, keep_certificates boolean, request jsonb)
returns boolean language plpgsql as $$
declare
  own users;
  doomed integer[];
  moment timestamptz := (request ->> 'at')::timestamptz;
  left_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status = 'active' order by 1);
  -- Where they wait they may be given a place just now, and told so.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  -- Before the places, as whoever grades them has it.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person and status <> 'graded' order by id for update;
  perform hold_offerings(held_offerings);
  doomed := hold_own_words(person);
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  -- Nobody revokes or grades any of it while it is counted.
  perform from certificates where user_id = person order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  if keep_certificates then perform leave_certificates(person); end if;

  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  perform keep_statistics(person);
  perform leave_office(person);
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where actor_id = person or subject_id = person;
  -- The streak runs out by itself: until then the people who have one stay as many.
  update users set email = null, full_name = '', password_hash = null, email_verified_at = null, is_active = false,
    locale = default, time_zone = default, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_places(offering, moment) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Free places go to those who have waited longest, all of them where there is no capacity, and they are told;
-- `passed_over` is who has just gone back to waiting. Whoever is inactive, or has a seat elsewhere in the course and
-- term, keeps waiting, where they stand.
create or replace function fill_places(offering integer, moment timestamptz, passed_over integer default null)
returns void language sql as $$
  with placed as (
    update enrollments set status = 'active' where id in (
      select waiting.id from enrollments as waiting join course_offerings as run on run.id = waiting.course_offering_id
      where run.id = offering and waiting.status = 'waitlisted' and waiting.id is distinct from passed_over
        and not is_list_closed(run, moment)
        and refusal_of_inactive(waiting.university_id, waiting.user_id) is null
        and not has_seat_elsewhere(run, waiting.user_id, moment)
      order by waiting.enrolled_at, waiting.id
      limit (
        select capacity - least(capacity, places_taken(id)) from course_offerings where id = offering
      )
    )
    returning user_id
  )
  select notify(array_agg(user_id), 'place_obtained', 'place:' || offering || ':' || extract(epoch from moment), moment,
                offering)
  from placed having count(*) > 0
$$;
--> statement-breakpoint
-- Places that came free while a university or a person was inactive go to those who wait when it is active again.
create or replace function fill_places_again() returns trigger language plpgsql as $$
declare
  offerings integer[] := array(
    select distinct course_offering_id from enrollments
    where status = 'waitlisted' and case tg_table_name
      when 'universities' then university_id = new.id else user_id = new.id end
    order by 1);
begin
  perform hold_offerings(offerings);
  perform fill_places(offering, service_now()) from unnest(offerings) as offering;
  return null;
end $$;
--> statement-breakpoint
-- The place that a person leaves goes to the next in line, `passed_over` as above; and where they wait in the course
-- themselves they are passed over no more.
create or replace function free_place(offering integer, person integer, moment timestamptz, passed_over integer default null)
returns void language plpgsql as $$
begin
  perform fill_places(offering, moment, passed_over);
  perform fill_places(one.id, moment) from (
    select other.id
    from course_offerings as here join course_offerings as other on other.course_id = here.course_id
    join enrollments as waiting on waiting.course_offering_id = other.id
    where here.id = offering and other.id <> here.id and waiting.user_id = person and waiting.status = 'waitlisted'
    order by other.id
  ) as one;
end $$;
--> statement-breakpoint
-- Whether a person has a seat in another offering of the course and term: an active one, where neither of them is over.
create or replace function has_seat_elsewhere(offering course_offerings, person integer, moment timestamptz)
returns boolean language sql stable as $$
  select coalesce(moment <= offering.ends_at, true) and exists (
    select from enrollments as mine join course_offerings as other on other.id = mine.course_offering_id
    where mine.user_id = person and mine.status = 'active' and other.id <> offering.id
      and is_same_term(other, offering) and coalesce(moment <= other.ends_at, true)
  )
$$;
--> statement-breakpoint
-- Waits for whatever else changes what invitations name, in the order in which all others do.
create or replace function hold_invited_places(invited integer[]) returns void language plpgsql as $$
begin
  perform from universities where id in (select university_id from invitations where id = any (invited))
  order by id for key share;
  perform from departments where id in (select department_id from invitations where id = any (invited))
  order by id for key share;
  perform hold_offerings(array(select course_offering_id from invitations where id = any (invited)));
end $$;
--> statement-breakpoint
-- The same of several offerings, and these: first the courses, then the offerings, by their ids.
create or replace function hold_offerings(offerings integer[]) returns void language plpgsql as $$
begin
  perform keep_course(one.offering) from (
    select min(id) as offering from course_offerings where id = any (offerings) group by course_id order by course_id
  ) as one;
  perform from course_offerings where id = any (offerings) order by id for no key update;
end $$;
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
begin
  perform hold_offerings(array(select offering from imported_places(import, batch) where offering is not null));
  -- In one order, since whoever becomes a member is locked for it.
  joining := array(
    select one.person from import_batch(import, batch) as one
    where not exists (
      select from university_members as member
      where member.university_id = import.university_id and member.user_id = one.person));
  perform from users where id = any (joining) order by id for share;
  for asked in
    select one.*, place.offering, place.is_coming as offering_is_coming, one.details ->> 'as' = 'teacher' as teaches
    from import_batch(import, batch) as one join imported_places(import, batch) as place on place.row_id = one.row_id
    order by one.row_id
  loop
    row_id := asked.row_id;
    person := asked.person;
    outcome := 'refused';
    reason := case
      when asked.has_other_address then 'The person with this sourced_id has another e-mail address'
      when asked.person is null and not asked.is_coming then 'There is no such person'
      when asked.offering is null and not asked.offering_is_coming then 'The university has no such offering' end;
    if reason is not null then
      return next;
      continue;
    end if;
    if asked.person is null or asked.offering is null then
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
  perform hold_offerings(array(select course_offering_id from enrollments where id = any (places)));
  perform set_enrollment_status(place, 'dropped', false, sent_at(request)) from unnest(places) as place;
  delete from course_offering_instructors as teaching using course_offerings as run
  where teaching.user_id = person and run.id = teaching.course_offering_id and run.university_id = import.university_id;
  with gone as (
    delete from user_university_roles where user_id = person and university_id = import.university_id returning *
  ), audited as (
    insert into audit_events
      (action, actor_id, subject_id, university_id, details, occurred_at, request_id, from_address)
    select 'role.revoked', import.created_by_user_id, gone.user_id, gone.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', gone.role, 'department_id', gone.department_id, 'import_id', import.id)),
      sent_at(request), request ->> 'id', request ->> 'from'
    from gone
  )
  select count(*) into roles_left from gone;
  return roles_left > 0 or cardinality(places) > 0;
end $$;
--> statement-breakpoint
-- Whether two offerings run their course in one term: in the same one of the university or, where one of them names
-- none, at overlapping times; a date that is missing bounds nothing.
create or replace function is_same_term(one course_offerings, other course_offerings) returns boolean
language sql immutable as $$
  select one.course_id = other.course_id and case
    when one.id = other.id then true
    when one.term_id is not null and other.term_id is not null then one.term_id = other.term_id
    else coalesce(one.starts_at < other.ends_at, true) and coalesce(other.starts_at < one.ends_at, true)
  end
$$;
--> statement-breakpoint
-- A person's newest attempt at each item that they tried. `number` says which it is of the `most` that they have, which is
-- null without a limit: at a quiz with those in other offerings that are counted together; what was returned is no attempt
-- that counts, and the next takes its number. `state` is 'open', 'submitted', 'graded' or 'returned'. Of a quiz whose time
-- is up the score is missing until someone has closed it.
create or replace function item_attempts(offering integer, person integer, moment timestamptz)
returns table (item_id integer, number integer, most integer, score numeric, passed boolean, state text)
language sql stable as $$
  select tried.item_id, attempts_taken(person, tried.item_id, offering), rules.most_attempts,
         (tried.newest).score_obtained, (tried.newest).passed,
         case when not is_over(tried.newest, moment) then 'open'
              when (tried.newest).score_obtained is null then 'submitted' else 'graded' end
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one as newest
    from quiz_attempts as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral quiz_rules(tried.item_id, offering, person) as rules
  union all
  select tried.item_id, tried.number, rules.most_attempts, tried.score, null, tried.status
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one.score_obtained as score, one.status,
           (count(*) filter (where one.status <> 'returned') over (partition by one.content_item_id)
             + (one.status = 'returned')::int)::int as number
    from lab_submissions as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral work_rules(tried.item_id, offering, person) as rules
$$;
--> statement-breakpoint
-- When an item opens for those who may work with it: when it is available, with all modules above it. Null at any time.
create or replace function item_opens_at(item integer) returns timestamptz language sql stable as $$
  with recursive way (available_from, parent_module_id) as (
    select greatest(one.available_from, m.available_from), m.parent_module_id
    from content_items as one join modules as m on m.id = one.module_id where one.id = item
    union all
    select above.available_from, above.parent_module_id
    from way join modules as above on above.id = way.parent_module_id
  )
  select max(available_from) from way
$$;
--> statement-breakpoint
-- The active items that they have not completed, in modules that are published with all above them, but for those whose
-- newest work waits for its grade, and those at which nothing can be done any more. `place` is an item's way through the
-- tree. The first by it is the next, but for practice quizzes that count in no grade: they come when nothing else is left.
-- It is due when the person is granted or else when it, or else the nearest module above it that says so, is. `is_open`:
-- neither it nor a module above it is locked at that moment. It starts from the items, so that it costs what there is to
-- do, however large the tree is.
create or replace function items_to_do(offering integer, person integer, moment timestamptz)
returns table (
  item_id integer, module_id integer, place integer[], due_at timestamptz, is_open boolean, is_ungraded_practice boolean
) language sql stable as $$
  with recursive left_over as materialized (
    select item.id, item.module_id, item.sequence_index, item.due_at, item.available_from, item.course_id,
           type.name = 'quiz' and not does_quiz_count(item.id, run.id) as is_ungraded_practice
    from course_offerings as run
    join courses as course on course.id = run.course_id and course.is_published
    join content_items as item on item.course_id = run.course_id and item.is_active
    join content_types as type on type.id = item.content_type_id
    where run.id = offering and not exists (
      select from user_content_progress as mine
      where mine.user_id = person and mine.course_offering_id = run.id and mine.content_item_id = item.id
        and mine.completed_at is not null
    ) and not exists (
      select from lab_submissions as work
      where work.user_id = person and work.course_offering_id = run.id and work.content_item_id = item.id
        and work.status = 'submitted' and not exists (
          select from lab_submissions as newer
          where newer.user_id = person and newer.course_offering_id = run.id and newer.content_item_id = item.id
            and newer.attempt_number > work.attempt_number)
    ) and (not completes_by_result(type.name) or can_be_tried(item.id, run.id, person, moment))
  ), way (module_id, parent_module_id, place, due_at, available_from, required) as (
    select m.id, m.parent_module_id, array[m.sequence_index], m.due_at, m.available_from, m.requires_module_ids
    from (select distinct left_over.module_id from left_over) as own
    cross join lateral (select one.* from modules as one where one.id = own.module_id offset 0) as m
    where m.is_published
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place,
           coalesce(way.due_at, above.due_at), greatest(way.available_from, above.available_from),
           way.required || above.requires_module_ids
    from way
    cross join lateral (select one.* from modules as one where one.id = way.parent_module_id offset 0) as above
    where above.is_published
  ), whole as materialized (
    select * from way where way.parent_module_id is null
  ), asked (course_id, unmet) as materialized (
    select run.course_id, case when exists (select from whole where whole.required <> '{}')
      then unmet_modules(person, run.course_id, array(select distinct unnest(whole.required) from whole)) else '{}' end
    from course_offerings as run where run.id = offering
  )
  select left_over.id, left_over.module_id, whole.place || left_over.sequence_index,
         coalesce(granted.due_at, left_over.due_at, whole.due_at),
         lock_reason(false, greatest(left_over.available_from, whole.available_from), whole.required, asked.unmet, moment)
           is null, left_over.is_ungraded_practice
  from left_over join whole on whole.module_id = left_over.module_id cross join asked
  left join quiz_overrides as granted on granted.course_offering_id = offering
    and granted.content_item_id = left_over.id and granted.user_id = person
$$;
--> statement-breakpoint
-- Whoever takes or gives up a place keeps the course from being deleted first, and only then locks the offering and
-- the popularity: a deletion takes the course before both, so that the two never wait for each other. A person has a
-- seat in one offering of a course and term, and who gets a free one is known only once the offering is looked at: so
-- the changes of all offerings of a course come one after another.
create or replace function keep_course(offering integer) returns void language plpgsql as $$
declare
  course integer := (select course_id from course_offerings where id = offering);
begin
  perform from courses where id = course for key share;
  perform pg_advisory_xact_lock(hashtextextended('seats of a course', course));
end $$;
--> statement-breakpoint
-- The pool from which an item draws questions, if it is a quiz; by it an index finds the quizzes of a pool, so that the
-- body is bound when it is made.
create or replace function pool_of_quiz(data jsonb) returns integer language sql immutable parallel safe
  return case when jsonb_typeof(data -> 'question_pool_id') = 'number' then
    case when (data -> 'question_pool_id')::numeric between 1 and 2147483647
         then (data -> 'question_pool_id')::numeric::integer end end;
--> statement-breakpoint
-- How a quiz is for a person: what holds for them there, how many attempts they have taken, which one is open, and in
-- `refusal` why they cannot start or go on with one, in the words of `start_quiz_attempt`. No row: there is no such quiz.
create or replace function quiz_of_person(person integer, offering integer, item integer, moment timestamptz)
returns table (
  refusal text, is_exam boolean, passing_percent double precision, time_limit_seconds integer, closes_at timestamptz,
  max_attempts integer, attempts_taken integer, open_attempt_id integer
) language sql stable as $$
  select coalesce(gate_of_item(item, person, moment), case
           when not exists (
             select from enrollments
             where user_id = person and course_offering_id = offering and is_admitted
           ) then 'not enrolled'
           when open_one.id is not null then null
           when moment >= rules.closes_at then 'closed'
           when taken.count >= rules.most_attempts then 'no attempt left'
           when not exists (
             select from questions where question_pool_id = rules.question_pool_id and is_active
           ) then 'no questions'
         end),
         rules.is_exam, rules.passing_percent::float8, extract(epoch from rules.time_limit)::int, rules.closes_at,
         rules.most_attempts, taken.count, open_one.id
  from quiz_rules(item, offering, person) as rules
  cross join lateral attempts_taken(person, item, offering) as taken (count)
  left join lateral (
    select one.id from quiz_attempts as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
      and one.submitted_at is null and not is_over(one, moment)
  ) as open_one on true
$$;
--> statement-breakpoint
-- What holds for a person in a quiz: what its item says, and in its place what they are granted. Without a limit of
-- attempts an exam may be taken once, and a practice again and again; without a date an exam, like what shows its
-- answers when it is due, is due when the offering ends. No row: the offering's course has no such quiz.
create or replace function quiz_rules(the_item integer, the_offering integer, person integer)
returns table (
  question_pool_id integer, university_id integer, is_exam boolean, is_random boolean, draws integer,
  time_limit interval, closes_at timestamptz, most_attempts integer, passing_percent numeric, correct_in_row integer
) language sql stable as $$
  select pool_of_quiz(data), offering.university_id,
         coalesce(data ->> 'quiz_mode' = 'exam', false), data -> 'randomize_order' = 'true',
         coalesce(clamped(json_number(data -> 'num_questions_per_attempt'), 1, 100), 100)::int,
         seconds * interval '1 second',
         coalesce(granted.due_at,
                  item.due_at,
                  case when data ->> 'quiz_mode' = 'exam' or data ->> 'show_answers' = 'after_due'
                       then offering.ends_at end),
         coalesce(granted.max_attempts,
                  clamped(json_number(data #> '{mastery,max_attempts}'), 1, 1000000)::int,
                  case data ->> 'quiz_mode' when 'exam' then 1 end),
         coalesce(clamped(json_number(data -> 'passing_percent'), 0, 100), 60),
         clamped(json_number(data #> '{mastery,threshold_correct_in_row}'), 0, 100)::int
  from course_offerings as offering
  join content_items as item on item.id = the_item and item.course_id = offering.course_id
  join content_types as type on type.id = item.content_type_id and type.name = 'quiz'
  left join quiz_overrides as granted
    on granted.course_offering_id = offering.id and granted.content_item_id = item.id and granted.user_id = person
  cross join lateral (
    select item.data_json as data, coalesce(
      granted.time_limit_seconds,
      case when json_number(item.data_json -> 'time_limit_seconds') > 0
           then least(31536000, json_number(item.data_json -> 'time_limit_seconds')) end)::int as seconds
  ) as stated
  where offering.id = the_offering
$$;
--> statement-breakpoint
-- Whether the right answers of an attempt would serve its taker in another that counts, and is or can be under way: at
-- the same quiz, or at one that has opened and draws from a pool of the same questions, in an offering in which they are
-- enrolled. Any enrollment is one: who has given a seat up may take it again. After a final grade nothing counts.
create or replace function serves_another_attempt(attempt quiz_attempts, moment timestamptz) returns boolean
language sql stable as $$
  select exists (
    select
    from (
      select item.id, item.course_id
      from (
        select distinct asked.question_pool_id as id
        from quiz_attempt_questions as drawn join questions as asked on asked.id = drawn.question_id
        where drawn.quiz_attempt_id = attempt.id
      ) as pool
      join content_items as item on pool_of_quiz(item.data_json) = pool.id
      union
      select own.id, own.course_id from content_items as own where own.id = attempt.content_item_id
    ) as quiz
    join course_offerings as run on run.course_id = quiz.course_id
    join enrollments as mine on mine.course_offering_id = run.id and mine.user_id = attempt.user_id
    where does_quiz_count(quiz.id, run.id) and not is_grade_final(run.id, attempt.user_id)
      and can_be_tried(quiz.id, run.id, attempt.user_id, moment)
      and (quiz.id = attempt.content_item_id
        or is_item_public(quiz.id) and coalesce(item_opens_at(quiz.id) <= moment, true))
  )
$$;
--> statement-breakpoint
-- Moves an enrollment to another status, `wanted` null for none. The owner takes a place up, or waits for one, only as
-- if enrolling anew, leaves the waiting list for nothing but `dropped`, and completes it on their own word alone; staff
-- may overfill an offering, and confirm such a word, and give a second seat in a course and term, which the audit log is
-- told with `staff` and `request`. Whoever goes to the waiting list stands at its end, and a place that is left goes to
-- the next in line.
create or replace function set_enrollment_status(
  moved integer, wanted text, by_owner boolean, moment timestamptz, staff integer default null,
  request jsonb default null
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  former text;
  confirms boolean;
  is_double boolean;
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
  is_double := wanted = 'active' and former <> 'active' and has_seat_elsewhere(run, enrollment.user_id, moment);
  if is_double and by_owner then refusal := coalesce(refusal, 'enrolled_in_course'); end if;
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
    if former = 'active' then perform free_place(run.id, enrollment.user_id, moment, moved); end if;
    if is_double then
      perform audit('enrollment.changed', staff, enrollment.user_id, run.university_id, jsonb_build_object(
        'course_offering_id', run.id, 'status', wanted, 'passed', 'enrolled_in_course'), request);
    end if;
  end if;
  waits_at := place_in_line(enrollment);
  return next;
end $$;
--> statement-breakpoint
-- Starts a person's next attempt at a quiz, or answers the one that is open. Its questions are drawn once, and with
-- them the order of everything. Starts of one person at one quiz wait for each other, in whatever offerings: what one
-- took is counted by the next. `refusal` says why there is none: one of `gate_of_item` (outline.sql), 'not enrolled',
-- 'closed', 'no attempt left' or 'no questions'.
create or replace function start_quiz_attempt(
  person integer, offering integer, item integer, moment timestamptz, today date
) returns table (refusal text, is_new boolean, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  mine quiz_attempts;
begin
  is_new := false;
  perform pg_advisory_xact_lock(hashtextextended('attempts of ' || person || ' at a quiz', item));
  select * into rules from quiz_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_item(item, person, moment) is not null then gate_of_item(item, person, moment)
    when not exists (
      select from enrollments
      where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
  end;
  if refusal is null then
    select * into mine from quiz_attempts as one
    where user_id = person and course_offering_id = offering and content_item_id = item and submitted_at is null;
    if found and not is_over(mine, moment) then
      attempt := quiz_attempt_with_keys(mine, moment);
      return next;
      return;
    end if;
    perform close_quiz_attempt(mine.id, moment);
    refusal := case
      when moment >= rules.closes_at then 'closed'
      when attempts_taken(person, item, offering) >= rules.most_attempts then 'no attempt left'
      when not exists (
        select from questions where question_pool_id = rules.question_pool_id and is_active
      ) then 'no questions'
    end;
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  is_new := true;
  insert into quiz_attempts (
    user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at, due_at, passing_percent,
    correct_in_row)
  select person, offering, item, coalesce(max(attempt_number), 0) + 1, rules.is_exam, moment,
         least(moment + rules.time_limit, rules.closes_at), rules.passing_percent, rules.correct_in_row
  from quiz_attempts where user_id = person and course_offering_id = offering and content_item_id = item
  returning * into mine;
  insert into quiz_attempt_questions (quiz_attempt_id, position, question_id, version, graded_version, option_ids)
  select mine.id, row_number() over (order by place, id), id, version, version, (
      select array_agg(option.value ->> 'id' order by case when rules.is_random then random() end, option.number)
      from jsonb_array_elements(options_json) with ordinality as option (value, number))
  from (
    select id, version, options_json, case when rules.is_random then random() end as place
    from questions where question_pool_id = rules.question_pool_id and is_active
    order by random() limit rules.draws
  ) as chosen;
  update quiz_attempts set max_score = (
    select sum(points)
    from quiz_attempt_questions as drawn join question_versions as asked using (question_id, version)
    where drawn.quiz_attempt_id = mine.id
  ) where id = mine.id returning * into mine;
  perform begin_item(person, offering, item, moment, moment);
  perform record_activity(person, 'attempted', 'content_item', item, rules.university_id, item, offering, moment, today);
  attempt := quiz_attempt_with_keys(mine, moment);
  return next;
end $$;
--> statement-breakpoint
CREATE INDEX "content_items_pool_index" ON "content_items" USING btree (pool_of_quiz("data_json")) WHERE pool_of_quiz("content_items"."data_json") is not null;
--> statement-breakpoint
set local check_function_bodies = on;
