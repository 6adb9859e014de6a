set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "university_time_zones" (
	"university_id" integer NOT NULL,
	"from_day" date NOT NULL,
	"time_zone" varchar(64) NOT NULL,
	CONSTRAINT "university_time_zones_university_id_from_day_pk" PRIMARY KEY("university_id","from_day")
);
--> statement-breakpoint
ALTER TABLE "activity_days" ADD COLUMN "local_day" date;
--> statement-breakpoint
ALTER TABLE "report_totals" ADD COLUMN "local_day" date;
--> statement-breakpoint
ALTER TABLE "university_time_zones" ADD CONSTRAINT "university_time_zones_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "university_members_names_index" ON "university_members" USING gin (searched(coalesce(given_name, '') || ' ' || coalesce(family_name, '')) gin_trgm_ops) WHERE given_name is not null or family_name is not null;
--> statement-breakpoint
-- What was done from one moment up to another, for each day, person, topic and course; at one university, or anywhere
-- without one. Time on a topic is that between what someone did there, where it is no more than half an hour; over
-- midnight it counts on the later day. What has no topic belongs to the course of its offering. What was done there before
-- the first moment is looked up. The university's day stands beside that of UTC where it is another.
create or replace function activity_between(first timestamptz, last timestamptz, university integer)
returns setof activity_days language sql stable parallel safe as $$
  select utc_day(occurred_at), user_id, content_item_id, course_id,
         coalesce(sum(extract(epoch from occurred_at - before) * 1000)
           filter (where occurred_at - before <= interval '30 minutes'), 0)::int,
         count(*) filter (where verb = 'asked')::int,
         nullif(day_in_zone(occurred_at, time_zone, past_day), utc_day(occurred_at))
  from (
    select e.user_id, e.content_item_id, e.verb, e.occurred_at, e.course_id, e.university_id,
           case when e.content_item_id is not null then coalesce(e.before,
             case when e.occurred_at < first + interval '30 minutes' then (
               select max(earlier.occurred_at) from activity_events as earlier
               where earlier.content_item_id = e.content_item_id and earlier.user_id = e.user_id
                 and earlier.occurred_at >= first - interval '30 minutes' and earlier.occurred_at < first
             ) end) end as before
    from (
      select done.user_id, done.content_item_id, done.verb, done.occurred_at, done.university_id,
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
  ) as event left join university_zones as zone
    on zone.university_id = event.university_id and event.occurred_at >= zone.starts_at and event.occurred_at < zone.ends_at
  group by 1, 2, 3, 4, 7
$$;
--> statement-breakpoint
-- What is told late is counted at once, where its moment is counted already: all that its person did on that day, and
-- what it was to an answer. Each insert prepares the condition: no function stands in it.
create or replace function count_late() returns trigger language plpgsql as $$
declare
  counting scheduled_tasks;
  counted timestamptz;
  told timestamptz := (to_jsonb(new) ->> tg_argv[0])::timestamptz;
  following date := utc_day(told + interval '30 minutes');
  -- A university's day may have begun the day before, or end the day after.
  month date := date_trunc('month', utc_day(told) - 1);
  months_past date;
  former report_months[];
begin
  select * into counting from scheduled_tasks where name = 'count' for share;
  counted := counted_to(counting);
  if told >= counted then return null; end if;
  if tg_table_name = 'chat_messages' then
    insert into report_totals (measure, course_id, day, amount, is_kept)
    select measure, course_id, utc_day(moment), amount, false from answer_facts where message_id = new.id;
    perform count_message_late(new);
  else
    perform pg_advisory_xact_lock(hashtextextended('activity of person ' || new.user_id, 0));
    months_past := person_months_until(new.user_id);
    if month < months_past then
      former := array(select month_sums(array[new.user_id], month, months_past));
    end if;
    delete from activity_days where user_id = new.user_id and day in (utc_day(told), following);
    insert into activity_days
    select * from activity_between(utc_midnight(utc_day(told)), least(counted, utc_midnight(following + 1)))
    where user_id = new.user_id;
    if month < months_past then
      perform count_months_again(
        new.user_id, month, date_trunc('month', following)::date, months_past, former);
    end if;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Counts some more people of the first month that is not counted whole; answers whether more is left. Persons below zero
-- are those who were erased before their rows stayed as numbers.
create or replace function count_months(most integer) returns boolean language plpgsql as $$
declare
  nobody constant integer := -2147483648;
  state counted_months;
  days_until date;
  past date;
  people integer[];
begin
  perform from scheduled_tasks where name = 'count' for update;
  insert into counted_months select '1970-01-01', nobody where not exists (select from counted_months);
  select * into state from counted_months;
  days_until := utc_day(counted_until());
  past := state.until + interval '1 month';
  -- From here on days are counted anew.
  if days_until < state.until then
    update counted_months set until = date_trunc('month', days_until - 1), people_to = nobody;
    return true;
  end if;
  if state.people_to = nobody and delete_counted_months(state.until, most) then return true; end if;
  if past >= days_until then return false; end if;
  -- Nothing was done before the first day.
  if state.until = '1970-01-01' then
    update counted_months set until = coalesce((
      select date_trunc('month', min(day)) from activity_days), date_trunc('month', days_until));
    if not exists (select from counted_months where until = state.until) then return true; end if;
  end if;
  if state.people_to = nobody then
    people := array(select distinct user_id from activity_days where user_id <= 0 and day >= state.until and day < past);
    update counted_months set people_to = 0;
  else
    people := array(select id from users where id > state.people_to order by id limit greatest(1, most / 10));
    if people = '{}' then
      update counted_months set until = past, people_to = nobody;
      return true;
    end if;
    update counted_months set people_to = people[cardinality(people)];
  end if;
  perform keep_active_months(people, state.until, past);
  perform add_to_month(state.until, array(select month_sums(people, state.until, past)));
  return true;
end $$;
--> statement-breakpoint
-- Adds what was done, and answered, from one moment up to another to what is counted. Of days that are begun only the
-- first may have been counted in part.
create or replace function count_step(first timestamptz, last timestamptz) returns void
language plpgsql set enable_seqscan = off as $$
begin
  with fresh as materialized (
    select done.*, case when done.day = utc_day(first) then (
             select former.ctid from activity_days as former
             where former.user_id = done.user_id and former.day = done.day
               and former.content_item_id is not distinct from done.content_item_id
               and former.course_id is not distinct from done.course_id
               and former.local_day is not distinct from done.local_day limit 1
           ) end as former
    from activity_between(first, last) as done
  ), added as (
    update activity_days as day
    set milliseconds = day.milliseconds + fresh.milliseconds, questions = day.questions + fresh.questions
    from fresh where day.ctid = fresh.former
  )
  insert into activity_days
  select day, user_id, content_item_id, course_id, milliseconds, questions, local_day from fresh where former is null;

  with fresh as materialized (
    select answers.*, case when answers.day = utc_day(first) then (
             select former.ctid from report_totals as former
             where former.measure = answers.measure and former.day = answers.day
               and former.course_id is not distinct from answers.course_id and not former.is_kept limit 1
           ) end as former
    from (
      select measure, course_id, utc_day(moment) as day, count(*) as amount
      from answer_facts where moment >= first and moment < last group by 1, 2, 3
    ) as answers
  ), added as (
    update report_totals as total set amount = total.amount + fresh.amount from fresh where total.ctid = fresh.former
  )
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, day, amount, false from fresh where former is null;
end $$;
--> statement-breakpoint
-- The day of a moment in the zone that holds then, of that view; without one, the day of UTC.
create or replace function day_in_zone(moment timestamptz, zone text, past_day date) returns date
language sql stable parallel safe as $$
  select coalesce(least((moment at time zone zone)::date, past_day - 1), utc_day(moment))
$$;
--> statement-breakpoint
-- Forgets some of what was counted of a day and those after it; answers whether more is left.
create or replace function delete_counted(first date, most integer) returns boolean
language plpgsql set enable_seqscan = off as $$
declare
  days integer;
  sums integer;
begin
  update counted_months set until = date_trunc('month', first - 1), people_to = -2147483648
  where (until, people_to) > (date_trunc('month', first - 1)::date, -2147483648);
  update counted_facts set until = '1970-01-01', reached_at = null where reached_at > utc_midnight(first);
  delete from activity_days where ctid = any (array(
    select ctid from activity_days where day >= first and user_id > 0 order by day limit most));
  get diagnostics days = row_count;
  delete from report_totals where ctid = any (array(
    select ctid from report_totals
    where measure in ('hits', 'misses', 'joined') and day >= first and not is_kept limit most));
  get diagnostics sums = row_count;
  return greatest(days, sums) = most;
end $$;
--> statement-breakpoint
-- The first moment of a day in a time zone. Where clocks are set back over midnight, it is the earlier of the two; where they are
-- set forward over it, it is that moment.
create or replace function first_moment(day date, zone text) returns timestamptz language sql stable parallel safe as $$
  select case when ((midnight - interval '1 hour') at time zone zone)::date = day then midnight - interval '1 hour'
    else midnight end
  from (select day::timestamp at time zone zone as midnight) as one
$$;
--> statement-breakpoint
-- Deletes what is a person's own, and keeps what it counted for.
create or replace function keep_statistics(person integer) returns void language plpgsql as $$
declare
  former report_totals[] := array(select personal_totals(person));
begin
  perform leave_discussions(person);
  perform delete_belongings(person);
  insert into report_totals (measure, course_id, day, since, amount, is_kept, course_offering_id, local_day)
  select measure, course_id, day, since, sum(amount), true, course_offering_id, local_day
  from (
    select * from unnest(former)
    union all
    select measure, course_id, day, since, -amount, is_kept, course_offering_id, local_day from personal_totals(person)
  ) as counted
  group by measure, course_id, day, since, course_offering_id, local_day having sum(amount) <> 0;
end $$;
--> statement-breakpoint
-- Has days be of a new university's zone from the first on, and of another zone from the first midnight after the change.
-- A zone that PostgreSQL does not know counts as UTC: nothing that is counted may fail by it. What was to begin and is
-- changed before is none.
create or replace function keep_time_zone() returns trigger language plpgsql as $$
declare
  zone text := new.time_zone;
  today date;
  latest university_time_zones;
begin
  begin
    today := (service_now() at time zone zone)::date;
  exception when invalid_parameter_value then
    zone := 'UTC';
    today := utc_day(service_now());
  end;
  delete from university_time_zones
  where university_id = new.id and first_moment(from_day, time_zone) > service_now();
  select * into latest from university_time_zones where university_id = new.id order by from_day desc limit 1;
  if coalesce(latest.time_zone, 'UTC') = zone then return null; end if;
  insert into university_time_zones (university_id, from_day, time_zone) values (new.id, '0001-01-01', 'UTC')
  on conflict do nothing;
  insert into university_time_zones (university_id, from_day, time_zone)
  values (new.id, case tg_op when 'INSERT' then today else greatest(today + 1, latest.from_day + 1) end, zone);
  return null;
end $$;
--> statement-breakpoint
-- What these people add to the sums of some months, from their rows of them.
create or replace function month_sums(people integer[], first date, past date) returns setof report_months
language sql stable set enable_seqscan = off as $$
  with own as materialized (
    select * from activity_months where user_id = any (people) and month >= first and month < past
  ), at_topic as (
    select own.*, (
      select max(before.month) from activity_months as before
      where before.user_id = own.user_id and before.content_item_id = own.content_item_id and before.month < own.month
    ) as since
    from own where content_item_id is not null
  ), asking as (
    select own.*, (
      select max(before.month) from activity_months as before
      where before.user_id = own.user_id and before.content_item_id = own.content_item_id and before.month < own.month
        and before.questions > 0
    ) as since
    from own where content_item_id is not null and questions > 0
  ), in_course as (
    select own.*, (
      select max(before.month) from activity_months as before
      where before.user_id = own.user_id and before.content_item_id is null and before.month < own.month
        and before.course_id = own.course_id
    ) as since
    from own where content_item_id is null and course_id is not null
  ), anywhere as (
    select one.month, (
      select max(before.month) from activity_months as before
      where before.user_id = one.user_id and before.content_item_id is null and before.month < one.month
    ) as since
    from (select distinct user_id, month from own where content_item_id is null) as one
  ), at_university as (
    select one.*, (
      select max(before.month) from activity_months as before join courses on courses.id = before.course_id
      where before.user_id = one.user_id and before.content_item_id is null and before.month < one.month
        and courses.university_id = one.university_id
    ) as since
    from (
      select distinct own.user_id, own.month, courses.university_id from own join courses on courses.id = own.course_id
      where own.content_item_id is null
    ) as one
  ), of_courses_and_all as (
    select case grouping(course_id) when 0 then 'topics' else 'all_topics' end, course_id, month, since, count(*)
    from at_topic group by grouping sets ((course_id, month, since), (month, since))
    union all
    select case grouping(course_id) when 0 then 'askers' else 'all_askers' end, course_id, month, since, count(*)
    from asking group by grouping sets ((course_id, month, since), (month, since))
    union all
    select 'people', course_id, month, since, count(*) from in_course group by 2, 3, 4
    union all
    select 'all_people', null, month, since, count(*) from anywhere group by 3, 4
    union all
    select case grouping(course_id) when 0 then 'milliseconds' else 'all_milliseconds' end, course_id, month, null,
           sum(milliseconds)::bigint
    from at_topic group by grouping sets ((course_id, month), (month))
    union all
    select case grouping(course_id) when 0 then 'questions' else 'all_questions' end, course_id, month, null, sum(questions)
    from asking group by grouping sets ((course_id, month), (month))
    union all
    select 'people_by_day', null, date_trunc('month', day)::date, day, count(distinct user_id) from activity_days
    where user_id = any (people) and day >= first and day < past group by 3, 4
  )
  select one.*, null::integer from of_courses_and_all as one
  union all
  select 'university_people', null, month, since, count(*), university_id from at_university group by 3, 4, 6
  union all
  select 'university_people_by_day', null, date_trunc('month', one.day)::date, one.day, count(distinct one.user_id),
         one.university_id
  from (
    select done.user_id, coalesce(done.local_day, done.day) as day, courses.university_id
    from activity_days as done join courses on courses.id = done.course_id
    where done.user_id = any (people) and done.day >= first - 1 and done.day <= past
  ) as one
  where one.day >= first and one.day < past group by 3, 4, 6
$$;
--> statement-breakpoint
-- The first month of which a report may not read the sums.
create or replace function months_until() returns date language sql stable parallel safe as $$
  select coalesce(
    (select least(until, date_trunc('month', utc_day(counted_until()) - 1)::date) from counted_months), '1970-01-01')
$$;
--> statement-breakpoint
-- What those rows of a person count for that go when they are erased, and not only those: of all that stays as much is
-- there before as after.
create or replace function personal_totals(person integer) returns setof report_totals language sql stable as $$
  select measure, course_id, utc_day(moment), utc_day(since), sum(amount), true, null::int, null::date
  from (table community_facts union all table assessment_facts) as fact
  where user_id = person and moment is not null
    and measure in ('notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'labs_submitted', 'labs_graded',
                    'labs_scored', 'lab_scores', 'assignments_submitted', 'assignments_graded', 'assignments_scored',
                    'assignment_scores')
  group by 1, 2, 3, 4
  union all
  select counted.measure, run.course_id, utc_day(counted.moment), null, count(*), true, run.id,
         nullif(university_day(run.university_id, counted.moment), utc_day(counted.moment))
  from certificates as own join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('certificates_issued', case when own.replaces_id is null then own.issued_at end),
    ('certificates_revoked', own.revoked_at)) as counted (measure, moment)
  where own.user_id = person and counted.moment is not null group by 1, 2, 3, 7, 8
