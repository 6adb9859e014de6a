-- Maintains a course's modules and content. A module's depth is its parent's plus 1, at most 32; no module is
-- moved below itself; rows without a position go last.
--
-- Locks: the course, then rows of its outline. Changes of one outline wait for each other; later queries of
-- the function see the commits made during the wait.

-- The foreign key rejects a parent that does not exist or is in another course.
create or replace function set_module_depth_position_refusing_cycle() returns trigger language plpgsql as $$
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

create or replace trigger set_position_of_module before insert or update of parent_module_id on modules
  for each row execute function set_module_depth_position_refusing_cycle();

-- A module completes with everything below it, so it may not require one above or below itself, or form a cycle.
-- Deleting a module removes it from requirements.
create or replace function modules_after_write() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    update modules set requires_module_ids = array_remove(requires_module_ids, old.id), version = version + 1
    where course_id = old.course_id and old.id = any (requires_module_ids);
    return null;
  end if;
  -- A new module without requirements affects no other.
  if (tg_op = 'UPDATE' or new.requires_module_ids <> '{}')
     and exists (select from modules where course_id = new.course_id and requires_module_ids <> '{}') then
    if new.requires_module_ids <> '{}' then
      perform from courses where id = new.course_id for no key update;
      if exists (
        select from unnest(new.requires_module_ids) as required (id)
        where not exists (select from modules as m where m.id = required.id and m.course_id = new.course_id)
      ) then
        raise exception 'module % asks for what is no module of its course', new.id
          using errcode = 'check_violation', table = 'modules', constraint = 'modules_requirements_of_course';
      end if;
    end if;
    if exists (
      with recursive way (id, above_id) as (
        select m.id, m.id from modules as m where m.course_id = new.course_id
        union
        select way.id, m.parent_module_id from way join modules as m on m.id = way.above_id
        where m.parent_module_id is not null
      ), asks (id, then_asks) as (
        select m.id, other.id
        from modules as m
        cross join lateral unnest(m.requires_module_ids) as required (id)
        join modules as other on other.course_id = m.course_id and other.requires_module_ids <> '{}'
        where m.course_id = new.course_id and (
          exists (select from way where way.id = other.id and above_id = required.id)
          or exists (select from way where way.id = required.id and above_id = other.id))
      ), reached (id, from_id) as (
        select then_asks, id from asks
        union
        select asks.then_asks, reached.from_id from reached join asks on asks.id = reached.id
      )
      select from reached where id = from_id
    ) then
      raise exception 'modules would wait for each other' using
        errcode = 'check_violation', table = 'modules', constraint = 'modules_requirements_acyclic';
    end if;
  end if;
  if tg_op = 'UPDATE' and old.depth <> new.depth then
    with recursive below as (
      select id, new.depth + 1 as depth from modules where parent_module_id = new.id
      union all
      select child.id, below.depth + 1
      from modules as child join below on child.parent_module_id = below.id
    )
    update modules set depth = below.depth from below where modules.id = below.id;
  end if;
  return null;
end $$;

create or replace trigger modules_after_write
  after insert or update of requires_module_ids, parent_module_id or delete on modules
  for each row execute function modules_after_write();

create or replace function set_position_of_content_item() returns trigger language plpgsql as $$
begin
  if new.sequence_index is null then
    perform from courses where id = new.course_id for no key update;
    new.sequence_index := coalesce(
      (select max(sequence_index) + 1 from content_items where module_id = new.module_id), 1);
  end if;
  return new;
end $$;

create or replace trigger set_position_of_content_item before insert or update of module_id on content_items
  for each row execute function set_position_of_content_item();

-- From 1: the named ones in the given order, then the others in their old order.
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
  update modules set sequence_index = place.rank, updated_at = service_now()
  from (
    select id, row_number() over (order by array_position(named, id), sequence_index) as rank
    from modules where course_id = course and parent_module_id is not distinct from parent
  ) as place
  where modules.id = place.id and modules.sequence_index <> place.rank;
  return query select * from modules
    where course_id = course and parent_module_id is not distinct from parent;
end $$;

-- Reorders the content of one module likewise.
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
  update content_items set sequence_index = place.rank, updated_at = service_now()
  from (
    select id, row_number() over (order by array_position(named, id), sequence_index) as rank
    from content_items where module_id = module
  ) as place
  where content_items.id = place.id and content_items.sequence_index <> place.rank;
  return query select * from content_items where module_id = module;
end $$;

create or replace function is_module_published_with_ancestors(the_module integer) returns boolean language sql stable as $$
  with recursive path as (
    select parent_module_id, is_published from modules where id = the_module
    union all
    select above.parent_module_id, above.is_published
    from modules as above join path on above.id = path.parent_module_id
  )
  select bool_and(is_published) from path
