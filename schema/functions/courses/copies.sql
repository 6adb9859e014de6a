-- Copies a course or a run within its university, for another term. Content and teaching settings are copied;
-- people's work and statistics are not.
--
-- Copies all columns of a row except generated ones, so new columns are included. Only the copy's own values
-- (ids, dates, times written) are listed here.
--
-- Locks: the course that is copied, to keep its outline unchanged during the copy; then, for prerequisites,
-- the university.

-- At the same local time. Infinity, which states no date, is unchanged.
create or replace function moment_plus_local_days(moment timestamptz, days integer, zone text) returns timestamptz
language plpgsql stable as $$
declare
  later timestamptz := (moment at time zone zone + make_interval(days => days)) at time zone zone;
begin
  if isfinite(moment) and (later < '0001-01-01 00:00Z' or later > '9999-12-31 23:59:59.999Z') then
    raise exception '% cannot be moved by % days', moment, days
      using errcode = 'check_violation', table = 'courses', constraint = 'copies_within_calendar';
  end if;
  return later;
end $$;

-- `{"shift_days"}`, or enough to move the first date to `{"starts_on"}`. Without one, that of the course, if given.
create or replace function days_to_shift_dates(
  first timestamptz, wanted jsonb, zone text, the_course integer default null
) returns integer language plpgsql stable as $$
begin
  if first is null then
    select min(least(one.available_from, one.due_at)) into first from (
      select available_from, due_at from modules where course_id = the_course
      union all
      select available_from, due_at from content_items where course_id = the_course
    ) as one;
  end if;
  if first is null and wanted ? 'starts_on' then
    raise exception 'no date to begin with'
      using errcode = 'check_violation', table = 'courses', constraint = 'copies_have_dates';
  end if;
  return coalesce((wanted ->> 'shift_days')::integer,
                  (wanted ->> 'starts_on')::date - (first at time zone zone)::date, 0);
end $$;

-- Replaces links in text, Markdown or JSON.
create or replace function rewrite_item_links_to_copies(words text, ids jsonb) returns text language sql immutable as $$
  select case when words ~ '\]\(#/items/\d' then (
    select string_agg(piece.part || coalesce('](#/items/' || coalesce(ids ->> link.item[1], link.item[1]), ''), ''
                      order by piece.place)
    from regexp_split_to_table(words, '\]\(#/items/\d+') with ordinality as piece (part, place)
    left join regexp_matches(words, '\]\(#/items/(\d+)', 'g') with ordinality as link (item, place) using (place)
  ) else words end
$$;

