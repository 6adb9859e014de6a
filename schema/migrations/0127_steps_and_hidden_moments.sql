-- in steps
-- Made beside who reads, and those who write them.
set statement_timeout = 0;
--> statement-breakpoint
set lock_timeout = '500ms';
--> statement-breakpoint
do $$
declare
  name text;
begin
  -- What a stopped migration left half-made.
  foreach name in array array['enrollment_progress_course_offering_id_user_id_index', 'offering_groups_course_offering_id_id_index'] loop
    if exists (select from pg_index where indexrelid = to_regclass(name) and not indisvalid) then
      execute format('drop index %I', name);
    end if;
  end loop;
end $$;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_progress_course_offering_id_user_id_index" ON "enrollment_progress" USING btree ("course_offering_id","user_id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "offering_groups_course_offering_id_id_index" ON "offering_groups" USING btree ("course_offering_id","id");
--> statement-breakpoint
-- Who has a place again has nothing there of what is put onto a number: what is left of it is put there at once.
create or replace function begin_anew() returns trigger language plpgsql as $$
declare
  run integer := (select university_id from course_offerings where id = new.course_offering_id);
  number integer;
begin
  select erased_user_id into number from data_requests
  where user_id = new.user_id and university_id = run and erased_user_id is not null;
  if found then perform split_results(run, new.user_id, number, new.course_offering_id, 2147483647); end if;
  return new;
end $$;
--> statement-breakpoint
-- Does a step of an erasure that was begun; answers whether there was anything to do. What came later than the first step by more
-- than a minute is not of before: no request that began before it takes so long to write.
create or replace function continue_erasure(asked data_requests, moment timestamptz, most integer) returns boolean
language plpgsql as $$
declare
  number integer := asked.erased_user_id;
  begun_at timestamptz := (select erased_at from users where id = asked.erased_user_id);
  until timestamptz := (select created_at + interval '1 minute' from users where id = asked.erased_user_id);
begin
  if split_results(asked.university_id, asked.user_id, number, null, most) > 0
    or split_belongings(asked.university_id, asked.user_id, number, until, most)
    or split_rows(asked.university_id, asked.user_id, number, until, most)
    or split_days(asked.university_id, asked.user_id, number, until, most) then return true; end if;
  if moment < begun_at + interval '1 hour' then return false; end if;
  perform keep_statistics(number);
  perform end_open_attempts(number, moment);
  -- Conversations go as those of any account that was erased.
  insert into erasures (user_id, begun_at) values (number, moment);
  update data_requests set state = 'done', done_at = moment, erased_user_id = null where id = asked.id;
  perform audit('data_request.done', null, asked.user_id, asked.university_id,
    jsonb_build_object('request_id', asked.id, 'kind', asked.kind), jsonb_build_object('at', moment));
  return true;
end $$;
--> statement-breakpoint
-- What the two marks of a submission say alike, with the words of both; null where one is missing or they differ.
create or replace function equal_marks(
  the_submission bigint, out score numeric, out rubric jsonb, out feedback text
) language sql stable as $$
  select min(one.score), (array_agg(one.rubric order by one.place))[1],
         string_agg(nullif(one.feedback, ''), e'\n\n' order by one.place)
  from submission_marks as one where one.submission_id = the_submission
  having count(*) = 2 and min(one.score) = max(one.score)
    and count(one.rubric) in (0, 2) and count(distinct one.rubric) <= 1
$$;
--> statement-breakpoint
-- Does a step of the erasures that were approved, each once nothing of it is held; answers whether more may be left. `key` is
-- that of former-accounts.sql.
create or replace function erase_at_universities(moment timestamptz, most integer, key bytea) returns boolean
language plpgsql as $$
declare
  next data_requests;
  number integer;
  behind integer := 0;
