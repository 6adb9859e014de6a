set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "report_months" DROP CONSTRAINT "report_months_measure_check";
--> statement-breakpoint
ALTER TABLE "report_months" ADD COLUMN "university_id" integer;
--> statement-breakpoint
CREATE INDEX "report_months_university_id_month_index" ON "report_months" USING btree ("university_id","month");
--> statement-breakpoint
ALTER TABLE "report_months" ADD CONSTRAINT "report_months_measure_check" CHECK ("report_months"."measure" in ('people', 'all_people', 'topics', 'all_topics', 'askers', 'all_askers', 'milliseconds', 'all_milliseconds', 'questions', 'all_questions', 'people_by_day', 'university_people', 'university_people_by_day'));
--> statement-breakpoint
-- Adds to the sums of a month. They are joined by what they are of, where none is one too.
create or replace function add_to_month(the_month date, counted report_months[]) returns void language plpgsql as $$
begin
  with fresh as materialized (
    select one.*, former.ctid as former
    from unnest(counted) as one left join report_months as former
      on former.month = the_month and former.measure = one.measure
      and coalesce(former.course_id, 0) = coalesce(one.course_id, 0)
      and coalesce(former.since, '-infinity') = coalesce(one.since, '-infinity')
      and coalesce(former.university_id, 0) = coalesce(one.university_id, 0)
  ), added as (
    update report_months as sums set amount = sums.amount + fresh.amount from fresh where sums.ctid = fresh.former
  )
  insert into report_months (measure, course_id, month, since, amount, university_id)
  select measure, course_id, month, since, amount, university_id from fresh where former is null;
end $$;
--> statement-breakpoint
-- Has the months of a person follow what changed of some of their days; `former` is what they added before.
create or replace function count_months_again(person integer, first date, changed_to date, past date, former report_months[])
returns void language plpgsql set enable_seqscan = off as $$
begin
  delete from activity_months where user_id = person and month >= first and month <= changed_to;
  perform keep_active_months(array[person], first, least(past, (changed_to + interval '1 month')::date));
  insert into report_months (measure, course_id, month, since, amount, university_id)
  select measure, course_id, month, since, sum(amount), university_id from (
    select measure, course_id, month, since, -amount as amount, university_id from unnest(former)
    union all
    select measure, course_id, month, since, amount, university_id from month_sums(array[person], first, past)
  ) as one
  group by 1, 2, 3, 4, 6 having sum(amount) <> 0;
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
  select 'university_people_by_day', null, date_trunc('month', done.day)::date, done.day, count(distinct done.user_id),
         courses.university_id
  from activity_days as done join courses on courses.id = done.course_id
  where done.user_id = any (people) and done.day >= first and done.day < past group by 3, 4, 6
$$;
--> statement-breakpoint
-- What was done in the courses of a university on these days, however much is not counted yet.
create or replace function university_activity(university integer, first_day date, last_day date)
returns setof activity_days language sql stable parallel safe as $$
  select done.* from activity_days as done join courses on courses.id = done.course_id
  where courses.university_id = university and done.day between first_day and last_day
    and (done.day < utc_day((select counted_until())) or done.user_id < 0)
  union all
  select * from activity_between((select counted_until()), 'infinity', university)
  where day between first_day and last_day and course_id is not null
$$;
--> statement-breakpoint
set local check_function_bodies = on;

--> statement-breakpoint
-- Of months that are counted already nothing is known by the university: the schedule counts them anew, and until then
-- reports read their days.
update counted_months set until = '1970-01-01', people_to = -2147483648;
