set local check_function_bodies = off;
--> statement-breakpoint
drop trigger course_offerings_fill_places on course_offerings;
--> statement-breakpoint
drop function course_offerings_fill_places();
--> statement-breakpoint
drop function enroll(integer,integer,timestamp with time zone);
--> statement-breakpoint
drop function fill_places(integer,integer);
--> statement-breakpoint
drop function is_item_open(integer,integer);
--> statement-breakpoint
drop function percent_of_course(integer,integer);
--> statement-breakpoint
CREATE TABLE "course_exemptions" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_exemptions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"prerequisite_course_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"granted_by_user_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "course_exemptions_unique" UNIQUE("course_id","prerequisite_course_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "content_items" ADD COLUMN "available_from" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "content_items" ADD COLUMN "due_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "courses" ADD COLUMN "access" text DEFAULT 'open' NOT NULL;
--> statement-breakpoint
ALTER TABLE "enrollments" ADD COLUMN "completion_source" text;
--> statement-breakpoint
ALTER TABLE "enrollments" ADD COLUMN "is_admitted" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
-- Who completed an enrollment was not kept until now: what is completed counts on, as by the staff's word.
UPDATE "enrollments" SET "is_admitted" = true, "completion_source" = CASE WHEN "status" = 'completed' THEN 'staff' END
  WHERE "status" IN ('active', 'completed');
--> statement-breakpoint
ALTER TABLE "modules" ADD COLUMN "available_from" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "modules" ADD COLUMN "due_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "modules" ADD COLUMN "requires_module_ids" integer[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "course_offerings" ADD COLUMN "enrollment_mode" text DEFAULT 'open' NOT NULL;
--> statement-breakpoint
ALTER TABLE "course_offerings" ADD COLUMN "enrollment_key" varchar(128);
--> statement-breakpoint
ALTER TABLE "course_offerings" ADD COLUMN "completion_rule" text DEFAULT 'all_items' NOT NULL;
--> statement-breakpoint
ALTER TABLE "course_exemptions" ADD CONSTRAINT "course_exemptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "course_exemptions" ADD CONSTRAINT "course_exemptions_granted_by_user_id_users_id_fk" FOREIGN KEY ("granted_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "course_exemptions" ADD CONSTRAINT "course_exemptions_prerequisite_fk" FOREIGN KEY ("prerequisite_course_id","course_id") REFERENCES "public"."course_prerequisites"("prerequisite_course_id","course_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "course_exemptions_prerequisite_course_id_course_id_index" ON "course_exemptions" USING btree ("prerequisite_course_id","course_id");
--> statement-breakpoint
CREATE INDEX "course_exemptions_user_id_index" ON "course_exemptions" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "course_exemptions_granted_by_user_id_index" ON "course_exemptions" USING btree ("granted_by_user_id");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'enrollment.created', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted'));
--> statement-breakpoint
ALTER TABLE "content_items" ADD CONSTRAINT "content_items_due_at_check" CHECK ("content_items"."due_at" > "content_items"."available_from");
--> statement-breakpoint
ALTER TABLE "courses" ADD CONSTRAINT "courses_access_check" CHECK ("courses"."access" in ('open', 'enrolled'));
--> statement-breakpoint
ALTER TABLE "enrollments" ADD CONSTRAINT "enrollments_completion_source_check" CHECK ("enrollments"."completion_source" in ('self', 'staff', 'result'));
--> statement-breakpoint
ALTER TABLE "enrollments" ADD CONSTRAINT "enrollments_completion_check" CHECK (("enrollments"."status" = 'completed') = ("enrollments"."completion_source" is not null));
--> statement-breakpoint
ALTER TABLE "modules" ADD CONSTRAINT "modules_due_at_check" CHECK ("modules"."due_at" > "modules"."available_from");
--> statement-breakpoint
ALTER TABLE "course_offerings" ADD CONSTRAINT "course_offerings_enrollment_mode_check" CHECK ("course_offerings"."enrollment_mode" in ('open', 'key', 'staff'));
--> statement-breakpoint
ALTER TABLE "course_offerings" ADD CONSTRAINT "course_offerings_completion_rule_check" CHECK ("course_offerings"."completion_rule" in ('all_items', 'manual'));
--> statement-breakpoint
ALTER TABLE "course_offerings" ADD CONSTRAINT "course_offerings_enrollment_key_check" CHECK ("course_offerings"."enrollment_mode" <> 'key' or "course_offerings"."enrollment_key" is not null);
--> statement-breakpoint
-- Whoever begins an item begins its module, and those above: first, since progress in a module is written before the
-- person's streak, and what is written in two orders would wait for each other.
create or replace function begin_modules() returns trigger language plpgsql as $$
begin
  if exists (
    select from user_content_progress where user_id = new.user_id
      and course_offering_id = new.course_offering_id and content_item_id = new.content_item_id
  ) then return new; end if;
  insert into user_module_progress (user_id, course_offering_id, module_id, started_at)
  with recursive path as (
    select m.id, m.parent_module_id from content_items as item join modules as m on m.id = item.module_id
    where item.id = new.content_item_id
    union all
    select above.id, above.parent_module_id from path join modules as above on above.id = path.parent_module_id
  )
  select new.user_id, new.course_offering_id, id, new.first_started_at from path order by id
  on conflict on constraint user_module_progress_unique do nothing;
  return new;
end $$;
--> statement-breakpoint
create or replace function complete_by_grade() returns trigger language plpgsql as $$
begin
  perform complete_enrollment(new.course_offering_id, new.user_id, new.graded_at);
  return null;
end $$;
--> statement-breakpoint
create or replace function complete_by_items() returns trigger language plpgsql as $$
begin
  perform complete_enrollment(new.course_offering_id, new.user_id, new.last_interacted_at);
  return null;
end $$;
--> statement-breakpoint
-- Of an item that takes a result, nothing that is posted says that it is complete.
create or replace function complete_by_result_alone() returns trigger language plpgsql as $$
begin
  if completes_by_result(type_of_item(new.content_item_id)) then
    new.completed_at := result_moment(new.course_offering_id, new.user_id, new.content_item_id);
  end if;
  return new;
end $$;
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
  if former = 'active' then perform fill_places(offering, moment); end if;
end $$;
--> statement-breakpoint
-- Whether items of a type are complete by a result alone: a quiz that was passed, work that was graded.
create or replace function completes_by_result(content_type text) returns boolean language sql immutable as $$
  select content_type in ('quiz', 'engineering_lab', 'assignment')
$$;
--> statement-breakpoint
-- All trees of a noted course are noted. What was counted of a course goes with it, also from the sums of all courses.
create or replace function count_courses() returns void language sql as $$
  with noted as (
    delete from uncounted_courses returning course_id
  ), walked as (
    insert into uncounted_trees
    select p.course_offering_id, p.user_id
    from noted
    join course_offerings as o using (course_id)
    join user_module_progress as p on p.course_offering_id = o.id
    union
    select p.course_offering_id, p.user_id
    from noted
    join course_offerings as o using (course_id)
    join user_content_progress as p on p.course_offering_id = o.id
  ), gone as (
    delete from report_totals as total using (select distinct course_id from noted) as course
    where total.course_id = course.course_id and not exists (select from courses where id = course.course_id)
    returning total.*
  )
  insert into uncounted_changes select measure, null, day, since, -amount from gone
$$;
--> statement-breakpoint
-- What progress in an item counts for: what was completed stays whole, and without a result there is none by it.
create or replace function counted_percent(percent numeric, completed timestamptz, by_result boolean) returns numeric
language sql immutable as $$
  select case when completed is not null then 100 when by_result then 0 else coalesce(percent, 0) end
$$;
--> statement-breakpoint
-- The items of a course that count: active ones, in and below nothing but published modules. It looks at the ways up
-- from the items, however many modules there are beside them: `offset 0` keeps them from being read as a whole.
create or replace function counting_items(the_course integer)
returns table (item_id integer, module_id integer, by_result boolean) language sql stable as $$
  with recursive way as (
    select own.module_id, m.parent_module_id, m.is_published
    from (
      select distinct item.module_id from content_items as item where item.course_id = the_course and item.is_active
    ) as own
    cross join lateral (
      select one.parent_module_id, one.is_published from modules as one where one.id = own.module_id offset 0
    ) as m
    union all
    select way.module_id, above.parent_module_id, above.is_published
    from way
    cross join lateral (
      select one.parent_module_id, one.is_published from modules as one where one.id = way.parent_module_id offset 0
    ) as above
    where way.is_published
  )
  select item.id, item.module_id, completes_by_result(type.name)
  from content_items as item join content_types as type on type.id = item.content_type_id
  where item.course_id = the_course and item.is_active
    and item.module_id in (select way.module_id from way group by way.module_id having bool_and(way.is_published))
$$;
--> statement-breakpoint
-- A completion on someone's own word counts for nothing: they are as they were before it.
create or replace function counts_of(one enrollments) returns setof uncounted_changes language sql stable as $$
  select measure, o.course_id, day, null::date, 1::numeric
  from course_offerings as o
  cross join (values ('enrollments_' || case when one.completion_source = 'self' then 'active' else one.status end, null), ('drops', utc_day(one.dropped_at))) as counted (measure, day)
  where o.id = one.course_offering_id and (measure <> 'drops' or day is not null)
$$;
--> statement-breakpoint
-- How much of the whole course a person has done, from 0 to 100: the mean of all items that count.
create or replace function course_progress(offering integer, person integer) returns numeric language sql stable as $$
  select coalesce(cut_percent(avg(percent)), 0)
  from item_progress(offering, person)
$$;
--> statement-breakpoint
-- The offering in which a person takes a course: the one that they enrolled in last and did not drop.
create or replace function current_offering(person integer, the_course integer) returns integer language sql stable as $$
  select run.id from enrollments join course_offerings as run on run.id = course_offering_id
  where user_id = person and status <> 'dropped' and run.course_id = the_course
  order by enrolled_at desc, enrollments.id desc limit 1
$$;
--> statement-breakpoint
-- Percentages are cut to two decimals, so that 100, or any bound, is never reached before it is.
create or replace function cut_percent(percent numeric) returns numeric language sql immutable as $$
  select trunc(round(percent, 6), 2)
$$;
--> statement-breakpoint
-- Gives a place, or one on the waiting list, and the student role to whoever has no role in the university.
-- A dropped enrollment is taken up again. No row: the offering is gone.
--
-- With `staff` it is they who enroll the person, which the audit log is told with `request`: no key is asked for, and
-- where they override it, neither the window nor the prerequisites nor the capacity keep anyone out.
create or replace function enroll(
  offering integer, person integer, moment timestamptz, the_key text default null, staff integer default null,
  overrides boolean default false, request jsonb default null
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  passed text;
  waits boolean;
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
  if refusal is distinct from 'not_open' and exists (
    select from enrollments
    where course_offering_id = offering and user_id = person and status <> 'dropped'
  ) then
    refusal := 'already_enrolled';
  end if;
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
-- Whoever writes, what is completed says by whom, by the staff unless it is said, and what is not says nothing of it.
create or replace function enrollments_keep_completion() returns trigger language plpgsql as $$
begin
  new.completion_source := case when new.status = 'completed' then coalesce(new.completion_source, 'staff') end;
  new.is_admitted := new.status = 'active' or coalesce(
    new.completion_source <> 'self' or (new.completion_source = 'self' and tg_op = 'UPDATE' and old.is_admitted), false);
  return new;
end $$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql.
create or replace function erase_account(person integer, version integer, keep_certificates boolean, request jsonb)
returns boolean language plpgsql as $$
declare
  own users;
  doomed integer[];
  left_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status = 'active' order by 1);
begin
  perform keep_course(offering) from unnest(left_offerings) as offering;
  perform from course_offerings where id = any (left_offerings) order by id for no key update;
  doomed := hold_own_words(person);
  perform lock_totals();
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  -- What happened is counted before it goes, and what is counted stays.
  while (select is_behind from count_some_events()) loop end loop;
  while count_messages(20000) >= 20000 loop end loop;
  perform count_trees(null);
  perform set_config('learning.erasing', 'on', true);

  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  perform leave_discussions(person);
  if not keep_certificates then delete from certificates where user_id = person; end if;
  delete from course_trees where user_id = person;
  delete from mail_outbox where address = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where actor_id = person or subject_id = person;
  delete from users where id = person;
  delete from uncounted_trees where user_id = person;

  perform set_config('learning.erasing', 'off', true);
  perform fill_places(offering, (request ->> 'at')::timestamptz) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Free places go to those who have waited longest, all of them where there is no capacity; `passed_over` is who has
-- just gone back to waiting.
create or replace function fill_places(offering integer, moment timestamptz, passed_over integer default null)
returns void language sql as $$
  update enrollments set status = 'active' where id in (
    select id from enrollments
    where course_offering_id = offering and status = 'waitlisted' and id is distinct from passed_over
      and not (select is_list_closed(run, moment) from course_offerings as run where run.id = offering)
    order by enrolled_at, id
    limit (
      select capacity - least(capacity, (
        select count(*) from enrollments where course_offering_id = offering and status = 'active'
      )) from course_offerings where id = offering
    )
  )
$$;
--> statement-breakpoint
-- The same of a content item.
create or replace function gate_of_item(item integer, person integer, moment timestamptz) returns text
language sql stable as $$
  select gate_of_module(one.module_id, person, moment, one.is_active, one.available_from)
  from content_items as one where one.id = item
$$;
--> statement-breakpoint
-- Why a person may not work with what is in a module at that moment: 'hidden', 'enrollment required', 'not available
-- yet'. Null when they may, as staff of the course always do. The person is null for whoever is not signed in. An item
-- may be inactive, or available later than its module.
create or replace function gate_of_module(
  the_module integer, person integer, moment timestamptz, is_active boolean default true,
  item_available_from timestamptz default null
) returns text language plpgsql stable as $$
declare
  course record;
  way record;
begin
  select c.id, c.access, c.is_published into course
  from modules as m join courses as c on c.id = m.course_id where m.id = the_module;
  with recursive path as (
    select m.parent_module_id, m.is_published, m.available_from, m.requires_module_ids
    from modules as m where m.id = the_module
    union all
    select above.parent_module_id, above.is_published, above.available_from, above.requires_module_ids
    from modules as above join path on above.id = path.parent_module_id
  )
  select bool_and(path.is_published) and course.is_published and is_active as is_shown,
         coalesce(greatest(max(path.available_from), item_available_from) > moment, false) as is_early,
         array(select id from path as step cross join lateral unnest(step.requires_module_ids) as required (id)) as required
  into way from path;
  return case
    -- Most is there for everyone, and nothing else is looked at.
    when way.is_shown and course.access = 'open' and way.required = '{}' and not way.is_early then null
    when is_staff_of_course(person, course.id) then null
    when not way.is_shown then 'hidden'
    when course.access <> 'open' and not has_place(person, course.id) then 'enrollment required'
    when way.is_early or unmet_modules(person, course.id, way.required) <> '{}' then 'not available yet'
  end;
end $$;
--> statement-breakpoint
-- Whether a person's grade lets them complete an offering: one that is graded has to be final and passed.
create or replace function grade_allows(offering integer, person integer) returns boolean language sql stable as $$
  select not exists (select from course_grades where course_offering_id = offering)
    or exists (
      select from course_grades
      where course_offering_id = offering and user_id = person and graded_at is not null and passed
    )
$$;
--> statement-breakpoint
-- Whether a person has a place in a course, or completed it from one.
create or replace function has_place(person integer, the_course integer) returns boolean language sql stable as $$
  select exists (
    select from enrollments join course_offerings as run on run.id = course_offering_id
    where user_id = person and is_admitted and run.course_id = the_course
  )
$$;
--> statement-breakpoint
-- Whether the offering's rule of completion holds for a person.
create or replace function is_earned(offering integer, person integer) returns boolean language sql stable as $$
  select coalesce((select completion_rule = 'all_items' from course_offerings where id = offering), false)
    and (select coalesce(bool_and(completed_at is not null), false) from item_progress(offering, person))
    and grade_allows(offering, person)
$$;
--> statement-breakpoint
-- After the last moment of enrollment, or of the offering itself, nobody comes up from the waiting list any more.
create or replace function is_list_closed(offering course_offerings, moment timestamptz) returns boolean
language sql immutable as $$
  select coalesce(moment > offering.enrollment_end, false) or coalesce(moment > offering.ends_at, false)
$$;
--> statement-breakpoint
-- The same of an offering's course, and how a person stands with each.
create or replace function item_progress(offering integer, person integer)
returns table (item_id integer, module_id integer, percent numeric, started_at timestamptz, completed_at timestamptz)
language sql stable as $$
  select item.item_id, item.module_id,
         counted_percent(mine.progress_percent, mine.completed_at, item.by_result),
         mine.first_started_at, mine.completed_at
  from course_offerings as run
  cross join lateral counting_items(run.course_id) as item
  left join user_content_progress as mine
    on mine.course_offering_id = run.id and mine.user_id = person and mine.content_item_id = item.item_id
  where run.id = offering
$$;
--> statement-breakpoint
-- Whether the course has a published module without items in or below it that the person has not posted as complete.
create or replace function lacks_a_module(the_course integer, offering integer, person integer) returns boolean
language sql stable as $$
  with recursive shown as (
    select m.id from modules as m
    where m.course_id = the_course and m.parent_module_id is null and m.is_published
    union all
    select below.id from shown join modules as below on below.parent_module_id = shown.id and below.is_published
  ), filled as (
    select m.id, m.parent_module_id from modules as m
    where m.id in (select item.module_id from counting_items(the_course) as item)
    union
    select above.id, above.parent_module_id from filled join modules as above on above.id = filled.parent_module_id
  )
  select exists (
    select from shown
    where shown.id not in (select filled.id from filled) and not exists (
      select from user_module_progress as posted
      where posted.course_offering_id = offering and posted.user_id = person and posted.module_id = shown.id
        and posted.completed_at is not null
    )
  )
$$;
--> statement-breakpoint
-- The same of each module that has items in or below it: the mean of its own items and of the modules right below. It
-- is complete when all items in and below it are. An item's share in a module is what the ways down to it leave of it.
create or replace function module_progress(offering integer, person integer)
returns table (module_id integer, computed_percent numeric, completed_at timestamptz) language sql stable as $$
  with recursive item as materialized (
    select * from item_progress(offering, person)
  ), filled as (
    select m.id, m.parent_module_id
    from (select distinct item.module_id from item) as own
    cross join lateral (
      select one.id, one.parent_module_id from modules as one where one.id = own.module_id offset 0
    ) as m
    union
    select above.id, above.parent_module_id
    from filled
    cross join lateral (
      select one.id, one.parent_module_id from modules as one where one.id = filled.parent_module_id offset 0
    ) as above
  ), counted as materialized (
    select one.id, one.parent_module_id,
           (select count(*) from item where item.module_id = one.id)
             + (select count(*) from filled as below where below.parent_module_id = one.id) as parts
    from filled as one
  ), share as (
    select id as module_id, id as part_id, 1::numeric / parts as weight from counted
    union all
    select share.module_id, below.id, share.weight / below.parts
    from share join counted as below on below.parent_module_id = share.part_id
  )
  select share.module_id,
         cut_percent(sum(item.percent * share.weight)),
         case when bool_and(item.completed_at is not null) then max(item.completed_at) end
  from share join item on item.module_id = share.part_id
  group by share.module_id
$$;
--> statement-breakpoint
-- A module may ask for others of its course to be complete first. A module is not complete before what is below it is,
-- and is locked with what is above it: so none asks for one that it is above or below, nor do any in a circle.
create or replace function modules_keep_requirements() returns trigger language plpgsql as $$
begin
  if not exists (select from modules where course_id = new.course_id and requires_module_ids <> '{}') then
    return null;
  end if;
  if new.requires_module_ids <> '{}' then
    perform from courses where id = new.course_id for no key update;
    if exists (
      select from unnest(new.requires_module_ids) as required (id)
      where not exists (select from modules as m where m.id = required.id and m.course_id = new.course_id)
    ) then
      raise exception 'module % asks for what is no module of its course', new.id
        using errcode = 'check_violation', table = 'modules', constraint = 'modules_requirements_of_course';
    end if;
  end if;
  if exists (
    with recursive way (id, above_id) as (
      select m.id, m.id from modules as m where m.course_id = new.course_id
      union
      select way.id, m.parent_module_id from way join modules as m on m.id = way.above_id
      where m.parent_module_id is not null
    ), asks (id, then_asks) as (
      select m.id, other.id
      from modules as m
      cross join lateral unnest(m.requires_module_ids) as required (id)
      join modules as other on other.course_id = m.course_id and other.requires_module_ids <> '{}'
      where m.course_id = new.course_id and (
        exists (select from way where way.id = other.id and above_id = required.id)
        or exists (select from way where way.id = required.id and above_id = other.id))
    ), reached (id, from_id) as (
      select then_asks, id from asks
      union
      select asks.then_asks, reached.from_id from reached join asks on asks.id = reached.id
    )
    select from reached where id = from_id
  ) then
    raise exception 'modules would wait for each other' using
      errcode = 'check_violation', table = 'modules', constraint = 'modules_requirements_acyclic';
  end if;
  return null;
end $$;
--> statement-breakpoint
-- What goes is asked for no more.
create or replace function modules_leave_requirements() returns trigger language plpgsql as $$
begin
  update modules set requires_module_ids = array_remove(requires_module_ids, old.id)
  where course_id = old.course_id and old.id = any (requires_module_ids);
  return null;
end $$;
--> statement-breakpoint
-- So does an item.
create or replace function note_items() returns trigger language plpgsql as $$
begin
  insert into uncounted_courses values (coalesce(new.course_id, old.course_id));
  return null;
end $$;
--> statement-breakpoint
-- A module that is published, moves or goes decides for everyone whether their tree is complete.
create or replace function note_outline() returns trigger language plpgsql as $$
begin
  if (new.is_published, new.parent_module_id) is distinct from (old.is_published, old.parent_module_id) then
    insert into uncounted_courses values (coalesce(new.course_id, old.course_id));
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Opens a turn of the person whom a valid token names, with the version of their tokens: stores their message with what
-- it does to the session and to their streak, and answers it where the tree holds the answer. Else it takes the
-- session's lease, and reads what answering takes. With `the_question` it takes up a message again that was stored
-- before and not answered: nothing is stored, and who listens to it already is joined, unless the answer that they wait
-- for has failed.
--
-- `the_message` is the normal form of `Start.` or of an answer to a question; null for what is on no path. Where the
-- answer under the cursor asks a question, only what it offers is on the path, and under the name that the tree keeps
-- it by. What was just answered and is said again is answered again.
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', one of `gate_of_item` (outline.sql), 'sent before' (with the message, and its answer if it has one), 'being
-- answered', 'answered' (by the time it was taken up again), or 'another time zone', when `today` is not the day in
-- their zone.
create or replace function open_turn(
  the_session integer, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question integer, the_token uuid, default_model text, tutor_prompt text, deepest integer,
  the_zone text, today date, moment timestamptz
) returns table (
  refusal text, time_zone text, message_id integer,
  -- Of an answer that is there.
  answer_id integer, answered_at timestamptz, meta jsonb, chunks jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id integer, message text, model text, university_id integer,
  generation integer, graph json
) language plpgsql as $$
#variable_conflict use_column
declare
  is_start boolean := the_message = 'Start.';
  hash text;
  fingerprint text;
  content_print text;
  tutor_id integer;
  tutor_name text;
  tutor_version integer;
  node integer;
  item_id integer;
  leaves_tree boolean;
begin
  -- What is read after the lock is what the message before this one left.
  perform from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back. What is on no path
  -- leaves it where answers are shared at all; free text does in any case.
  select case
           when not person.is_active then 'inactive person'
           when s.id is null then 'no such session'
           when s.user_id <> the_person then 'not theirs'
           when gate.refusal is not null then gate.refusal
           when sent.id is not null then 'sent before'
           when reply.id is not null then 'answered'
           when s.answering_until > now()
             and (the_question is null or s.answering_message_id is distinct from the_question) then 'being answered'
           when person.time_zone <> the_zone then 'another time zone'
         end,
         person.time_zone, coalesce(sent.id, the_question), reply.id, reply.created_at,
         reply.meta,
         case when reply.id is not null then coalesce(replayed.chunks, jsonb_build_array(reply.content)) end,
         case when s.answering_message_id = the_question and not exists (
           select from generations as g where g.id = s.answering_generation_id and g.state = 'failed')
         then s.answering_token else the_token end,
         coalesce(sent.content, the_content), s.content_item_id, item.university_id,
         place.shared, place.parent_id, place.message, place.model,
         the_message is null or (course.cache_enabled and place.message is null),
         tutor.id, tutor.name, tutor.version, tutor.plain_fingerprint, s.content_fingerprint
  into refusal, time_zone, message_id, answer_id, answered_at, meta, chunks, token, content, item_id,
       university_id, shared, parent_id, message, model, leaves_tree, tutor_id, tutor_name, tutor_version, fingerprint,
       content_print
  from users as person
  left join (
    chat_sessions as s
    join content_items as item on item.id = s.content_item_id
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
  ) on s.id = the_session
  left join chat_messages as sent on sent.session_id = s.id and sent.client_message_id = the_client_id
  left join chat_messages as reply on reply.in_reply_to_id = coalesce(sent.id, the_question)
  left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.edited_at is null
  left join cache_nodes as stands on stands.id = s.cache_node_id and not is_start
  left join cache_nodes as stood on stood.id = stands.parent_id
  left join lateral (
    select path.message, path.parent_id,
           path.message is not null and course.cache_enabled and s.cache_state = 'tracking' as shared,
           coalesce(course.llm_model, default_model) as model
    from (
      select case when is_start or (stands.id is not null and stands.choices is null and not again) then the_message
                  when again then stands.message
                  else stands.choices ->> the_message end as message,
             case when again then stands.parent_id else stands.id end as parent_id
      from (
        select coalesce(stands.message = coalesce(stood.choices ->> the_message, the_message)
                        and not coalesce(stands.choices ? the_message, false), false)
      ) as said (again)
    ) as path
  ) as place on true
  left join lateral tutor_prompt_of(type.name, tutor_prompt) as tutor on true
  left join lateral gate_of_item(s.content_item_id, the_person, moment) as gate (refusal) on s.user_id = the_person
  where person.id = the_person and (person.token_version = the_version or not person.is_active);
  if not found then return; end if;
  if refusal is not null then
    return next;
    return;
  end if;

  if shared then
    hash := sha256_hex(message);
    select n.id, n.chunks into node, chunks
    from cache_nodes as n
    where n.content_item_id = item_id
      -- Not "is not distinct from", which uses no index.
      and (n.parent_id = open_turn.parent_id or (n.parent_id is null and open_turn.parent_id is null))
      and n.message_hash = hash and n.prompt_name = tutor_name and n.prompt_version = tutor_version
      and n.model = open_turn.model and n.prompt_fingerprint = fingerprint and n.content_fingerprint = content_print
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor_name and g.prompt_version = tutor_version
        and g.model = open_turn.model and g.prompt_fingerprint = fingerprint and g.content_fingerprint = content_print
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
    end if;
  end if;

  if the_question is null then
    perform record_activity(the_person, 'asked', 'content_item', item_id, open_turn.university_id, item_id,
      current_offering(the_person, (select course_id from content_items where id = item_id)), moment, today);
  end if;
  with visit as (
    insert into cache_visits (node_id, hit) select node, true where node is not null
  ), said as (
    select coalesce(the_question, nextval('chat_messages_id_seq')::int) as question,
           case when node is not null then nextval('chat_messages_id_seq')::int end as answer,
           case when node is not null then jsonb_build_object(
             'source', 'cache', 'model', open_turn.model, 'prompt_name', tutor_name, 'prompt_version', tutor_version,
             'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node) end as meta
  ), turned as (
    update chat_sessions as s
    set cache_node_id = coalesce(node, s.cache_node_id),
        cache_state = case when leaves_tree then 'diverged' else s.cache_state end,
        answering_message_id = case when node is null then said.question end,
        answering_since = case when node is null then
          case when s.answering_message_id = said.question and s.answering_until > now() then s.answering_since
               else now() end end,
        answering_token = case when node is null then open_turn.token end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = said.question then s.answering_generation_id end),
        answering_until = case when node is null then now() + listener_lease() end,
        updated_at = case when node is null then s.updated_at else now() end
    from said
    where s.id = the_session
  ), exchange as (
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id)
    overriding system value
    select question, the_session, 'user', the_content, '{}'::jsonb, null::int, false, null::int, the_client_id
    from said where the_question is null
    union all
    select answer, the_session, 'assistant', joined_text(open_turn.chunks), said.meta, question, true, node, null
    from said where answer is not null
  )
  select question, answer, now(), said.meta into message_id, answer_id, answered_at, meta from said;

  if node is null and generation is null and tutor_id is not null then
    select json_build_object('root', tutor_id, 'prompts', reached.prompts, 'links', reached.links) into graph
    from reached_prompts(array[tutor_id], 0, deepest) as reached;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- Where someone stands in the waiting list, from 1; null for whoever does not wait.
create or replace function place_in_line(waiting enrollments) returns integer language sql stable as $$
  select case when waiting.status = 'waitlisted' then (
    select count(*)::integer from enrollments as before
    where before.course_offering_id = waiting.course_offering_id and before.status = 'waitlisted'
      and (before.enrolled_at, before.id) <= (waiting.enrolled_at, waiting.id)
  ) end
$$;
--> statement-breakpoint
-- Counts everything anew, for example what was loaded with the triggers switched off. Until it is done nothing that
-- is counted can be written, and what was deleted since it was counted is forgotten.
create or replace function recount_totals() returns void language plpgsql as $$
begin
  lock table users, enrollments, modules, content_items, user_module_progress, user_content_progress, quiz_attempts,
    lab_submissions, notes, flashcards, flashcard_reviews, discussion_threads, discussion_posts, course_reviews, activity_events,
    chat_sessions, chat_messages in share mode;
  perform lock_totals();
  delete from uncounted_courses;
  delete from course_trees;
  insert into uncounted_trees
  select course_offering_id, user_id from user_module_progress
  union select course_offering_id, user_id from user_content_progress;
  perform count_trees(null);
  delete from uncounted_events;
  delete from uncounted_messages;
  delete from uncounted_changes;
  delete from report_totals;
  insert into report_totals (measure, course_id, day, since, amount)
  select measure, course_id, day, since, sum(amount)
  from (select * from standing_counts() union all select * from happened_counts()) as counted
  group by grouping sets ((measure, course_id, day, since), (measure, day, since))
  having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1);
