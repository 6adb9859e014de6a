set local check_function_bodies = off;
--> statement-breakpoint
create or replace function restore_node(node cache_nodes) returns void language plpgsql as $$
begin
  insert into cache_nodes (
    id, content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
    content_fingerprint, origin_node_id, chunks, question, choices, question_key, input_tokens,
    output_tokens, visit_count, hit_count, last_used_at, created_at, edited_by, edited_at, is_waiting, warmed, children_kept, version)
  overriding system value
  select node.id, node.content_item_id, node.parent_id, node.message, node.message_hash, node.prompt_name,
         node.prompt_version, node.model, node.prompt_fingerprint, node.content_fingerprint,
         node.origin_node_id, node.chunks, node.question, node.choices, node.question_key, node.input_tokens,
         node.output_tokens,
         node.visit_count, node.hit_count, service_now(), node.created_at,
         (select id from users where id = node.edited_by), node.edited_at, node.is_waiting, node.warmed,
         node.children_kept, node.version
  where node.parent_id is null or exists (select from cache_nodes where id = node.parent_id)
  on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
               prompt_fingerprint, content_fingerprint) do nothing;
  if found then perform give_up_making(node); end if;
end $$;
--> statement-breakpoint
create or replace function undo_replacing(change tree_changes) returns text language plpgsql as $$
declare
  former cache_nodes := jsonb_populate_record(null::cache_nodes, change.former);
  held record;
  node cache_nodes;
  refusal text;
begin
  held := lock_node_to_change(change.node_id, true, null);
  if held.refusal is not null then return 'changed'; end if;
  node := held.node;
  perform lock_pins(change.content_item_id);
  refusal := refusal_to_undo(change);
  if refusal is not null then return refusal; end if;
  perform rewrite_node(
    node, joined_text(former.chunks), former.question, former.choices, former.question_key, former.edited_by,
    former.edited_at,
    children_to_drop(node, former.question, former.choices, true), true);
  -- What nobody had approved waits again.
  update cache_nodes set chunks = former.chunks, is_waiting = former.is_waiting where id = node.id;
  perform restore_nodes(change.removed);
  return null;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
