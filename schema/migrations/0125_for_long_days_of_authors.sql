set local check_function_bodies = off;
--> statement-breakpoint
drop function copy_file_uses(integer,integer);
--> statement-breakpoint
CREATE INDEX "lab_submissions_to_grade_index" ON "lab_submissions" USING btree ("course_offering_id") WHERE status = 'submitted';
--> statement-breakpoint
-- Does it, unless it is a trial, or something would be due before it opens: then nothing is written. Answers
-- `{"missing"}`, or `{"changed", "refused", "lines"}` with at most 10 000 lines.
create or replace function change_outline(the_course integer, wanted jsonb, is_trial boolean) returns jsonb
language plpgsql as $$
declare
  answer jsonb := jsonb_build_object('missing', first_elsewhere(the_course, wanted));
begin
  if answer ->> 'missing' is not null then return answer; end if;
  with line as (
    select one.*, case
      when due <= opens then 'REFUSED'
      when (was_published, was_from, was_due) is distinct from (published, opens, due) then 'CHANGED'
      else 'UNCHANGED' end as state
    from changes_of_outline(the_course, wanted) as one
  )
  select jsonb_build_object(
    'missing', null, 'changed', count(*) filter (where state = 'CHANGED'),
    'refused', count(*) filter (where state = 'REFUSED'),
    'lines', coalesce((
      select jsonb_agg(jsonb_build_object(
        'content_item_id', item_id, 'module_id', module_id, 'title', title, 'state', state,
        'before', jsonb_build_object('is_published', was_published, 'available_from', answered_moment(was_from),
                                     'due_at', answered_moment(was_due)),
        'after', jsonb_build_object('is_published', published, 'available_from', answered_moment(opens),
                                    'due_at', answered_moment(due)),
        'version', row_version + case when is_trial or state <> 'CHANGED' then 0 else 1 end) order by place, item_id)
      from (select * from line order by place, item_id limit 10000) as first), '[]'))
  into answer from line;
  if is_trial or (answer ->> 'refused')::integer > 0 then return answer; end if;
  update modules as one
  set is_published = line.published, available_from = line.opens, due_at = line.due,
      version = one.version + 1, updated_at = service_now()
  from changes_of_outline(the_course, wanted) as line
  where one.id = line.module_id and line.item_id is null
    and (was_published, was_from, was_due) is distinct from (published, opens, due);
  update content_items as one
  set is_active = line.published, available_from = line.opens, due_at = line.due,
      version = one.version + 1, updated_at = service_now()
  from changes_of_outline(the_course, wanted) as line
  where one.id = line.item_id
    and (was_published, was_from, was_due) is distinct from (published, opens, due);
  return answer;
end $$;
--> statement-breakpoint
-- What would become of each of them, in the order of the tree. `wanted` has `module_ids`, with `with_content` all that is in
-- and below these too, and `content_item_ids`; and what they are to have: `is_published`, `available_from`, `due_at`, or
-- `shift_days`, calendar days of the university by which the dates that are there are later.
create or replace function changes_of_outline(the_course integer, wanted jsonb)
returns table (
  place integer[], item_id integer, module_id integer, title text, row_version integer,
  was_published boolean, was_from timestamptz, was_due timestamptz,
  published boolean, opens timestamptz, due timestamptz
) language sql stable as $$
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
  )
  select path, thing.item_id, thing.module_id, thing.title, thing.version, thing.is_published,
         thing.available_from, thing.due_at,
         coalesce((wanted ->> 'is_published')::boolean, thing.is_published),
         case when wanted ? 'available_from' then (wanted ->> 'available_from')::timestamptz
              when days = 0 then thing.available_from else days_later(thing.available_from, days, zone) end,
         case when wanted ? 'due_at' then (wanted ->> 'due_at')::timestamptz
              when days = 0 then thing.due_at else days_later(thing.due_at, days, zone) end
  from thing cross join asked
$$;
--> statement-breakpoint
-- Copies an item beside it, in the place behind it: learners see the copy once it is published. Its course is locked by
-- whoever calls this.
create or replace function copy_content_item(the_item integer) returns content_items language plpgsql as $$
declare
  original content_items;
  copied content_items;