-- Under the new ids in `module_ids` and `item_ids`. References lead to the copies if they exist. Items take their
-- pins, tutor settings and files along. `own` overrides columns of single copies, by original id: `{"modules",
-- "items"}`.
create or replace function copy_modules_and_items(
  module_ids jsonb, item_ids jsonb, target integer, pools jsonb, days integer, zone text, own jsonb default '{}'
) returns void language plpgsql as $$
begin
  -- Parents first: a module's depth depends on its parent's.
  insert into modules overriding system value
  select copied.*
  from (select m from modules as m where m.id in (select id::integer from jsonb_object_keys(module_ids) as one (id))
        order by m.depth, m.id) as listed (one)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', module_ids -> (one).id::text, 'course_id', target,
    'parent_module_id', coalesce(module_ids -> (one).parent_module_id::text, to_jsonb((one).parent_module_id)),
    'requires_module_ids', to_jsonb(array(
      select coalesce((module_ids ->> required.id::text)::integer, required.id)
      from unnest((one).requires_module_ids) with ordinality as required (id, place) order by place)),
    'description', rewrite_item_links_to_copies((one).description, item_ids),
    'available_from', moment_plus_local_days((one).available_from, days, zone), 'due_at', moment_plus_local_days((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || coalesce(own -> 'modules' -> (one).id::text, '{}')) as copied;
  insert into content_items overriding system value
  select copied.*
  from (
    select item, type.name, rewrite_item_links_to_copies(item.data_json::text, item_ids)::jsonb
    from content_items as item join content_types as type on type.id = item.content_type_id
    where item.id in (select id::integer from jsonb_object_keys(item_ids) as one (id)) order by item.id
  ) as listed (one, type, data)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', item_ids -> (one).id::text, 'course_id', target, 'origin_item_id', (one).id,
    'module_id', coalesce(module_ids -> (one).module_id::text, to_jsonb((one).module_id)),
    'description', rewrite_item_links_to_copies((one).description, item_ids), 'data_json', listed.data,
    'available_from', moment_plus_local_days((one).available_from, days, zone), 'due_at', moment_plus_local_days((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || case when listed.type = 'quiz' and pools ? (listed.data ->> 'question_pool_id')
         then jsonb_build_object('data_json', jsonb_set(
           listed.data, '{question_pool_id}', pools -> (listed.data ->> 'question_pool_id')))
         else '{}' end
    || coalesce(own -> 'items' -> (one).id::text, '{}')) as copied;
  insert into answer_pins
    (content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, question_key, pinned_by, pinned_at)
  select copy::integer, path, path_hash, asked, asked_hash, answer, question, choices, question_key, pinned_by, pinned_at
  from jsonb_each_text(item_ids) as pair (original, copy) join answer_pins on content_item_id = original::integer
  order by copy::integer, answer_pins.id;
  insert into tutor_notes (course_id, content_item_id, notes, key_facts, common_errors, never_say, updated_by)
  select target, copy::integer, one.notes, one.key_facts, one.common_errors, one.never_say, one.updated_by
  from jsonb_each_text(item_ids) as pair (original, copy)
  join tutor_notes as one on one.content_item_id = original::integer
  order by one.id;
  insert into file_uses (file_id, content_item_id, asset_id, is_for_staff, place)
  select used.file_id, copy::integer, used.asset_id, used.is_for_staff, used.place
  from jsonb_each_text(item_ids) as pair (original, copy)
  join file_uses as used on used.content_item_id = original::integer
  order by used.id;
end $$;

create or replace function title_of_copy(title text, language text) returns text language sql immutable as $$
  select left(title, 255 - length(behind)) || behind
  from (select case split_part(lower(language), '-', 1)
    when 'de' then ' (Kopie)' when 'es' then ' (copia)' else ' (copy)' end) as one (behind)
$$;

-- Puts the copy after the item. The caller has locked the course.
create or replace function copy_content_item_after_itself(the_item integer) returns content_items language plpgsql as $$
declare
  original content_items;
  copied content_items;
begin
  select * into original from content_items where id = the_item;
  if not found then return null; end if;
  update content_items set sequence_index = sequence_index + 1, updated_at = service_now()
  where module_id = original.module_id and sequence_index > original.sequence_index;
  copied.id := nextval(pg_get_serial_sequence('content_items', 'id'));
  perform copy_modules_and_items(
    '{}', jsonb_build_object(the_item, copied.id), original.course_id, '{}', 0, 'UTC',
    jsonb_build_object('items', jsonb_build_object(the_item, jsonb_build_object(
      'title', title_of_copy(original.title, (select language_code from courses where id = original.course_id)),
      'is_active', false, 'sequence_index', original.sequence_index + 1))));
  select * into copied from content_items where id = copied.id;
  return copied;
end $$;

-- Contents keep their state and appear once the copy is published.
create or replace function copy_module_after_itself(the_module integer) returns modules
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
  where module_id in (select id::integer from jsonb_object_keys(module_ids) as one (id)) and not data_json ? 'line_item';
  perform copy_modules_and_items(module_ids, item_ids, original.course_id, '{}', 0, 'UTC',
    jsonb_build_object('modules', jsonb_build_object(the_module, jsonb_build_object(
      'title', title_of_copy(original.title, (select language_code from courses where id = original.course_id)),
      'is_published', false, 'sequence_index', original.sequence_index + 1))));
  select * into copied from modules where id = (module_ids ->> the_module::text)::integer;
  return copied;
end $$;

-- Without its runs and the columns of tools. Optional in `wanted`: `code`, `title` and `is_published`. The default code is the original's
-- with the first free number from 2. Current question versions become the copy's first.
create or replace function copy_course(
  source integer, wanted jsonb, moved_by integer default null, out course courses, out prerequisites course_prerequisites[]
) language plpgsql set lock_timeout = '25s' as $$
declare
  original courses;
  zone text;
  days integer;
  number integer := 1;
  free_code text;
  pools jsonb;
  module_ids jsonb;
  item_ids jsonb;
begin
  select * into original from courses where id = source for no key update;
  select time_zone into zone from universities where id = original.university_id;
  days := coalesce(moved_by, days_to_shift_dates(null, wanted, zone, source));
  free_code := original.code;
  while exists (select from courses as one where one.university_id = original.university_id and one.code = free_code) loop
    number := number + 1;
    free_code := left(original.code, 127 - length(number::text)) || '-' || number;
  end loop;
  insert into courses (
    university_id, department_id, primary_subject_id, title, code, description, level, language_code, credit_hours,
    is_published, access, cache_enabled, llm_model, tutor_line)
  values (
    original.university_id, original.department_id, original.primary_subject_id,
    coalesce(wanted ->> 'title', original.title),
    coalesce(wanted ->> 'code', free_code),
    original.description, original.level, original.language_code, original.credit_hours,
    coalesce((wanted ->> 'is_published')::boolean, original.is_published), original.access, original.cache_enabled,
    original.llm_model, original.tutor_line)
  returning * into course;
  insert into course_subjects (course_id, subject_id, is_primary)
  select course.id, subject_id, is_primary from course_subjects where course_id = source order by id;
  with added as (
    insert into course_prerequisites (course_id, prerequisite_course_id, prerequisite_type)
    select course.id, prerequisite_course_id, prerequisite_type from course_prerequisites
    where course_id = source order by id
    returning *
  )
  select coalesce(array_agg(added), '{}') into prerequisites from added;
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('question_pools', 'id')) order by id), '{}')
  into pools from question_pools where course_id = source;
  if pools <> '{}' then
    insert into question_pools (id, university_id, course_id, title, description) overriding system value
    select (pools ->> id::text)::integer, university_id, course.id, title, description
    from question_pools where course_id = source;
    insert into questions
      (question_pool_id, kind, question_text, options_json, answer_json, explanation, points, scoring, is_active)
    select (pools ->> question_pool_id::text)::integer, kind, question_text, options_json, answer_json, explanation, points,
           scoring, is_active
    from questions where pools ? question_pool_id::text order by id;
  end if;
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('modules', 'id')) order by id), '{}')
  into module_ids from modules where course_id = source;
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('content_items', 'id')) order by id), '{}')
  into item_ids from content_items where course_id = source and not data_json ? 'line_item';
  perform copy_modules_and_items(module_ids, item_ids, course.id, pools, days, zone);
  insert into tutor_notes (course_id, notes, key_facts, common_errors, never_say, updated_by)
  select course.id, one.notes, one.key_facts, one.common_errors, one.never_say, one.updated_by
  from tutor_notes as one where one.course_id = source and one.content_item_id is null;
  insert into file_uses (file_id, course_id)
  select file_id, course.id from file_uses as picture where picture.course_id = source;
