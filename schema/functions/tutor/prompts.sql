-- All changes of prompts, one after another. Version numbers are consecutive, every move of a label is recorded,
-- `latest` is on the newest version, and no change breaks the references of a prompt.
--
-- Locks: the advisory lock of all prompts, first in every function that changes them; then the users notified when
-- the move of a label ends a rollout, and the rollout. Each query sees what others committed during the wait. A
-- refusal names its rule as the constraint; the detail explains it.

create or replace view prompt_versions as
  select prompts.id, prompts.name, prompts.version, type, prompt, config,
         array(select label::text from prompt_labels where prompt_id = prompts.id order by label) as labels,
         tags, commit_message, created_by::text as created_by, prompts.created_at, prompts.updated_at,
         prompt_names.version as name_version
  from prompts join prompt_names on prompt_names.name = prompts.name;

-- The type's own prompt (`tutor-quiz`) if a version of it is labeled production, else the common one (`tutor`). No
-- row: neither exists. `moved` computes it as if that name's label were on the version `target`. The model is that
-- of the course, else an allowed one in the prompt's `config`, else the configured one.
create or replace function effective_tutor_model(of_course text, config jsonb, allowed jsonb, configured text) returns text
language sql immutable as $$
  select coalesce(of_course, case when allowed ? (config ->> 'model') then config ->> 'model' end, configured)
$$;

create or replace function tutor_prompt_of_content_type(
  content_type text, common text, moved text default null, target integer default null
) returns setof prompts language sql stable as $$
  select prompts.* from prompts where id = coalesce(
    case when moved = common || '-' || content_type then target
    else (select prompt_id from prompt_labels where name = common || '-' || content_type and label = 'production') end,
    case when moved = common then target
    else (select prompt_id from prompt_labels where name = common and label = 'production') end
  )
$$;

create or replace function lock_all_prompts() returns void language sql as $$
  select pg_advisory_xact_lock('prompts'::regclass::oid::int, 0)
$$;

create or replace function raise_prompt_rule_violation(rule text, about text default null) returns void language plpgsql as $$
begin
  raise exception 'prompts would break the rule %', rule
    using errcode = 'check_violation', table = 'prompts', constraint = rule, detail = coalesce(about, '');
end $$;

-- Locked until the writer is done; no name without one of the expected versions.
create or replace function lock_prompts_and_check_name_version(named text, expected integer[]) returns text language plpgsql as $$
begin
  perform lock_all_prompts();
  if not exists (select from prompt_names where name = named and version = any (expected)) then
    perform raise_prompt_rule_violation('prompt_names_version');
  end if;
  return named;
end $$;

-- Puts labels on a version, or removes them if the version is null. Reads the clock after the lock: the recorded
-- moments are then in the order of the changes.
create or replace function place_or_remove_prompt_labels(named text, placed text[], target integer, person integer)
returns void language plpgsql as $$
declare
  moved text[] := array(
    select unnest(placed) except select label from prompt_labels where prompt_id = target order by 1);
begin
  if moved = '{}' then return; end if;
  if 'production' = any (moved) then
    perform stop_rollout_and_notify(id, 'production_moved', person, jsonb_build_object('at', service_clock()))
    from prompt_rollouts where prompt_name = named and state = 'running';
  end if;
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

-- `wanted` has the `labels`, the text `prompt`, `config`, `commit_message`, the name's `tags` (null keeps them),
-- and its `references` in order: `[{"child_name": "tone", "child_version": null, "child_label": "formal",
-- "occurrences": 1, "tag_characters": 43}, …]`. References nest at most `deepest` levels; a resolved text has at
-- most `longest` characters. The caller may not change what reaches a label and carries one of the `guarded`
-- labels. With `tutor`, `{"prompt": "tutor", "variables": ["title", …]}`, a version that the tutor's prompt uses
-- has no other variables, nor do the prompts that it references.
create or replace function create_prompt_version(
  named text, wanted jsonb, guarded text[], person integer, deepest integer, longest integer
) returns setof prompt_versions language plpgsql as $$
declare
  placed text[] := array(select jsonb_array_elements_text(wanted -> 'labels')) || '{latest}';
  tagged text[] := case when jsonb_typeof(wanted -> 'tags') = 'array'
                        then array(select jsonb_array_elements_text(wanted -> 'tags')) end;
  number integer;
  made integer;
  checked integer[];
  tutor text := wanted -> 'tutor' ->> 'prompt';
  unknown_names text;
