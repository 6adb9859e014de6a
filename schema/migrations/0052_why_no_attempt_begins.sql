set local check_function_bodies = off;
--> statement-breakpoint
-- Why a learner who has none open cannot begin an attempt at a quiz, after so many.
create or replace function no_attempt_because(
  taken integer, most integer, closes_at timestamptz, pool integer, moment timestamptz
) returns text language sql stable as $$
  select case
    when moment >= closes_at then 'closed'
    when taken >= most then 'no attempt left'
    when not exists (select from questions where question_pool_id = pool and is_active) then 'no questions'
  end
$$;
--> statement-breakpoint
-- How a quiz is for a person: what holds for them there, how many attempts they have taken, which one is open, and in
-- `refusal` why they can neither start nor go on with one, in the words of `start_quiz_attempt`. No row: there is no such
-- quiz.
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
           when open_one.id is null
           then no_attempt_because(taken.count, rules.most_attempts, rules.closes_at, rules.question_pool_id, moment)
         end),
         rules.is_exam, rules.passing_percent::float8, extract(epoch from rules.time_limit)::int, rules.closes_at,
         rules.most_attempts, taken.count, open_one.id
  from quiz_rules(item, offering, person) as rules
  cross join lateral attempts_taken(person, item, offering) as taken (count)
  left join lateral (
    select one.id from quiz_attempts as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
      and one.submitted_at is null and not is_over(one, moment)
  ) as open_one on true
$$;
--> statement-breakpoint
-- Starts a person's next attempt at a quiz, or answers the one that is open. Its questions are drawn once, and with
-- them the order of everything. Starts of one person at one quiz wait for each other, in whatever offerings: what one
-- took is counted by the next. `refusal` says why there is none: one of `gate_of_work` (outline.sql), 'not enrolled',
-- 'closed', 'no attempt left' or 'no questions'.
create or replace function start_quiz_attempt(
  person integer, offering integer, item integer, moment timestamptz, today date
) returns table (refusal text, is_new boolean, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  mine quiz_attempts;
begin
  is_new := false;
  perform lock_item_type_shared(item);
  perform pg_advisory_xact_lock(hashtextextended('attempts of ' || person || ' at a quiz', item));
  select * into rules from quiz_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_work(item, person, offering, moment) is not null then gate_of_work(item, person, offering, moment)
    when not exists (
      select from enrollments
      where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
  end;
  if refusal is null then
    select * into mine from quiz_attempts as one
    where user_id = person and course_offering_id = offering and content_item_id = item and submitted_at is null;
    if found and not is_over(mine, moment) then
      attempt := quiz_attempt_with_keys(mine, moment);
      return next;
      return;
    end if;
    perform close_quiz_attempt(mine.id, moment);
    refusal := no_attempt_because(
      attempts_taken(person, item, offering), rules.most_attempts, rules.closes_at, rules.question_pool_id, moment);
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  is_new := true;
  insert into quiz_attempts (
    user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at, due_at, passing_percent,
    correct_in_row)
  select person, offering, item, coalesce(max(attempt_number), 0) + 1, rules.is_exam, moment,
         least(moment + rules.time_limit, rules.closes_at), rules.passing_percent, rules.correct_in_row
  from quiz_attempts where user_id = person and course_offering_id = offering and content_item_id = item
  returning * into mine;
  insert into quiz_attempt_questions (quiz_attempt_id, position, question_id, version, graded_version, option_ids)
  select mine.id, row_number() over (order by place, id), id, version, version, (
      select array_agg(option.value ->> 'id' order by case when rules.is_random then random() end, option.number)
      from jsonb_array_elements(options_json) with ordinality as option (value, number))
  from (
    select id, version, options_json, case when rules.is_random then random() end as place
    from questions where question_pool_id = rules.question_pool_id and is_active
    order by random() limit rules.draws
  ) as chosen;
  update quiz_attempts set max_score = (
    select sum(points)
    from quiz_attempt_questions as drawn join question_versions as asked using (question_id, version)
    where drawn.quiz_attempt_id = mine.id
  ) where id = mine.id returning * into mine;
  perform begin_item(person, offering, item, moment, moment);
  perform record_activity(person, 'attempted', 'content_item', item, rules.university_id, item, offering, moment, today);
  attempt := quiz_attempt_with_keys(mine, moment);
  return next;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
