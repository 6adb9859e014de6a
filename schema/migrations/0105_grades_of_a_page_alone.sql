set local check_function_bodies = off;
--> statement-breakpoint
-- How these people stand in each of the columns: of a quiz the best attempt counts, of other work the newest that is
-- graded, scaled to the item's points, unless staff have set a score or excused the person. `version` counts what became
-- of the cell: each result of an attempt or of work, and each score or excuse that was set. How many there are the planner
-- cannot know: what it joins row by row for ten people takes half a minute for five hundred.
create or replace function grade_cells(offering integer, people integer[])
returns table (user_id integer, item_id integer, score numeric, state text, version integer)
language sql stable rows 30000 set enable_nestloop = off as $$
  with item as materialized (
    select * from graded_items(offering)
  ), quizzed as (
    select one.user_id, one.content_item_id, max(one.score_obtained / nullif(one.max_score, 0)) as ratio,
           bool_or(one.submitted_at is not null and one.score_obtained is null) as waits,
           sum(one.grade_version) as version
    from quiz_attempts as one
    where one.course_offering_id = offering and one.user_id = any (people)
    group by one.user_id, one.content_item_id
  ), worked as (
    select one.user_id, one.content_item_id,
           (array_agg(one.score_obtained / nullif(one.max_score, 0) order by one.attempt_number desc)
             filter (where one.status = 'graded'))[1] as ratio,
           (array_agg(one.status order by one.attempt_number desc))[1] as status,
           sum(one.grade_version) as version
    from lab_submissions as one
    where one.course_offering_id = offering and one.user_id = any (people)
    group by one.user_id, one.content_item_id
  )
  select person.id, item.item_id,
         case when own.is_excused then null
              else coalesce(own.score_override, round(coalesce(quizzed.ratio, worked.ratio) * item.max_points, 2)) end,
         case when own.is_excused then 'excused'
              when own.score_override is not null then 'overridden'
              when coalesce(quizzed.ratio, worked.ratio) is not null then 'graded'
              when quizzed.waits then 'submitted'
              else coalesce(worked.status, 'none') end,
         (coalesce(own.version, 0) + coalesce(quizzed.version, worked.version, 0))::int
  from unnest(people) as person (id)
  cross join item
  -- Theirs alone, also where all of the class's are read for a hash.
  left join item_grades as own
    on own.course_offering_id = offering and own.content_item_id = item.item_id and own.user_id = person.id
    and own.user_id = any (people)
  left join quizzed on quizzed.user_id = person.id and quizzed.content_item_id = item.item_id
  left join worked on worked.user_id = person.id and worked.content_item_id = item.item_id
$$;
--> statement-breakpoint
set local check_function_bodies = on;
