-- A turn of a conversation with the tutor: opened with the learner's message, closed with the answer, by one function
-- each. What they do could stand in statements of the service: with its many parts such a statement took ten times as
-- long to plan as to run, at each message. PostgreSQL plans the statements of a function once for each connection.
--
-- Locks: opening takes the session, then the node that answers (its key, so that it is not pruned), then the person.
-- Closing takes the node, then the session: whoever writes a node's answer does not wait for those who hold its key.

-- Opens a turn of the person whom a valid token names: stores their message with what it does to the session and to
-- their streak, and answers it where the tree holds the answer. Else it takes the session's lease, and reads what
-- answering takes. No row: there is no such person. `refusal` says why nothing was done: 'inactive person', 'no such
-- session', 'not theirs', 'being answered', or 'another time zone', when `today` is not the day in their zone.
create or replace function open_turn(
  the_session integer, the_person integer, the_content text, the_kind text, the_hash text, the_token uuid,
  lease_seconds integer, default_model text, tutor_prompt text, deepest integer, the_zone text, today date,
  moment timestamptz, most_candidates integer
) returns table (
  refusal text, time_zone text, message_id integer,
  -- Of an answer from the tree.
  answer_id integer, answered_at timestamptz, meta jsonb, chunks jsonb,
  -- Of a turn that is still to be answered.
  content_item_id integer, content_fingerprint text, shared boolean, parent_id integer, model text,
  graph json, candidates json
) language plpgsql as $$
#variable_conflict use_column
declare
  prompt integer;
  tutor_name text;
  tutor_version integer;
  node integer;
  university integer;
  leaves_tree boolean;
begin
  -- What is read after the lock is what the message before this one left.
  perform from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back. Free text leaves it
  -- in any case; an answer without a path does so where answers are shared at all.
  select case
           when not person.is_active then 'inactive person'
           when s.id is null then 'no such session'
           when s.user_id <> the_person then 'not theirs'
           when s.answering_until > now() then 'being answered'
           when person.time_zone <> the_zone then 'another time zone'
         end,
         person.time_zone, item.university_id, s.content_item_id, s.content_fingerprint,
         place.shared, place.parent_id, place.model,
         the_kind = 'free' or (course.cache_enabled and not place.on_path),
         tutor.id, tutor.name, tutor.version, stored.id, stored.chunks
  into refusal, time_zone, university, content_item_id, content_fingerprint,
       shared, parent_id, model, leaves_tree, prompt, tutor_name, tutor_version, node, chunks
  from users as person
  left join (
    chat_sessions as s
    join content_items as item on item.id = s.content_item_id
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
  ) on s.id = the_session
  left join lateral (
    select on_path, on_path and course.cache_enabled and s.cache_state = 'tracking' as shared,
           case when the_kind = 'answer' then s.cache_node_id end as parent_id,
           coalesce(course.llm_model, default_model) as model
    from (select the_kind = 'start' or (the_kind = 'answer' and s.cache_node_id is not null) as on_path) as path
  ) as place on true
  left join lateral tutor_prompt_of(type.name, tutor_prompt) as tutor on true
  left join lateral (
    select n.id, n.chunks
    from cache_nodes as n
    where place.shared and n.content_item_id = s.content_item_id
      -- Not "is not distinct from", which uses no index.
      and (n.parent_id = place.parent_id or (n.parent_id is null and place.parent_id is null))
      and n.message_hash = the_hash and n.prompt_name = tutor.name and n.prompt_version = tutor.version
      and n.model = place.model and n.prompt_fingerprint = tutor.plain_fingerprint
      and n.content_fingerprint = s.content_fingerprint and n.chunks is not null
    -- Which keeps it from being pruned until the cursor stands on it.
    for key share
  ) as stored on true
  where person.id = the_person;
  if not found then return; end if;
  if refusal is not null then
    return next;
    return;
  end if;

  perform record_activity(the_person, 'asked', 'content_item', content_item_id, university, content_item_id, null,
                          moment, today);
  with hit as (
    insert into cache_hits (node_id) select node where node is not null
  ), turned as (
    update chat_sessions
    set cache_node_id = coalesce(node, cache_node_id),
        cache_state = case when leaves_tree then 'diverged' else cache_state end,
        answering_until = case when node is null then now() + make_interval(secs => lease_seconds) end,
        answering_token = case when node is null then the_token end,
        updated_at = case when node is null then updated_at else now() end
    where id = the_session
  ), said as (
    select nextval('chat_messages_id_seq')::int as question,
           case when node is not null then nextval('chat_messages_id_seq')::int end as answer,
           case when node is not null then jsonb_build_object(
             'source', 'cache', 'model', open_turn.model, 'prompt_name', tutor_name, 'prompt_version', tutor_version,
             'latency_ms', round(extract(milliseconds from clock_timestamp() - statement_timestamp())),
             'cache_node_id', node) end as meta
  ), exchange as (
    insert into chat_messages (id, session_id, role, content, meta, in_reply_to_id, on_shared_path)
    overriding system value
    select question, the_session, 'user', the_content, '{}'::jsonb, null::int, false from said
    union all
    select answer, the_session, 'assistant',
           (select string_agg(chunk, '') from jsonb_array_elements_text(open_turn.chunks) as chunk),
           said.meta, question, true
    from said where answer is not null
  )
  select question, answer, now(), said.meta into message_id, answer_id, answered_at, meta from said;
  if node is not null then
    return next;
    return;
  end if;

  candidates := '[]';
  if prompt is not null then
    select json_build_object('root', prompt, 'prompts', reached.prompts, 'links', reached.links) into graph
    from reached_prompts(array[prompt], 0, deepest) as reached;
    if shared then
      select coalesce(json_agg(json_build_object(
               'id', likely.id, 'prompt_fingerprint', likely.prompt_fingerprint, 'chunks', likely.chunks)), '[]')
      into candidates
      from (
        select n.id, n.prompt_fingerprint, n.chunks
        from cache_nodes as n
        where n.content_item_id = open_turn.content_item_id
          and (n.parent_id = open_turn.parent_id or (n.parent_id is null and open_turn.parent_id is null))
          and n.message_hash = the_hash and n.prompt_name = tutor_name and n.prompt_version = tutor_version
          and n.model = open_turn.model and n.content_fingerprint = open_turn.content_fingerprint
        order by n.id desc
        limit most_candidates
      ) as likely;
    end if;
  end if;
  return next;
