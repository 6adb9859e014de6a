-- What reports read by the day: activity, and answers of the tutor. Days that are over are kept by the schedule, what
-- came since is read from events and messages. What counted stays when it goes, and a report writes nothing.
--
-- Locks: the row of the schedule that says up to when is counted. Whoever counts holds it, for one step; whoever
-- deletes what is counted holds it together with others who do.

-- The midnight up to which days are counted, by a clock that may be set back.
create or replace function counted_until() returns timestamptz language sql stable parallel safe as $$
  select least(begun_at, utc_midnight(utc_day(service_now()))) from scheduled_tasks where name = 'count'
$$;

-- Whether more came since than can be worked out while someone waits, as after a bulk load or a change of a large course.
create or replace function is_behind() returns boolean language sql stable parallel safe as $$
  select exists (select from activity_events where occurred_at >= (select counted_until()) offset 100000)
    or exists (select from stale_trees offset 5000) or exists (select from stale_people offset 500)
$$;

-- What was done from one moment up to another, for each day, person, topic and course. Time on a topic is that between
-- what someone did there, where it is no more than half an hour; over midnight it counts on the later day. What has no
-- topic belongs to the course of its offering.
create or replace function activity_between(first timestamptz, last timestamptz) returns setof activity_days
language sql stable parallel safe as $$
  select utc_day(occurred_at), user_id, content_item_id, course_id,
         coalesce(sum(extract(epoch from pause) * 1000) filter (where pause <= interval '30 minutes'), 0)::int,
         count(*) filter (where verb = 'asked')::int
  from (
    select e.user_id, e.content_item_id, e.verb, e.occurred_at, coalesce(topic.course_id, run.course_id) as course_id,
           case when e.content_item_id is not null then e.occurred_at - lag(e.occurred_at) over (
             partition by e.user_id, e.content_item_id order by e.occurred_at) end as pause
    from activity_events as e
    left join content_items as topic on topic.id = e.content_item_id
    left join course_offerings as run on run.id = e.course_offering_id
    where e.occurred_at >= first - interval '30 minutes' and e.occurred_at < last
  ) as event
  where occurred_at >= first group by 1, 2, 3, 4
$$;

-- All of it. People below zero are those who were erased.
create or replace view activity as
  select * from activity_days where day < utc_day((select counted_until())) or user_id < 0
  union all
  select * from activity_between((select counted_until()), 'infinity') where not (select is_behind());

-- Counts the next week that is over, in place of what was counted of it before; answers whether more is left. A day is
-- over for three hours before it is counted: what is written as of now is committed by then.
create or replace function count_days() returns boolean language plpgsql as $$
declare
  past timestamptz := utc_midnight(utc_day(service_now() - interval '3 hours'));
  counted timestamptz;
  countable timestamptz;
begin
  select begun_at into counted from scheduled_tasks where name = 'count' for update;
  if counted = past then return false; end if;
  countable := least(past, interval '7 days' + utc_midnight(utc_day(least(
    (select min(occurred_at) from activity_events where occurred_at >= counted),
    (select min(created_at) from chat_messages where created_at >= counted)))));
  delete from activity_days where day >= utc_day(least(counted, countable)) and user_id > 0;
  delete from report_totals where day >= utc_day(least(counted, countable)) and not is_kept;
  insert into activity_days select * from activity_between(counted, countable);
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, utc_day(moment), count(*), false from answer_facts
  where moment >= counted and moment < countable group by 1, 2, 3;
  update scheduled_tasks set begun_at = countable where name = 'count';
  return countable < past;
end $$;

-- What is told late is counted again with all after it. Each insert prepares the condition: no function stands in it.
create or replace function count_again() returns trigger language plpgsql as $$
begin
  update scheduled_tasks set begun_at = utc_midnight(utc_day(told))
  from (select (to_jsonb(new) ->> tg_argv[0])::timestamptz) as late (told) where name = 'count' and begun_at > told;
  return null;
end $$;

create or replace trigger count_again after insert on activity_events
  for each row when (new.occurred_at < now() - interval '1 hour') execute function count_again('occurred_at');
create or replace trigger count_again after insert on chat_messages
  for each row when (new.created_at < now() - interval '1 hour') execute function count_again('created_at');

-- Keeps what a conversation counted for when it is deleted; what its day has of it goes when that is counted again.
create or replace function keep_conversation() returns trigger language plpgsql as $$
begin
  perform from scheduled_tasks where name = 'count' for share;
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, utc_day(moment), amount, true from conversation_facts
  where session_id = old.id and amount is not null
  union all
  select said.measure, topic.course_id, utc_day(old.created_at), said.amount, true
  from content_items as topic cross join lateral (values
    ('chat_sessions', 1), ('chat_messages', (select count(*) from chat_messages where session_id = old.id))
  ) as said (measure, amount)
  where topic.id = old.content_item_id and said.amount > 0
  union all
  select measure, course_id, utc_day(moment), state.sign * count(*), state.sign > 0
  from answer_facts cross join (values (1), (-1)) as state (sign)
  where session_id = old.id and (state.sign > 0 or moment < counted_until())
  group by measure, course_id, utc_day(moment), state.sign;
  return old;
end $$;

create or replace trigger keep_conversation before delete on chat_sessions for each row execute function keep_conversation();

-- What those rows of a person count for that go when they are erased, and not only those: of all that stays as much is
-- there before as after.
create or replace function personal_totals(person integer) returns setof report_totals language sql stable as $$
  select measure, course_id, utc_day(moment), utc_day(since), sum(amount), true, null::int
  from (table standing_facts union all table assessment_facts) as fact
  where user_id = person and moment is not null
    and measure in ('notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'labs_submitted', 'labs_graded',
                    'labs_scored', 'lab_scores', 'assignments_submitted', 'assignments_graded', 'assignments_scored',
                    'assignment_scores')
  group by 1, 2, 3, 4
  union all
  select counted.measure, run.course_id, utc_day(counted.moment), null, count(*), true, run.id
  from certificates as own join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('certificates_issued', case when own.replaces_id is null then own.issued_at end),
    ('certificates_revoked', own.revoked_at)) as counted (measure, moment)
  where own.user_id = person and counted.moment is not null group by 1, 2, 3, 7
$$;

-- Deletes what is a person's own, and keeps what it counted for.
create or replace function keep_statistics(person integer) returns void language plpgsql as $$
declare
  former report_totals[] := array(select personal_totals(person));
begin
  perform leave_discussions(person);
  perform delete_belongings(person);
  insert into report_totals (measure, course_id, day, since, amount, is_kept, course_offering_id)
  select measure, course_id, day, since, sum(amount), true, course_offering_id
  from (
    select * from unnest(former)
    union all
    select measure, course_id, day, since, -amount, is_kept, course_offering_id from personal_totals(person)
  ) as counted
  group by measure, course_id, day, since, course_offering_id having sum(amount) <> 0;
end $$;
