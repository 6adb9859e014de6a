-- A person's remaining work in an offering.
--
-- Locks: none, read only.

-- Excludes items whose newest work waits for its grade or release or that can no longer be done. `place` is the item's path in
-- the tree. Ungraded practice quizzes come last. `is_open`: neither it nor a module above it is locked. Starts from
-- the items, so the cost depends on the remaining work, not the tree's size.
create or replace function items_to_do(offering integer, person integer, moment timestamptz)
returns table (
  item_id integer, module_id integer, place integer[], due_at timestamptz, is_open boolean, is_ungraded_practice boolean
) language sql stable as $$
  with recursive left_over as materialized (
    select item.id, item.module_id, item.sequence_index,
           item.type_name = 'quiz' and not is_quiz_counted_for_grade(item.id, run.id) as is_ungraded_practice
    from course_offerings as run
    join courses as course on course.id = run.course_id and course.is_published
    join content_items_with_type as item on item.course_id = run.course_id and item.is_active
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
    ) and not (is_grading_anonymous(run.id, item.id) and item_completed_by_result_at(run.id, person, item.id) is not null)
      and (not item.takes_result or has_attempt_left_before_closing(item.id, run.id, person, moment))
  ), way (module_id, parent_module_id, place, required) as (
    select m.id, m.parent_module_id, array[m.sequence_index], m.requires_module_ids
    from (select distinct left_over.module_id from left_over) as own
    cross join lateral (select one.* from modules as one where one.id = own.module_id offset 0) as m
    where m.is_published
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place,
           way.required || above.requires_module_ids
    from way
    cross join lateral (select one.* from modules as one where one.id = way.parent_module_id offset 0) as above
    where above.is_published
  ), whole as materialized (
    select * from way where way.parent_module_id is null
  ), asked (course_id, unmet) as materialized (
    select run.course_id, case when exists (select from whole where whole.required <> '{}')
      then unmet_required_modules(person, run.course_id, array(select distinct unnest(whole.required) from whole)) else '{}' end
    from course_offerings as run where run.id = offering
  )
  select left_over.id, left_over.module_id, whole.place || left_over.sequence_index,
         dates.due_at, module_lock_reason(false, dates.opens_at, whole.required, asked.unmet, moment) is null,
         left_over.is_ungraded_practice
  from left_over join whole on whole.module_id = left_over.module_id cross join asked
  join effective_dates_of_items(offering, person, array(select left_over.id from left_over)) as dates on dates.item_id = left_over.id
$$;
