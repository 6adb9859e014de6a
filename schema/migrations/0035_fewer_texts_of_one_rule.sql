set local check_function_bodies = off;
--> statement-breakpoint
-- Whoever writes waits here, and notes what they write on the new list.
lock table activity_events, user_module_progress, user_content_progress in share row exclusive mode;
--> statement-breakpoint
drop trigger count_divergence on chat_sessions;
--> statement-breakpoint
drop trigger note_end_of_course on courses;
--> statement-breakpoint
drop trigger note_items on content_items;
--> statement-breakpoint
drop trigger note_outline on modules;
--> statement-breakpoint
drop function active_before(text,integer,integer,date,bigint);
--> statement-breakpoint
drop function activity_counts(integer[],boolean);
--> statement-breakpoint
drop function activity_moments(text,integer,integer,bigint);
--> statement-breakpoint
drop function changes_of_gone_courses();
--> statement-breakpoint
drop function count_divergence();
--> statement-breakpoint
drop function count_events(integer);
--> statement-breakpoint
drop function count_events_of(integer[]);
--> statement-breakpoint
drop function count_events_of_people(integer);
--> statement-breakpoint
drop function count_some_events();
--> statement-breakpoint
drop function count_trees(integer,integer);
--> statement-breakpoint
drop function counts_of(discussion_threads);
--> statement-breakpoint
drop function counts_of(flashcard_reviews);
--> statement-breakpoint
drop function counts_of(flashcards);
--> statement-breakpoint
drop function counts_of(notes);
--> statement-breakpoint
drop function event_changes(bigint);
--> statement-breakpoint
drop function happened_counts();
--> statement-breakpoint
drop function lacks_a_module(integer,integer,integer);
--> statement-breakpoint
drop function note_end_of_course();
--> statement-breakpoint
drop function note_items();
--> statement-breakpoint
drop function note_outline();
--> statement-breakpoint
drop function people_measure(text);
--> statement-breakpoint
drop function standing_counts();
--> statement-breakpoint
drop function topic_milliseconds(integer,integer,date,bigint);
--> statement-breakpoint
drop function trees_of(integer[]);
--> statement-breakpoint
CREATE TABLE "uncounted_activity" (
	"user_id" integer NOT NULL,
	"event_id" bigint,
	"course_offering_id" integer
);
--> statement-breakpoint
insert into uncounted_activity
select e.user_id, e.id, e.course_offering_id from uncounted_events as new join activity_events as e on e.id = new.event_id
union all
select user_id, null, course_offering_id from uncounted_trees;
--> statement-breakpoint
DROP TABLE "uncounted_events" CASCADE;
--> statement-breakpoint
DROP TABLE "uncounted_trees" CASCADE;
--> statement-breakpoint
CREATE INDEX "uncounted_activity_user_id_event_id_index" ON "uncounted_activity" USING btree ("user_id","event_id");
--> statement-breakpoint
-- The day of a person's last activity before a moment. What they did on a topic has an index of its own.
create or replace function active_before(in_measure text, person integer, its_target integer, moment timestamptz)
returns date language sql stable as $$
  select utc_day(case when in_measure in ('topic_people', 'tutor_people') then (
    select max(e.occurred_at) from activity_events as e
    where e.content_item_id = its_target and e.user_id = person and e.occurred_at < moment
      and (in_measure = 'topic_people' or e.verb = 'asked')
  ) else (
    select max(e.occurred_at) from activity_events as e
    where e.user_id = person and e.occurred_at < moment and exists (
      select from activity_scopes(e.verb, e.content_item_id, e.course_offering_id) as scope
      where (scope.measure, scope.target) = (in_measure, its_target))
  ) end)