end $$;
--> statement-breakpoint
-- Why nobody but staff can give a place, or no other key than the offering's; null where the mode allows it.
create or replace function refusal_of_mode(offering course_offerings, the_key text) returns text language sql immutable as $$
  select case when offering.enrollment_mode = 'staff' then 'by_staff'
              when offering.enrollment_mode = 'key' and the_key is distinct from offering.enrollment_key then 'wrong_key'
         end
$$;
--> statement-breakpoint
-- When a result completed an item, of a type that takes one: the first quiz that was passed, the first graded work.
-- Null without. Here, and in the triggers `take_result`, is all that completion knows of assessments.
create or replace function result_moment(offering integer, person integer, item integer) returns timestamptz
language sql stable as $$
  select min(submitted_at) from (
    select submitted_at from quiz_attempts
    where user_id = person and course_offering_id = offering and content_item_id = item and passed
    union all
    select submitted_at from lab_submissions
    where user_id = person and course_offering_id = offering and content_item_id = item and status = 'graded'
  ) as result
$$;
--> statement-breakpoint
drop function set_enrollment_status(integer,text,boolean,timestamp with time zone);
--> statement-breakpoint
-- Moves an enrollment to another status, `wanted` null for none. The owner takes a place up only as if enrolling
-- anew, leaves the waiting list for nothing but `dropped`, and completes it on their own word alone; staff may overfill
-- an offering, and confirm such a word. Whoever goes to the waiting list stands at its end, and a place that is left
-- goes to the next in line.
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
  elsif wanted <> former and wanted = 'active' and by_owner then
    select * into refusal, missing from refusal_to_enroll(run, enrollment.user_id, moment);
    if refusal is distinct from 'not_open' then
      refusal := coalesce(refusal_of_mode(run, null), refusal);
    end if;
    if refusal is null and is_full(run) then refusal := 'full'; end if;
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
-- A result, or one that is taken back, is progress in its item.
create or replace function take_result() returns trigger language plpgsql as $$
declare
  moment timestamptz := result_moment(new.course_offering_id, new.user_id, new.content_item_id);