$$;

create or replace function is_item_published_with_ancestors(item integer) returns boolean language sql stable as $$
  select exists (
    select from content_items as one
    join courses as course on course.id = one.course_id
    where one.id = item and one.is_active and course.is_published and is_module_published_with_ancestors(one.module_id)
  )
$$;

-- The person has a seat in the offering. Unpublished modules are ignored. A module without items uses its posted
-- progress.
create or replace function unmet_required_modules(person integer, the_course integer, required integer[]) returns integer[]
language sql stable as $$
  with done as (
    select computed.module_id, computed.completed_at, posted.completed_at as posted_at
    from enrollments as mine
    join course_offerings as run on run.id = mine.course_offering_id and run.course_id = the_course
    cross join lateral (
      select wanted.id as module_id, computed.completed_at, computed.module_id is null as has_no_items
      from unnest(required) as wanted (id)
      left join module_progress_of_person(run.id, person) as computed on computed.module_id = wanted.id
    ) as computed
    left join user_module_progress as posted on computed.has_no_items and posted.course_offering_id = run.id
      and posted.user_id = person and posted.module_id = computed.module_id
    where mine.user_id = person and mine.is_admitted
  )
  select coalesce(array_agg(wanted.id order by wanted.id), '{}')
  from (select distinct id from unnest(required) as one (id)) as wanted
  where is_module_published_with_ancestors(wanted.id)
    and not exists (select from done where module_id = wanted.id and coalesce(completed_at, posted_at) is not null)
$$;

create or replace function module_lock_reason(
  lacks_place boolean, starts timestamptz, asked integer[], unmet integer[], moment timestamptz
) returns text language sql immutable as $$
  select case when lacks_place then 'enrollment_required'
              when starts > moment then 'not_available_yet'
              when asked && unmet then 'modules_incomplete' end
$$;

-- 'hidden', 'enrollment required', 'not available yet', or null. Course staff always may, except `as_learner`. A
-- null person is not signed in. `the_item` applies the dates of their offerings, or of `offering` (dates.sql).
create or replace function module_access_refusal(
  the_module integer, person integer, moment timestamptz, is_active boolean default true,
  item_available_from timestamptz default null, as_learner boolean default false, the_item integer default null,
  offering integer default null
) returns text language plpgsql stable as $$
declare
  step record;
  above integer := the_module;
  required integer[] := '{}';
  starts timestamptz := item_available_from;
  is_shown boolean := is_active;
begin
  if the_module is null then return null; end if;
  -- A loop: most modules are top level, and starting a recursive query costs more than this.
  while above is not null loop
    select m.parent_module_id, m.is_published, m.available_from, m.requires_module_ids,
           c.id as course_id, c.access, c.is_published as is_course_published,
           -- Checked in the same query: most courses have no offering dates, and then nothing else is read.
           exists (
             select from offering_dates as own where own.course_id = c.id and own.available_from is not null
             union all
             select from offering_group_dates as own where own.course_id = c.id and own.available_from is not null
             union all
             select from quiz_overrides as own
             where own.content_item_id = the_item and own.user_id = person and own.available_from is not null
           ) as has_own_openings
    into step from modules as m join courses as c on c.id = m.course_id where m.id = above;
    above := step.parent_module_id;
    is_shown := is_shown and step.is_published;
    starts := greatest(starts, step.available_from);
    required := required || step.requires_module_ids;
  end loop;
  if step.has_own_openings then
    starts := content_opening_date_for_person(person, step.course_id, offering, the_module, the_item, starts);
  end if;
  is_shown := is_shown and step.is_course_published;
  return case
    -- Most content is open to everyone, and then nothing else is read.
    when is_shown and module_lock_reason(step.access <> 'open', starts, required, required, moment) is null then null
    when not as_learner and is_staff_of_course(person, step.course_id) then null
    when not is_shown then 'hidden'
    else case module_lock_reason(step.access <> 'open' and not is_admitted_to_course(person, step.course_id), starts, required,
        unmet_required_modules(person, step.course_id, required), moment)
      when 'enrollment_required' then 'enrollment required'
      when 'not_available_yet' then 'not available yet'
      when 'modules_incomplete' then 'not available yet' end
  end;
end $$;

-- With an offering, its dates apply to each taker, including staff who learn there.
create or replace function item_access_refusal(
  item integer, person integer, moment timestamptz, as_learner boolean default false, offering integer default null
) returns text language sql stable as $$
  select module_access_refusal(one.module_id, person, moment, one.is_active, one.available_from,
    case when offering is null then as_learner else not is_staff_of_offering(person, offering) end, one.id, offering)
  from content_items as one where one.id = item
$$;