$$;
--> statement-breakpoint
-- What was done in the courses of a university on these days of its own, however much is not counted yet. Such a day is within
-- one day of that of UTC.
create or replace function university_activity(university integer, first_day date, last_day date)
returns setof activity_days language sql stable parallel safe as $$
  select done.* from activity_days as done join courses on courses.id = done.course_id
  where courses.university_id = university and done.day between first_day - 1 and last_day + 1
    and coalesce(done.local_day, done.day) between first_day and last_day
    and (done.day < utc_day((select counted_until())) or done.user_id < 0)
  union all
  select * from activity_between((select counted_until()), 'infinity', university)
  where coalesce(local_day, day) between first_day and last_day and course_id is not null
$$;
--> statement-breakpoint
-- The same of one moment at a university.
create or replace function university_day(university integer, moment timestamptz) returns date
language sql stable parallel safe as $$
  select coalesce(
    (select day_in_zone(moment, time_zone, past_day) from university_zones
     where university_id = university and moment >= starts_at and moment < ends_at),
    utc_day(moment))
$$;
--> statement-breakpoint
-- The moment at which a day of a university begins.
create or replace function university_midnight(university integer, day date) returns timestamptz
language sql stable parallel safe as $$
  select coalesce(
    (select least(first_moment(day, time_zone), ends_at) from university_zones
     where university_id = university and from_day <= day order by from_day desc limit 1),
    utc_midnight(day))
