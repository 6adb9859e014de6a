set local check_function_bodies = off;
--> statement-breakpoint
-- How a quiz is for a person: what holds for them there, how many attempts they have taken, which one is open, and in
-- `refusal` why they cannot start or go on with one, in the words of `start_quiz_attempt`. No row: there is no such quiz.
create or replace function quiz_of_person(person integer, offering integer, item integer, moment timestamptz)
returns table (
  refusal text, is_exam boolean, passing_percent double precision, time_limit_seconds integer, closes_at timestamptz,
  max_attempts integer, attempts_taken integer, open_attempt_id integer
) language sql stable as $$
  select coalesce(gate_of_item(item, person, moment), case
           when not exists (
             select from enrollments
             where user_id = person and course_offering_id = offering and is_admitted
           ) then 'not enrolled'
           when open_one.id is not null then null
           when moment >= rules.closes_at then 'closed'
           when taken.count >= rules.most_attempts then 'no attempt left'
           when not exists (
             select from questions where question_pool_id = rules.question_pool_id and is_active
           ) then 'no questions'
         end),
         rules.is_exam, rules.passing_percent::float8, extract(epoch from rules.time_limit)::int, rules.closes_at,
         rules.most_attempts, taken.count, open_one.id
  from quiz_rules(item, offering, person) as rules
  cross join lateral (
    select count(*)::int as count from quiz_attempts as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
  ) as taken
  left join lateral (
    select one.id from quiz_attempts as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
      and one.submitted_at is null and not is_over(one, moment)
  ) as open_one on true
$$;
--> statement-breakpoint
set local check_function_bodies = on;
