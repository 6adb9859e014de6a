set local check_function_bodies = off;
--> statement-breakpoint
-- The days of a period that lie around these whole months.
create or replace function activity_around(first_day date, last_day date, first date, past date)
returns setof activity_days language sql stable parallel safe as $$
  select * from activity_days
  where day >= first_day and day < first and (day < utc_day((select counted_until())) or user_id < 0)
  union all
  select * from activity_days
  where day >= past and day <= last_day and (day < utc_day((select counted_until())) or user_id < 0)
  union all
  select * from uncounted_activity(null)
  where day between first_day and last_day and (day < first or day >= past)
$$;
--> statement-breakpoint
create or replace function activity_between(first timestamptz, last timestamptz) returns setof activity_days
language sql stable parallel safe as $$ select * from activity_between(first, last, null) $$;
--> statement-breakpoint
-- What was done from one moment up to another, for each day, person, topic and course; at one university, or anywhere
-- without one. Time on a topic is that between what someone did there, where it is no more than half an hour; over
-- midnight it counts on the later day. What has no topic belongs to the course of its offering. What was done there before
-- the first moment is looked up.
create or replace function activity_between(first timestamptz, last timestamptz, university integer)
returns setof activity_days language sql stable parallel safe as $$
  select utc_day(occurred_at), user_id, content_item_id, course_id,
         coalesce(sum(extract(epoch from occurred_at - before) * 1000)
           filter (where occurred_at - before <= interval '30 minutes'), 0)::int,
         count(*) filter (where verb = 'asked')::int
  from (
    select e.user_id, e.content_item_id, e.verb, e.occurred_at, e.course_id,
           case when e.content_item_id is not null then coalesce(e.before,
             case when e.occurred_at < first + interval '30 minutes' then (
               select max(earlier.occurred_at) from activity_events as earlier
               where earlier.content_item_id = e.content_item_id and earlier.user_id = e.user_id
                 and earlier.occurred_at >= first - interval '30 minutes' and earlier.occurred_at < first
             ) end) end as before
    from (
      select done.user_id, done.content_item_id, done.verb, done.occurred_at,
             coalesce(topic.course_id, run.course_id) as course_id,
             lag(done.occurred_at) over (
               partition by done.user_id, done.content_item_id order by done.occurred_at) as before
      from (
        select * from activity_events where university is null and occurred_at >= first and occurred_at < last
        union all
        select * from activity_events
        where university_id = university and occurred_at >= first and occurred_at < last
      ) as done
      left join content_items as topic on topic.id = done.content_item_id
      left join course_offerings as run on run.id = done.course_offering_id
    ) as e
  ) as event
  group by 1, 2, 3, 4
$$;
--> statement-breakpoint
-- The same of answers that are not counted yet, which are found by their moment alone: those of all.
create or replace function are_answers_behind() returns boolean language sql stable parallel safe as $$
  select exists (select from chat_messages where created_at >= (select counted_until()) offset 100000)
$$;
--> statement-breakpoint
-- That of one course.
create or replace function course_activity(course integer) returns setof activity_days
language sql stable parallel safe as $$
  select * from activity_days where course_id = course and (day < utc_day((select counted_until())) or user_id < 0)
  union all
  select * from uncounted_activity(course)
$$;
--> statement-breakpoint
-- The same of one course.
create or replace function course_activity_around(course integer, first_day date, last_day date, first date, past date)
returns setof activity_days language sql stable parallel safe as $$
  select * from activity_days
  where course_id = course and day >= first_day and day < first and (day < utc_day((select counted_until())) or user_id < 0)
  union all
  select * from activity_days
  where course_id = course and day >= past and day <= last_day and (day < utc_day((select counted_until())) or user_id < 0)
  union all
  select * from uncounted_activity(course)
  where day between first_day and last_day and (day < first or day >= past)
$$;
--> statement-breakpoint
-- The same of one course, which what is to be looked at in others does not keep back.
create or replace function course_trees_of(course integer) returns setof course_trees
language sql stable parallel safe as $$
  select kept.* from course_trees as kept left join (
    select distinct course_offering_id, user_id from stale_course_progress(course) where not (select is_behind(course))
  ) as stale on (stale.course_offering_id, stale.user_id) = (kept.course_offering_id, kept.user_id)
  where kept.course_id = course and stale.user_id is null
  union all
  select tree.* from (
    select course_offering_id, array_agg(distinct user_id) as people from stale_course_progress(course)
    group by course_offering_id
  ) as stale cross join lateral course_progress_dates(stale.course_offering_id, stale.people) as tree
  where not (select is_behind(course))
$$;
--> statement-breakpoint
-- The same of one course, which others do not keep back: by what was done at its university, and the trees of its own
-- offerings. Without a course, of all.
create or replace function is_behind(course integer) returns boolean language sql stable parallel safe as $$
  select case when course is null then is_behind() else exists (
    select from activity_events
    where university_id = (select university_id from courses where id = course) and occurred_at >= (select counted_until())
    offset 100000
  ) or exists (select from stale_course_progress(course) offset 5000)
    or exists (select distinct course_offering_id, user_id from stale_course_progress(course) offset 500) end
$$;
--> statement-breakpoint
-- Who is on the list for one course, as often as they were noted.
create or replace function stale_course_progress(course integer) returns setof stale_trees
language sql stable parallel safe as $$
  select stale.* from stale_trees as stale join course_offerings as run on run.id = stale.course_offering_id
  where run.course_id = course
$$;
--> statement-breakpoint
-- What was done since: in one course, or anywhere without one. Nothing where that is too much.
create or replace function uncounted_activity(course integer) returns setof activity_days
language sql stable parallel safe as $$
  select * from activity_between(
    (select counted_until()), 'infinity', (select university_id from courses where id = course))
  where (course is null or course_id = course) and not (select is_behind(course))
$$;
--> statement-breakpoint
-- All of it. People below zero are those who were erased.
create or replace view activity as
  select * from activity_days where day < utc_day((select counted_until())) or user_id < 0
  union all
  select * from uncounted_activity(null);
--> statement-breakpoint
set local check_function_bodies = on;
