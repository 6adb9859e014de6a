-- What reports count of events: who was active on which day, the time on topics, questions to the tutor. An event only
-- leaves its number on a list; the schedule counts what came since, and a report adds what is not counted yet.
--
-- Locks: writers none, rows are only added. Counting is done under the lock of the totals (report-totals.sql).

create or replace function note_events() returns trigger language plpgsql as $$
begin
  insert into uncounted_events select id from added;
  return null;
end $$;

create or replace trigger note_events after insert on activity_events referencing new table as added
  for each statement execute function note_events();

-- What an event counts for: in each scope a target, the course or the topic. An event without a topic belongs to the
-- course of its offering.
create or replace function activity_scopes(verb text, topic integer, offering integer)
returns table (scope text, target integer, course_id integer) language sql stable as $$
  select kind.scope, case kind.scope when 'anywhere' then null when 'course' then place.course_id else topic end,
         case when kind.scope <> 'anywhere' then place.course_id end
  from (select coalesce(
    (select i.course_id from content_items as i where i.id = topic),
    (select o.course_id from course_offerings as o where o.id = offering)
  ) as course_id) as place
  cross join (values ('anywhere'), ('course'), ('topic'), ('tutor')) as kind (scope)
  where case kind.scope
    when 'anywhere' then true
    when 'course' then place.course_id is not null
    when 'topic' then topic is not null
    else topic is not null and verb = 'asked'
  end
$$;

-- When a person was active in a scope: by events that are counted, and by the uncounted up to a number.
create or replace function activity_moments(in_scope text, person integer, target integer, seen bigint)
returns table (moment timestamptz) language sql stable as $$
  select e.occurred_at from activity_events as e
  where in_scope = 'anywhere' and e.user_id = person
    and not exists (select from uncounted_events as u where u.event_id = e.id and u.event_id > seen)
  union all
  select e.occurred_at from activity_events as e
  where in_scope = 'course' and e.user_id = person and target = coalesce(
    (select i.course_id from content_items as i where i.id = e.content_item_id),
    (select o.course_id from course_offerings as o where o.id = e.course_offering_id)
  )
    and not exists (select from uncounted_events as u where u.event_id = e.id and u.event_id > seen)
  union all
  select e.occurred_at from activity_events as e
  where in_scope in ('topic', 'tutor') and e.user_id = person and e.content_item_id = target
    and (in_scope = 'topic' or e.verb = 'asked')
    and not exists (select from uncounted_events as u where u.event_id = e.id and u.event_id > seen)
$$;

create or replace function people_measure(scope text) returns text language sql immutable as $$
  select case scope when 'anywhere' then 'people' else scope || '_people' end
$$;

-- The day of the last activity before a day.
create or replace function active_before(in_scope text, person integer, target integer, before date, seen bigint)
returns date language sql stable as $$
  select utc_day(moment) from activity_moments(in_scope, person, target, seen)
  where moment < utc_midnight(before) order by moment desc limit 1
$$;

-- The time of a person on a topic on a day: the pauses of up to 30 minutes, each on the day on which it ended.
create or replace function topic_milliseconds(person integer, topic integer, on_day date, seen bigint)
returns numeric language sql stable as $$
  select coalesce(sum(extract(epoch from pause) * 1000), 0)
  from (
    select moment, moment - lag(moment) over (order by moment) as pause
    from activity_moments('topic', person, topic, seen)
    where moment >= utc_midnight(on_day) - interval '30 minutes' and moment < utc_midnight(on_day + 1)
  ) as paced
  where moment >= utc_midnight(on_day) and pause <= interval '30 minutes'
$$;

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

-- What events of these people, or of all for null, count for; on request as if the uncounted were not there.
create or replace function activity_counts(people integer[], without_new boolean) returns setof uncounted_changes
language sql stable as $$
  with paced as (
    select s.scope, s.target, s.course_id, e.user_id, utc_day(e.occurred_at) as day,
           e.occurred_at - lag(e.occurred_at) over (
             partition by s.scope, e.user_id, s.target order by e.occurred_at
           ) as pause
    from activity_events as e, activity_scopes(e.verb, e.content_item_id, e.course_offering_id) as s
    where (people is null or e.user_id = any (people))
      and not (without_new and exists (select from uncounted_events as u where u.event_id = e.id))
  ), person_day as materialized (
    select scope, course_id, day, count(*) as events,
           sum(extract(epoch from pause) * 1000) filter (where pause <= interval '30 minutes') as milliseconds,
           lag(day) over (partition by scope, user_id, target order by day) as since
    from paced group by scope, user_id, target, course_id, day
  )
  select people_measure(scope), course_id, day, since, 1::numeric from person_day
  union all
  select 'topic_milliseconds', course_id, day, null, milliseconds from person_day
  where scope = 'topic' and milliseconds is not null
  union all
  select 'tutor_questions', course_id, day, null, events from person_day where scope = 'tutor'
$$;

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

-- The same of the first people who have any.
create or replace function count_events_of_people(most integer) returns integer language sql as $$
  select count_events_of(array(
    select distinct e.user_id
    from (select event_id from uncounted_events order by event_id limit most) as first
    join activity_events as e on e.id = first.event_id))
$$;
