-- People's attempts at the items of an offering: quizzes, labs and assignments.
--
-- Locks: none, read only.

-- The newest attempt at each item that the person tried: its number out of `most` (null for no limit), for a quiz
-- with attempts in other offerings counted together. The next attempt takes the number of returned work. `state` is
-- 'open', 'submitted', 'graded' or 'returned'. An expired quiz has no score until it is closed; the score of work
-- includes the late deduction. Planned once for all calls (see dates.sql).
create or replace function newest_attempt_per_item_of_person(offering integer, person integer, moment timestamptz)
returns table (item_id integer, number integer, most integer, score numeric, passed boolean, state text)
language sql stable set plan_cache_mode = force_generic_plan as $$
  select tried.item_id, count_quiz_attempts_taken(person, tried.item_id, offering), rules.most_attempts,
         (tried.newest).score_obtained, (tried.newest).passed,
         case when not is_attempt_over(tried.newest, moment) then 'open'
              when (tried.newest).score_obtained is null then 'submitted' else 'graded' end
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one as newest
    from quiz_attempts as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral effective_quiz_rules_of_person(tried.item_id, offering, person, moment) as rules
  union all
  select tried.item_id, tried.number, rules.most_attempts, tried.score, null, tried.status
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one.status,
           one.score_obtained - late_deduction_of_submission(one) as score,
           (count(*) filter (where one.status <> 'returned') over (partition by one.content_item_id)
             + (one.status = 'returned')::int)::int as number
    from lab_submissions as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral effective_submission_rules_of_person(tried.item_id, offering, person) as rules
$$;

-- Can continue an open attempt, or start or submit another: the item is not closed, an attempt is left, and no
-- grade is final.
create or replace function has_attempt_left_before_closing(item integer, offering integer, person integer, moment timestamptz)
returns boolean language sql stable as $$
  select coalesce((
    select exists (
      select from quiz_attempts as one
      where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
        and one.submitted_at is null and not is_attempt_over(one, moment)
    ) or coalesce(moment < rules.closes_at, true)
      and coalesce(rules.most_attempts > count_quiz_attempts_taken(person, item, offering), true)
    from effective_quiz_rules_of_person(item, offering, person, moment) as rules
    union all
    -- Returned work may be handed in again after the last moment if it was on time at first.
    select not is_course_grade_final(offering, person) and coalesce(moment <= rules.closes_at
        or submission_time_for_lateness(person, offering, item, 2147483647, moment, rules.due_at) <= rules.closes_at, true)
      and coalesce(rules.most_attempts > (
        select count(*) from lab_submissions as one
        where one.user_id = any (current_and_former_account_ids(person)) and one.course_offering_id = offering and one.content_item_id = item
          and one.status <> 'returned'
      ), true)
    from effective_submission_rules_of_person(item, offering, person) as rules
  ), true)
$$;
