-- Resolves the references of prompts and checks them. Nothing here writes or locks.

-- Null if the version or label does not exist.
create or replace view prompt_links as
  select prompt_dependencies.prompt_id, position, child_name, child_version, child_label,
         coalesce(numbered.id, labelled.prompt_id) as child_id, occurrences, tag_characters
  from prompt_dependencies
  left join prompts as numbered on numbered.name = child_name and numbered.version = child_version
  left join prompt_labels as labelled on labelled.name = child_name and labelled.label = child_label;

-- A cycle is endlessly deep.
create or replace function is_prompt_resolvable(prompt integer, levels integer) returns boolean
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

-- Directly or indirectly.
create or replace function prompts_depending_on_labels(named text, moving text[]) returns setof integer language sql stable as $$
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

-- Counts characters, `deepest` levels deep. Builds no text: a prompt has its own characters without tags, plus
-- those of each referenced prompt times its occurrences.
create or replace function resolved_prompt_lengths(roots integer[], deepest integer)
returns table (prompt integer, characters numeric) language plpgsql stable as $$
declare
  ids integer[];
  own numeric[];
  lengths numeric[];
  deeper numeric[];
begin
  with recursive reached (id, level) as (
      select unnest(roots), 0
    union
      select link.child_id, reached.level + 1
      from reached join prompt_links as link on link.prompt_id = reached.id
      where reached.level < deepest
  )
  select array_agg(p.id order by p.id),
         array_agg(p.characters - coalesce(
           (select sum(tag_characters) from prompt_dependencies where prompt_id = p.id), 0) order by p.id)
  into ids, own from prompts as p where p.id in (select id from reached);
  lengths := own;
  -- Each pass goes one level deeper, for all prompts together, until nothing changes.
  for level in 1 .. deepest loop
    select array_agg(one.own + coalesce(below.characters, 0) order by one.rank) into deeper
    from unnest(ids, own) with ordinality as one (id, own, rank)
    left join (
      select link.prompt_id, sum(link.occurrences * child.characters) as characters
      from prompt_links as link join unnest(ids, lengths) as child (id, characters) on child.id = link.child_id
      where link.prompt_id = any (ids)
      group by link.prompt_id
    ) as below on below.prompt_id = one.id;
    exit when deeper = lengths;
    lengths := deeper;
  end loop;
  return query select one.id, one.length from unnest(ids, lengths) as one (id, length) where one.id = any (roots);
end $$;

-- The prompts resolve completely, to at most `longest` characters. They must still resolve after the labels moved.
create or replace function resolvable_prompts_depending_on_labels(named text, moving text[], deepest integer, longest integer)
returns integer[] language sql stable as $$
  select coalesce(array_agg(prompt order by prompt), '{}')
  from resolved_prompt_lengths(
    array(select id from prompts_depending_on_labels(named, moving) as above (id) where is_prompt_resolvable(id, deepest)), deepest)
  where characters <= longest
$$;

-- The move of such a label would change the text of a version with a `guarded` label, or in a running rollout. The
-- detail lists all such versions.
create or replace function refuse_label_move_affecting_guarded_prompts(named text, moving text[], guarded text[])
returns void language plpgsql as $$
declare
  followers text;
begin
  if guarded = '{}' then return; end if;
  select string_agg(name || ' (version ' || version || ')', ', ' order by name, version) into followers
  from prompts_depending_on_labels(named, moving) as above (id) join prompts on prompts.id = above.id
  where exists (select from prompt_labels where prompt_id = above.id and label = any (guarded))
     or exists (select from prompt_rollouts where candidate_id = above.id and state = 'running');
  if followers is not null then perform raise_prompt_rule_violation('prompt_labels_followed', followers); end if;
end $$;

-- The detail is the path to the first broken reference, `{"problem": "cycle", "chain": ["a", "b", "a"]}`, or the
-- prompt that would be too long.
create or replace function refuse_broken_prompts(checked integer[], deepest integer, longest integer)
returns void language plpgsql as $$
declare
  path integer[];
  chain text[];
  link prompt_links;
begin
  select array[prompts.id], array[name]::text[] into path, chain
  from unnest(checked) with ordinality as one (id, rank) join prompts on prompts.id = one.id
  where not is_prompt_resolvable(one.id, deepest) order by rank limit 1;
  if not found then
    select array[name]::text[] into chain
    from resolved_prompt_lengths(checked, deepest) as one join prompts on prompts.id = one.prompt
    where one.characters > longest order by array_position(checked, one.prompt) limit 1;
    if found then
      perform raise_prompt_rule_violation(
        'prompt_references_whole', jsonb_build_object('problem', 'too long', 'chain', chain)::text);
    end if;
    return;
  end if;
  for levels_left in reverse deepest - 1 .. -1 loop
    select * into link from prompt_links
    where prompt_id = path[cardinality(path)]
      and (child_id is null or not is_prompt_resolvable(child_id, levels_left))
    order by position limit 1;
    chain := chain || link.child_name::text;
    path := path || link.child_id;
    exit when link.child_id is null or link.child_id = any (trim_array(path, 1));
  end loop;
  perform raise_prompt_rule_violation('prompt_references_whole', jsonb_build_object(
    'problem', case when link.child_id is null then 'missing'
                    when link.child_id = any (trim_array(path, 1)) then 'cycle' else 'too deep' end,
    'chain', chain, 'child_version', link.child_version, 'child_label', link.child_label)::text);
end $$;

-- Includes `roots`, with the target of each reference. One level beyond `deepest` is read, to distinguish "too
-- deep" from "missing".
create or replace function referenced_prompts_with_links(
  roots integer[], depth integer, deepest integer, out prompts json, out links json
) language plpgsql stable as $$
begin
  -- Most prompts have no references and skip the recursion.
  select coalesce(
           json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
  into prompts from prompts as p where p.id = any (roots)
  having not exists (select from prompt_dependencies where prompt_id = any (roots));
  if prompts is not null then
    links := '[]';
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