$$;
--> statement-breakpoint
-- What all uncounted events of these people change, whatever their order: what their events since the first of them
-- come to, less what they came to formerly, without the new ones. A pause may cross midnight, and counts on the day on
-- which it ended.
create or replace function activity_changes(people integer[]) returns setof uncounted_changes
language sql stable set plan_cache_mode = force_generic_plan as $$
  with moment as (
    select scope.*, person.*, e.occurred_at, new.event_id is not null as is_new
    from uncounted_people() as person
    cross join lateral (
      select * from activity_events as e
      where e.user_id = person.user_id and e.occurred_at >= person.first_day - interval '30 minutes' offset 0
    ) as e
    left join uncounted_activity as new on (new.user_id, new.event_id) = (e.user_id, e.id)
    cross join lateral activity_scopes(e.verb, e.content_item_id, e.course_offering_id) as scope
    where person.user_id = any (people)
  ), paced as (
    select moment.*, utc_day(occurred_at) as day, occurred_at - lag(occurred_at) over before as pause,
           case when not is_new then occurred_at - max(occurred_at) filter (where not is_new) over before end
             as former_pause
    from moment window before as (
      partition by user_id, measure, target order by occurred_at rows between unbounded preceding and 1 preceding)
  ), person_day as materialized (
    select measure, target, course_id, user_id, first_day, day, max(day) filter (where not is_new) as former_day,
           count(*) filter (where is_new) as new_events,
           sum(counted_pause(pause) - counted_pause(former_pause)) as milliseconds,
           lag(day) over before as since, max(max(day) filter (where not is_new)) over before as former_since
    from paced where occurred_at >= first_day group by measure, target, course_id, user_id, first_day, day
    window before as (
      partition by user_id, measure, target order by day rows between unbounded preceding and 1 preceding)
  ), change (measure, course_id, day, since, amount) as (
    select measure, course_id, state.day, coalesce(state.since, active_before(measure, user_id, target, first_day)),
           sign
    from person_day
    cross join lateral (values (1, day, since), (-1, former_day, former_since)) as state (sign, day, since)
    where state.day is not null and (former_day, former_since) is distinct from (person_day.day, person_day.since)
    union all
    select 'topic_milliseconds', course_id, day, null, milliseconds from person_day where measure = 'topic_people'
    union all
    select 'tutor_questions', course_id, day, null, new_events from person_day where measure = 'tutor_people'
  )
  select measure, course_id, day, since, sum(amount) from change group by 1, 2, 3, 4 having sum(amount) <> 0
$$;
--> statement-breakpoint
drop function activity_scopes(text,integer,integer);
--> statement-breakpoint
-- What an event counts for: for each measure of people a target, the course or the topic. An event without a topic
-- belongs to the course of its offering.
create or replace function activity_scopes(verb text, topic integer, offering integer)
returns table (measure text, target integer, course_id integer) language sql stable as $$
  select kind.*
  from (select coalesce(
    (select i.course_id from content_items as i where i.id = topic),
    (select o.course_id from course_offerings as o where o.id = offering)
  ) as course_id offset 0) as place
  cross join lateral (values
    ('people', 0, null), ('course_people', place.course_id, place.course_id),
    ('topic_people', topic, place.course_id), ('tutor_people', case verb when 'asked' then topic end, place.course_id)
  ) as kind (measure, target, course_id)
  where kind.target is not null
$$;
--> statement-breakpoint
-- Since when something is noted that is too much to be worked out while someone waits for a report, as after a bulk
-- load, or when an item is added to a course of many, which notes all their trees. Null for less. To find that out it
-- looks at no more than that either.
create or replace function behind_since() returns timestamptz language sql stable as $$
  select coalesce((select begun_at from scheduled_tasks where name = 'count'), to_timestamp(0))
  where exists (select from uncounted_activity offset 1000)
    or exists (select from uncounted_changes offset 100000)
    or exists (select distinct course_id from uncounted_courses offset 100)
    or exists (select from noted_progress() offset 20000)
    or exists (select from noted_trees() offset 500)
    or exists (
      select from uncounted_people() as person
      join activity_events as e on e.user_id = person.user_id and e.occurred_at >= person.first_day offset 20000)
