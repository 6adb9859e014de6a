set local check_function_bodies = off;
--> statement-breakpoint
drop function copy_modules(jsonb,integer,integer,text,jsonb);
--> statement-breakpoint
-- The same of items, with all that hangs on them: pins, what the tutor is told, files. Each goes into the copy of its
-- module, or stays in its module where that has none; a quiz draws from the copy of its pool, where there is one. Links from one
-- to another that is copied with it lead to the copy.
create or replace function copy_items(
  ids jsonb, target integer, the_modules jsonb, pools jsonb, days integer, zone text, own jsonb default '{}'
) returns void language plpgsql as $$
begin
  insert into content_items overriding system value
  select copied.*
  from (
    select item, type.name, with_links_to_copies(item.data_json::text, ids)::jsonb
    from content_items as item join content_types as type on type.id = item.content_type_id
    where item.id in (select id::integer from jsonb_object_keys(ids) as one (id)) order by item.id
  ) as listed (one, type, data)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', ids -> (one).id::text, 'course_id', target, 'origin_item_id', (one).id,
    'module_id', coalesce(the_modules -> (one).module_id::text, to_jsonb((one).module_id)),
    'description', with_links_to_copies((one).description, ids), 'data_json', listed.data,
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || case when listed.type = 'quiz' and pools ? (listed.data ->> 'question_pool_id')
         then jsonb_build_object('data_json', jsonb_set(
           listed.data, '{question_pool_id}', pools -> (listed.data ->> 'question_pool_id')))
         else '{}' end
    || coalesce(own -> (one).id::text, '{}')) as copied;
  perform copy_pins(original::integer, copy::integer)
  from (select * from jsonb_each_text(ids) order by value::integer) as pair (original, copy);
  perform copy_notes_of_items(ids, target);
  perform copy_file_uses(ids);
end $$;
--> statement-breakpoint
-- The same of a module with all that is in it and below it: that is as it was in the original, and is seen with the copy.
create or replace function copy_module(the_module integer) returns modules
language plpgsql set lock_timeout = '25s' as $$
declare
  original modules;
  copied modules;
  module_ids jsonb;
  item_ids jsonb;
begin
  select * into original from modules where id = the_module;
  if not found then return null; end if;
  update modules set sequence_index = sequence_index + 1, updated_at = service_now()
  where course_id = original.course_id and parent_module_id is not distinct from original.parent_module_id
    and sequence_index > original.sequence_index;
  with recursive inside (id) as (
    select the_module
    union all
    select below.id from inside join modules as below on below.parent_module_id = inside.id
  )
  select jsonb_object_agg(id, nextval(pg_get_serial_sequence('modules', 'id')) order by id) into module_ids from inside;
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('content_items', 'id')) order by id), '{}')
  into item_ids from content_items
  where module_id in (select id::integer from jsonb_object_keys(module_ids) as one (id));
  perform copy_modules(module_ids, item_ids, original.course_id, 0, 'UTC',
    jsonb_build_object(the_module, jsonb_build_object(
      'title', title_of_copy(original.title, (select language_code from courses where id = original.course_id)),
      'is_published', false, 'sequence_index', original.sequence_index + 1)));
  perform copy_items(item_ids, original.course_id, module_ids, '{}', 0, 'UTC');
  select * into copied from modules where id = (module_ids ->> the_module::text)::integer;
  return copied;
end $$;
--> statement-breakpoint
-- Copies modules, whose copies have these ids by those of the originals. What a module asks for are the copies too, where
-- they are among them, and so do links to `items`. `own` has what single copies say otherwise, by the ids of the originals.
create or replace function copy_modules(
  ids jsonb, items jsonb, target integer, days integer, zone text, own jsonb default '{}'
) returns void language sql as $$
  -- Parents first: a module's depth is that of the one above it.
  insert into modules overriding system value
  select copied.*
  from (select m from modules as m where m.id in (select id::integer from jsonb_object_keys(ids) as one (id))
        order by m.depth, m.id) as listed (one)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', ids -> (one).id::text, 'course_id', target,
    'parent_module_id', coalesce(ids -> (one).parent_module_id::text, to_jsonb((one).parent_module_id)),
    'requires_module_ids', to_jsonb(array(
      select coalesce((ids ->> required.id::text)::integer, required.id)
      from unnest((one).requires_module_ids) with ordinality as required (id, place) order by place)),
    'description', with_links_to_copies((one).description, items),
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || coalesce(own -> (one).id::text, '{}')) as copied
$$;
--> statement-breakpoint
-- The tree with its content. What a module asks for, and from what a quiz draws, are the copies too.
create or replace function copy_outline(source integer, target integer, pools jsonb, days integer, zone text)
returns void language plpgsql as $$
declare
  module_ids jsonb;
  item_ids jsonb;
begin
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('modules', 'id')) order by id), '{}')
  into module_ids from modules where course_id = source;
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('content_items', 'id')) order by id), '{}')
  into item_ids from content_items where course_id = source;
  perform copy_modules(module_ids, item_ids, target, days, zone);
  perform copy_items(item_ids, target, module_ids, pools, days, zone);
  perform copy_tutor_notes(source, target);
end $$;
--> statement-breakpoint
-- A text, Markdown or JSON that has it, in which links to items lead to their copies, where there are some.
create or replace function with_links_to_copies(words text, ids jsonb) returns text language sql immutable as $$
  select case when words ~ '\]\(#/items/\d' then (
    select string_agg(piece.part || coalesce('](#/items/' || coalesce(ids ->> link.item[1], link.item[1]), ''), ''
                      order by piece.place)
    from regexp_split_to_table(words, '\]\(#/items/\d+') with ordinality as piece (part, place)
    left join regexp_matches(words, '\]\(#/items/(\d+)', 'g') with ordinality as link (item, place) using (place)
  ) else words end
$$;
--> statement-breakpoint
set local check_function_bodies = on;
