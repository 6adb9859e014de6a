set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "content_items" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "courses" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "modules" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "prompt_names" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
-- The tree with its content. What a module asks for, and from what a quiz draws, are the copies too.
create or replace function copy_outline(source integer, target integer, pools jsonb, days integer, zone text)
returns void language plpgsql as $$
declare
  ids jsonb;
begin
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('modules', 'id')) order by id), '{}')
  into ids from modules where course_id = source;
  -- Parents first: a module's depth is that of the one above it.
  insert into modules overriding system value
  select copied.*
  from (select m from modules as m where m.course_id = source order by m.depth, m.id) as listed (one)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', ids -> (one).id::text, 'course_id', target, 'parent_module_id', ids -> (one).parent_module_id::text,
    'requires_module_ids', to_jsonb(array(
      select (ids ->> required.id::text)::integer
      from unnest((one).requires_module_ids) with ordinality as required (id, place) order by place)),
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  )) as copied;
  insert into content_items overriding system value
  select copied.*
  from (
    select item, type.name from content_items as item join content_types as type on type.id = item.content_type_id
    where item.course_id = source order by item.id
  ) as listed (one, type)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('content_items', 'id')), 'course_id', target,
    'module_id', ids -> (one).module_id::text,
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || case when listed.type = 'quiz' and pools ? ((one).data_json ->> 'question_pool_id')
         then jsonb_build_object('data_json', jsonb_set(
           (one).data_json, '{question_pool_id}', pools -> ((one).data_json ->> 'question_pool_id')))
         else '{}' end) as copied;
end $$;
--> statement-breakpoint
-- The order of an outline has its course's version: what takes another place in it makes another version of the course.
create or replace function count_moves_in_outline() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'modules' then
    update courses set version = version + 1 where id in (
      select present.course_id from written as present join overwritten as former using (id)
      where (present.parent_module_id, present.sequence_index)
        is distinct from (former.parent_module_id, former.sequence_index));
  else
    update courses set version = version + 1 where id in (
      select present.course_id from written as present join overwritten as former using (id)
      where (present.module_id, present.sequence_index) <> (former.module_id, former.sequence_index));
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Adds the next version of a name, with `latest` and the labels wanted. `tagged` null keeps the name's tags.
-- `referenced`, in order: `[{"child_name": "tone", "child_version": null, "child_label": "formal", "occurrences": 1,
-- "tag_characters": 43}, …]`. What no change may break is how deep references nest, at most `deepest` levels, and
-- how long a resolved text is, at most `longest` characters. What reaches a label and carries one of the `guarded` ones
-- is not the caller's to change.
create or replace function create_prompt_version(
  named text, body text, settings jsonb, wanted text[], guarded text[], tagged text[], message text,
  referenced jsonb, person integer, deepest integer, longest integer
) returns setof prompt_versions language plpgsql as $$
declare
  number integer;
  made integer;
  checked integer[];
begin
  perform lock_prompts();
  insert into prompt_names (name, tags, latest_version) values (named, coalesce(tagged, '{}'), 1)
  on conflict (name) do update set
    latest_version = prompt_names.latest_version + 1, version = prompt_names.version + 1,
    tags = coalesce(tagged, prompt_names.tags)
  returning latest_version into number;
  insert into prompts (name, version, prompt, config, commit_message, created_by)
  values (named, number, body, settings, message, person) returning id into made;
  insert into prompt_dependencies
    (prompt_id, position, child_name, child_version, child_label, occurrences, tag_characters)
  select made, position, child_name, child_version, child_label, occurrences, tag_characters
  from rows from (
    jsonb_to_recordset(referenced)
      as (child_name text, child_version integer, child_label text, occurrences integer, tag_characters integer)
  ) with ordinality
    as one (child_name, child_version, child_label, occurrences, tag_characters, position);
  wanted := array_append(wanted, 'latest');
  perform refuse_move_below_guarded(named, wanted, guarded);
  checked := made || resolvable_prompts_reaching(named, wanted, deepest, longest);
  perform place_prompt_labels(named, wanted, made, person);
  perform refuse_broken_prompts(checked, deepest, longest);
  return query select * from prompt_versions where id = made;
end $$;
--> statement-breakpoint
-- Deletes a version of a name, or all of them where `number` is null; the name goes with its last version. Refused
-- while another prompt depends on what would go: the version, or a label that no version would carry any more.
-- `latest` goes to the newest version that remains, unless that breaks what follows it. False when there is nothing to
-- delete.
create or replace function delete_prompt_versions(
  named text, number integer, person integer, deepest integer, longest integer
) returns boolean language plpgsql as $$
declare
  doomed integer[];
  heir integer;
  lost text[];
  dependents text;
  checked integer[];