$$;
--> statement-breakpoint
-- Counts what is noted of these people: their events, and their ways through courses, looked at anew. It is one
-- statement, which sees one state of everything: what it takes from the list is still on it for its own parts, and what
-- is written meanwhile is left for later. Answers how many events it took.
create or replace function count_activity(people integer[]) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  events integer;
begin
  with noted as (
    delete from uncounted_activity where user_id = any (people) returning *
  ), changed as (
    insert into uncounted_changes select * from activity_changes(people)
  ), tree as materialized (
    select tree.* from (select distinct course_offering_id, user_id from noted) as one
    cross join lateral tree_of(one.course_offering_id, one.user_id) as tree
  ), gone as (
    delete from course_trees as former using noted
    where (former.course_offering_id, former.user_id) = (noted.course_offering_id, noted.user_id) and not exists (
      select from tree where (tree.course_offering_id, tree.user_id) = (former.course_offering_id, former.user_id))
  ), kept as (
    insert into course_trees as former select * from tree
    on conflict (course_offering_id, user_id) do update
    set completed_on = excluded.completed_on, interrupted = excluded.interrupted
    where (former.completed_on, former.interrupted) is distinct from (excluded.completed_on, excluded.interrupted)
  )
  select count(event_id) into events from noted;
  return events;
end $$;
--> statement-breakpoint
-- Notes all trees of the noted courses, and what was counted of those that are gone.
create or replace function count_courses() returns void language sql as $$
  with noted as (
    delete from uncounted_courses returning course_id
  ), walked as (
    insert into uncounted_activity (user_id, course_offering_id)
    select distinct user_id, course_offering_id from noted_progress()
  ), gone as (
    delete from report_totals where course_id in (select course_id from noted except select id from courses) returning *
  )
  insert into uncounted_changes select measure, null, day, since, -amount from gone
$$;
--> statement-breakpoint
-- Counts what is noted, as much of it as takes a few seconds; `is_behind` says that more is left. When nothing is, the
-- totals hold all that was noted before that moment. What a person takes depends on what they did and on their courses:
-- as many are counted as fit, since what takes longer than a statement may would never be done.
create or replace function count_new_totals(out new_events integer, out is_behind boolean) language plpgsql as $$
declare
  people integer[];
  enough timestamptz;
begin
  perform lock_totals();
  enough := service_clock() + interval '5 seconds';
  new_events := 0;
  perform count_courses();
  loop
    people := array(select distinct user_id from uncounted_activity limit 20);
    new_events := new_events + count_activity(people);
    is_behind := count_changes(100000) = 100000 or cardinality(people) = 20;
    exit when not is_behind or service_clock() > enough;
  end loop;
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
  insert into uncounted_activity (user_id, course_offering_id)
  select user_id, course_offering_id from user_module_progress where user_id = person
  union
  select user_id, course_offering_id from user_content_progress where user_id = person;
  perform count_activity(array[person]);
end $$;
--> statement-breakpoint
-- What a pause counts for as time on a topic, in milliseconds.
create or replace function counted_pause(pause interval) returns numeric language sql immutable as $$
  select case when pause <= interval '30 minutes' then extract(epoch from pause) * 1000 else 0 end
$$;
--> statement-breakpoint
-- What a row counts for, while it is there: as one of its table, where it is not said otherwise below.
create or replace function counts_of(one anyelement) returns setof uncounted_changes language sql stable as $$
  select pg_typeof(one)::text, null::integer, null::date, null::date, 1::numeric
$$;
--> statement-breakpoint
create or replace function counts_of(one chat_messages) returns setof uncounted_changes language sql stable as $$
  select measure, i.course_id, utc_day(one.created_at), null::date, 1::numeric
  from chat_sessions as s join content_items as i on i.id = s.content_item_id
  cross join (values
    (case when one.on_shared_path then case one.meta ->> 'source' when 'cache' then 'hits' else 'misses' end end),
    (case when one.meta ? 'joined' then 'joined' end)
  ) as counted (measure)
  where s.id = one.session_id and measure is not null
