-- Known answers that miss the cache key: pinned by staff, or stored in the item that this item was copied from. Each
-- becomes a node under the key, without a call.
--
-- Locks: see "cache-tree.sql". A caller that holds a session never waits here: a locked row counts as a cache miss.

-- An unsaved `cache_nodes` row that has only its address.
create or replace function unsaved_cache_node(
  the_item integer, the_parent bigint, the_message text, the_prompt text, the_version integer, the_model text,
  the_prompt_fingerprint text, the_content_fingerprint text
) returns cache_nodes language plpgsql immutable as $$
declare
  wanted cache_nodes;
begin
  wanted.content_item_id := the_item;
  wanted.parent_id := the_parent;
  wanted.message := the_message;
  wanted.prompt_name := the_prompt;
  wanted.prompt_version := the_version;
  wanted.model := the_model;
  wanted.prompt_fingerprint := the_prompt_fingerprint;
  wanted.content_fingerprint := the_content_fingerprint;
  wanted.node_key := node_key(
    the_item, the_parent, the_message, the_prompt, the_version, the_model, the_prompt_fingerprint,
    the_content_fingerprint);
  return wanted;
end $$;

create or replace function origins_of_copied_item(the_item integer) returns table (id integer, as_of timestamptz, copies integer)
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

-- From a pin or the original item; returns its node, locked. Null: no known answer, or, unless it `waits`, another
-- transaction is writing there. A caller that waits must hold the path.
create or replace function find_or_copy_known_answer(wanted cache_nodes, waits boolean) returns bigint language plpgsql as $$
declare
  place bigint := hashtextextended(wanted.node_key::text, 0);
  node bigint;
  parent cache_nodes;
  pin answer_pins;
  original cache_nodes;
  made cache_nodes;
begin
  if waits then
    perform pg_advisory_xact_lock(place);
  elsif not pg_try_advisory_xact_lock(place) then
    return null;
  end if;
  node := (select id from cache_nodes where node_key = wanted.node_key);
  if node is null then
    if wanted.parent_id is not null then
      select * into parent from cache_nodes where id = wanted.parent_id for key share skip locked;
      if not found then return null; end if;
    end if;
    if not lock_or_try_lock_answer_pins_shared(wanted.content_item_id, waits) then return null; end if;
    select * into pin from answer_pin_of_message_below_node(wanted.content_item_id, wanted.parent_id, wanted.message);
    -- The original item's answer as of the copy. Below the root it must be an offered answer, and its parent must be a
    -- taken-over node with the text of its original.
    if exists (select from content_items where id = wanted.content_item_id and origin_item_id is not null)
       and (parent.id is null or parent.version = 1
            and exists (select from jsonb_each_text(parent.choices) where value = wanted.message)) then
      with recursive above (id, content_item_id, origin_node_id, copies) as (
        select one.id, one.content_item_id, one.origin_node_id, 1
        from cache_nodes as one where one.id = parent.origin_node_id and one.chunks = parent.chunks
        union all
        select one.id, one.content_item_id, one.origin_node_id, above.copies + 1
        from above join cache_nodes as one on one.id = above.origin_node_id and one.chunks = parent.chunks
        where above.copies < 10
      )
      select one.* into original
      from origins_of_copied_item(wanted.content_item_id) as origin
      left join above on above.content_item_id = origin.id
      join cache_nodes as one on one.node_key = node_key(
        origin.id, above.id, wanted.message, wanted.prompt_name, wanted.prompt_version, wanted.model,
        wanted.prompt_fingerprint, wanted.content_fingerprint)
      where (parent.id is null or above.id is not null)
        and one.created_at <= origin.as_of and coalesce(one.edited_at, one.created_at) <= origin.as_of
      order by origin.copies limit 1;
    end if;
    if pin.id is null and original.id is null then return null; end if;
    insert into cache_nodes (
      content_item_id, parent_id, message, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint,
      origin_node_id, chunks, question, choices, question_key, edited_by, edited_at, is_waiting, created_at)
    select wanted.content_item_id, wanted.parent_id, wanted.message, wanted.prompt_name, wanted.prompt_version,
           wanted.model, wanted.prompt_fingerprint, wanted.content_fingerprint,
           case when told.answer = original.answer then original.id end, told.chunks, told.question, told.choices,
           told.question_key, told.edited_by, told.edited_at, told.is_waiting,
           -- The parent's text may have been edited since this transaction began.
           service_clock()
    from (
      select pin.answer, jsonb_build_array(pin.answer), pin.question, pin.choices, pin.question_key, pin.pinned_by,
             pin.pinned_at, false
      where pin.id is not null
      union all
      select original.answer, original.chunks, original.question, original.choices, original.question_key,
             original.edited_by, original.edited_at, original.is_waiting
      where pin.id is null
    ) as told (answer, chunks, question, choices, question_key, edited_by, edited_at, is_waiting)
    on conflict (node_key) do nothing
    returning * into made;
    if found then
      -- Listeners of a pending generation receive this answer. One that is just ending is skipped, and ends as it.
      delete from generations where id in (
        select id from generations where node_key = made.node_key and state = 'writing' for update skip locked);
      node := made.id;
    else
      node := (select id from cache_nodes where node_key = wanted.node_key);
    end if;
  end if;
  if waits then
    select id into node from cache_nodes where id = node for share;
  else
    select id into node from cache_nodes where id = node for share skip locked;
  end if;
  return node;
end $$;
