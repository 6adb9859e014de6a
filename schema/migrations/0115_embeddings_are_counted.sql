set local check_function_bodies = off;
--> statement-breakpoint
drop function look_at_measures(timestamp with time zone,integer);
--> statement-breakpoint
drop function measure_passages(timestamp with time zone,integer);
--> statement-breakpoint
ALTER TABLE "llm_calls" DROP CONSTRAINT "llm_calls_purpose_check";
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_purpose_check" CHECK ("llm_calls"."purpose" in ('turn', 'warm', 'trial', 'embedding'));
--> statement-breakpoint
-- Looks at courses that nobody has looked at for a day, at most `most`, and begins to measure those that tell or ask
-- something else than when they were measured, with another model, or were a month ago. Answers whether there may be more.
create or replace function look_at_measures(moment timestamptz, most integer, the_model text default null) returns boolean
language plpgsql as $$
declare
  looked integer;
begin
  insert into passage_measures (course_id, looked_at)
  select id, to_timestamp(0) from courses
  where not exists (select from passage_measures where course_id = courses.id) order by id limit most
  on conflict do nothing;
  with next as materialized (
    select course_id from passage_measures where looked_at < moment - interval '1 day'
    order by looked_at, course_id limit most for no key update skip locked
  ), current as materialized (
    select course_id, measured_by(course_id) || coalesce(' ' || the_model, '') as hangs_on from next
  )
  update passage_measures as mine set
    looked_at = moment, hangs_on = current.hangs_on,
    (last_question_id, asked_so_far, found_so_far) = (
      select case when is_due then 0 else mine.last_question_id end,
             case when is_due then 0 else mine.asked_so_far end,
             case when is_due then 0 else mine.found_so_far end
      from (select mine.hangs_on is distinct from current.hangs_on
                   or coalesce(mine.measured_at < moment - interval '30 days', false) as is_due) as one)
  from current where mine.course_id = current.course_id;
  get diagnostics looked = row_count;
  return looked = most;
end $$;
--> statement-breakpoint
-- Measures a course that waits for it, by at most `most` of its questions, and by what they mean to a model where `meanings`
-- has their vectors by their ids. Answers whether there may be more to do. What was measured before holds until all of them
-- are through.
create or replace function measure_passages(
  moment timestamptz, most integer, the_model text default null, meanings jsonb default '{}'
) returns boolean language plpgsql as $$
declare
  mine passage_measures;
  step record;
begin
  select * into mine from passage_measures where last_question_id is not null
  order by looked_at, course_id limit 1 for no key update skip locked;
  if not found then return false; end if;
  select count(*) as asked, max(next.id) as last, count(*) filter (where exists (
      select from find_passages(mine.course_id, next.question_text, the_model,
        translate(meanings ->> next.id::text, '[]', '{}')::real[], 5) as hit
      join content_items as item on item.id = hit.content_item_id where item.module_id = any (next.modules))) as found
  into step from (
    select * from asked_in_course(mine.course_id) where id > mine.last_question_id order by id limit most
  ) as next;
  mine.asked_so_far := mine.asked_so_far + step.asked;
  mine.found_so_far := mine.found_so_far + step.found;
  if step.asked = most then
    update passage_measures
    set last_question_id = step.last, asked_so_far = mine.asked_so_far, found_so_far = mine.found_so_far
    where course_id = mine.course_id;
  else
    update passage_measures
    set last_question_id = null, asked_so_far = 0, found_so_far = 0,
        asked = mine.asked_so_far, found = mine.found_so_far, measured_at = moment
    where course_id = mine.course_id;
  end if;
  return true;
end $$;
--> statement-breakpoint
-- The next questions by which a course that waits for it is measured, for a model that is to say what they mean.
create or replace function questions_to_measure(most integer)
returns table (id integer, university_id integer, question_text text) language sql stable as $$
  select asked.id, course.university_id, asked.question_text
  from (
    select course_id, last_question_id from passage_measures where last_question_id is not null
    order by looked_at, course_id limit 1
  ) as mine join courses as course on course.id = mine.course_id
  cross join lateral asked_in_course(course.id) as asked
  where asked.id > mine.last_question_id order by asked.id limit most
$$;
--> statement-breakpoint
set local check_function_bodies = on;