begin
  loop
    select one.* into next from data_requests as one
    where one.state = 'approved' and one.id > behind
      and (one.erased_user_id is not null or not is_person_held(one.university_id, one.user_id, moment))
    order by one.id limit 1 for update skip locked;
    if not found then return false; end if;
    behind := next.id;
    if next.erased_user_id is null then
      perform hold_policy(next.university_id);
      if is_person_held(next.university_id, next.user_id, moment) then return true; end if;
      insert into users (full_name, is_active, erased_at, created_at) values ('', false, moment, service_now())
      returning id into number;
      perform split_person(next.university_id, next.user_id, number, moment, key);
      update data_requests set erased_user_id = number where id = next.id;
      return true;
    end if;
    if continue_erasure(next, moment, most) then return true; end if;
  end loop;
end $$;
--> statement-breakpoint
-- Grants a person other rules in a quiz; an attempt that is open ends so much sooner by them, or as late as they say: what the
-- university gave it and has withdrawn since stays. `granted` has the keys
-- time_limit_seconds, max_attempts and due_at, null for what the quiz says; one that is absent stays as it was. No row:
-- they are not enrolled there.
create or replace function grant_quiz_override(
  person integer, the_offering integer, the_item integer, granted jsonb, moment timestamptz
) returns setof quiz_overrides language plpgsql as $$
declare
  attempt quiz_attempts;
  former timestamptz;
  latter timestamptz;
begin
  perform lock_grades(the_offering);
  select mine.* into attempt from quiz_attempts as mine
  where mine.user_id = person and mine.course_offering_id = the_offering and mine.content_item_id = the_item
    and mine.submitted_at is null and not is_over(mine, moment);
  former := quiz_deadline(the_item, the_offering, person, attempt.started_at, moment);
  return query
    insert into quiz_overrides as one
      (user_id, course_offering_id, content_item_id, time_limit_seconds, max_attempts, due_at, created_at, updated_at)
    select person, the_offering, the_item, wanted.time_limit_seconds, wanted.max_attempts, wanted.due_at, moment, moment
    from jsonb_to_record(granted) as wanted (time_limit_seconds integer, max_attempts integer, due_at timestamptz)
    where exists (select from enrollments where user_id = person and course_offering_id = the_offering)
    on conflict (course_offering_id, content_item_id, user_id) do update
      set time_limit_seconds =
            case when granted ? 'time_limit_seconds' then excluded.time_limit_seconds else one.time_limit_seconds end,
          max_attempts = case when granted ? 'max_attempts' then excluded.max_attempts else one.max_attempts end,
          due_at = case when granted ? 'due_at' then excluded.due_at else one.due_at end,
          updated_at = moment
    returning one.*;
  latter := quiz_deadline(the_item, the_offering, person, attempt.started_at, moment);
  update quiz_attempts as mine
  set due_at = case when latter is null or former is null then latter
    when latter < former then mine.due_at - (former - latter) else greatest(mine.due_at, latter) end
  where mine.id = attempt.id and latter is distinct from former;
  perform take_later_dates(the_offering, array[the_item], person, moment);
end $$;
--> statement-breakpoint
-- Whether a person has left an offering of a university, in which all that they have is to be put onto a number.
create or replace function has_left(person integer, university integer, offering integer) returns boolean
language sql stable as $$
  select exists (select from course_offerings where id = offering and university_id = university)
    and not exists (select from enrollments where user_id = person and course_offering_id = offering)
$$;
--> statement-breakpoint
-- The day of a moment of someone's work, as whoever sees a code in their place is told it: as if what is due for the class
-- were due for them. The moment itself stands beside names elsewhere, and a later date of one's own would be told by it.
create or replace function hidden_moment(offering integer, item integer, moment timestamptz, late_days integer)
returns timestamptz language sql stable as $$
  select date_trunc('day', case when due_at is null then moment
    when late_days > 0 then due_at + make_interval(days => late_days) else least(moment, due_at) end, 'UTC')
  from item_dates(offering, null, array[item])
