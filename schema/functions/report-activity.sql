-- What reports count of events: who was active on which day, the time on topics, questions to the tutor. An event only
-- leaves its number on a list; the schedule counts what came since, and a report adds what is not counted yet.
--
-- Locks: writers none, rows are only added. Counting is done under the lock of the totals (report-totals.sql).

create or replace function note_events() returns trigger language plpgsql as $$
begin
  insert into uncounted_activity select user_id, id, course_offering_id from added;
  return null;
end $$;

create or replace trigger note_events after insert on activity_events referencing new table as added
  for each statement execute function note_events();

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

-- Who has uncounted events, and when the day of the first of them began.
create or replace function uncounted_people() returns table (user_id integer, first_day timestamptz)
language sql stable as $$
  select new.user_id, utc_midnight(utc_day(min(e.occurred_at)))
  from uncounted_activity as new join activity_events as e on e.id = new.event_id group by new.user_id
$$;

-- What a pause counts for as time on a topic, in milliseconds.
create or replace function counted_pause(pause interval) returns numeric language sql immutable as $$
  select case when pause <= interval '30 minutes' then extract(epoch from pause) * 1000 else 0 end
$$;

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