$$;
--> statement-breakpoint
create or replace function counts_of(one chat_sessions) returns setof uncounted_changes language sql stable as $$
  select 'divergences', i.course_id, utc_day(one.created_at), null::date, 1::numeric
  from content_items as i where i.id = one.content_item_id and one.cache_state = 'diverged'
$$;
--> statement-breakpoint
-- A completion on someone's own word counts for nothing: they are as they were before it.
create or replace function counts_of(one enrollments) returns setof uncounted_changes language sql stable as $$
  select measure, o.course_id, day, null::date, 1::numeric
  from course_offerings as o
  cross join (values
    ('enrollments_' || case when one.completion_source = 'self' then 'active' else one.status end, null),
    ('drops', utc_day(one.dropped_at))
  ) as counted (measure, day)
  where o.id = one.course_offering_id and (measure <> 'drops' or day is not null)
$$;
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
  delete from uncounted_activity where user_id = person;

  perform set_config('learning.erasing', 'off', true);
  perform fill_places(offering, (request ->> 'at')::timestamptz) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Notes what a row that was written changes in the totals; nothing of what goes with an account that is erased.
create or replace function note_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into uncounted_changes select * from counts_of(new);
  elsif not is_erasing() then
    insert into uncounted_changes
    select measure, course_id, day, since, sum(amount)
    from (
      select * from counts_of(new) where tg_op = 'UPDATE'
      union all
      select measure, course_id, day, since, -amount from counts_of(old)
    ) as change
    group by measure, course_id, day, since having sum(amount) <> 0;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- A module or an item that comes, moves or goes decides for everyone whether their tree is complete; and what was
-- counted of a course goes with it.
create or replace function note_course() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'courses' then
    insert into uncounted_courses values (old.id);
  else
    insert into uncounted_courses values (coalesce(new.course_id, old.course_id));
  end if;
  return null;
end $$;
--> statement-breakpoint
create or replace function note_events() returns trigger language plpgsql as $$
begin
  insert into uncounted_activity select user_id, id, course_offering_id from added;
  return null;
end $$;
--> statement-breakpoint
-- What is said counts anew where it begins a conversation, or is told of an earlier time; else the conversation grows.
-- A message waits for this: the first and the last moment before it are looked up by index, whatever was said between
-- them, and in small statements, since one for all of it takes longer to begin than to run.
create or replace function note_messages() returns trigger language plpgsql as $$
declare
  said record;
  past conversations;
begin
  for said in
    select session_id, array_agg(id) as ids, min(created_at) as began_at, max(created_at) as ended_at
    from added group by session_id
  loop
    select i.course_id,
           (select min(m.created_at) from chat_messages as m where m.session_id = s.id and m.id <> all (said.ids)),
           (select max(m.created_at) from chat_messages as m where m.session_id = s.id and m.id <> all (said.ids))
    into past from chat_sessions as s join content_items as i on i.id = s.content_item_id where s.id = said.session_id;
    if past.began_at > said.began_at or past.began_at is null then
      insert into uncounted_changes
      select * from counts_of(row(past.course_id, said.began_at, greatest(said.ended_at, past.ended_at))::conversations)
      union all
      select measure, course_id, day, since, -amount from counts_of(past);
    elsif past.ended_at < said.ended_at then
      insert into uncounted_changes values ('conversation_milliseconds', past.course_id, utc_day(past.began_at), null,
        extract(epoch from said.ended_at - past.ended_at) * 1000);
    end if;
  end loop;
  return null;
end $$;
--> statement-breakpoint
create or replace function note_tree() returns trigger language plpgsql as $$
begin
  insert into uncounted_activity (user_id, course_offering_id)
  values (coalesce(new.user_id, old.user_id), coalesce(new.course_offering_id, old.course_offering_id));
  return null;
