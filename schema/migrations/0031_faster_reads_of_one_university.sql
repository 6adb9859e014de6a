set local check_function_bodies = off;
--> statement-breakpoint
DROP INDEX "course_subjects_subject_id_index";
--> statement-breakpoint
CREATE INDEX "course_subjects_subject_id_course_id_index" ON "course_subjects" USING btree ("subject_id","course_id");
--> statement-breakpoint
CREATE INDEX "module_templates_university_id_search_text_id_index" ON "module_templates" USING btree ("university_id","search_text","id");
--> statement-breakpoint
CREATE INDEX "question_pools_university_id_search_text_id_index" ON "question_pools" USING btree ("university_id","search_text","id");
--> statement-breakpoint
-- The columns of an offering's gradebook, in the order of the course: its published items that take a result. `weight`
-- is that of the item's group, 1 for all where there are no groups, and null for an item that is in none of them. What
-- grade_cells asks of the planner is not for these: of an item it would read the modules of all courses.
create or replace function graded_items(offering integer)
returns table (
  item_id integer, title text, content_type text, max_points numeric, due_at timestamptz, group_name text,
  weight numeric, released boolean, place integer
) language sql stable set enable_nestloop = on as $$
  with recursive counted as materialized (
    select counting.item_id, counting.module_id
    from course_offerings as run cross join lateral counting_items(run.course_id) as counting
    where run.id = offering and counting.by_result
  ), way (module_id, parent_module_id, place) as (
    select m.id, m.parent_module_id, array[m.sequence_index]
    from modules as m where m.id in (select counted.module_id from counted)
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place
    from way join modules as above on above.id = way.parent_module_id
  ), scheme as (
    select groups from grading_schemes where course_offering_id = offering
  ), grouped as (
    select one ->> 'name' as name, (one ->> 'weight')::numeric as weight, item.id::int
    from scheme, jsonb_array_elements(scheme.groups) as one, jsonb_array_elements_text(one -> 'content_item_ids') as item (id)
  )
  select item.id, item.title, type.name, points_of_item(type.name, item.data_json), item_due_at(item.id), grouped.name,
         case when coalesce((select jsonb_array_length(groups) from scheme), 0) = 0 then 1 else grouped.weight end,
         is_grade_released(offering, item.id),
         (row_number() over (order by way.place || item.sequence_index, item.id))::int
  from counted
  join way on way.module_id = counted.module_id and way.parent_module_id is null
  join content_items as item on item.id = counted.item_id
  join content_types as type on type.id = item.content_type_id
  left join grouped on grouped.id = item.id
$$;
--> statement-breakpoint
set local check_function_bodies = on;
