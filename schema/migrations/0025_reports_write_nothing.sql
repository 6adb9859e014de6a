set local check_function_bodies = off;
--> statement-breakpoint
-- What was said is counted before its list goes, and nobody says more until then.
lock table chat_messages in share row exclusive mode;
--> statement-breakpoint
do $$ begin
  perform lock_totals();
  while count_messages(20000) >= 20000 loop end loop;
end $$;
--> statement-breakpoint
drop trigger count_before_deletion on activity_events;
--> statement-breakpoint
drop trigger count_before_deletion on chat_messages;
--> statement-breakpoint
drop trigger count_before_deletion on chat_sessions;
--> statement-breakpoint
drop function count_before_deletion();
--> statement-breakpoint
drop function count_messages(integer);
--> statement-breakpoint
drop function count_trees(integer);
--> statement-breakpoint
DROP TABLE "uncounted_messages" CASCADE;
--> statement-breakpoint
-- Since when something is noted that is too much to be worked out while someone waits for a report: more than the
-- schedule finds on a busy day, as after a bulk load. Null for less.
create or replace function behind_since() returns timestamptz language sql stable as $$
  select coalesce((select begun_at from scheduled_tasks where name = 'count'), to_timestamp(0))
  where exists (select from uncounted_events offset 500)
    or exists (select from uncounted_changes offset 100000)
    or exists (select from uncounted_trees offset 500)
    or exists (select from uncounted_courses offset 100)
    or exists (select from noted_trees() offset 500)
$$;
--> statement-breakpoint
-- What was counted of noted courses that are gone goes, also from the sums of all courses.
create or replace function changes_of_gone_courses() returns setof uncounted_changes language sql stable as $$
  select measure, sum.course_id, day, since, -amount
  from report_totals as total cross join lateral (values (total.course_id), (null)) as sum (course_id)
  where total.course_id in (select noted.course_id from uncounted_courses as noted)
    and not exists (select from courses where id = total.course_id)
$$;
--> statement-breakpoint
-- All trees of a noted course are noted. What was counted of a course goes with it.
create or replace function count_courses() returns void language sql as $$
  with noted as (
    delete from uncounted_courses returning course_id
  ), walked as (
    insert into uncounted_trees
    select course_offering_id, user_id from trees_of(array(select course_id from noted))
  ), changed as (
    insert into uncounted_changes select * from changes_of_gone_courses() where course_id is null
  )
  delete from report_totals as total using (select distinct course_id from noted) as course
  where total.course_id = course.course_id and not exists (select from courses where id = course.course_id)
