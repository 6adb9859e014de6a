set local check_function_bodies = off;
--> statement-breakpoint
drop function create_prompt_version(text,text,jsonb,text[],text[],text,jsonb,integer,integer,integer);
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
    latest_version = prompt_names.latest_version + 1, tags = coalesce(tagged, prompt_names.tags)
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
-- Refuses when a version that carries one of the `guarded` labels reaches one of those that would move: who moves it
-- changes what that version says. The detail names all such versions.
create or replace function refuse_move_below_guarded(named text, moving text[], guarded text[])
returns void language plpgsql as $$
declare
  followers text;
begin
  if guarded = '{}' then return; end if;
  select string_agg(name || ' (version ' || version || ')', ', ' order by name, version) into followers
  from prompts_reaching(named, moving) as above (id) join prompts on prompts.id = above.id
  where exists (select from prompt_labels where prompt_id = above.id and label = any (guarded));
  if followers is not null then perform refuse_prompt_change('prompt_labels_followed', followers); end if;
end $$;
--> statement-breakpoint
-- Sets a version's labels to those wanted; `latest` stays where it is. The `guarded` ones are not the caller's to
-- put on, move or take off, nor are those that a version with a guarded one reaches. No row: there is no such version.
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
  perform lock_prompts();
  select id, labels into target, held from prompt_versions where name = named and version = number;
  if not found then return; end if;
  added := array(select unnest(wanted) except select unnest(held));
  removed := array(select unnest(held) except select unnest(array_append(wanted, 'latest')));
  if 'latest' = any (added) then perform refuse_prompt_change('prompt_labels_latest'); end if;
  if (added || removed) && guarded then perform refuse_prompt_change('prompt_labels_protected'); end if;
  perform refuse_move_below_guarded(named, added || removed, guarded);
  checked := resolvable_prompts_reaching(named, added || removed, deepest, longest);
  perform place_prompt_labels(named, added, target, person);
  perform place_prompt_labels(named, removed, null, person);
  perform refuse_broken_prompts(checked, deepest, longest);
  return query select * from prompt_versions where id = target;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