begin
  if not completes_by_result(type_of_item(new.content_item_id)) then
    return null;
  end if;
  if moment is null then
    update user_content_progress set completed_at = null
    where user_id = new.user_id and course_offering_id = new.course_offering_id
      and content_item_id = new.content_item_id and completed_at is not null;
  else
    insert into user_content_progress as mine (user_id, course_offering_id, content_item_id, progress_percent,
      first_started_at, last_interacted_at, completed_at, attempts_count)
    values (new.user_id, new.course_offering_id, new.content_item_id, 100, moment, moment, moment, 0)
    on conflict on constraint user_content_progress_unique do update
      set progress_percent = 100, completed_at = moment, last_interacted_at = greatest(mine.last_interacted_at, moment);
  end if;
  return null;
end $$;
--> statement-breakpoint
-- How a person stands with the published modules of an offering's course; no row before they have begun one. A tree is
-- complete when all its items are, and what was posted of each module that has none. It is touched by what is begun, by
-- what is completed, and by any activity in the offering.
create or replace function tree_of(offering integer, person integer)
returns table (course_id integer, completed_on date, interrupted datemultirange) language sql stable as $$
  with item as materialized (
    select i.started_at, greatest(i.started_at, i.completed_at) as done_at, i.completed_at is not null as is_done
    from item_progress(offering, person) as i
  ), filled as materialized (
    select m.module_id from module_progress(offering, person) as m
  ), posted as materialized (
    select p.started_at, case when p.completed_at is not null and p.module_id not in (select f.module_id from filled as f)
                              then greatest(p.started_at, p.completed_at) end as done_at
    from user_module_progress as p
    join course_offerings as o on o.id = p.course_offering_id
    join modules as m on m.id = p.module_id and m.course_id = o.course_id
    where p.course_offering_id = offering and p.user_id = person and is_module_published(m.id)
  ), step (moment) as (
    select started_at from item where started_at is not null
    union all
    select done_at from item where is_done
    union all
    select started_at from posted
    union all
    select done_at from posted where done_at is not null
  ), tree as (
    select run.course_id, (select utc_day(min(moment)) from step) as begun_on,
           case when not exists (select from item where not is_done) and not lacks_a_module(run.course_id, offering, person)
             then utc_day(greatest((select max(done_at) from item), (select max(done_at) from posted))) end as completed_on
    from course_offerings as run
    where run.id = offering and exists (select from step)
  ), touched (day) as (
    select utc_day(moment) from step
    union
    select utc_day(e.occurred_at) from tree join activity_events as e on e.occurred_at >= utc_midnight(tree.begun_on)
    where e.course_offering_id = offering and e.user_id = person
  )
  select tree.course_id, tree.completed_on, coalesce((
    select range_agg(daterange(day + 14, next_day))
    from (select day, lead(day) over (order by day) as next_day from touched) as visit
    where (next_day > day + 14 or next_day is null) and (day < tree.completed_on or tree.completed_on is null)
  ), '{}')
  from tree