$$;
--> statement-breakpoint
-- Counts the first of the uncounted events. It is one statement, which sees one state of everything: what it takes from
-- the list is still on it for its own parts, and what is written meanwhile is left for later.
create or replace function count_events(most integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  newest bigint := (
    select max(event_id) from (select event_id from uncounted_events order by event_id limit most) as first
  );
  counted integer;
begin
  if newest is null then return 0; end if;
  with new as (
    delete from uncounted_events where event_id <= newest returning event_id
  ), noted as (
    insert into uncounted_changes select * from event_changes(newest)
  ), walked as (
    insert into uncounted_trees
    select distinct e.course_offering_id, e.user_id
    from new join activity_events as e on e.id = new.event_id where e.course_offering_id is not null
  )
  select count(*) into counted from new;
  return counted;
end $$;
--> statement-breakpoint
-- Counts all uncounted events of these people: what they should come to now is added, and what they came to without the
-- new ones is taken away. All events of these people are read for it, which pays for many.
create or replace function count_events_of(people integer[]) returns integer language plpgsql as $$
declare
  counted integer;
begin
  with new as (
    delete from uncounted_events as u using activity_events as e
    where e.id = u.event_id and e.user_id = any (people)
    returning e.course_offering_id, e.user_id
  ), noted as (
    insert into uncounted_changes
    select measure, course_id, day, since, sum(sign * amount)
    from (values (1, false), (-1, true)) as state (sign, without_new)
    cross join lateral activity_counts(people, without_new)
    group by measure, course_id, day, since having sum(sign * amount) <> 0
  ), walked as (
    insert into uncounted_trees
    select distinct course_offering_id, user_id from new where course_offering_id is not null
  )
  select count(*) into counted from new;
  return counted;
end $$;
--> statement-breakpoint
-- The same of the first people who have any.
create or replace function count_events_of_people(most integer) returns integer language sql as $$
  select count_events_of(array(
    select distinct e.user_id
    from (select event_id from uncounted_events order by event_id limit most) as first
    join activity_events as e on e.id = first.event_id))
$$;
--> statement-breakpoint
drop function count_new_totals();
--> statement-breakpoint
-- Counts what is noted, as much of it as takes a few seconds; `is_behind` says that more is left. When nothing is, the
-- totals hold all that was noted before that moment.
create or replace function count_new_totals(out new_events integer, out is_behind boolean) language plpgsql as $$
declare
  trees integer;
  changes integer;
begin
  perform lock_totals();
  select events.new_events, events.is_behind into new_events, is_behind from count_some_events() as events;
  perform count_courses();
  trees := count_trees(2000);
  changes := count_changes(100000);
  is_behind := is_behind or trees >= 2000 or changes >= 100000;
  if not is_behind then
    insert into scheduled_tasks (name, begun_at) values ('count', service_now())
    on conflict (name) do update set begun_at = excluded.begun_at;
  end if;
end $$;
--> statement-breakpoint
-- Counts what a person did, before they are erased: what others did waits for the schedule.
create or replace function count_person(person integer) returns void language plpgsql as $$
begin
  perform lock_totals();
  perform count_events_of(array[person]);
  insert into uncounted_trees
  select course_offering_id, user_id from user_module_progress where user_id = person
  union
  select course_offering_id, user_id from user_content_progress where user_id = person;
  perform count_trees(null, person);
end $$;
--> statement-breakpoint
-- Looks at the first of the noted trees anew, or of those of a person; what that changes is noted by the trigger of the
-- trees.
create or replace function count_trees(most integer, of_person integer default null) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  counted integer;
begin
  with noted as (
    delete from uncounted_trees where ctid = any (array (
      select ctid from uncounted_trees where of_person is null or user_id = of_person limit most))
    returning course_offering_id, user_id
  ), looked_at as materialized (
    select walked.*, tree.*
    from (select distinct * from noted) as walked
    left join lateral tree_of(course_offering_id, user_id) as tree on true
  ), gone as (
    delete from course_trees as former using looked_at as l
    where former.course_offering_id = l.course_offering_id and former.user_id = l.user_id and l.course_id is null
  ), kept as (
    insert into course_trees as former (course_offering_id, user_id, course_id, completed_on, interrupted)
    select * from looked_at where course_id is not null
    on conflict (course_offering_id, user_id) do update
    set completed_on = excluded.completed_on, interrupted = excluded.interrupted
    where (former.completed_on, former.interrupted) is distinct from (excluded.completed_on, excluded.interrupted)
  )
  select count(*) into counted from noted;
  return counted;
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
  -- Where they wait they may be given a place just now, and told so.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  perform keep_course(offering) from unnest(held_offerings) as offering;
  perform from course_offerings where id = any (held_offerings) order by id for no key update;
  doomed := hold_own_words(person);
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  -- What they did is counted before it goes, and what is counted stays.
  perform count_person(person);
  perform set_config('learning.erasing', 'on', true);

  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  perform leave_discussions(person);
  perform leave_certificates(person, keep_certificates);
  delete from course_trees where user_id = person;
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
  delete from users where id = person;
  delete from uncounted_trees where user_id = person;

  perform set_config('learning.erasing', 'off', true);
  perform fill_places(offering, (request ->> 'at')::timestamptz) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- What the uncounted events up to a number change, whatever their order: a day on which someone was not active before,
-- the active day that follows it, since its day before is another now, questions, and the time on a topic. What the
-- totals should hold now is added, and what they held is taken away.
create or replace function event_changes(newest bigint) returns setof uncounted_changes
language sql stable set plan_cache_mode = force_generic_plan as $$
  with added as materialized (
    select e.* from uncounted_events as new join activity_events as e on e.id = new.event_id
    where new.event_id <= newest
  ), touched as materialized (
    select s.scope, s.target, s.course_id, a.user_id, utc_day(a.occurred_at) as day,
           count(*) as events, max(a.occurred_at) as latest
    from added as a, activity_scopes(a.verb, a.content_item_id, a.course_offering_id) as s
    group by 1, 2, 3, 4, 5
  ), fresh as materialized (
    select scope, target, course_id, user_id, day from touched
    where not exists (
      select from activity_moments(scope, user_id, target, 0)
      where moment >= utc_midnight(day) and moment < utc_midnight(day + 1)
    )
  ), following as (
    select scope, target, course_id, user_id, utc_day(next.moment) as day
    from fresh, lateral (
      select moment from activity_moments(scope, user_id, target, newest)
      where moment >= utc_midnight(day + 1) order by moment limit 1
    ) as next
    except select scope, target, course_id, user_id, day from fresh
  ), paced as (
    select user_id, target, course_id, day from touched where scope = 'topic'
    union
    select user_id, target, course_id, day + 1 from touched
    where scope = 'topic' and latest >= utc_midnight(day + 1) - interval '30 minutes'
  ), state (sign, seen) as (
    values (1, newest), (-1, 0)
  ), change (measure, course_id, day, since, amount) as (
    select people_measure(scope), course_id, day, active_before(scope, user_id, target, day, newest), 1 from fresh
    union all
    select people_measure(scope), course_id, day, active_before(scope, user_id, target, day, seen), sign
    from following, state
    union all
    select 'topic_milliseconds', course_id, day, null, sign * topic_milliseconds(user_id, target, day, seen)
    from paced, state
    union all
    select 'tutor_questions', course_id, day, null, events from touched where scope = 'tutor'
  )
  select measure, course_id, day, since, sum(amount) from change group by 1, 2, 3, 4 having sum(amount) <> 0
$$;
--> statement-breakpoint
-- A conversation counts on the day on which it began, whose length grows with each message.
create or replace function note_messages() returns trigger language plpgsql as $$
begin
  insert into uncounted_changes
  select measure, item.course_id, day, null, sum(amount)
  from (
    select session_id, case meta ->> 'source' when 'cache' then 'hits' else 'misses' end, utc_day(created_at), 1
    from added where on_shared_path
    union all
    select session_id, 'joined', utc_day(created_at), 1 from added where meta ? 'joined'
    union all
    select session_id, one.measure, utc_day(one.began), one.amount
    from (
      select m.session_id, min(m.created_at) as began, max(m.created_at) as ended,
             min(m.created_at) filter (where m.id not in (select id from added)) as began_before,
             max(m.created_at) filter (where m.id not in (select id from added)) as ended_before
      from chat_messages as m where m.session_id in (select session_id from added) group by m.session_id
    ) as spoken
    cross join lateral (values
      ('conversations', began, 1),
      ('conversations', began_before, -1),
      ('conversation_milliseconds', began, extract(epoch from ended - began) * 1000),
      ('conversation_milliseconds', began_before, -extract(epoch from ended_before - began_before) * 1000)
    ) as one (measure, began, amount)
    where one.began is not null
  ) as said (session_id, measure, day, amount)
  join chat_sessions as s on s.id = said.session_id
  join content_items as item on item.id = s.content_item_id
  group by measure, item.course_id, day having sum(amount) <> 0;
  return null;
end $$;
--> statement-breakpoint
-- The trees that are noted, and those that an event of the list or a course of the list will have noted.
create or replace function noted_trees() returns table (course_offering_id integer, user_id integer)
language sql stable as $$
  select walked.course_offering_id, walked.user_id from uncounted_trees as walked
  union
  select e.course_offering_id, e.user_id from uncounted_events as new join activity_events as e on e.id = new.event_id
  where e.course_offering_id is not null
  union
  select below.course_offering_id, below.user_id from trees_of(array(select course_id from uncounted_courses)) as below
$$;
--> statement-breakpoint
-- Counts everything anew, for example what was loaded with the triggers switched off. Until it is done nothing that
-- is counted can be written, and what was deleted since it was counted is forgotten.
create or replace function recount_totals() returns void language plpgsql as $$
begin
  lock table users, enrollments, modules, content_items, user_module_progress, user_content_progress, quiz_attempts,
    lab_submissions, certificates, notes, flashcards, flashcard_reviews, discussion_threads, discussion_posts, course_reviews, activity_events,
    chat_sessions, chat_messages in share mode;
  perform lock_totals();
  delete from uncounted_courses;
  delete from course_trees;
  insert into uncounted_trees
  select course_offering_id, user_id from user_module_progress
  union select course_offering_id, user_id from user_content_progress;
  perform count_trees(null);
  delete from uncounted_events;
  delete from uncounted_changes;
  delete from report_totals;
  insert into report_totals (measure, course_id, day, since, amount)
  select measure, course_id, day, since, sum(amount)
  from (select * from standing_counts() union all select * from happened_counts()) as counted
  group by grouping sets ((measure, course_id, day, since), (measure, day, since))
  having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1);
