-- Monthly sums of activity, for reports of more than a year. A user active in several months is counted once: the
-- sums store in which earlier month each was active, and users within the period are left out. Users active in the
-- days around whole months are looked up among them.
--
-- A month is counted after its days, in steps of so many users, and read once it is complete. Late rows change the
-- sums by the difference for their user. Daily users of a university follow its own days, which may end a day after
-- UTC: a month is counted a day later for that.
--
-- Locks: the schedule's row with the moment up to which days are counted (daily-report-aggregates.sql): a counting step takes it
-- exclusively, late rows take it shared.

-- Includes uncounted rows. Such a day is within one day of UTC. A function, because a report that computes its days
-- in the statement would run it for each of them.
create or replace function daily_activity_of_university(university integer, first_day date, last_day date)
returns setof activity_days language sql stable parallel safe as $$
  select done.* from activity_days as done join courses on courses.id = done.course_id
  where courses.university_id = university and done.day between first_day - 1 and last_day + 1
    and coalesce(done.local_day, done.day) between first_day and last_day
    and (done.day < utc_day((select daily_aggregates_counted_until())) or done.user_id < 0)
  union all
  select * from daily_activity_between((select daily_aggregates_counted_until()), 'infinity', university)
  where coalesce(local_day, day) between first_day and last_day and course_id is not null
$$;

create or replace function monthly_activity_sums(people integer[], first date, past date) returns setof report_months
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

create or replace function insert_monthly_activity_of_people(people integer[], first date, past date) returns void
language sql set enable_seqscan = off as $$
  insert into activity_months (month, user_id, content_item_id, course_id, milliseconds, questions)
  with done as materialized (
    select date_trunc('month', day)::date as month, user_id, content_item_id, course_id, milliseconds, questions
    from activity_days where user_id = any (people) and day >= first and day < past
  )
  select month, user_id, content_item_id, course_id, sum(milliseconds), sum(questions) from done
  where content_item_id is not null group by 1, 2, 3, 4
  union all
  select distinct month, user_id, null::integer, course_id, 0, 0 from done
$$;

-- Counts `most` more users of the first incomplete month. Returns whether more is left. User ids below zero were
-- erased before rows stayed as numbers.
create or replace function aggregate_monthly_activity(most integer) returns boolean
language plpgsql set enable_seqscan = off as $$
declare
  nobody constant integer := -2147483648;
  state counted_months;
  days_until date;
  past date;
  people integer[];
  counted report_months[];
  active integer;
  sums integer;
begin
  perform from scheduled_tasks where name = 'count' for update;
  insert into counted_months select '1970-01-01', nobody where not exists (select from counted_months);
  select * into state from counted_months;
  days_until := utc_day(daily_aggregates_counted_until());
  past := state.until + interval '1 month';
  -- Recounts days from here.
  if days_until < state.until then
    update counted_months set until = date_trunc('month', days_until - 1), people_to = nobody;
    return true;
  end if;
  if state.people_to = nobody then
    -- Deletes some counts of this month and later ones.
    delete from activity_months where ctid = any (array(select ctid from activity_months where month >= state.until limit most));
    get diagnostics active = row_count;
    delete from report_months where ctid = any (array(select ctid from report_months where month >= state.until limit most));
    get diagnostics sums = row_count;
    if greatest(active, sums) = most then return true; end if;
  end if;
  if past >= days_until then return false; end if;
  -- There is no activity before the first day.
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
  perform insert_monthly_activity_of_people(people, state.until, past);
  counted := array(select monthly_activity_sums(people, state.until, past));
  -- Joins by all key columns, treating nulls as equal. Late rows before the lock have their own sums; equal ones absorb
  -- the addition.
  with former as materialized (
    select measure, course_id, since, university_id, min(ctid) as row from report_months
    where month = state.until group by 1, 2, 3, 4
  ), fresh as materialized (
    select one.*, former.row as former
    from unnest(counted) as one left join former
      on former.measure = one.measure
      and coalesce(former.course_id, 0) = coalesce(one.course_id, 0)
      and coalesce(former.since, '-infinity') = coalesce(one.since, '-infinity')
      and coalesce(former.university_id, 0) = coalesce(one.university_id, 0)
  ), added as (
    update report_months as sums set amount = sums.amount + fresh.amount from fresh where sums.ctid = fresh.former
  )
  insert into report_months (measure, course_id, month, since, amount, university_id)
  select measure, course_id, month, since, amount, university_id from fresh where former is null;
  return true;
end $$;