$$;
--> statement-breakpoint
-- The modules and items of an offering's course in the order of the tree, a module's items before the modules below it, as
-- the service answers them: what the offering says of each, what the course does, and what follows for nobody in
-- particular; with a group what is said for that, what holds without it, and what follows for its members. `{"total",
-- "lines"}`, of which those from `first` on are there, at most `most`, or all with null.
create or replace function offering_calendar(
  offering integer, first integer default 0, most integer default null, of_group integer default null
) returns jsonb language sql stable as $$
  -- By the course and from above, whatever the planner expects of a tree: else it reads all modules of the platform.
  with recursive stated as materialized (
    select * from stated_dates(offering, of_group)
  ), course as materialized (
    select course_id as id from course_offerings where id = offering
  ), node (id, place, depth) as (
    select one.id, array[one.sequence_index], 0
    from stated join modules as one on one.id = stated.module_id where one.parent_module_id is null
    union all
    select one.id, node.place || one.sequence_index, node.depth + 1
    from node cross join lateral (
      select id, sequence_index from modules where parent_module_id = node.id offset 0) as one
  ), line as (
    select node.place, node.id as module_id, null::integer as item_id, one.title, null as content_type, node.depth,
           dates.opens_at, dates.due_at
    from module_dates(offering, null, array[of_group]) as dates join (
      select id, title from modules where course_id = (select id from course) offset 0) as one on one.id = dates.module_id
    join node on node.id = one.id
    union all
    select node.place || array[-1, one.sequence_index], node.id, one.id, one.title, type.name, node.depth + 1,
           dates.opens_at, dates.due_at
    from item_dates(offering, null, array(
      select stated.content_item_id from stated where stated.content_item_id is not null), array[of_group]) as dates
    join (
      select id, title, module_id, sequence_index, content_type_id from content_items
      where course_id = (select id from course) offset 0) as one on one.id = dates.item_id
    join content_types as type on type.id = one.content_type_id
    join node on node.id = one.module_id
  ), shown as (
    select line.*, stated.opens_at as own_opens_at, stated.due_at as own_due_at, course_opens_at, course_due_at
    from line join stated
      on coalesce(stated.content_item_id, -stated.module_id) = coalesce(line.item_id, -line.module_id)
    order by place offset first limit most
  )
  select jsonb_build_object('total', (select count(*) from line), 'lines', coalesce(jsonb_agg(jsonb_build_object(
    'content_item_id', item_id, 'module_id', module_id, 'title', title, 'content_type', content_type, 'depth', depth,
    'available_from', answered_moment(opens_at), 'due_at', answered_moment(due_at),
    'own', said_as_json('available_from', own_opens_at) || said_as_json('due_at', own_due_at),
    'course', jsonb_build_object(
      'available_from', answered_moment(nullif(course_opens_at, '-infinity')),
      'due_at', answered_moment(nullif(course_due_at, 'infinity')))) order by place), '[]'))
  from shown
$$;
--> statement-breakpoint
-- Puts a person into a group as a `member` or as its `staff`, or has who is in it be the other. A word on why not: there is
-- no such group, it is not open to those who come by themselves, they have no place in the offering or are not staff there,
-- or it is full. Null where they are in it then. The last seat is taken once. Who comes or goes by themselves fetches no later
-- date for what they have handed in or have open, as staff may give it.
create or replace function put_into_group(
  the_group integer, person integer, wanted text, by_owner boolean, actor integer, moment timestamptz, request jsonb
) returns text language plpgsql as $$
declare
  here offering_groups := lock_group(the_group);
  refusal text;
begin
  refusal := case
    when here.id is null then 'missing'
    when by_owner and not here.self_enrollment then 'closed'
    when wanted = 'staff' and not is_staff_of_offering(person, here.course_offering_id) then 'not_staff'
    when wanted = 'member' and not exists (
      select from enrollments
      where user_id = person and course_offering_id = here.course_offering_id and is_admitted) then 'not_enrolled'
    when wanted = 'member' and here.capacity <= group_members_count(here.id, person) then 'full' end;
  if refusal is not null then return refusal; end if;
  insert into offering_group_members as one (group_id, course_offering_id, user_id, group_role, joined_at)
  values (here.id, here.course_offering_id, person, wanted, moment)
  on conflict on constraint offering_group_members_unique do update set group_role = excluded.group_role
    where one.group_role <> excluded.group_role and not by_owner;
  if not found then return null; end if;
  perform audit('group.member_added', actor, person, (select university_id from course_offerings where id = here.course_offering_id),
    jsonb_build_object('group_id', here.id, 'role', upper(wanted)), request);
  if not by_owner then perform take_later_dates(here.course_offering_id, null, person, moment); end if;
  return null;
