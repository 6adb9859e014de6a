-- The parts of a Common Cartridge. One transaction writes a part and its outcome, so a worker that takes over after a
-- crash writes nothing twice.
--
-- Locks: the import, the course, then what content and files lock (outline.sql, files.sql).

-- Once for each path of an import. `hash` is null if a scanner must check it first.
create or replace function store_cartridge_file(
  import integer, the_path text, object bigint, the_name text, kind text, bytes bigint, hash text, moment timestamptz
) returns bigint language plpgsql as $$
declare
  the_import cartridge_imports;
  known bigint;
  kept bigint := object;
  file files;
begin
  select * into the_import from cartridge_imports where id = import for no key update;
  select file_id into known from cartridge_files where import_id = import and path = the_path;
  if found then
    perform schedule_unused_object_deletion(object, moment);
    return known;
  end if;
  if hash is not null then kept := find_same_object_or_store_hash(object, hash, moment); end if;
  insert into files as one (
    object_id, purpose, state, name, media_type, size, sha256, university_id, course_id, uploaded_by_user_id, created_at,
    completed_at, loose_since)
  values (
    kept, 'asset', case when hash is null then 'checking' else 'ready' end, the_name, kind, bytes, hash,
    the_import.university_id, the_import.course_id, the_import.created_by_user_id, moment, moment, moment)
  returning * into file;
  if kept <> object then perform schedule_unused_object_deletion(object, moment); end if;
  insert into cartridge_files (import_id, path, file_id) values (import, the_path, file.id);
  return file.id;
end $$;

-- Once: `{"outcome", "reason", "title", "became", "left_out", "read_as", "module", "pool": {"title", "questions"}, "items":
-- [{"type", "title", "description", "data_json", "files", "draws"}]}`. A dry run only records the outcome. A pool with a
-- `bank` is created by the first part that names the bank, and used by the others.
-- `missing`: the reason for contents of a missing module.
create or replace function create_content_from_cartridge_part(the_part bigint, given jsonb, missing text) returns void
language plpgsql as $$
declare
  part cartridge_parts;
  parent cartridge_parts;
  the_import cartridge_imports;
  module integer;
  pool integer;
  item content_items;
  one jsonb;
  made integer[] := '{}';
begin
  select * into the_import from cartridge_imports
  where id = (select import_id from cartridge_parts where id = the_part) for no key update;
  select * into part from cartridge_parts where id = the_part and outcome is null;
  if not found or the_import.ended_at is not null then return; end if;
  if part.parent_number is not null and given ->> 'outcome' in ('created', 'partly') and exists (
    select from cartridge_parts where import_id = part.import_id and number = part.parent_number and outcome = 'refused'
  ) then
    given := jsonb_build_object('outcome', 'refused', 'reason', missing);
  end if;
  if not the_import.is_dry_run and given ->> 'outcome' in ('created', 'partly') then
    perform from courses where id = the_import.course_id for no key update;
    if part.parent_number is not null then
      select * into parent from cartridge_parts where import_id = part.import_id and number = part.parent_number;
      module := parent.module_id;
      if module is null and parent.is_last then
        insert into modules (course_id, module_type, title, sequence_index, is_published)
        values (the_import.course_id, 'unit', parent.title, null, false) returning id into module;
        update cartridge_parts set module_id = module where id = parent.id;
      end if;
      if module is null then given := jsonb_build_object('outcome', 'refused', 'reason', missing); end if;
    end if;
    if given ? 'module' and not part.is_last then
      insert into modules
        (course_id, parent_module_id, module_type, title, description, available_from, due_at, sequence_index, is_published)
      values (the_import.course_id, module, given -> 'module' ->> 'module_type', coalesce(given ->> 'title', part.title),
        given -> 'module' ->> 'description', (given -> 'module' ->> 'available_from')::timestamptz,
        (given -> 'module' ->> 'due_at')::timestamptz, null, false)
      returning id into module;
      update cartridge_parts set module_id = module where id = part.id;
    end if;
    if given ? 'pool' then
      pool := (
        select (known.details ->> 'pool_id')::integer from cartridge_parts as known
        join question_pools on question_pools.id = (known.details ->> 'pool_id')::integer
        where known.import_id = part.import_id and known.details ->> 'bank' = given -> 'pool' ->> 'bank' limit 1);
      if pool is null then
        insert into question_pools (university_id, course_id, title)
        values (the_import.university_id, the_import.course_id, given -> 'pool' ->> 'title') returning id into pool;
        perform import_questions(pool, given -> 'pool' -> 'questions', false);
      end if;
      update cartridge_parts set details = details || jsonb_strip_nulls(
        jsonb_build_object('bank', given -> 'pool' -> 'bank', 'pool_id', pool))
      where id = part.id;
    end if;
    for one in select value from jsonb_array_elements(coalesce(given -> 'items', '[]')) loop
      insert into content_items
        (module_id, course_id, university_id, content_type_id, title, description, sequence_index, estimated_duration_seconds,
          available_from, due_at, is_active, data_json)
      values (
        module, the_import.course_id, the_import.university_id,
        (select id from content_types where name = one ->> 'type'), one ->> 'title', one ->> 'description', null,
        (one ->> 'estimated_duration_seconds')::integer,
        (one ->> 'available_from')::timestamptz, (one ->> 'due_at')::timestamptz,
        coalesce((one ->> 'is_active')::boolean, true),
        (one -> 'data_json') || case when (one ->> 'draws')::boolean then jsonb_build_object('question_pool_id', pool) else '{}' end)
      returning * into item;
      perform replace_item_files(item, coalesce(one -> 'files', '[]'), '{}');
      made := made || item.id;
    end loop;
  end if;
  update cartridge_parts set
    outcome = given ->> 'outcome', reason = given ->> 'reason', title = coalesce(given ->> 'title', title),
    became = array(select jsonb_array_elements_text(coalesce(given -> 'became', '[]'))),
    left_out = array(select jsonb_array_elements_text(coalesce(given -> 'left_out', '[]'))), content_item_ids = made,
    details = details || jsonb_strip_nulls(jsonb_build_object('read_as', given -> 'read_as'))
  where id = part.id;
end $$;

-- No row if one that writes into the course is under way.
create or replace function start_cartridge_import(course integer, person integer, the_file bigint, dry_run boolean, moment timestamptz)
returns setof cartridge_imports language plpgsql as $$
declare
  university integer;
begin
  select university_id into university from courses where id = course for no key update;
  if not dry_run and exists (
    select from cartridge_imports where course_id = course and ended_at is null and not is_dry_run
  ) then
    return;
  end if;
  return query
    insert into cartridge_imports (university_id, course_id, created_by_user_id, file_id, is_dry_run, created_at)
    values (university, course, person, the_file, dry_run, moment) returning *;
end $$;
