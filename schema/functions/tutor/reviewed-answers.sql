-- Answers that await approval. If an item's `tutor_mode` is reviewed, a new answer is stored but not served. Staff
-- approve it, edit it, or let the tutor answer without review.
--
-- Locks: see "cache-tree.sql".

create or replace function is_node_awaiting_approval(the_node bigint) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from cache_nodes as node join content_items as item on item.id = node.content_item_id
    where node.id = the_node and node.is_waiting and item.tutor_mode = 'reviewed');
end $$;

-- Returns the reason if nothing was done, as `replace_and_pin_answer` does.
create or replace function approve_stored_answer(the_node bigint, expected integer[], editor integer, request jsonb) returns text
language plpgsql as $$
declare
  held record;
  node cache_nodes;
begin
  held := lock_node_and_check_version(the_node, false, expected);
  if held.refusal is not null then return held.refusal; end if;
  node := held.node;
  if node.is_waiting then
    update cache_nodes set is_waiting = false, version = version + 1 where id = the_node;
    perform audit_tree_change('tutor_answer.approved', node.content_item_id, the_node, editor, request);
  end if;
  return null;
end $$;