begin
  select * into original from content_items where id = the_item;
  if not found then return null; end if;
  update content_items set sequence_index = sequence_index + 1, updated_at = service_now()
  where module_id = original.module_id and sequence_index > original.sequence_index;
  copied.id := nextval(pg_get_serial_sequence('content_items', 'id'));
  perform copy_items(
    jsonb_build_object(the_item, copied.id), original.course_id, '{}', '{}', 0, 'UTC',
    jsonb_build_object(the_item, jsonb_build_object(
      'title', title_of_copy(original.title, (select language_code from courses where id = original.course_id)),
      'is_active', false, 'sequence_index', original.sequence_index + 1)));
  select * into copied from content_items where id = copied.id;
  return copied;
end $$;
--> statement-breakpoint
-- Copied items, whose ids stand by those of the originals, hang on the same files.
create or replace function copy_file_uses(ids jsonb) returns void language sql as $$
  insert into file_uses (file_id, content_item_id, asset_id, is_for_staff, place)
  select used.file_id, copy::integer, used.asset_id, used.is_for_staff, used.place
  from jsonb_each_text(ids) as pair (original, copy)
  join file_uses as used on used.content_item_id = original::integer
  order by used.id
$$;
--> statement-breakpoint
-- The same of items, with all that hangs on them: pins, what the tutor is told, files. Each goes into the copy of its
-- module, or stays in its module where that has none; a quiz draws from the copy of its pool, where there is one.
create or replace function copy_items(
  ids jsonb, target integer, the_modules jsonb, pools jsonb, days integer, zone text, own jsonb default '{}'
) returns void language plpgsql as $$
begin
  insert into content_items overriding system value
  select copied.*
  from (
    select item, type.name from content_items as item join content_types as type on type.id = item.content_type_id
    where item.id in (select id::integer from jsonb_object_keys(ids) as one (id)) order by item.id
  ) as listed (one, type)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', ids -> (one).id::text, 'course_id', target, 'origin_item_id', (one).id,
    'module_id', coalesce(the_modules -> (one).module_id::text, to_jsonb((one).module_id)),
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || case when listed.type = 'quiz' and pools ? ((one).data_json ->> 'question_pool_id')
         then jsonb_build_object('data_json', jsonb_set(
           (one).data_json, '{question_pool_id}', pools -> ((one).data_json ->> 'question_pool_id')))
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
  perform copy_modules(module_ids, original.course_id, 0, 'UTC',
    jsonb_build_object(the_module, jsonb_build_object(
      'title', title_of_copy(original.title, (select language_code from courses where id = original.course_id)),
      'is_published', false, 'sequence_index', original.sequence_index + 1)));
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('content_items', 'id')) order by id), '{}')
  into item_ids from content_items
  where module_id in (select id::integer from jsonb_object_keys(module_ids) as one (id));
  perform copy_items(item_ids, original.course_id, module_ids, '{}', 0, 'UTC');
  select * into copied from modules where id = (module_ids ->> the_module::text)::integer;
  return copied;
end $$;
--> statement-breakpoint
-- Copies modules, whose copies have these ids by those of the originals. What a module asks for are the copies too, where
-- they are among them. `own` has what single copies say otherwise, by the ids of the originals.
create or replace function copy_modules(
  ids jsonb, target integer, days integer, zone text, own jsonb default '{}'
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
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || coalesce(own -> (one).id::text, '{}')) as copied
$$;
--> statement-breakpoint
-- So are copied items, whose ids stand by those of the originals.
create or replace function copy_notes_of_items(ids jsonb, target integer) returns void language sql as $$
  insert into tutor_notes (course_id, content_item_id, notes, key_facts, common_errors, never_say, updated_by)
  select target, copy::integer, one.notes, one.key_facts, one.common_errors, one.never_say, one.updated_by
  from jsonb_each_text(ids) as pair (original, copy)
  join tutor_notes as one on one.content_item_id = original::integer
  order by one.id
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
  perform copy_modules(module_ids, target, days, zone);
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('content_items', 'id')) order by id), '{}')
  into item_ids from content_items where course_id = source;
  perform copy_items(item_ids, target, module_ids, pools, days, zone);
  perform copy_tutor_notes(source, target);
end $$;
--> statement-breakpoint
-- A copy is taught as its original is.
create or replace function copy_tutor_notes(source integer, target integer) returns void language sql as $$
  insert into tutor_notes (course_id, notes, key_facts, common_errors, never_say, updated_by)
  select target, one.notes, one.key_facts, one.common_errors, one.never_say, one.updated_by
  from tutor_notes as one
  where one.course_id = source and one.content_item_id is null