end $$;

-- Copies a run with its teachers and the course, unless `same_course`. Shifts the run's dates like the course's. A
-- further run of the same course states all dates itself (dates.sql). Optional in `wanted`: `code`, `title`,
-- `is_published`, `same_course`, `term_id` and `term_name`.
create or replace function copy_offering_with_or_without_course(source integer, wanted jsonb) returns course_offerings
language plpgsql set lock_timeout = '25s' as $$
declare
  original course_offerings;
  copied course_offerings;
  zone text;
  days integer;
  target integer;
  own jsonb;
begin
  select run.* into original from course_offerings as run where run.id = source;
  select time_zone into zone from universities where id = original.university_id;
  days := days_to_shift_dates(
    coalesce(original.starts_at, original.ends_at, original.enrollment_start, original.enrollment_end), wanted, zone,
    original.course_id);
  target := original.course_id;
  if not coalesce((wanted ->> 'same_course')::boolean, false) then
    target := (select (made.course).id from copy_course(original.course_id, wanted, days) as made);
  end if;
  -- The name of the new term.
  insert into course_offerings overriding system value
  select made.*
  from jsonb_populate_record(original, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('course_offerings', 'id')), 'course_id', target,
    'starts_at', moment_plus_local_days(original.starts_at, days, zone), 'ends_at', moment_plus_local_days(original.ends_at, days, zone),
    'enrollment_start', moment_plus_local_days(original.enrollment_start, days, zone),
    'enrollment_end', moment_plus_local_days(original.enrollment_end, days, zone),
    'term_id', coalesce(wanted -> 'term_id', to_jsonb(original.term_id)),
    'term_name', case when wanted ? 'term_name' then wanted -> 'term_name'
                      when wanted ? 'term_id' then null else to_jsonb(original.term_name) end,
    'created_at', service_now(), 'updated_at', service_now())) as made
  returning * into copied;
  if exists (select from course_offering_instructors where course_offering_id = source) then
    perform raise_if_university_inactive(copied.university_id);
  end if;
  insert into course_offering_instructors (course_offering_id, user_id)
  select copied.id, user_id from course_offering_instructors where course_offering_id = source order by id;
  -- Items are copied in id order, which maps each to its copy.
  own := jsonb_build_object('course_offering_id', copied.id, 'created_at', service_now(), 'updated_at', service_now());
  insert into certificate_settings
  select made.* from certificate_settings as one, jsonb_populate_record(one, own) as made
  where one.course_offering_id = source;
  insert into grading_schemes
  with item as (
    select id, course_id, row_number() over (partition by course_id order by id) as place
    from content_items where course_id in (original.course_id, copied.course_id)
  ), pair as (
    select one.id::text, copy.id as copy
    from item as one join item as copy on copy.place = one.place and copy.course_id = copied.course_id
    where one.course_id = original.course_id
  )
  select made.*
  from grading_schemes as one
  cross join lateral (
    select coalesce(jsonb_agg(weighed || jsonb_build_object('content_item_ids', (
      select coalesce(jsonb_agg(pair.copy order by named.place), '[]')
      from jsonb_array_elements_text(weighed -> 'content_item_ids') with ordinality as named (id, place)
      join pair on pair.id = named.id)) order by number), '[]') as groups
    from jsonb_array_elements(one.groups) with ordinality as part (weighed, number)
  ) as remapped
  cross join lateral jsonb_populate_record(one, own || jsonb_build_object('groups', remapped.groups)) as made
  where one.course_offering_id = source;
  -- A further run of the same course states its dates if any day differs. A copied course has shifted dates,
  -- so its run states only what the original stated.
  with stated as (
    select one.*, row_number() over (partition by content_item_id is null order by content_item_id, module_id) as place
    from offering_and_course_content_dates(original.id) as one
  ), twin as (
    select content_item_id is null as is_module, coalesce(content_item_id, module_id) as id,
           row_number() over (partition by content_item_id is null order by content_item_id, module_id) as place
    from offering_and_course_content_dates(copied.id)
  ), said as (
    select twin.*,
           coalesce(opens_at, case when moves then course_opens_at end) as opens_at,
           coalesce(due_at, case when moves then course_due_at end) as due_at
    from stated join twin on twin.place = stated.place and twin.is_module = (stated.content_item_id is null),
         (select copied.course_id = original.course_id and days <> 0) as further (moves)
  )
  insert into offering_dates (course_id, course_offering_id, content_item_id, module_id, available_from, due_at)
  select copied.course_id, copied.id, case when not is_module then id end, case when is_module then id end,
         moment_plus_local_days(opens_at, days, zone), moment_plus_local_days(due_at, days, zone)
  from said where num_nonnulls(opens_at, due_at) > 0 order by is_module, id;
  return copied;
end $$;