$$;
--> statement-breakpoint
create or replace function type_of_item(item integer) returns text language sql stable as $$
  select type.name from content_items as one join content_types as type on type.id = one.content_type_id
  where one.id = item
$$;
--> statement-breakpoint
-- Which of these modules a person has still to complete, in an offering of the course where they have a place. What is
-- not published cannot be completed, and is not asked for; of what has no items counts what was posted.
create or replace function unmet_modules(person integer, the_course integer, required integer[]) returns integer[]
language sql stable as $$
  with done as (
    select computed.module_id, computed.completed_at, posted.completed_at as posted_at
    from enrollments as mine
    join course_offerings as run on run.id = mine.course_offering_id and run.course_id = the_course
    cross join lateral (
      select wanted.id as module_id, computed.completed_at, computed.module_id is null as has_no_items
      from unnest(required) as wanted (id)
      left join module_progress(run.id, person) as computed on computed.module_id = wanted.id
    ) as computed
    left join user_module_progress as posted on computed.has_no_items and posted.course_offering_id = run.id
      and posted.user_id = person and posted.module_id = computed.module_id
    where mine.user_id = person and mine.is_admitted
  )
  select coalesce(array_agg(wanted.id order by wanted.id), '{}')
  from (select distinct id from unnest(required) as one (id)) as wanted
  where is_module_published(wanted.id)
    and not exists (select from done where module_id = wanted.id and coalesce(completed_at, posted_at) is not null)