$$;
--> statement-breakpoint
-- What an offering's calendar is moved of: all of it, or of these `module_ids`, with all below them, and `content_item_ids`.
create or replace function dates_to_move(the_offering integer, wanted jsonb)
returns table (module_id integer, content_item_id integer, opens_at timestamptz, due_at timestamptz)
language sql stable as $$
  with recursive inside (id) as (
    select named::integer from jsonb_array_elements_text(wanted -> 'module_ids') as named
    union
    select below.id from inside join modules as below on below.parent_module_id = inside.id
  )
  select stated.module_id, stated.content_item_id,
         coalesce(stated.opens_at, course_opens_at), coalesce(stated.due_at, course_due_at)
  from stated_dates(the_offering) as stated
  where num_nonnulls(stated.opens_at, course_opens_at, stated.due_at, course_due_at) > 0 and (
    not wanted ?| '{module_ids,content_item_ids}'
    or stated.module_id in (select id from inside)
    or stated.content_item_id in (
      select named::integer from jsonb_array_elements_text(wanted -> 'content_item_ids') as named
      union all
      select one.id from inside join content_items as one on one.module_id = inside.id))
$$;
--> statement-breakpoint
-- The place of the first of these ids, from 0, that names none of the course: `{"module_ids": 0}`. Null where there is none.
create or replace function first_elsewhere(the_course integer, wanted jsonb) returns jsonb language sql stable as $$
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
--> statement-breakpoint
-- Moves the calendar of an offering, or a part of it: what holds for its modules and items is said by the offering from then
-- on, that many days later, or so many that the first is on `starts_on`, as a copy's dates are moved (copies.sql). Answers
-- the calendar as it is then.
create or replace function move_offering_dates(the_offering integer, wanted jsonb, moment timestamptz) returns jsonb
language plpgsql as $$
declare
  zone text;
  days integer;
begin
  perform lock_grades(the_offering);
  select university.time_zone into zone
  from course_offerings as run join universities as university on university.id = run.university_id
  where run.id = the_offering;
  days := days_to_move((
    select min(one) filter (where isfinite(one))
    from dates_to_move(the_offering, wanted), unnest(array[opens_at, due_at]) as one
  ), wanted, zone);
  insert into offering_dates as own (
    course_id, course_offering_id, content_item_id, module_id, available_from, due_at, updated_at)
  select run.course_id, run.id, moved.content_item_id, moved.module_id,
         said_later(moved.opens_at, days, zone), said_later(moved.due_at, days, zone), moment
  from course_offerings as run cross join lateral dates_to_move(run.id, wanted) as moved
  where run.id = the_offering
  on conflict on constraint offering_dates_unique do update
    set available_from = excluded.available_from, due_at = excluded.due_at, updated_at = excluded.updated_at;
  perform take_later_dates(the_offering, null, null, moment);
  return offering_calendar(the_offering);
end $$;
--> statement-breakpoint
-- Who is stuck in an offering: who takes it, has not completed it, and has done nothing there since then, or, without having
-- done anything, enrolled before. What says so to anyone, the desk, a roster and a report, asks here. Of each person one
-- row of each table is looked at, however much they have done, and however many others there are.
create or replace function stuck_people(offering integer, since timestamptz)
returns table (user_id integer, progress_percent numeric, last_activity_at timestamptz) language sql stable as $$
  with taking as materialized (
    select one.user_id, one.enrolled_at, kept.progress_percent
    from enrollments as one
    left join enrollment_progress as kept
      on kept.user_id = one.user_id and kept.course_offering_id = one.course_offering_id
    where one.course_offering_id = offering and one.status = 'active'
      and coalesce(kept.progress_percent, 0) < 100
  ), idle as materialized (
    select taking.*, (
      select max(event.occurred_at) from activity_events as event
      where event.course_offering_id = offering and event.user_id = taking.user_id) as moment
    from taking
  )
  select idle.user_id, coalesce(idle.progress_percent, own.progress_percent), idle.moment
  from idle
  left join progress_of(offering, array(select idle.user_id from idle where idle.progress_percent is null)) as own
    on own.user_id = idle.user_id
  where coalesce(idle.moment, idle.enrolled_at) < since
    and coalesce(idle.progress_percent, own.progress_percent) < 100
    and (select users.erased_at is null from users where users.id = idle.user_id)
$$;
--> statement-breakpoint
-- What a copy beside its original is called, in the language of the course.
create or replace function title_of_copy(title text, language text) returns text language sql immutable as $$
  select left(title, 255 - length(behind)) || behind
  from (select case split_part(lower(language), '-', 1)
    when 'de' then ' (Kopie)' when 'es' then ' (copia)' else ' (copy)' end) as one (behind)
$$;
--> statement-breakpoint
set local check_function_bodies = on;
