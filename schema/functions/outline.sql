-- A course's outline, its modules and the content in them, is kept in order here, whoever writes: a module's depth
-- is its parent's plus 1, at most 32, no module is moved below itself, and what comes without a place goes last.
--
-- Locks: the course, then rows of its outline. Changes of one outline wait for each other; each query in a function
-- looks anew, so what others committed during the wait is seen.

-- A parent that does not exist, or is another course's, is left to the foreign key.
create or replace function modules_take_place() returns trigger language plpgsql as $$
begin
  perform from courses where id = new.course_id for no key update;
  if exists (
    with recursive ancestors as (
      select id, parent_module_id from modules where id = new.parent_module_id
      union
      select parent.id, parent.parent_module_id
      from modules as parent join ancestors on parent.id = ancestors.parent_module_id
    )
    select from ancestors where id = new.id
  ) then
    raise exception 'module % cannot be moved below itself', new.id
      using errcode = 'check_violation', table = 'modules', constraint = 'modules_not_below_itself';
  end if;
  new.depth := coalesce((select depth + 1 from modules where id = new.parent_module_id), 0);
  new.sequence_index := coalesce(new.sequence_index, (
    select max(sequence_index) + 1 from modules
    where course_id = new.course_id and parent_module_id is not distinct from new.parent_module_id
  ), 1);
  return new;
end $$;

create or replace trigger modules_take_place before insert or update of parent_module_id on modules
  for each row execute function modules_take_place();

create or replace function modules_take_subtree_along() returns trigger language plpgsql as $$
begin
  with recursive below as (
    select id, new.depth + 1 as depth from modules where parent_module_id = new.id
    union all
    select child.id, below.depth + 1
    from modules as child join below on child.parent_module_id = below.id
  )
  update modules set depth = below.depth from below where modules.id = below.id;
  return null;
end $$;

create or replace trigger modules_take_subtree_along after update of parent_module_id on modules
  for each row when (old.depth <> new.depth) execute function modules_take_subtree_along();

create or replace function content_items_take_place() returns trigger language plpgsql as $$
begin
  if new.sequence_index is null then
    perform from courses where id = new.course_id for no key update;
    new.sequence_index := coalesce(
      (select max(sequence_index) + 1 from content_items where module_id = new.module_id), 1);
  end if;
  return new;
end $$;

create or replace trigger content_items_take_place before insert or update of module_id on content_items
  for each row execute function content_items_take_place();

-- Numbers the siblings from 1: the named ones in the order given, then the others in their old order. Answers all.
create or replace function reorder_modules(course integer, named integer[]) returns setof modules
language plpgsql strict as $$
declare
  parent integer;
begin
  perform from courses where id = course for no key update;
  select parent_module_id into parent from modules where id = named[1];
  if cardinality(named) <> (
    select count(*) from modules
    where course_id = course and parent_module_id is not distinct from parent and id = any (named)
  ) then
    raise exception 'modules % are not siblings, or not each named once', named
      using errcode = 'check_violation', table = 'modules', constraint = 'modules_reorder_siblings';
  end if;
  update modules set sequence_index = place.rank, updated_at = now()
  from (
    select id, row_number() over (order by array_position(named, id), sequence_index) as rank
    from modules where course_id = course and parent_module_id is not distinct from parent
  ) as place
  where modules.id = place.id and modules.sequence_index <> place.rank;
  return query select * from modules
    where course_id = course and parent_module_id is not distinct from parent;
end $$;

-- The same for the content of one module.
create or replace function reorder_content_items(course integer, named integer[]) returns setof content_items
language plpgsql strict as $$
declare
  module integer;
begin
  perform from courses where id = course for no key update;
  select module_id into module from content_items where id = named[1];
  if cardinality(named) <> (
    select count(*) from content_items where module_id = module and id = any (named)
  ) then
    raise exception 'content items % are not of one module, or not each named once', named
      using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_reorder_siblings';
  end if;
  update content_items set sequence_index = place.rank, updated_at = now()
  from (
    select id, row_number() over (order by array_position(named, id), sequence_index) as rank
    from content_items where module_id = module
  ) as place
  where content_items.id = place.id and content_items.sequence_index <> place.rank;
  return query select * from content_items where module_id = module;
end $$;

-- Whether a module and every module above it is published: what is below an unpublished one is hidden with it.
create or replace function is_module_published(the_module integer) returns boolean language sql stable as $$
  with recursive path as (
    select parent_module_id, is_published from modules where id = the_module
    union all
    select above.parent_module_id, above.is_published
    from modules as above join path on above.id = path.parent_module_id
  )
  select bool_and(is_published) from path
$$;

-- Whether a content item is there for everyone.
create or replace function is_item_public(item integer) returns boolean language sql stable as $$
  select exists (
    select from content_items as one
    join courses as course on course.id = one.course_id
    where one.id = item and one.is_active and course.is_published and is_module_published(one.module_id)
  )
$$;

-- Whether a content item is there for a person: what is not for everyone is for the staff of its course.
create or replace function is_item_open(item integer, person integer) returns boolean language sql stable as $$
  select is_item_public(item)
    or is_staff_of_course(person, (select one.course_id from content_items as one where one.id = item))
$$;
