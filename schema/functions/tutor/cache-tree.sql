-- The tree of shared answers.
--
-- Locks:
-- The one order in which whoever speaks, makes, replaces or purges takes locks:
-- 1. the topic, and nodes, one before those below it, by id;
-- 2. answers in the making for a class; then the key under which a known answer is stored, and the topic's pins;
-- 3. sessions;
-- 4. private answers in the making, and messages;
-- 5. the person;
-- 6. calls of the LLM;
-- 7. the month of a university.
-- Only `open_turn`, which learns from the session what the node is, holds the session before; it waits for no node. The
-- signs of life, the pruning and the removal of ended answers pass over what is locked, too.

-- The nodes below a node, itself left out.
create or replace function nodes_below(the_node bigint) returns setof bigint language sql stable as $$
  with recursive below (id) as (
    select id from cache_nodes where parent_id = the_node
    union all
    select node.id from below join cache_nodes as node on node.parent_id = below.id
  )
  select id from below
$$;

-- The nodes from the root down to a node, held, so that no text of the path is replaced before the answer that is made
-- from it can be seen by whoever replaces it. The node itself is missing where it is gone.
create or replace function lock_path_shared(the_node bigint) returns bigint[] language sql as $$
  with recursive above (id, parent_id) as (
    select id, parent_id from cache_nodes where id = the_node
    union all
    select node.id, node.parent_id from above join cache_nodes as node on node.id = above.parent_id
  ), held as (
    select id from cache_nodes where id in (select id from above) order by id for share
  )
  select coalesce(array_agg(id), '{}') from held
$$;

-- Holds a node and all that are below it, so that none is told, answered below or stood upon from here on.
create or replace function lock_subtree(the_node bigint) returns void language plpgsql as $$
declare
  held integer;
  counted integer := 0;
begin
  -- A node that was just being stored below one of them is seen at the next look.
  loop
    held := counted;
    select count(*) into counted from (
      select from cache_nodes
      where id = the_node or id in (select nodes_below(the_node)) order by id for update) as node;
    exit when counted = held;
  end loop;
end;
$$;