$$;
--> statement-breakpoint
-- The strict prerequisites of the offering's course that the person has completed in no offering, by more than their
-- own word, and is not excused from; null for none. Those that the person cannot see have no name and stand last.
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
      where user_id = person and status = 'completed' and completion_source <> 'self' and taken.course_id = required.id
    ) and not exists (
      select from course_exemptions as excused
      where excused.course_id = offering.course_id and excused.prerequisite_course_id = required.id
        and excused.user_id = person
    )
  ) as required
$$;
--> statement-breakpoint
create or replace trigger begin_modules before insert on user_content_progress
  for each row execute function begin_modules();
--> statement-breakpoint
create or replace trigger complete_by_grade after insert or update of passed, graded_at on course_grades
  for each row when (new.passed and new.graded_at is not null) execute function complete_by_grade();
--> statement-breakpoint
create or replace trigger complete_by_items after insert or update of completed_at on user_content_progress
  for each row when (new.completed_at is not null) execute function complete_by_items();
--> statement-breakpoint
create or replace trigger complete_by_result_alone
  before insert or update of progress_percent, completed_at on user_content_progress
  for each row execute function complete_by_result_alone();
--> statement-breakpoint
create or replace trigger enrollments_keep_completion before insert or update of status, completion_source on enrollments
  for each row execute function enrollments_keep_completion();
