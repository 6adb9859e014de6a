-- Where the references of prompts lead, and whether all of them lead somewhere. Nothing here writes or locks.

-- Each reference with the prompt to which it leads just now; null when there is no such version or label.
create or replace view prompt_links as
  select prompt_dependencies.prompt_id, position, child_name, child_version, child_label,
         coalesce(numbered.id, labelled.prompt_id) as child_id
  from prompt_dependencies
  left join prompts as numbered on numbered.name = child_name and numbered.version = child_version
  left join prompt_labels as labelled on labelled.name = child_name and labelled.label = child_label;

-- Whether every reference below a prompt leads somewhere, at most so many levels deep. A cycle is endlessly deep.
create or replace function prompt_is_whole(prompt integer, levels integer default 5) returns boolean
language sql stable as $$
  with recursive reached as (
    select prompt as id, 0 as level
    union
    select child_id, level + 1
    from reached join prompt_links on prompt_links.prompt_id = reached.id
    where level <= levels
  )
  select bool_and(id is not null and level <= levels) from reached
$$;

-- The prompts whose references lead to one of the labels of a name, at once or through others.
create or replace function prompts_reaching(named text, moving text[]) returns setof integer language sql stable as $$
  with recursive above as (
    select prompt_id from prompt_dependencies where child_name = named and child_label = any (moving)
    union
    select prompt_links.prompt_id
    from above
    join prompts on prompts.id = above.prompt_id
    join prompt_links
      on prompt_links.child_name = prompts.name and prompt_links.child_id = prompts.id
  )
  select prompt_id from above
$$;

-- Those of them that are whole, and have to be so when the labels have moved.
create or replace function whole_prompts_reaching(named text, moving text[]) returns integer[] language sql stable as $$
  select coalesce(array_agg(id order by id), '{}')
  from prompts_reaching(named, moving) as above (id) where prompt_is_whole(id)
$$;

-- Refuses when one of the prompts is broken. The detail is the way to its first reference that cannot be followed,
-- `{"problem": "cycle", "chain": ["a", "b", "a"]}`.
create or replace function refuse_broken_prompts(checked integer[]) returns void language plpgsql as $$
declare
  path integer[];
  chain text[];
  link prompt_links;
begin
  select array[prompts.id], array[name]::text[] into path, chain
  from unnest(checked) with ordinality as one (id, rank) join prompts on prompts.id = one.id
  where not prompt_is_whole(one.id) order by rank limit 1;
  if not found then return; end if;
  for levels_left in reverse 4 .. -1 loop
    select * into link from prompt_links
    where prompt_id = path[cardinality(path)]
      and (child_id is null or not prompt_is_whole(child_id, levels_left))
    order by position limit 1;
    chain := chain || link.child_name::text;
    path := path || link.child_id;
    exit when link.child_id is null or link.child_id = any (trim_array(path, 1));
  end loop;
  perform refuse_prompt_change('prompt_references_whole', jsonb_build_object(
    'problem', case when link.child_id is null then 'missing'
                    when link.child_id = any (trim_array(path, 1)) then 'cycle' else 'too deep' end,
    'chain', chain, 'child_version', link.child_version, 'child_label', link.child_label)::text);
end $$;

-- The prompts that `roots` reach by their references, themselves included, and where each reference leads. `depth` is
-- how deep the roots stand; one level more than `deepest` is fetched, so that "too deep" is told from "missing".
create or replace function reached_prompts(
  roots integer[], depth integer, deepest integer, out prompts json, out links json
) language plpgsql stable as $$
begin
  -- Most prompts reference no other, and are spared the recursion.
  if not exists (select from prompt_dependencies where prompt_id = any (roots)) then
    links := '[]';
    select coalesce(
             json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
    into prompts from prompts as p where p.id = any (roots);
    return;
  end if;
  with recursive reached (id, level) as (
      select root, depth from unnest(roots) as root
    union
      select link.child_id, reached.level + 1
      from reached join prompt_links as link on link.prompt_id = reached.id
      where link.child_id is not null and reached.level <= deepest
  )
  select
    (select coalesce(
              json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
     from prompts as p where p.id in (select id from reached)),
    (select coalesce(json_agg(link), '[]') from (
       select distinct child_name, child_version, child_label, child_id
       from prompt_links where prompt_id in (select id from reached)) as link)
  into prompts, links;
end $$;