end $$;

-- Closes a turn: stores the answer, moves the cursor, ends the lease, and does to the tree what the answer's place
-- says: 'hit' (the node gave it), 'followed' (another call made it meanwhile), 'filled' (this call made it under its
-- lease), or none. A node that is gone by now leaves the cursor where it was, and the answer is kept all the same.
create or replace function close_turn(
  the_session integer, the_token uuid, question integer, answer text, the_meta jsonb, on_path boolean,
  place text, node integer, fill_token uuid, fill_chunks jsonb, tokens_in integer, tokens_out integer
) returns table (id integer, created_at timestamptz) language plpgsql as $$
declare
  standing integer;
begin
  if place = 'filled' then
    update cache_nodes as n
    set chunks = fill_chunks, filling_until = null, filling_token = null,
        input_tokens = tokens_in, output_tokens = tokens_out, last_used_at = now()
    where n.id = node and n.filling_token = fill_token;
    if found then delete from cache_fill_chunks where node_id = node; end if;
  end if;
  -- The lock keeps the node from being pruned until the cursor stands on it.
  select n.id into standing from cache_nodes as n where n.id = node and n.chunks is not null for key share;
  if place = 'hit' and standing is not null then insert into cache_hits (node_id) values (standing); end if;
  update chat_sessions as s
  set cache_node_id = coalesce(standing, s.cache_node_id), updated_at = now(),
      answering_until = null, answering_token = null
  where s.id = the_session and s.answering_token = the_token;
  return query
    insert into chat_messages as m (session_id, role, content, meta, in_reply_to_id, on_shared_path)
    values (the_session, 'assistant', answer, the_meta, question, on_path)
    returning m.id, m.created_at;
end $$;
