-- Measures how often the right passage is among the five found for a question of the course's own quizzes. The
-- tutor's sources are labeled by it: as sources, or as possibly helpful. Right are the passages of a module in which
-- a quiz asks the question. The schedule measures a course in steps, and again after its texts or questions change.
--
-- Locks: measures of courses, skipping those that another transaction has.

-- Returns the modules in which each question is asked. Modules without passages are left out: no passage could be
-- right.
create or replace function quiz_questions_of_modules_with_passages(the_course integer)
returns table (id integer, version integer, question_text text, modules integer[]) language sql stable as $$
  select asked.id, asked.version, asked.question_text, pool.modules
  from (
    select pool_of_quiz(quiz.data_json) as id, array_agg(distinct quiz.module_id) as modules
    from content_items as quiz join content_types as type on type.id = quiz.content_type_id and type.name = 'quiz'
    where quiz.course_id = the_course and quiz.is_active and pool_of_quiz(quiz.data_json) is not null and exists (
      select from content_items as item join passages as told on told.content_item_id = item.id
      where item.module_id = quiz.module_id and item.is_active)
    group by 1
  ) as pool join questions as asked on asked.question_pool_id = pool.id and asked.is_active
$$;

-- At most `most` courses, once a day. Starts a measure if the texts, the questions or the model changed, or the
-- last measure is a month old. Returns whether there may be more.
create or replace function start_due_retrieval_measurements(moment timestamptz, most integer, the_model text default null) returns boolean
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
    select course_id,
           -- Its passages and questions, and their places.
           md5(concat_ws('; ',
             (select string_agg(concat_ws(' ', item.id, item.module_id, told.newest), ', ' order by item.id)
              from content_items as item cross join lateral (
                select max(passage.id) as newest from passages as passage where passage.content_item_id = item.id) as told
              where item.course_id = next.course_id and item.is_active and told.newest is not null),
             (select string_agg(concat_ws(' ', asked.id, asked.version, asked.modules), ', ' order by asked.id)
              from quiz_questions_of_modules_with_passages(next.course_id) as asked))) || coalesce(' ' || the_model, '') as hangs_on
    from next
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

-- Measures by at most `most` of the questions, and by vectors where `meanings` has them by question id. Returns
-- whether there may be more to do. The former measure applies until all questions are done.
create or replace function measure_next_retrieval_step(
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
      select from find_passages_ignoring_access(mine.course_id, next.question_text, the_model,
        translate(meanings ->> next.id::text, '[]', '{}')::real[], 5) as hit
      join content_items as item on item.id = hit.content_item_id where item.module_id = any (next.modules))) as found
  into step from (
    select * from quiz_questions_of_modules_with_passages(mine.course_id) where id > mine.last_question_id order by id limit most
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
