set local check_function_bodies = off;
--> statement-breakpoint
drop function auto_grade_submission(integer,numeric,jsonb,timestamp with time zone,timestamp with time zone,jsonb);
--> statement-breakpoint
drop function gate_of_item(integer,integer,timestamp with time zone);
--> statement-breakpoint
drop function gate_of_module(integer,integer,timestamp with time zone,boolean,timestamp with time zone);
--> statement-breakpoint
drop function is_instructor_of_course(integer,integer);
--> statement-breakpoint
drop function regrade_quiz(integer,integer);
--> statement-breakpoint
CREATE TABLE "auto_grader_readers" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "auto_grader_readers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"secret_version" integer NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	"request_id" varchar(128),
	CONSTRAINT "auto_grader_readers_person_unique" UNIQUE("course_offering_id","content_item_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "auto_graders" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "auto_graders_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"secret_version" integer NOT NULL,
	"renewed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auto_graders_item_unique" UNIQUE("course_offering_id","content_item_id")
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "auto_grader_readers" ADD CONSTRAINT "auto_grader_readers_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "auto_grader_readers" ADD CONSTRAINT "auto_grader_readers_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "auto_grader_readers" ADD CONSTRAINT "auto_grader_readers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "auto_graders" ADD CONSTRAINT "auto_graders_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "auto_graders" ADD CONSTRAINT "auto_graders_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "auto_grader_readers_content_item_id_index" ON "auto_grader_readers" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "auto_grader_readers_user_id_index" ON "auto_grader_readers" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "auto_graders_content_item_id_index" ON "auto_graders" USING btree ("content_item_id");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted'));
--> statement-breakpoint
-- Gives a person who has its address what an invitation offers, as far as who made it may still give it. Answers why
-- not, and then gives nothing of it: `void` when it is none any more, or not theirs.
create or replace function accept_invitation(
  the_invitation integer, person integer, request jsonb, out refusal text, out missing text
) language plpgsql as $$
declare
  offer invitations;
begin
  perform hold_invited_places(array[the_invitation]);
  select * into offer from invitations
  where id = the_invitation and accepted_at is null and revoked_at is null and expires_at > sent_at(request)
  for update;
  if offer.id is null or not exists (
    select from users where id = person and is_active and email = offer.email
  ) then
    refusal := 'void';
  elsif not exists (select from users where id = offer.invited_by_user_id and is_active)
      or offer.role is not null
        and not may_grant(offer.invited_by_user_id, offer.role, offer.university_id, offer.department_id)
      or offer.course_offering_id is not null and not exists (
        select from course_offerings as run
        where run.id = offer.course_offering_id and case when offer.teaches
          then is_instructor_of_offering(offer.invited_by_user_id, run.id)
          else is_staff_of_offering(offer.invited_by_user_id, run.id) end) then
    refusal := 'withdrawn';
  elsif offer.course_offering_id is not null and not offer.teaches and not exists (
    select from enrollments
    where course_offering_id = offer.course_offering_id and user_id = person and status <> 'dropped'
  ) then
    select placed.refusal, placed.missing into refusal, missing
    from enroll(offer.course_offering_id, person, sent_at(request), null, offer.invited_by_user_id, false, request)
      as placed;
  end if;
  if refusal is not null then return; end if;
  if offer.role is not null then
    insert into user_university_roles (user_id, university_id, role, department_id)
    values (person, offer.university_id, offer.role, offer.department_id) on conflict do nothing;
    if found then
      perform audit('role.granted', offer.invited_by_user_id, person, offer.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', offer.role, 'department_id', offer.department_id, 'invitation_id', offer.id)),
        request);
    end if;
  end if;
  if offer.teaches then
    insert into course_offering_instructors (course_offering_id, user_id) values (offer.course_offering_id, person)
    on conflict do nothing;
  end if;
  update invitations set accepted_at = sent_at(request), accepted_by_user_id = person where id = offer.id;
end $$;
--> statement-breakpoint
-- Takes what an item's own grader says of a submission, at the moment at which it signed that. `outcome`: 'graded';
-- 'kept', where a person has graded it or it was returned; 'superseded', where a later word came before; or 'final',
-- where what is graded stays, 'too many points', 'renewed', where the secret has another version by now, or 'own'
-- for the work of someone who has read the secret and could have signed it. The same word again has the same outcome. No
-- row: it is gone.
create or replace function auto_grade_submission(
  the_submission integer, points numeric, details jsonb, signed_at timestamptz, signed_with integer, moment timestamptz,
  request jsonb
) returns table (outcome text, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
  graded lab_submissions;
  counted numeric;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  outcome := case
    when signed_with <> grader_version(former.course_offering_id, former.content_item_id) then 'renewed'
    when exists (
      select from auto_grader_readers as reader
      where reader.course_offering_id = former.course_offering_id
        and reader.content_item_id = former.content_item_id and reader.user_id = former.user_id
        and reader.secret_version = signed_with
    ) then 'own'
    when former.auto_graded_at > signed_at then 'superseded'
    when former.grade_source = 'hand' or former.status = 'returned' then 'kept'
    when former.auto_graded_at = signed_at then 'graded'
    when former.status <> 'submitted' and is_grade_final(former.course_offering_id, former.user_id) then 'final'
    when points > (bound -> 'most')::numeric then 'too many points'
    else 'graded'
  end;
  if outcome in ('graded', 'kept') and former.auto_graded_at is distinct from signed_at then
    update lab_submissions as one set auto_grade_json = details, auto_graded_at = signed_at
    where one.id = the_submission;
    if outcome = 'graded' then
      counted := hold_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
      update lab_submissions as one
      set status = 'graded', score_obtained = points, max_score = (bound -> 'points')::numeric, grade_source = 'auto',
          graded_at = moment
      where one.id = the_submission returning one.* into graded;
      perform note_grade_of_submission('submission_graded', former, graded, null, null, moment, request);
      perform outdate_final_grade(former.course_offering_id, former.user_id, former.content_item_id, counted);
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Gives a place, or one on the waiting list, and the student role to whoever has no role in the university.
-- A dropped enrollment is taken up again. Who has a seat elsewhere in the course and term may wait, and no more. No row:
-- the offering is gone.
--
-- With `staff` it is they who enroll the person, which the audit log is told with `request`: no key is asked for, and
-- where they override it, neither the window nor the prerequisites nor the capacity nor a seat elsewhere keep anyone
-- out; with `doubles` at least the seat elsewhere does not. For themselves they are nobody's staff: what keeps others out
-- keeps them out, and to override it is refused as 'own'.
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
  if staff = person then
    if overrides then
      refusal := 'own';
      return next;
      return;
    end if;
    staff := null;
    doubles := false;
  end if;
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
-- The same of a content item.
create or replace function gate_of_item(
  item integer, person integer, moment timestamptz, as_learner boolean default false
) returns text language sql stable as $$
  select gate_of_module(one.module_id, person, moment, one.is_active, one.available_from, as_learner)
  from content_items as one where one.id = item
$$;
--> statement-breakpoint
-- Why a person may not work with what is in a module at that moment: 'hidden', 'enrollment required', 'not available
-- yet'. Null when they may, as staff of the course always do, unless it is asked what stands before a learner. The person
-- is null for whoever is not signed in. An item may be inactive, or available later than its module.
create or replace function gate_of_module(
  the_module integer, person integer, moment timestamptz, is_active boolean default true,
  item_available_from timestamptz default null, as_learner boolean default false
) returns text language plpgsql stable as $$
declare
  course record;
  step record;
  above integer := the_module;
  required integer[] := '{}';
  starts timestamptz := item_available_from;
  is_shown boolean := is_active;
begin
  if the_module is null then return null; end if;
  -- A step at a time: most modules are below none, and a recursive query costs more to begin than this does to do.
  while above is not null loop
    select m.course_id, m.parent_module_id, m.is_published, m.available_from, m.requires_module_ids
    into step from modules as m where m.id = above;
    above := step.parent_module_id;
    is_shown := is_shown and step.is_published;
    starts := greatest(starts, step.available_from);
    required := required || step.requires_module_ids;
  end loop;
  select c.id, c.access, c.is_published into course from courses as c where c.id = step.course_id;
  is_shown := is_shown and course.is_published;
  return case
    -- Most is there for everyone, and nothing else is looked at.
    when is_shown and lock_reason(course.access <> 'open', starts, required, required, moment) is null then null
    when not as_learner and is_staff_of_course(person, course.id) then null
    when not is_shown then 'hidden'
    else case lock_reason(course.access <> 'open' and not has_place(person, course.id), starts, required,
        unmet_modules(person, course.id, required), moment)
      when 'enrollment_required' then 'enrollment required'
      when 'not_available_yet' then 'not available yet'
      when 'modules_incomplete' then 'not available yet' end
  end;
end $$;
--> statement-breakpoint
-- The same for whoever takes the item in an offering: staff who learn there begin no sooner than the others.
create or replace function gate_of_work(item integer, person integer, offering integer, moment timestamptz) returns text
language sql stable as $$
  select gate_of_item(item, person, moment, not is_staff_of_offering(person, offering))
$$;
--> statement-breakpoint
-- The version of the secret with which an item's own grader signs.
create or replace function grader_version(offering integer, item integer) returns integer language sql stable as $$
  select coalesce((
    select secret_version from auto_graders where course_offering_id = offering and content_item_id = item), 1)
$$;
--> statement-breakpoint
create or replace function is_instructor_of_offering(person integer, offering integer) returns boolean
language sql stable as $$
  select exists (select from roles_at_offering(person, offering) as held where held not in ('student', 'ta'))
$$;
--> statement-breakpoint
-- Whether an offering has ended: when it says, or else with the last day of its term.
create or replace function is_offering_over(offering course_offerings, moment timestamptz) returns boolean
language sql stable as $$
  select coalesce(moment >= coalesce(offering.ends_at, (
    select (terms.ends_on + 1)::timestamp at time zone home.time_zone
    from terms join universities as home on home.id = terms.university_id where terms.id = offering.term_id)), false)
$$;
--> statement-breakpoint
-- Whether a person is staff of an offering, as for the action `enrollment:manage`, and its instructor, as for
-- `offering:write`.
create or replace function is_staff_of_offering(person integer, offering integer) returns boolean
language sql stable as $$
  select exists (select from roles_at_offering(person, offering) as held where held <> 'student')
$$;
--> statement-breakpoint
-- Whether a person may still see a thread, and so be told what is said in it.
create or replace function is_thread_open_to(person integer, the_thread integer) returns boolean
language sql stable as $$
  select is_staff_of_offering(person, run.id) or (
    takes_part(person, run.id) and course.is_published
    and (thread.module_id is null or is_module_published(thread.module_id))
    and (thread.content_item_id is null or is_item_public(thread.content_item_id)))
  from discussion_threads as thread
  join course_offerings as run on run.id = thread.course_offering_id
  join courses as course on course.id = run.course_id
  where thread.id = the_thread
$$;
--> statement-breakpoint
-- Whether a person may read the secret of a course's graders, as for the action `auto-grader:read`: an instructor or above
-- who learns in no offering of it.
create or replace function may_read_graders(person integer, the_course integer) returns boolean
language sql stable as $$
  select exists (
    select from roles_at_course(person, the_course) as held
    where held not in ('student', 'ta') and (held <> 'instructor' or not exists (
      select from learners where user_id = person and course_id = the_course)))
$$;
--> statement-breakpoint
-- Notes that a final grade is outdated, where another score counts in an item than the one that did, and tells those who
-- teach the offering and who made it final, of an offering once a day.
create or replace function outdate_final_grade(offering integer, person integer, item integer, former numeric) returns void
language plpgsql as $$
declare
  moment timestamptz := service_now();
begin
  if former is null or former = hold_counted_score(offering, person, item) then return; end if;
  update course_grades set outdated_at = moment
  where course_offering_id = offering and user_id = person and outdated_at is null;
  if not found then return; end if;
  perform notify(array(
      select user_id from offering_teachers where course_offering_id = offering
      union
      select made.changed_by_user_id from (
        select changed_by_user_id from grade_changes
        where course_offering_id = offering and user_id = person and kind = 'finalized' order by id desc limit 1
      ) as made
      where is_instructor_of_offering(made.changed_by_user_id, offering)),
    'grade_outdated', 'outdated:' || offering || ':' || utc_day(moment), moment, offering => offering);
end $$;
--> statement-breakpoint
-- What `enroll` refuses, in words.
create or replace function refusal_in_words(refusal text, missing text) returns text language sql immutable as $$
  select case refusal when 'not_open' then 'Enrollment is not open' when 'full' then 'Offering is full'
                      when 'unmet_prerequisites' then 'Unmet prerequisites: ' || missing
                      when 'by_staff' then 'Enrollment is by staff' when 'wrong_key' then 'Wrong enrollment key'
                      when 'own' then 'Nobody overrides the rules for themselves' else refusal end
$$;
--> statement-breakpoint
-- Has the closed attempts at a quiz graded anew by what its questions say now, where they are still of the same kind;
-- answers how many. What their takers saw and answered stays, and so does an attempt of the regrader's own.
create or replace function regrade_quiz(the_item integer, the_offering integer, regrader integer) returns bigint
language sql as $$
  with chosen as (
    select id from quiz_attempts
    where content_item_id = the_item and course_offering_id = the_offering and submitted_at is not null
      and user_id <> regrader
    order by id for update
  ), keyed as (
    update quiz_attempt_questions as drawn set graded_version = current.version
    from chosen, questions as current, question_versions as shown
    where drawn.quiz_attempt_id = chosen.id and current.id = drawn.question_id
      and shown.question_id = drawn.question_id and shown.version = drawn.version and shown.kind = current.kind
      and drawn.graded_version <> current.version
    returning 1
  ), marked as (
    update quiz_attempts set awaits_grading = true from chosen
    where quiz_attempts.id = chosen.id and exists (
      select from quiz_attempt_questions where quiz_attempt_id = chosen.id)
    returning 1
  )
  select count(*) from marked
$$;
--> statement-breakpoint
-- Gives an item's own grader another secret, and answers its version: it waits for what was signed with the former one
-- and is being taken, and nothing is from then on. Of those who read the former one nothing is kept.
create or replace function renew_auto_grader(
  offering integer, item integer, renewer integer, moment timestamptz, request jsonb
) returns integer language plpgsql as $$
declare
  present integer;
begin
  perform hold_grades(offering);
  insert into auto_graders as one (course_offering_id, content_item_id, secret_version, renewed_at)
  values (offering, item, 2, moment)
  on conflict (course_offering_id, content_item_id) do update
    set secret_version = one.secret_version + 1, renewed_at = excluded.renewed_at
  returning one.secret_version into present;
  delete from auto_grader_readers where course_offering_id = offering and content_item_id = item;
  insert into auto_grader_readers (course_offering_id, content_item_id, user_id, secret_version, read_at, request_id)
  values (offering, item, renewer, present, moment, request ->> 'id')
  on conflict on constraint auto_grader_readers_person_unique do update
    set secret_version = excluded.secret_version, read_at = excluded.read_at, request_id = excluded.request_id;
  perform audit('auto_grader.renewed', renewer, null, run.university_id, jsonb_build_object(
    'course_offering_id', offering, 'content_item_id', item, 'version', present), request)
  from course_offerings as run where run.id = offering;
  return present;
end $$;
--> statement-breakpoint
-- The same in an offering, where those below a department_admin count for nothing while the person learns there.
create or replace function roles_at_offering(person integer, offering integer) returns setof text
language sql stable as $$
  select held from course_offerings as run cross join lateral roles_at_course(person, run.course_id) as held
  where run.id = offering and (held in ('department_admin', 'university_admin', 'platform_admin') or not exists (
    select from learners where user_id = person and course_offering_id = offering))
$$;
--> statement-breakpoint
-- Starts a person's next attempt at a quiz, or answers the one that is open. Its questions are drawn once, and with
-- them the order of everything. Starts of one person at one quiz wait for each other, in whatever offerings: what one
-- took is counted by the next. `refusal` says why there is none: one of `gate_of_work` (outline.sql), 'not enrolled',
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
  perform lock_item_type_shared(item);
  perform pg_advisory_xact_lock(hashtextextended('attempts of ' || person || ' at a quiz', item));
  select * into rules from quiz_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_work(item, person, offering, moment) is not null then gate_of_work(item, person, offering, moment)
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
-- Hands in a person's next attempt. The same again, while it waits for its grade, is answered as it is. `refusal` says
-- why there is none: one of `gate_of_work` (outline.sql), 'not enrolled', 'final', 'closed' or 'no attempt left'. What
-- was returned is no attempt that counts. What comes before a grade is final is seen by whoever makes it so.
create or replace function submit_work(
  person integer, offering integer, item integer, given jsonb, moment timestamptz, today date
) returns table (refusal text, is_new boolean, submission lab_submissions) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  work record;
begin
  is_new := false;
  perform keep_grades(offering);
  select * into rules from work_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_work(item, person, offering, moment) is not null then gate_of_work(item, person, offering, moment)
    when not exists (
      select from enrollments where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
    when is_grade_final(offering, person) then 'final'
  end;
  select * into work from jsonb_to_record(given) as one (body text, links text[], data_json jsonb, artifacts_url text);
  while refusal is null and not is_new loop
    select one.* into submission from lab_submissions as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
    order by one.attempt_number desc limit 1;
    if submission.status = 'submitted' and (submission.body, submission.links, submission.data_json, submission.artifacts_url)
         is not distinct from (work.body, work.links, work.data_json, work.artifacts_url::varchar) then
      return next;
      return;
    end if;
    refusal := case
      when not rules.takes_late and moment > rules.due_at then 'closed'
      when (
        select count(*) from lab_submissions
        where user_id = person and course_offering_id = offering and content_item_id = item and status <> 'returned'
      ) >= rules.most_attempts then 'no attempt left'
    end;
    if refusal is null then
      insert into lab_submissions as one (
        user_id, course_offering_id, content_item_id, attempt_number, submitted_at, due_at, is_late, body, links,
        data_json, artifacts_url)
      -- The next after the one that was looked at: where another came meanwhile, it takes this number.
      values (person, offering, item, coalesce(submission.attempt_number, 0) + 1, moment, rules.due_at,
        coalesce(moment > rules.due_at, false), work.body, work.links, work.data_json, work.artifacts_url)
      on conflict do nothing returning one.* into submission;
      is_new := found;
    end if;
  end loop;
  if refusal is null then
    perform begin_item(person, offering, item, moment, moment);
    perform record_activity(
      person, 'submitted', 'content_item', item, rules.university_id, item, offering, moment, today);
  else
    submission := null;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Who learns where, of which staff below a department_admin keep off meanwhile: whoever has a place or waits for one, also
-- on their own word alone that they are through; and who gave one up after an attempt, until the offering is over.
create or replace view learners as
  select mine.user_id, mine.course_offering_id, run.course_id
  from enrollments as mine join course_offerings as run on run.id = mine.course_offering_id
  where case mine.status
    when 'completed' then mine.completion_source = 'self'
    when 'dropped' then not is_offering_over(run, service_now()) and (exists (
        select from quiz_attempts as one
        where one.user_id = mine.user_id and one.course_offering_id = mine.course_offering_id
      ) or exists (
        select from lab_submissions as one
        where one.user_id = mine.user_id and one.course_offering_id = mine.course_offering_id))
    else true end;
--> statement-breakpoint
-- The pools of questions of what people learn: those of its courses, and those from which a quiz there draws.
create or replace view pools_of_learners as
  select mine.user_id, pool.id as question_pool_id
  from learners as mine join question_pools as pool on pool.course_id = mine.course_id
  union all
  select mine.user_id, pool_of_quiz(item.data_json)
  from learners as mine
  join content_items as item on item.course_id = mine.course_id
  join content_types as type on type.id = item.content_type_id and type.name = 'quiz'
  where pool_of_quiz(item.data_json) is not null;
--> statement-breakpoint
set local check_function_bodies = on;