end $$;
--> statement-breakpoint
-- Puts up to so many of a person's other rows of until then onto the number, and erases there what goes; answers whether there were any.
create or replace function split_belongings(university integer, person integer, number integer, until timestamptz, most integer)
returns boolean language plpgsql as $$
declare
  moved integer;
  done integer := 0;
  deck integer;
begin
  -- What they did there as staff stays, without a name.
  update imports set created_by_user_id = null where id = any (array(
    select one.id from imports as one where one.created_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update cartridge_imports set created_by_user_id = null, title = null where id = any (array(
    select one.id from cartridge_imports as one where one.created_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update invitations set invited_by_user_id = null where id = any (array(
    select one.id from invitations as one where one.invited_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update announcements set created_by_user_id = null where id = any (array(
    select one.id from announcements as one where one.created_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null where id = any (array(
    select one.id from lab_submissions as one where one.claimed_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lab_submissions set graded_by_user_id = null where id = any (array(
    select one.id from lab_submissions as one where one.graded_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update submission_marks set grader_id = null where id = any (array(
    select one.id from submission_marks as one where one.grader_id = person and exists (select from lab_submissions as work join course_offerings as run on run.id = work.course_offering_id
      where work.id = one.submission_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update grade_changes set changed_by_user_id = null where id = any (array(
    select one.id from grade_changes as one where one.changed_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_exemptions set granted_by_user_id = null where id = any (array(
    select one.id from course_exemptions as one where one.granted_by_user_id = person and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tutor_notes set updated_by = null where id = any (array(
    select one.id from tutor_notes as one where one.updated_by = person and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update retention_holds set placed_by_user_id = null where id = any (array(
    select one.id from retention_holds as one where one.placed_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update answer_pins set pinned_by = null where id = any (array(
    select one.id from answer_pins as one where one.pinned_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update cache_nodes set edited_by = null where id = any (array(
    select one.id from cache_nodes as one where one.edited_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tree_changes set changed_by = null where id = any (array(
    select one.id from tree_changes as one where one.changed_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tree_changes set undone_by = null where id = any (array(
    select one.id from tree_changes as one where one.undone_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lti_rosters set asked_by_user_id = null where context_id = any (array(
    select one.context_id from lti_rosters as one where one.asked_by_user_id = person and one.context_id in (select id from lti_contexts where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lti_contexts set bound_by_user_id = null where id = any (array(
    select one.id from lti_contexts as one where one.bound_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  delete from import_rows where id = any (array(
    select one.id from import_rows as one join imports as its on its.id = one.import_id
    where its.university_id = university
      and (one.user_id = person or one.email = (select email from users where id = person)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_exemptions set user_id = number where id = any (array(
    select one.id from course_exemptions as one where one.user_id = person and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  if done > 0 then return true; end if;
  update files set uploaded_by_user_id = number where id = any (array(
    select one.id from files as one where one.uploaded_by_user_id = person and one.university_id = university and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_threads set created_by_user_id = number where id = any (array(
    select one.id from discussion_threads as one where one.created_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_threads set learner_user_id = number where id = any (array(
    select one.id from discussion_threads as one where one.learner_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tutor_handovers set user_id = number where id = any (array(
    select one.id from tutor_handovers as one where one.user_id = person and exists (select from discussion_threads as thread join course_offerings as run on run.id = thread.course_offering_id
      where thread.id = one.thread_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_posts set user_id = number where id = any (array(
    select one.id from discussion_posts as one where one.user_id = person and exists (select from discussion_threads as thread join course_offerings as run on run.id = thread.course_offering_id
      where thread.id = one.thread_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_reports set user_id = number where id = any (array(
    select one.id from discussion_reports as one where one.user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update announcement_reads set user_id = number where ctid = any (array(
    select one.ctid from announcement_reads as one where one.user_id = person and one.read_at < until and exists (
      select from announcements as its where its.id = one.announcement_id and its.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update notifications set user_id = number where id = any (array(
    select one.id from notifications as one where one.user_id = person and one.created_at < until and (exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university)
      or exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update notes set user_id = number where id = any (array(
    select one.id from notes as one where one.user_id = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  if done < most and exists (select from flashcards as one where one.user_id = person and one.created_at < until
    and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university)) then
    insert into flashcard_decks (user_id, title) values (number, 'Erased') returning id into deck;
    update flashcards set user_id = number, deck_id = deck where id = any (array(
      select one.id from flashcards as one where one.user_id = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) and one.created_at < until limit most - done));
    get diagnostics moved = row_count;
    done := done + moved;
  end if;
  if done > 0 then perform keep_statistics(number); end if;
  return done > 0;
end $$;
--> statement-breakpoint
-- Puts up to so many of what a person did on days and in months onto the number; answers whether there were any.
create or replace function split_days(university integer, person integer, number integer, until timestamptz, most integer)
returns boolean language plpgsql as $$
declare
  moved integer;
  done integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('activity of person ' || person, 0));
  update activity_days set user_id = number where ctid = any (array(
    select one.ctid from activity_days as one where one.user_id = person and one.day <= until::date and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update activity_months set user_id = number where ctid = any (array(
    select one.ctid from activity_months as one where one.user_id = person and one.month <= until::date and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  return done > 0;
end $$;
--> statement-breakpoint
-- Takes a person out of a university, and puts what lets them in there onto a number, which it closes.
create or replace function split_person(university integer, person integer, number integer, moment timestamptz, key bytea)
returns void language plpgsql as $$
declare
  held_offerings integer[] := array(
    select course_offering_id from enrollments
    where user_id = person and university_id = university and status in ('active', 'waitlisted') order by 1);
begin
  perform from imports where created_by_user_id = person and university_id = university and ended_at is null order by id for no key update;
  perform from scim_users where user_id = person and university_id = university order by id for update;
  perform from quiz_attempts where user_id = person and submitted_at is null
    and course_offering_id in (select id from course_offerings where university_id = university) order by id for update;
  perform lock_offerings(held_offerings);
  perform from users where id = person for update;

  insert into erased_identifiers (user_id, university_id, identifier)
  select number, own.university_id, own.identifier from identifiers_of(person, key) as own
  where own.university_id is null or own.university_id = university;
  -- With their roles and offices, and more time.
  delete from university_members where university_id = university and user_id = person;
  delete from invitations where university_id = university
    and (accepted_by_user_id = person or email = (select email from users where id = person));
  delete from retention_holds where university_id = university and user_id = person;
  update imports set created_by_user_id = null
  where created_by_user_id = person and university_id = university and ended_at is null;

  update quiz_attempts set user_id = number where user_id = person and submitted_at is null
    and course_offering_id in (select id from course_offerings where university_id = university);
  update enrollments set user_id = number where user_id = person and university_id = university;
  update course_offering_instructors set user_id = number
  where user_id = person and course_offering_id in (select id from course_offerings where university_id = university);
  update offering_staff set user_id = number where user_id = person and university_id = university;
  update lti_people set user_id = number
  where user_id = person and platform_id in (select id from lti_platforms where university_id = university);
  update sourced_people set user_id = number where user_id = person and university_id = university;
  update scim_users set user_id = number where user_id = person and university_id = university;

  perform end_open_attempts(number, moment);
  perform fill_seats(offering, moment) from unnest(held_offerings) as offering;
end $$;
--> statement-breakpoint
-- Puts up to so many rows that a person has in an offering, or in all of a university's that they have left, onto the number;
-- answers how many. The codes stand before the work that has them.
create or replace function split_results(university integer, person integer, number integer, offering integer, most integer)
returns integer language plpgsql as $$
declare
  moved integer;
  done integer := 0;
begin
  update anonymous_codes set user_id = number where id = any (array(
    select one.id from anonymous_codes as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update quiz_attempts set user_id = number where id = any (array(
    select one.id from quiz_attempts as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lab_submissions set user_id = number where id = any (array(
    select one.id from lab_submissions as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update certificates set user_id = number where id = any (array(
    select one.id from certificates as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update quiz_overrides set user_id = number where id = any (array(
    select one.id from quiz_overrides as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update offering_group_members set user_id = number where id = any (array(
    select one.id from offering_group_members as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update item_grades set user_id = number where id = any (array(
    select one.id from item_grades as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_grades set user_id = number where id = any (array(
    select one.id from course_grades as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update grade_changes set user_id = number where id = any (array(
    select one.id from grade_changes as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update user_module_progress set user_id = number where id = any (array(
    select one.id from user_module_progress as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update user_content_progress set user_id = number where id = any (array(
    select one.id from user_content_progress as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_reviews set user_id = number where id = any (array(
    select one.id from course_reviews as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update auto_grader_readers set user_id = number where id = any (array(
    select one.id from auto_grader_readers as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lti_score_marks set user_id = number where id = any (array(
    select one.id from lti_score_marks as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update stale_trees set user_id = number where ctid = any (array(
    select one.ctid from stale_trees as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_trees set user_id = number where ctid = any (array(
    select one.ctid from course_trees as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  -- With the last of it what is no record of examinations goes.
  if done > 0 and done < most then perform keep_statistics(number); end if;
  return done;
end $$;
--> statement-breakpoint
-- Puts up to so many of each of a person's further rows of until then onto the number; answers whether there were any.
create or replace function split_rows(
  university integer, person integer, number integer, until timestamptz, most integer
) returns boolean language plpgsql as $$
declare
  talks bigint[] := array(
    select talk.id from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
    where talk.user_id = person and item.university_id = university and talk.created_at < until order by talk.id limit most);
  moved integer;
  done integer := cardinality(talks);
begin
  update chat_sessions set user_id = number, share_enabled = false, share_token = null where id = any (talks);
  delete from message_feedback where message_id in (select id from chat_messages where session_id = any (talks));
  update tutor_steps set user_id = number where id in (
    select step.id from tutor_steps as step join content_items as item on item.id = step.content_item_id
    where step.user_id = person and item.university_id = university and step.created_at < until order by step.id limit most);
  get diagnostics moved = row_count;
  done := done + moved;
  update activity_events set user_id = number where id in (
    select id from activity_events
    where user_id = person and university_id = university and occurred_at < until order by id limit most);
  get diagnostics moved = row_count;
  done := done + moved;
  update llm_calls set user_id = null where id in (
    select id from llm_calls
    where user_id = person and university_id = university and started_at < until order by id limit most);
  get diagnostics moved = row_count;
  done := done + moved;
  return done > 0;
end $$;
--> statement-breakpoint
-- Takes a person out of a group; a word on why not, as above, or that they are not in it. What they have handed in, and
-- what is open, keeps the later date.
create or replace function take_out_of_group(
  the_group integer, person integer, by_owner boolean, actor integer, moment timestamptz, request jsonb
) returns text language plpgsql as $$
declare
  here offering_groups := lock_group(the_group);
begin
  if here.id is null then return 'missing'; end if;
  if by_owner and not here.self_enrollment then return 'closed'; end if;
  delete from offering_group_members
  where group_id = here.id and user_id = person and (not by_owner or group_role = 'member');
  if not found then return 'not_in_it'; end if;
  perform audit('group.member_removed', actor, person,
    (select university_id from course_offerings where id = here.course_offering_id), jsonb_build_object('group_id', here.id), request);
  if not by_owner then perform take_later_dates(here.course_offering_id, null, person, moment); end if;
  return null;
end $$;
--> statement-breakpoint
create or replace trigger begin_anew before insert on enrollments for each row execute function begin_anew();
--> statement-breakpoint
drop function if exists split_rows(integer,integer,integer,integer);
