-- Answers that a key misses, and that are known all the same: as what staff pinned, or in the item that this one was
-- copied from. Each becomes a node under the key, and costs no call.
--
-- Locks: see "cache-tree.sql". Whoever holds a session waits for none of them: what they would wait for is a miss.

-- The node under a key.
create or replace function node_of(
  the_item integer, the_parent bigint, the_hash text, the_prompt text, the_version integer, the_model text,
  the_prompt_fingerprint text, the_key text
) returns setof cache_nodes language sql stable as $$
  select * from cache_nodes
  where content_item_id = the_item and coalesce(parent_id, 0) = coalesce(the_parent, 0) and message_hash = the_hash
    and prompt_name = the_prompt and prompt_version = the_version and model = the_model
    and prompt_fingerprint = the_prompt_fingerprint and content_fingerprint = the_key
$$;

-- The items that an item was copied from, one before the other, each with the moment as of which it counts.
create or replace function origins_of(the_item integer) returns table (id integer, as_of timestamptz, copies integer)
language sql stable as $$
  with recursive origin (id, as_of, copies) as (
    select origin_item_id, created_at, 1 from content_items where content_items.id = the_item
    union all
    select item.origin_item_id, least(origin.as_of, item.created_at), origin.copies + 1
    from origin join content_items as item on item.id = origin.id
    where origin.copies < 10
  )
  select id, as_of, copies from origin where id is not null
$$;

-- The answer to take over from what an item was copied from, as it stood then. Below the root only what the parent
-- offered, and that parent has to be one that was taken over, and says what its original says.
create or replace function answer_to_take_over(
  the_item integer, parent cache_nodes, the_message text, the_hash text, the_prompt text, the_version integer,
  the_model text, the_prompt_fingerprint text, the_key text
) returns setof cache_nodes language plpgsql stable as $$
begin
  if not exists (select from content_items where id = the_item and origin_item_id is not null) then return; end if;
  if parent.id is null then
    return query
      select node.* from origins_of(the_item) as origin
      cross join lateral node_of(origin.id, null, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint,
                                 the_key) as node
      where node.created_at <= origin.as_of and coalesce(node.edited_at, node.created_at) <= origin.as_of
      order by origin.copies limit 1;
  elsif parent.version = 1 and exists (select from jsonb_each_text(parent.choices) where value = the_message) then
    return query
      with recursive original (id, content_item_id, origin_node_id, copies) as (
        select node.id, node.content_item_id, node.origin_node_id, 1
        from cache_nodes as node where node.id = parent.origin_node_id and node.chunks = parent.chunks
        union all
        select node.id, node.content_item_id, node.origin_node_id, original.copies + 1
        from original join cache_nodes as node on node.id = original.origin_node_id and node.chunks = parent.chunks
        where original.copies < 10
      )
      select node.* from original
      join origins_of(the_item) as origin on origin.id = original.content_item_id
      cross join lateral node_of(original.content_item_id, original.id, the_hash, the_prompt, the_version, the_model,
                                 the_prompt_fingerprint, the_key) as node
      where node.created_at <= origin.as_of and coalesce(node.edited_at, node.created_at) <= origin.as_of
      order by original.copies limit 1;
  end if;
end $$;

-- Finds what the key misses, and keeps it under the key from here on; answers its node, held. Null: it is not known, or,
-- unless it `waits`, someone is just writing there. Whoever waits holds the path.
create or replace function known_answer(
  the_item integer, the_parent bigint, the_message text, the_hash text, the_prompt text, the_version integer,
  the_model text, the_prompt_fingerprint text, the_key text, waits boolean
) returns bigint language plpgsql as $$
declare
  node bigint;
begin
  if not lock_answer_key(
    concat_ws(' ', the_item, coalesce(the_parent, 0), the_hash, the_prompt, the_version, the_model), waits) then
    return null;
  end if;
  node := coalesce(
    (select id from node_of(
       the_item, the_parent, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key)),
    make_known_node(
      the_item, the_parent, the_message, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key,
      waits));
  if waits then
    select id into node from cache_nodes where id = node for share;
  else
    select id into node from cache_nodes where id = node for share skip locked;
  end if;
  return node;
end $$;

create or replace function lock_answer_key(what text, waits boolean) returns boolean language plpgsql as $$
begin
  if not waits then return pg_try_advisory_xact_lock(hashtextextended(what, 0)); end if;
  perform pg_advisory_xact_lock(hashtextextended(what, 0));
  return true;
end $$;

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
    content_fingerprint, origin_node_id, chunks, question, choices, question_key, edited_by, edited_at, is_waiting, created_at)
  select the_item, the_parent, the_message, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key,
         case when told.answer = original.answer then original.id end, told.chunks, told.question, told.choices,
         told.question_key, told.edited_by, told.edited_at, told.is_waiting,
         -- It is made from what its parent says by now, which may have been edited since this transaction began.
         service_clock()
  from (
    select pin.answer, jsonb_build_array(pin.answer), pin.question, pin.choices, pin.question_key, pin.pinned_by, pin.pinned_at,
           false
    where pin.id is not null
    union all
    select original.answer, original.chunks, original.question, original.choices, original.question_key,
           original.edited_by, original.edited_at, original.is_waiting
    where pin.id is null
  ) as told (answer, chunks, question, choices, question_key, edited_by, edited_at, is_waiting)
  on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
               prompt_fingerprint, content_fingerprint) do nothing
  returning id into made;
  perform give_up_making(node) from cache_nodes as node where id = made;
  return coalesce(made, (select id from node_of(
    the_item, the_parent, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key)));
end $$;