begin
  perform lock_all_prompts();
  insert into prompt_names (name, tags, latest_version) values (named, coalesce(tagged, '{}'), 1)
  on conflict (name) do update set
    latest_version = prompt_names.latest_version + 1, version = prompt_names.version + 1,
    tags = coalesce(tagged, prompt_names.tags)
  returning latest_version into number;
  insert into prompts (name, version, prompt, config, commit_message, created_by)
  values (
    named, number, wanted ->> 'prompt', coalesce(wanted -> 'config', '{}'), wanted ->> 'commit_message', person)
  returning id into made;
  insert into prompt_dependencies
    (prompt_id, position, child_name, child_version, child_label, occurrences, tag_characters)
  select made, position, child_name, child_version, child_label, occurrences, tag_characters
  from rows from (
    jsonb_to_recordset(coalesce(wanted -> 'references', '[]'))
      as (child_name text, child_version integer, child_label text, occurrences integer, tag_characters integer)
  ) with ordinality
    as one (child_name, child_version, child_label, occurrences, tag_characters, position);
  perform refuse_label_move_affecting_guarded_prompts(named, placed, guarded);
  checked := made || resolvable_prompts_depending_on_labels(named, placed, deepest, longest);
  perform place_or_remove_prompt_labels(named, placed, made, person);
  perform refuse_broken_prompts(checked, deepest, longest);
  -- Also misspelled ones such as `{{course-title}}` and `{{#if title}}`, but no JSON, LaTeX or code.
  select string_agg(name, ', ' order by is_own desc, place) into unknown_names
  from (
    select btrim(hit[1], ' ') as name, bool_or(part.id = made) as is_own, min(place) as place
    from json_to_recordset((select prompts from referenced_prompts_with_links(array[made], 0, deepest)))
      as part (id integer, prompt text)
    cross join regexp_matches(part.prompt, '\{\{([^{}"''\\:,;=()]{1,100})\}\}', 'g')
      with ordinality as one (hit, place)
    where not wanted -> 'tutor' -> 'variables' ? btrim(hit[1], ' ') and hit[1] ~ '[[:alnum:]]'
    group by 1
  ) as variable;
  if unknown_names is not null and exists (
    select from (select tutor as name union all select tutor || '-' || content_types.name from content_types) as used
    where used.name = named or used.name in (
      select above.name from prompts_depending_on_labels(named, placed) as one (id) join prompts as above using (id)
      where exists (select from prompt_labels where prompt_id = above.id))
  ) then
    perform raise_prompt_rule_violation('prompt_variables', unknown_names);
  end if;
  return query select * from prompt_versions where id = made;
end $$;

-- Adds the version unless one has that text. Before the first account exists it is labeled for use; later, staff
-- label it. Skips a deleted name, and a name whose `latest` reaches a version in use, which would change. Returns
-- true if it was added.
create or replace function seed_prompt_version(
  named text, body text, message text, deepest integer, longest integer
) returns boolean language plpgsql as $$
declare
  is_new boolean := not exists (select from users);
begin
  perform lock_all_prompts();
  if exists (select from prompts where name = named and prompt = body)
     or not is_new and not exists (select from prompt_names where name = named) then
    return false;
  end if;
  perform create_prompt_version(
    named, jsonb_build_object(
      'prompt', body, 'commit_message', message,
      'labels', case when is_new then '{production}'::text[] else '{}' end,
      'config', coalesce((
        select config from prompts join prompt_labels as held on held.prompt_id = prompts.id
        where held.name = named and label in ('production', 'latest') order by label desc limit 1), '{}')),
    case when is_new then '{}' else '{production}'::text[] end, null, deepest, longest);
  return true;
exception when check_violation then
  return false;
end $$;

-- `latest` stays where it is. The caller may not change the `guarded` labels, nor labels that a version with a
-- guarded one reaches. No row: there is no such version.
create or replace function set_prompt_labels(
  named text, number integer, wanted text[], guarded text[], person integer, deepest integer, longest integer
) returns setof prompt_versions language plpgsql as $$
declare
  target integer;
  held text[];
  added text[];
  removed text[];
  checked integer[];
begin
  perform lock_all_prompts();
  select id, labels into target, held from prompt_versions where name = named and version = number;
  if not found then return; end if;
  added := array(select unnest(wanted) except select unnest(held));
  removed := array(select unnest(held) except select unnest(array_append(wanted, 'latest')));
  if 'latest' = any (added) then perform raise_prompt_rule_violation('prompt_labels_latest'); end if;
  if (added || removed) && guarded then perform raise_prompt_rule_violation('prompt_labels_protected'); end if;
  perform refuse_label_move_affecting_guarded_prompts(named, added || removed, guarded);
  checked := resolvable_prompts_depending_on_labels(named, added || removed, deepest, longest);
  perform place_or_remove_prompt_labels(named, added, target, person);
  perform place_or_remove_prompt_labels(named, removed, null, person);
  perform refuse_broken_prompts(checked, deepest, longest);
  return query select * from prompt_versions where id = target;
end $$;

create or replace function set_prompt_tags(named text, tagged text[]) returns boolean language plpgsql as $$
begin
  perform lock_all_prompts();
  update prompt_names set tags = tagged, version = version + 1 where name = named and tags <> tagged;
  if found then update prompts set updated_at = service_now() where name = named; end if;
  return exists (select from prompt_names where name = named);
end $$;

-- All versions if `number` is null; the name goes with its last version. Refused while a rollout uses the version,
-- and while another prompt depends on it or on a label that no version would keep. `latest` moves to the newest
-- remaining version, unless that breaks a dependent prompt. Returns false if there is nothing to delete.
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
  perform lock_all_prompts();
  doomed := array(
    select id from prompts where name = named and (number is null or version = number));
  if doomed = '{}' then return false; end if;
  if exists (select from prompt_rollouts as running where running.prompt_name = named and running.state = 'running'
             and (running.base_id = any (doomed) or running.candidate_id = any (doomed))) then
    perform raise_prompt_rule_violation('prompt_rollouts_running');
  end if;
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
  if dependents is not null then perform raise_prompt_rule_violation('prompt_dependents', dependents); end if;
  perform place_or_remove_prompt_labels(named, lost, null, person);
  if heir is null then
    delete from prompt_names where name = named;
  else
    checked := resolvable_prompts_depending_on_labels(named, '{latest}', deepest, longest);
    perform place_or_remove_prompt_labels(named, '{latest}', heir, person);
    delete from prompts where id = any (doomed);
    update prompt_names set version = version + 1 where name = named;
    perform refuse_broken_prompts(checked, deepest, longest);
  end if;
  return true;
end $$;
