-- Staff edits are pinned to the messages on the path and the question that the last message answers. A pin outlives
-- its node and applies wherever both occur again.
--
-- Locks: an advisory lock for each topic, after the nodes and before all else ("cache-tree.sql"). Storing an answer
-- takes it shared, so no answer is stored next to a pin that is just being written.

create or replace function lock_answer_pins_of_item(the_item integer) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('pins of a topic', the_item))
$$;

-- False if it does not wait and a writer of pins holds the lock.
create or replace function lock_or_try_lock_answer_pins_shared(the_item integer, waits boolean) returns boolean language plpgsql as $$
declare
  pins bigint := hashtextextended('pins of a topic', the_item);
begin
  if not waits then return pg_try_advisory_xact_lock_shared(pins); end if;
  perform pg_advisory_xact_lock_shared(pins);
  return true;
end $$;

-- From the root, including the node's own. Empty above the root.
create or replace function message_path_to_node(the_node bigint) returns jsonb language sql stable as $$
  with recursive above (parent_id, message, height) as (
    select parent_id, message, 0 from cache_nodes where id = the_node
    union all
    select node.parent_id, node.message, above.height + 1
    from above join cache_nodes as node on node.id = above.parent_id
  )
  select coalesce(jsonb_agg(message order by height desc), '[]') from above
$$;

create or replace function answer_pin_of_message_below_node(the_item integer, the_parent bigint, the_message text) returns setof answer_pins
language plpgsql stable as $$
begin
  -- Most topics have no pins and skip the walk up.
  if exists (select from answer_pins where content_item_id = the_item) then
    return query
      select pin.* from answer_pins as pin
      where pin.content_item_id = the_item
        and pin.path_hash = sha256_hex((message_path_to_node(the_parent) || to_jsonb(the_message))::text)
        and pin.asked_hash = question_identity_hash((select question from cache_nodes where id = the_parent));
  end if;
end $$;

-- Updates the pin to the question that the answer above asks now, and to the text of the answer in its place.
-- Returns false if the pin or the answers are gone, or do not lead to each other.
create or replace function update_answer_pin_to_current_question(the_pin bigint, above bigint, here bigint, editor integer, request jsonb)
returns boolean language plpgsql as $$
declare
  pin answer_pins;
  asks jsonb;
begin
  perform from cache_nodes where id = above for share;
  if here is not null then perform lock_node_and_subtree(here); end if;
  select * into pin from answer_pins where id = the_pin;
  perform lock_answer_pins_of_item(pin.content_item_id);
  select question into asks from cache_nodes where id = above;
  if not found or message_path_to_node(above) || (pin.path -> -1) <> pin.path then return false; end if;
  delete from answer_pins
  where content_item_id = pin.content_item_id and path_hash = pin.path_hash and asked_hash = question_identity_hash(asks)
    and id <> the_pin;
  update answer_pins
  set asked = asks, asked_hash = question_identity_hash(asks), pinned_by = editor, pinned_at = service_clock()
  where id = the_pin;
  if not found then return false; end if;
  if here is not null then
    perform replace_and_pin_answer(here, jsonb_build_object(
      'text', pin.answer, 'question', pin.question, 'choices', pin.choices, 'key', pin.question_key), editor, null, null, request)
    from cache_nodes where id = here and answer <> pin.answer;
  end if;
  perform audit_tree_change('tutor_pin.confirmed', pin.content_item_id, here, editor, request);
  return true;
end $$;

create or replace function delete_answer_pin(the_pin bigint, editor integer, request jsonb) returns void language plpgsql as $$
declare
  item integer := (select content_item_id from answer_pins where id = the_pin);
begin
  perform lock_answer_pins_of_item(item);
  delete from answer_pins where id = the_pin;
  if found then perform audit_tree_change('tutor_pin.dropped', item, null, editor, request); end if;
end $$;
