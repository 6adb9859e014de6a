-- What people did, by the day: who was active, their time on topics and their questions to the tutor. The days that are
-- over are kept in `activity_days`, which the schedule writes (report-totals.sql); what came since is read from the events.
--
-- Locks: none.

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
  where occurred_at >= first
  group by 1, 2, 3, 4
$$;

-- All of it. People below zero are those who were erased.
create or replace view activity as
  select * from activity_days where day < utc_day((select counted_until())) or user_id < 0
  union all
  select * from activity_between((select counted_until()), 'infinity') where not (select is_behind());
