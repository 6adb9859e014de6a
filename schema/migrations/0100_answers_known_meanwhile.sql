set local check_function_bodies = off;
--> statement-breakpoint
-- What is in the making where an answer is known by now is given up: whoever waits for it is told that answer. What its
-- maker is just ending is left alone, and ends as that answer.
create or replace function give_up_making(known cache_nodes) returns void language sql as $$
  delete from generations where id in (
    select made.id from generations as made
    where made.state = 'writing' and made.question_id is null and made.content_item_id = known.content_item_id
      and coalesce(made.parent_id, 0) = coalesce(known.parent_id, 0) and made.message_hash = known.message_hash
      and made.prompt_name = known.prompt_name and made.prompt_version = known.prompt_version
      and made.model = known.model and made.prompt_fingerprint = known.prompt_fingerprint
      and made.content_fingerprint = known.content_fingerprint
    for update skip locked)
$$;
--> statement-breakpoint
-- Makes a node of what is pinned below a parent, or to be taken over there. Null where nothing is.
create or replace function make_known_node(
  the_item integer, the_parent bigint, the_message text, the_hash text, the_prompt text, the_version integer,
  the_model text, the_prompt_fingerprint text, the_key text, waits boolean
) returns bigint language plpgsql as $$
declare
  parent cache_nodes;
  pin answer_pins;
  original cache_nodes;
  made bigint;
begin
  if the_parent is not null then
    -- Whoever waits holds it already.
    select * into parent from cache_nodes where id = the_parent for key share skip locked;
    if not found then return null; end if;
  end if;
  if waits then
    perform lock_pins_shared(the_item);
  elsif not try_lock_pins_shared(the_item) then
    return null;
  end if;
  select * into pin from pin_below(the_item, the_parent, the_message);
  select * into original from answer_to_take_over(
    the_item, parent, the_message, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key);
  if pin.id is null and original.id is null then return null; end if;
  insert into cache_nodes (
    content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
    content_fingerprint, origin_node_id, chunks, question, choices, question_key, edited_by, edited_at)
  select the_item, the_parent, the_message, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key,
         case when told.answer = original.answer then original.id end, told.chunks, told.question, told.choices,
         told.question_key, told.edited_by, told.edited_at
  from (
    select pin.answer, jsonb_build_array(pin.answer), pin.question, pin.choices, pin.question_key, pin.pinned_by, pin.pinned_at
    where pin.id is not null
    union all
    select original.answer, original.chunks, original.question, original.choices, original.question_key,
           original.edited_by, original.edited_at
    where pin.id is null
  ) as told (answer, chunks, question, choices, question_key, edited_by, edited_at)
  on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
               prompt_fingerprint, content_fingerprint) do nothing
  returning id into made;
  perform give_up_making(node) from cache_nodes as node where id = made;
  return coalesce(made, (select id from node_of(
    the_item, the_parent, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key)));
end $$;
--> statement-breakpoint
-- Gives a node its new key, and answers whether it could. Someone may have stored an answer under the key meanwhile, which
-- then is the answer.
create or replace function move_node_to_key(the_node bigint, the_key text, the_former_key text, waits boolean)
returns boolean language plpgsql as $$
begin
  if not waits then
    perform from cache_nodes where id = the_node for no key update skip locked;
    if not found then return false; end if;
  end if;
  update cache_nodes set content_fingerprint = the_key, former_fingerprint = the_former_key
  where id = the_node and content_fingerprint = the_former_key;
  perform give_up_making(node) from cache_nodes as node where id = the_node;
  return true;
exception when unique_violation then return true;
end $$;
--> statement-breakpoint
create or replace function restore_node(node cache_nodes) returns void language plpgsql as $$
begin
  insert into cache_nodes (
    id, content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
    content_fingerprint, former_fingerprint, origin_node_id, chunks, question, choices, question_key, input_tokens,
    output_tokens, visit_count, hit_count, last_used_at, created_at, edited_by, edited_at, children_kept, version)
  overriding system value
  select node.id, node.content_item_id, node.parent_id, node.message, node.message_hash, node.prompt_name,
         node.prompt_version, node.model, node.prompt_fingerprint, node.content_fingerprint, node.former_fingerprint,
         node.origin_node_id, node.chunks, node.question, node.choices, node.question_key, node.input_tokens,
         node.output_tokens,
         node.visit_count, node.hit_count, service_now(), node.created_at,
         (select id from users where id = node.edited_by), node.edited_at, node.children_kept, node.version
  where node.parent_id is null or exists (select from cache_nodes where id = node.parent_id)
  on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
               prompt_fingerprint, content_fingerprint) do nothing;
  if found then perform give_up_making(node); end if;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