--> statement-breakpoint
-- A new module that asks for nothing is in nobody's way.
create or replace trigger modules_begin_with_requirements after insert on modules
  for each row when (new.requires_module_ids <> '{}') execute function modules_keep_requirements();
--> statement-breakpoint
create or replace trigger modules_keep_requirements after update of requires_module_ids, parent_module_id on modules
  for each row execute function modules_keep_requirements();
--> statement-breakpoint
create or replace trigger modules_leave_requirements after delete on modules
  for each row execute function modules_leave_requirements();
--> statement-breakpoint
create or replace trigger note_changes
  after insert or update of status, completion_source, dropped_at, course_offering_id or delete on enrollments
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_items
  after insert or update of is_active, module_id, content_type_id or delete on content_items
  for each row execute function note_items();
--> statement-breakpoint
create or replace trigger note_outline after insert or update of is_published, parent_module_id or delete on modules
  for each row execute function note_outline();
--> statement-breakpoint
create or replace trigger note_tree
  after insert or update of first_started_at, completed_at or delete on user_content_progress
  for each row execute function note_tree();
--> statement-breakpoint
create or replace trigger take_result after insert or update of status on lab_submissions
  for each row execute function take_result();
--> statement-breakpoint
create or replace trigger take_result after insert or update of passed, submitted_at on quiz_attempts
  for each row when (new.submitted_at is not null) execute function take_result();
--> statement-breakpoint
set local check_function_bodies = on;
