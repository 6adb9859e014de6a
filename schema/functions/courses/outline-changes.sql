-- Publishes, hides or re-dates many modules and items of a course together.
--
-- Locks: the course, which the caller has locked; then rows of its outline.

create or replace function position_of_first_id_outside_course(the_course integer, wanted jsonb) returns jsonb language sql stable as $$
  select jsonb_build_object(kind, place - 1)
  from (
    select 'module_ids' as kind, named.* from jsonb_array_elements_text(wanted -> 'module_ids') with ordinality as named (id, place)
    union all
    select 'content_item_ids', named.* from jsonb_array_elements_text(wanted -> 'content_item_ids') with ordinality as named (id, place)
  ) as one
  where case kind when 'module_ids'
    then not exists (select from modules as m where m.id = one.id::integer and m.course_id = the_course)
    else not exists (select from content_items as i where i.id = one.id::integer and i.course_id = the_course) end
  order by kind desc, place limit 1
$$;

-- Applies changes in tree order, except in a trial or if an item would be due before it opens. `wanted` has
-- `module_ids`, with `with_content` including everything below, and `content_item_ids`. The values are
-- `is_published`, `available_from`, `due_at`, or `shift_days`: calendar days of the university. Returns
-- `{"missing"}`, or `{"changed", "refused", "lines"}` with at most 10 000 lines.
create or replace function apply_or_preview_outline_changes(the_course integer, wanted jsonb, is_trial boolean) returns jsonb
language plpgsql as $$
declare
  answer jsonb := jsonb_build_object('missing', position_of_first_id_outside_course(the_course, wanted));
begin
  if answer ->> 'missing' is not null then return answer; end if;
  with recursive node (id, path) as (
    select one.id, array[one.sequence_index] from modules as one
    where one.course_id = the_course and one.parent_module_id is null
    union all
    select below.id, node.path || below.sequence_index
    from node join modules as below on below.parent_module_id = node.id
  ), inside (id) as (
    select named::integer from jsonb_array_elements_text(wanted -> 'module_ids') as named
    union
    select below.id from inside join modules as below on below.parent_module_id = inside.id
    where (wanted ->> 'with_content')::boolean
  ), thing as (
    select node.path, null::integer as item_id, one.id as module_id, one.title, one.version, one.is_published,
           one.available_from, one.due_at
    from inside join node using (id) join modules as one on one.id = inside.id
    union all
    select node.path || array[0, one.sequence_index], one.id, one.module_id, one.title, one.version, one.is_active,
           one.available_from, one.due_at
    from content_items as one join node on node.id = one.module_id
    where one.course_id = the_course and (
      one.id in (select named::integer from jsonb_array_elements_text(wanted -> 'content_item_ids') as named)
      or (wanted ->> 'with_content')::boolean and one.module_id in (select id from inside))
  ), asked as (
    select coalesce((wanted ->> 'shift_days')::integer, 0) as days, university.time_zone as zone
    from courses as course join universities as university on university.id = course.university_id
    where course.id = the_course
  ), change as (
    select thing.*, coalesce((wanted ->> 'is_published')::boolean, thing.is_published) as published,
           case when wanted ? 'available_from' then (wanted ->> 'available_from')::timestamptz
                when days = 0 then thing.available_from else moment_plus_local_days(thing.available_from, days, zone) end as opens,
           case when wanted ? 'due_at' then (wanted ->> 'due_at')::timestamptz
                when days = 0 then thing.due_at else moment_plus_local_days(thing.due_at, days, zone) end as due
    from thing cross join asked
  ), line as materialized (
    select change.*, case
      when due <= opens then 'REFUSED'
      when (is_published, available_from, due_at) is distinct from (published, opens, due) then 'CHANGED'
      else 'UNCHANGED' end as state
    from change
  ), applied as materialized (
    select * from line where state = 'CHANGED' and not is_trial and not exists (select from line where state = 'REFUSED')
  ), changed_modules as (
    update modules as one
    set is_published = applied.published, available_from = applied.opens, due_at = applied.due,
        version = one.version + 1, updated_at = service_now()
    from applied where one.id = applied.module_id and applied.item_id is null
  ), changed_items as (
    update content_items as one
    set is_active = applied.published, available_from = applied.opens, due_at = applied.due,
        version = one.version + 1, updated_at = service_now()
    from applied where one.id = applied.item_id
  )
  select jsonb_build_object(
    'missing', null, 'changed', count(*) filter (where state = 'CHANGED'),
    'refused', count(*) filter (where state = 'REFUSED'),
    'lines', coalesce((
      select jsonb_agg(jsonb_build_object(
        'content_item_id', item_id, 'module_id', module_id, 'title', title, 'state', state,
        'before', jsonb_build_object('is_published', is_published, 'available_from', format_api_timestamp(available_from),
                                     'due_at', format_api_timestamp(due_at)),
        'after', jsonb_build_object('is_published', published, 'available_from', format_api_timestamp(opens),
                                    'due_at', format_api_timestamp(due)),
        'version', version + case when is_trial or state <> 'CHANGED' then 0 else 1 end) order by path, item_id)
      from (select * from line order by path, item_id limit 10000) as first), '[]'))
  into answer from line;
  return answer;
end $$;
