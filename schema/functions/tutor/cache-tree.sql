-- The tree of shared answers.
--
-- Locks: The lock order of everything that opens turns, generates, replaces or purges: 1. the topic, and nodes, a
-- parent before its children, by id; 2. pending generations of a class; then the key under which a known answer is
-- stored, and the topic's pins; 3. sessions; 4. private pending generations, and messages; 5. the user; 6. LLM calls;
-- 7. the month of a university. Only `open_turn`, which learns the node from the session, locks the session first; it
-- waits for no node. Heartbeats, pruning and the removal of ended answers also skip locked rows.

create or replace function cache_node_ids_below(the_node bigint) returns setof bigint language sql stable as $$
  with recursive below (id) as (
    select id from cache_nodes where parent_id = the_node
    union all
    select node.id from below join cache_nodes as node on node.parent_id = below.id
  )
  select id from below
$$;

-- From the root, shared. A transaction that replaces text on the path then sees the answer generated from it. The
-- result omits the node itself if it is gone.
create or replace function lock_nodes_to_root_shared(the_node bigint) returns bigint[] language sql as $$
  with recursive above (id, parent_id) as (
    select id, parent_id from cache_nodes where id = the_node
    union all
    select node.id, node.parent_id from above join cache_nodes as node on node.id = above.parent_id
  ), held as (
    select id from cache_nodes where id in (select id from above) order by id for share
  )
  select coalesce(array_agg(id), '{}') from held
$$;

-- No answer can then be served or stored there, and no cursor can move there.
create or replace function lock_node_and_subtree(the_node bigint) returns void language plpgsql as $$
declare
  held integer;
  counted integer := 0;
begin
  -- The next pass sees a node that was just being stored below one of them.
  loop
    held := counted;
    select count(*) into counted from (
      select from cache_nodes
      where id = the_node or id in (select cache_node_ids_below(the_node)) order by id for update) as node;
    exit when counted = held;
  end loop;
end;
$$;
