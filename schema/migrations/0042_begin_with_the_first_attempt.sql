set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "backfills" (
	"name" varchar(64) PRIMARY KEY NOT NULL,
	"done_to" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
-- A person's attempt at an item, or work that they hand in, begins it as a post of 0 percent does. What they do there
-- first and last is what comes first and last, in whatever order it is told.
create or replace function begin_item(
  person integer, offering integer, item integer, begun timestamptz, latest timestamptz
) returns void language sql as $$
  insert into user_content_progress as mine
    (user_id, course_offering_id, content_item_id, first_started_at, last_interacted_at)
  values (person, offering, item, begun, latest)
  on conflict on constraint user_content_progress_unique do update
    set first_started_at = least(mine.first_started_at, excluded.first_started_at),
        last_interacted_at = greatest(mine.last_interacted_at, excluded.last_interacted_at)
$$;
--> statement-breakpoint
-- Begins the items of the next `most` attempts, and of as many submissions, that were made before they began any;
-- answers whether more are left. It goes on behind the last that was looked at, and by person, as all who write progress
-- of many do.
create or replace function begin_items_of_before(most integer) returns boolean language plpgsql as $$
declare
  step record;
  last bigint;
begin
  for step in
    select * from backfills where name in ('begun_by_attempts', 'begun_by_submissions') order by name for update
  loop
    with done as materialized (
      select * from (
        select id, user_id, course_offering_id, content_item_id, started_at, coalesce(submitted_at, started_at) as latest
        from quiz_attempts where step.name = 'begun_by_attempts' and id > step.done_to order by id limit most
      ) as attempt
      union all
      select * from (
        select id, user_id, course_offering_id, content_item_id, submitted_at, submitted_at
        from lab_submissions where step.name = 'begun_by_submissions' and id > step.done_to order by id limit most
      ) as submission
    ), item as materialized (
      select user_id, course_offering_id, content_item_id, min(started_at) as begun, max(latest) as latest
      from done group by 1, 2, 3 order by 1, 2, 3
    ), begun as materialized (
      select begin_item(user_id, course_offering_id, content_item_id, begun, latest) from item
    )
    select max(id) into last from done where (select count(*) from begun) >= 0;
    if last is null then
      delete from backfills where name = step.name;
    else
      update backfills set done_to = last where name = step.name;
    end if;
  end loop;
  return exists (select from backfills where name in ('begun_by_attempts', 'begun_by_submissions'));
end $$;
--> statement-breakpoint
-- Whether a person can still do something at an item for a result: go on with an attempt that is open, or begin or hand
-- in another, which is not closed, while one is left and their grade is not final.
create or replace function can_be_tried(item integer, offering integer, person integer, moment timestamptz)
returns boolean language sql stable as $$
  select coalesce((
    select exists (
      select from quiz_attempts as one
      where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
        and one.submitted_at is null and not is_over(one, moment)
    ) or coalesce(moment < rules.closes_at, true) and coalesce(rules.most_attempts > (
      select count(*) from quiz_attempts as one
      where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
    ), true)
    from quiz_rules(item, offering, person) as rules
    union all
    select not is_grade_final(offering, person) and (rules.takes_late or coalesce(moment <= rules.due_at, true))
      and coalesce(rules.most_attempts > (
        select count(*) from lab_submissions as one
        where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
          and one.status <> 'returned'
      ), true)
    from work_rules(item, offering, person) as rules
  ), true)
$$;
--> statement-breakpoint
-- A person's newest attempt at each item that they tried. `number` says which it is of the `most` that they have, which is
-- null without a limit; what was returned is no attempt that counts, and the next takes its number. `state` is 'open',
-- 'submitted', 'graded' or 'returned'. Of a quiz whose time is up the score is missing until someone has closed it.
create or replace function item_attempts(offering integer, person integer, moment timestamptz)
returns table (item_id integer, number integer, most integer, score numeric, passed boolean, state text)
language sql stable as $$
  select tried.item_id, tried.number, rules.most_attempts, (tried.newest).score_obtained, (tried.newest).passed,
         case when not is_over(tried.newest, moment) then 'open'
              when (tried.newest).score_obtained is null then 'submitted' else 'graded' end
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one as newest,
           count(*) over (partition by one.content_item_id)::int as number
    from quiz_attempts as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral quiz_rules(tried.item_id, offering, person) as rules
  union all
  select tried.item_id, tried.number, rules.most_attempts, tried.score, null, tried.status
  from (
    select distinct on (one.content_item_id) one.content_item_id as item_id, one.score_obtained as score, one.status,
           (count(*) filter (where one.status <> 'returned') over (partition by one.content_item_id)
             + (one.status = 'returned')::int)::int as number
    from lab_submissions as one where one.user_id = person and one.course_offering_id = offering
    order by one.content_item_id, one.attempt_number desc
  ) as tried
  cross join lateral work_rules(tried.item_id, offering, person) as rules
$$;
--> statement-breakpoint
drop function items_to_do(integer,integer,timestamp with time zone);
--> statement-breakpoint
-- The active items that they have not completed, in modules that are published with all above them, but for those whose
-- newest work waits for its grade, and those at which nothing can be done any more. `place` is an item's way through the
-- tree. The first by it is the next, but for practice quizzes that count in no grade: they come when nothing else is left.
-- It is due when the person is granted or else when it, or else the nearest module above it that says so, is. `is_open`:
-- neither it nor a module above it is locked at that moment. It starts from the items, so that it costs what there is to
-- do, however large the tree is.
create or replace function items_to_do(offering integer, person integer, moment timestamptz)
returns table (
  item_id integer, module_id integer, place integer[], due_at timestamptz, is_open boolean, is_ungraded_practice boolean
) language sql stable as $$
  with recursive left_over as materialized (
    select item.id, item.module_id, item.sequence_index, item.due_at, item.available_from, item.course_id,
           type.name = 'quiz' and item.data_json ->> 'quiz_mode' is distinct from 'exam' and not exists (
             select from grading_schemes as scheme
             where scheme.course_offering_id = run.id and (scheme.groups = '[]' or scheme.groups @>
               jsonb_build_array(jsonb_build_object('content_item_ids', jsonb_build_array(item.id))))
           ) as is_ungraded_practice
    from course_offerings as run
    join courses as course on course.id = run.course_id and course.is_published
    join content_items as item on item.course_id = run.course_id and item.is_active
    join content_types as type on type.id = item.content_type_id
    where run.id = offering and not exists (
      select from user_content_progress as mine
      where mine.user_id = person and mine.course_offering_id = run.id and mine.content_item_id = item.id
        and mine.completed_at is not null
    ) and not exists (
      select from lab_submissions as work
      where work.user_id = person and work.course_offering_id = run.id and work.content_item_id = item.id
        and work.status = 'submitted' and not exists (
          select from lab_submissions as newer
          where newer.user_id = person and newer.course_offering_id = run.id and newer.content_item_id = item.id
            and newer.attempt_number > work.attempt_number)
    ) and (not completes_by_result(type.name) or can_be_tried(item.id, run.id, person, moment))
  ), way (module_id, parent_module_id, place, due_at, available_from, required) as (
    select m.id, m.parent_module_id, array[m.sequence_index], m.due_at, m.available_from, m.requires_module_ids
    from (select distinct left_over.module_id from left_over) as own
    cross join lateral (select one.* from modules as one where one.id = own.module_id offset 0) as m
    where m.is_published
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place,
           coalesce(way.due_at, above.due_at), greatest(way.available_from, above.available_from),
           way.required || above.requires_module_ids
    from way
    cross join lateral (select one.* from modules as one where one.id = way.parent_module_id offset 0) as above
    where above.is_published
  ), whole as materialized (
    select * from way where way.parent_module_id is null
  ), asked (course_id, unmet) as materialized (
    select run.course_id, case when exists (select from whole where whole.required <> '{}')
      then unmet_modules(person, run.course_id, array(select distinct unnest(whole.required) from whole)) else '{}' end
    from course_offerings as run where run.id = offering
  )
  select left_over.id, left_over.module_id, whole.place || left_over.sequence_index,
         coalesce(granted.due_at, left_over.due_at, whole.due_at),
         lock_reason(false, greatest(left_over.available_from, whole.available_from), whole.required, asked.unmet, moment)
           is null, left_over.is_ungraded_practice
  from left_over join whole on whole.module_id = left_over.module_id cross join asked
  left join quiz_overrides as granted on granted.course_offering_id = offering
    and granted.content_item_id = left_over.id and granted.user_id = person
$$;
--> statement-breakpoint
-- Reminds those of up to `most` such items who have still to do them, as `items_to_do` says; answers of how many. Whoever
-- has another date for it by an override is not reminded of everyone's.
create or replace function remind_of_due(moment timestamptz, ahead interval, most integer) returns integer
language plpgsql as $$
declare
  soon record;
  reminded integer := 0;
begin
  for soon in select * from items_due_soon(moment, ahead) order by offering, item limit most loop
    insert into due_reminders (course_offering_id, content_item_id, due_at)
    values (soon.offering, soon.item, soon.due) on conflict do nothing;
    if found then
      perform notify(array(
        select taking.user_id from enrollments as taking
        where taking.course_offering_id = soon.offering and taking.status = 'active' and not exists (
          select from user_content_progress as done
          where done.user_id = taking.user_id and done.course_offering_id = soon.offering
            and done.content_item_id = soon.item and done.completed_at is not null
        ) and not exists (
          select from quiz_overrides as own
          where own.user_id = taking.user_id and own.course_offering_id = soon.offering
            and own.content_item_id = soon.item and own.due_at <> soon.due
        ) and can_be_tried(soon.item, soon.offering, taking.user_id, moment) and coalesce((
          select work.status <> 'submitted' from lab_submissions as work
          where work.user_id = taking.user_id and work.course_offering_id = soon.offering
            and work.content_item_id = soon.item
          order by work.attempt_number desc limit 1
        ), true)
      ), 'due_soon', 'item:' || soon.item || ':' || extract(epoch from soon.due), moment, soon.offering, soon.item,
         due => soon.due);
    end if;
    reminded := reminded + 1;
  end loop;
  return reminded;
end $$;
--> statement-breakpoint
-- Starts a person's next attempt at a quiz, or answers the one that is open. Its questions are drawn once, and with
-- them the order of everything. `refusal` says why there is none: one of `gate_of_item` (outline.sql),
-- 'not enrolled', 'closed', 'no attempt left' or 'no questions'.
create or replace function start_quiz_attempt(
  person integer, offering integer, item integer, moment timestamptz, today date
) returns table (refusal text, is_new boolean, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  mine quiz_attempts;
begin
  is_new := false;
  select * into rules from quiz_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_item(item, person, moment) is not null then gate_of_item(item, person, moment)
    when not exists (
      select from enrollments
      where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
  end;
  while refusal is null and not is_new loop
    select * into mine from quiz_attempts as one
    where user_id = person and course_offering_id = offering and content_item_id = item and submitted_at is null;
    if found and not is_over(mine, moment) then
      attempt := quiz_attempt_with_keys(mine, moment);
      return next;
      return;
    end if;
    perform close_quiz_attempt(mine.id, moment);
    refusal := case
      when moment >= rules.closes_at then 'closed'
      when (
        -- One that is open by now is met by the insert.
        select count(*) from quiz_attempts
        where user_id = person and course_offering_id = offering and content_item_id = item
          and submitted_at is not null
      ) >= rules.most_attempts then 'no attempt left'
      when not exists (
        select from questions where question_pool_id = rules.question_pool_id and is_active
      ) then 'no questions'
    end;
    if refusal is null then
      insert into quiz_attempts (
        user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at, due_at, passing_percent,
        correct_in_row)
      select person, offering, item, coalesce(max(attempt_number), 0) + 1, rules.is_exam, moment,
             least(moment + rules.time_limit, rules.closes_at), rules.passing_percent, rules.correct_in_row
      from quiz_attempts where user_id = person and course_offering_id = offering and content_item_id = item
      -- As many as were counted above, or another has been taken since.
      having coalesce(count(*) < rules.most_attempts, true)
      -- Another start came first: what it left is looked at.
      on conflict do nothing returning * into mine;
      is_new := found;
    end if;
  end loop;
  if refusal is not null then
    return next;
    return;
  end if;

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
-- Hands in a person's next attempt. The same again, while it waits for its grade, is answered as it is. `refusal` says
-- why there is none: one of `gate_of_item` (outline.sql), 'not enrolled', 'final', 'closed' or 'no attempt left'. What
-- was returned is no attempt that counts.
create or replace function submit_work(
  person integer, offering integer, item integer, given jsonb, moment timestamptz, today date
) returns table (refusal text, is_new boolean, submission lab_submissions) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  work record;
begin
  is_new := false;
  select * into rules from work_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_item(item, person, moment) is not null then gate_of_item(item, person, moment)
    when not exists (
      select from enrollments where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
    when is_grade_final(offering, person) then 'final'
  end;
  select * into work from jsonb_to_record(given) as one (body text, links text[], data_json jsonb, artifacts_url text);
  while refusal is null and not is_new loop
    select one.* into submission from lab_submissions as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
    order by one.attempt_number desc limit 1;
    if submission.status = 'submitted' and (submission.body, submission.links, submission.data_json, submission.artifacts_url)
         is not distinct from (work.body, work.links, work.data_json, work.artifacts_url::varchar) then
      return next;
      return;
    end if;
    refusal := case
      when not rules.takes_late and moment > rules.due_at then 'closed'
      when (
        select count(*) from lab_submissions
        where user_id = person and course_offering_id = offering and content_item_id = item and status <> 'returned'
      ) >= rules.most_attempts then 'no attempt left'
    end;
    if refusal is null then
      insert into lab_submissions as one (
        user_id, course_offering_id, content_item_id, attempt_number, submitted_at, due_at, is_late, body, links,
        data_json, artifacts_url)
      -- The next after the one that was looked at: where another came meanwhile, it takes this number.
      values (person, offering, item, coalesce(submission.attempt_number, 0) + 1, moment, rules.due_at,
        coalesce(moment > rules.due_at, false), work.body, work.links, work.data_json, work.artifacts_url)
      on conflict do nothing returning one.* into submission;
      is_new := found;
    end if;
  end loop;
  if refusal is null then
    perform begin_item(person, offering, item, moment, moment);
    perform record_activity(
      person, 'submitted', 'content_item', item, rules.university_id, item, offering, moment, today);
  else
    submission := null;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- The schedule begins the items of attempts and submissions that there are.
insert into backfills (name)
select 'begun_by_attempts' where exists (select from quiz_attempts)
union all
select 'begun_by_submissions' where exists (select from lab_submissions);
--> statement-breakpoint
set local check_function_bodies = on;
