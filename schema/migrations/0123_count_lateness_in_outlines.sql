set local check_function_bodies = off;
--> statement-breakpoint
-- A person's newest attempt at each item that they tried. `number` says which it is of the `most` that they have, which is
-- null without a limit: at a quiz with those in other offerings that are counted together; what was returned is no attempt
-- that counts, and the next takes its number. `state` is 'open', 'submitted', 'graded' or 'returned'. Of a quiz whose time
-- is up the score is missing until someone has closed it; that of work is less what it is late. Planned once for all calls, as
-- dates.sql says.
create or replace function item_attempts(offering integer, person integer, moment timestamptz)
returns table (item_id integer, number integer, most integer, score numeric, passed boolean, state text)
language sql stable set plan_cache_mode = force_generic_plan as $$
  select tried.item_id, attempts_taken(person, tried.item_id, offering), rules.most_attempts,
         (tried.newest).score_obtained, (tried.newest).passed,
         case when not is_over(tried.newest, moment) then 'open'
              when (tried.newest).score_obtained is null then 'submitted' else 'graded' end
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one as newest
    from quiz_attempts as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral quiz_rules(tried.item_id, offering, person, moment) as rules
  union all
  select tried.item_id, tried.number, rules.most_attempts, tried.score, null, tried.status
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one.status,
           one.score_obtained - late_deduction_of(one) as score,
           (count(*) filter (where one.status <> 'returned') over (partition by one.content_item_id)
             + (one.status = 'returned')::int)::int as number
    from lab_submissions as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral work_rules(tried.item_id, offering, person) as rules
$$;
--> statement-breakpoint
set local check_function_bodies = on;