end $$;
--> statement-breakpoint
-- Progress in the courses that are noted.
create or replace function noted_progress() returns table (course_offering_id integer, user_id integer)
language sql stable as $$
  select run.id, posted.user_id
  from course_offerings as run cross join lateral (
    select p.user_id from user_content_progress as p where p.course_offering_id = run.id
    union all
    select p.user_id from user_module_progress as p where p.course_offering_id = run.id
  ) as posted
  where run.course_id in (select course_id from uncounted_courses)
$$;
--> statement-breakpoint
-- The trees that are noted, alone or with their course.
create or replace function noted_trees() returns table (course_offering_id integer, user_id integer)
language sql stable as $$
  select noted.course_offering_id, noted.user_id from uncounted_activity as noted
  where noted.course_offering_id is not null
  union
  select noted.course_offering_id, noted.user_id from noted_progress() as noted
$$;
--> statement-breakpoint
-- Counts everything anew, for example what was loaded with the triggers switched off. Until it is done nothing that
-- is counted can be written, and what was deleted since it was counted is forgotten.
create or replace function recount_totals() returns void language plpgsql as $$
declare
  counted regclass[] := array(select tgrelid from pg_trigger where tgname = 'note_changes') || regclass 'conversations';
  name regclass;
begin
  execute format('lock table modules, user_module_progress, activity_events, %s in share mode',
    array_to_string(counted, ', '));
  perform lock_totals();
  delete from course_trees;
  delete from uncounted_activity;
  delete from uncounted_changes;
  delete from report_totals;
  foreach name in array counted loop
    execute format('insert into uncounted_changes select counted.* from %s as one, counts_of(one) as counted', name);
  end loop;
  insert into uncounted_activity select user_id, id, null from activity_events;
  insert into uncounted_courses select id from courses;
  perform count_courses();
  perform count_activity(array(select id from users));
  perform count_changes(null);
end $$;
--> statement-breakpoint
-- What the noted trees change, as they stand now.
create or replace function tree_changes() returns setof uncounted_changes
language sql stable set plan_cache_mode = force_generic_plan as $$
  select counted.measure, counted.course_id, counted.day, counted.since, state.sign * counted.amount
  from noted_trees() as noted
  cross join lateral (
    select 1 as sign, tree as one from tree_of(noted.course_offering_id, noted.user_id) as tree
    union all
    select -1, former from course_trees as former
    where (former.course_offering_id, former.user_id) = (noted.course_offering_id, noted.user_id)
  ) as state
  cross join lateral counts_of(state.one) as counted