$$;
--> statement-breakpoint
create or replace trigger keep_changed_time_zone after update of time_zone on universities
  for each row when (new.time_zone <> old.time_zone) execute function keep_time_zone();
--> statement-breakpoint
create or replace trigger keep_time_zone after insert on universities for each row execute function keep_time_zone();
--> statement-breakpoint
-- All of it. People below zero are those who were erased.
create or replace view activity as
  select * from activity_days where day < utc_day((select counted_until())) or user_id < 0
  union all
  select * from uncounted_activity(null);
--> statement-breakpoint
-- When a university's days are of which zone: from the first moment of `from_day` up to `ends_at`, before which `past_day` has
-- not begun.
create or replace view university_zones as
  select university_id, from_day, time_zone, starts_at, lead(starts_at, 1, 'infinity') over later as ends_at,
         lead(from_day) over later as past_day
  from (
    select university_id, from_day, time_zone, first_moment(from_day, time_zone) as starts_at from university_time_zones
  ) as zone
  window later as (partition by university_id order by from_day);
--> statement-breakpoint
-- By hand: the days of every university are those of its zone from the first midnight after the upgrade, and were those of UTC.
with zones as materialized (
select id, time_zone from universities
where time_zone <> 'UTC' and lower(time_zone) in (select lower(name) from pg_timezone_names)
)
insert into university_time_zones (university_id, from_day, time_zone)
select id, date '0001-01-01', 'UTC' from zones
union all
select id, (now() at time zone time_zone)::date + 1, time_zone from zones;
--> statement-breakpoint
set local check_function_bodies = on;
