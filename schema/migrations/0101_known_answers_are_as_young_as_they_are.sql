set local check_function_bodies = off;
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
    content_fingerprint, origin_node_id, chunks, question, choices, question_key, edited_by, edited_at, created_at)
  select the_item, the_parent, the_message, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key,
         case when told.answer = original.answer then original.id end, told.chunks, told.question, told.choices,
         told.question_key, told.edited_by, told.edited_at,
         -- It is made from what its parent says by now, which may have been edited since this transaction began.
         service_clock()
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
set local check_function_bodies = on;