$$;
--> statement-breakpoint
drop function tree_of(integer,integer);
--> statement-breakpoint
-- How a person stands with the published modules of an offering's course; no row before they have begun one. A tree is
-- complete when all its items are, and what was posted of each module that has none in or below it. It is touched by
-- what is begun, by what is completed, and by any activity in the offering.
create or replace function tree_of(offering integer, person integer) returns setof course_trees
language sql stable as $$
  with recursive run as (
    select o.course_id from course_offerings as o where o.id = offering
  ), item as materialized (
    select * from item_progress(offering, person)
  ), filled as (
    select m.id, m.parent_module_id from modules as m where m.id in (select item.module_id from item)
    union
    select above.id, above.parent_module_id from filled join modules as above on above.id = filled.parent_module_id
  ), shown as (
    select m.id
    from run join modules as m on m.course_id = run.course_id and m.parent_module_id is null and m.is_published
    union all
    select below.id from shown join modules as below on below.parent_module_id = shown.id and below.is_published
  ), part (started_at, completed_at, is_needed) as (
    select item.started_at, item.completed_at, true from item
    union all
    select posted.started_at, case when filled.id is null then posted.completed_at end, filled.id is null
    from shown left join filled on filled.id = shown.id
    left join user_module_progress as posted
      on (posted.user_id, posted.course_offering_id, posted.module_id) = (person, offering, shown.id)
  ), step as (
    select step.moment, is_needed and completed_at is null as is_missing,
           case when completed_at is not null then greatest(started_at, completed_at) end as done_at
    from part cross join lateral (values (started_at), (greatest(started_at, completed_at))) as step (moment)
  ), tree as (
    select utc_day(min(moment)) as begun_on,
           case when not bool_or(is_missing) then utc_day(max(done_at)) end as completed_on
    from step having min(moment) is not null
  ), touched (day) as (
    select utc_day(moment) from step where moment is not null
    union
    select utc_day(e.occurred_at) from tree join activity_events as e on e.occurred_at >= utc_midnight(tree.begun_on)
    where e.course_offering_id = offering and e.user_id = person
  )
  select offering, person, run.course_id, tree.completed_on, coalesce((
    select range_agg(daterange(day + 14, next_day))
    from (select day, lead(day) over (order by day) as next_day from touched) as visit
    where (next_day > day + 14 or next_day is null) and (day < tree.completed_on or tree.completed_on is null)
  ), '{}')
  from run, tree
$$;
--> statement-breakpoint
-- Who has uncounted events, and when the day of the first of them began.
create or replace function uncounted_people() returns table (user_id integer, first_day timestamptz)
language sql stable as $$
  select new.user_id, utc_midnight(utc_day(min(e.occurred_at)))
  from uncounted_activity as new join activity_events as e on e.id = new.event_id group by new.user_id
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
      select * from activity_changes(array(select user_id from uncounted_people()))
      union all
      select * from tree_changes()
    ) as noted
    where course_id is null or exists (select from courses where id = course_id)
    group by grouping sets ((measure, course_id, day, since), (measure, day, since))
    having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1)
    union all
    select measure, sum.course_id, day, since, -amount
    from report_totals as gone cross join lateral (values (gone.course_id), (null)) as sum (course_id)
    where gone.course_id in (select course_id from uncounted_courses except select id from courses);
end $$;
--> statement-breakpoint
-- What was said and where a conversation went stay counted.
create or replace trigger note_changes after insert on chat_messages
  for each row when (new.on_shared_path or new.meta ? 'joined') execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes after insert or update of cache_state on chat_sessions
  for each row when (new.cache_state = 'diverged') execute function note_changes();
--> statement-breakpoint
create or replace trigger note_course
  after insert or update of is_active, module_id, content_type_id or delete on content_items
  for each row execute function note_course();
--> statement-breakpoint
create or replace trigger note_course after delete on courses
  for each row execute function note_course();
--> statement-breakpoint
create or replace trigger note_course after insert or delete on modules
  for each row execute function note_course();
--> statement-breakpoint
create or replace trigger note_later_course after update of is_published, parent_module_id on modules
  for each row when ((new.is_published, new.parent_module_id) is distinct from (old.is_published, old.parent_module_id))
  execute function note_course();
--> statement-breakpoint
-- A conversation from its first message to its last.
create or replace view conversations as
  select i.course_id, said.began_at, said.ended_at
  from (
    select session_id, min(created_at) as began_at, max(created_at) as ended_at from chat_messages group by session_id
  ) as said
  join chat_sessions as s on s.id = said.session_id join content_items as i on i.id = s.content_item_id;
--> statement-breakpoint
-- It counts on the day on which it began.
create or replace function counts_of(one conversations) returns setof uncounted_changes language sql stable as $$
  select measure, one.course_id, utc_day(one.began_at), null::date, amount
  from (values
    ('conversations', 1), ('conversation_milliseconds', extract(epoch from one.ended_at - one.began_at) * 1000)
  ) as counted (measure, amount)
  where one.began_at is not null
$$;
--> statement-breakpoint
set local check_function_bodies = on;