begin
  perform lock_prompts();
  doomed := array(
    select id from prompts where name = named and (number is null or version = number));
  if doomed = '{}' then return false; end if;
  select id into heir from prompts where name = named and id <> all (doomed)
  order by version desc limit 1;
  lost := array(
    select label from prompt_labels
    where prompt_id = any (doomed) and (label <> 'latest' or heir is null));
  select string_agg(name || ' (version ' || version || ')', ', ' order by name, version) into dependents
  from prompts where id in (
    select prompt_id from prompt_dependencies
    where child_name = named
      and (heir is null or child_version = number or child_label = any (lost)));
  if dependents is not null then perform refuse_prompt_change('prompt_dependents', dependents); end if;
  perform place_prompt_labels(named, lost, null, person);
  if heir is null then
    delete from prompt_names where name = named;
  else
    checked := resolvable_prompts_reaching(named, '{latest}', deepest, longest);
    perform place_prompt_labels(named, '{latest}', heir, person);
    delete from prompts where id = any (doomed);
    update prompt_names set version = version + 1 where name = named;
    perform refuse_broken_prompts(checked, deepest, longest);
  end if;
  return true;
end $$;
--> statement-breakpoint
-- What goes is asked for no more.
create or replace function modules_leave_requirements() returns trigger language plpgsql as $$
begin
  update modules set requires_module_ids = array_remove(requires_module_ids, old.id), version = version + 1
  where course_id = old.course_id and old.id = any (requires_module_ids);
  return null;
end $$;
--> statement-breakpoint
-- Puts labels on a version, whence they leave the others of the name, or takes them off where the version is null.
-- The clock is read after the wait for the lock, so that the recorded moments are in the order of the changes.
create or replace function place_prompt_labels(named text, placed text[], target integer, person integer)
returns void language plpgsql as $$
declare
  moved text[] := array(
    select unnest(placed) except select label from prompt_labels where prompt_id = target order by 1);
begin
  if moved = '{}' then return; end if;
  insert into prompt_label_events (name, label, from_version, to_version, changed_by, changed_at)
  select named, one.label, former.version,
         (select version from prompts where id = target), person, service_clock()
  from unnest(moved) as one (label)
  left join prompt_labels as held on held.name = named and held.label = one.label
  left join prompts as former on former.id = held.prompt_id;
  update prompts set updated_at = service_now() where id = target or id in (
    select prompt_id from prompt_labels where name = named and label = any (moved));
  delete from prompt_labels where name = named and label = any (moved);
  insert into prompt_labels (name, label, prompt_id)
  select named, label, target from unnest(moved) as one (label) where target is not null;
  update prompt_names set version = version + 1 where name = named;
end $$;
--> statement-breakpoint
-- The name, where it still has one of the versions that a writer expects, and keeps it until they have written.
create or replace function prompt_name_at(named text, expected integer[]) returns text language plpgsql as $$
begin
  perform lock_prompts();
  if not exists (select from prompt_names where name = named and version = any (expected)) then
    perform refuse_prompt_change('prompt_names_version');
  end if;
  return named;
end $$;
--> statement-breakpoint
-- The set of a course's subjects, in place of the one before: `[{"subject_id": 1, "is_primary": true}, …]`.
-- The subject that is marked, or none, is the course's primary subject from now on. Answers the set.
create or replace function replace_course_subjects(course integer, wanted jsonb) returns setof course_subjects
language plpgsql as $$
begin
  perform from courses where id = course for no key update;
  delete from course_subjects where course_id = course;
  insert into course_subjects (course_id, subject_id, is_primary)
  select course, subject_id, is_primary
  from jsonb_to_recordset(wanted) as one (subject_id integer, is_primary boolean);
  update courses set updated_at = service_now(), version = version + 1, primary_subject_id = (
    select subject_id from course_subjects where course_id = course and is_primary
  ) where id = course;
  return query select * from course_subjects where course_id = course;
end $$;
--> statement-breakpoint
-- Sets the tags of all versions of a name; false when there is none.
create or replace function set_prompt_tags(named text, tagged text[]) returns boolean language plpgsql as $$
begin
  perform lock_prompts();
  update prompt_names set tags = tagged, version = version + 1 where name = named and tags <> tagged;
  if found then update prompts set updated_at = service_now() where name = named; end if;
  return exists (select from prompt_names where name = named);
end $$;
--> statement-breakpoint
create or replace trigger count_moves_in_outline after update on content_items
  referencing old table as overwritten new table as written
  for each statement execute function count_moves_in_outline();
--> statement-breakpoint
create or replace trigger count_moves_in_outline after update on modules
  referencing old table as overwritten new table as written
  for each statement execute function count_moves_in_outline();
--> statement-breakpoint
create or replace view prompt_versions as
  select prompts.id, prompts.name, prompts.version, type, prompt, config,
         array(select label::text from prompt_labels where prompt_id = prompts.id order by label) as labels,
         tags, commit_message, created_by::text as created_by, prompts.created_at, prompts.updated_at,
         prompt_names.version as name_version
  from prompts join prompt_names on prompt_names.name = prompts.name;
--> statement-breakpoint
set local check_function_bodies = on;
