set local check_function_bodies = off;
--> statement-breakpoint
-- The items of a course that count: active ones, in and below nothing but published modules. It looks for what is not
-- published and what is below that, which is little, however many modules there are beside it: `offset 0` keeps them from
-- being read as a whole.
create or replace function counting_items(the_course integer)
returns table (item_id integer, module_id integer, by_result boolean) language sql stable as $$
  with recursive hidden (module_id) as (
    select m.id from modules as m where m.course_id = the_course and not m.is_published
    union
    select below.id from hidden cross join lateral (
      select one.id from modules as one where one.parent_module_id = hidden.module_id offset 0
    ) as below
  )
  select item.id, item.module_id, completes_by_result(type.name)
  from content_items as item join content_types as type on type.id = item.content_type_id
  where item.course_id = the_course and item.is_active
    and not exists (select from hidden where hidden.module_id = item.module_id)
$$;
--> statement-breakpoint
set local check_function_bodies = on;