end $$;
--> statement-breakpoint
-- What the noted trees change, as they stand now.
create or replace function tree_changes() returns setof uncounted_changes
language sql stable set plan_cache_mode = force_generic_plan as $$
  with looked_at as materialized (
    select row(noted.course_offering_id, noted.user_id, tree.course_id, tree.completed_on, tree.interrupted)::course_trees
             as one,
           tree.course_id is not null as is_begun
    from noted_trees() as noted
    left join lateral tree_of(noted.course_offering_id, noted.user_id) as tree on true
  )
  select now.* from looked_at, counts_of(looked_at.one) as now where looked_at.is_begun
  union all
  select past.measure, past.course_id, past.day, past.since, -past.amount
  from looked_at
  join course_trees as former
    on (former.course_offering_id, former.user_id) = ((looked_at.one).course_offering_id, (looked_at.one).user_id)
  cross join lateral counts_of(former) as past
$$;
--> statement-breakpoint
-- The trees of these courses: of everyone who has begun something of them.
create or replace function trees_of(the_courses integer[]) returns table (course_offering_id integer, user_id integer)
language sql stable as $$
  select p.course_offering_id, p.user_id
  from course_offerings as o join user_module_progress as p on p.course_offering_id = o.id
  where o.course_id = any (the_courses)
  union
  select p.course_offering_id, p.user_id
  from course_offerings as o join user_content_progress as p on p.course_offering_id = o.id
  where o.course_id = any (the_courses)
$$;
--> statement-breakpoint
-- What is noted and not counted yet, as changes of the totals: a report adds them, and writes nothing. None where that
-- is too much.
create or replace function uncounted_totals() returns setof report_totals language plpgsql stable as $$
begin
  if behind_since() is not null then return; end if;
  return query
    select measure, course_id, day, since, sum(amount)
    from (
      select * from uncounted_changes
      union all
      select * from event_changes((select max(event_id) from uncounted_events))
      union all
      select * from tree_changes()
    ) as noted
    where course_id is null or exists (select from courses where id = course_id)
    group by grouping sets ((measure, course_id, day, since), (measure, day, since))
    having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1)
    union all
    select * from changes_of_gone_courses();
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
