-- Invariants of the tree of shared answers and of generations: returns a row per violation. Tests run it after every
-- kind of traffic.
  select 'a child is of its parent''s topic', child.id, null::bigint
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where child.content_item_id <> parent.content_item_id
union all
  select 'roots answer Start., and nothing else does', id, null
  from cache_nodes where (parent_id is null) <> (message = 'Start.')
union all
  select 'a whole answer is not empty', id, null
  from cache_nodes where answer = ''
union all
  select 'a child was made from what its parent says', child.id, null
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where parent.edited_at > child.created_at and not parent.children_kept
union all
  select 'a child answers what its parent offers', child.id, null
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where parent.choices is not null and (parent.version > 1 or not parent.children_kept)
    and not exists (
      select from jsonb_each_text(parent.choices) as choice
      -- Answers of the release before do not name the newest move.
      where choice.value = child.message or choice.value = '@simpler' and child.message = '@my_words')
union all
  select 'the answer to a move carries the question and the key of what it follows', child.id, null
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where child.message like '@%'
    and (child.question is null or child.question_key is null
         or (child.question, child.choices, child.question_key)
            is distinct from (parent.question, parent.choices, parent.question_key))
union all
  select 'a fourth hint to a question is an example', child.id, null
  from cache_nodes as child
  where child.message = '@hint' and child.choices ->> '@example' = '@example' and count_hints_for_question_of_node(child.id) > 3
union all
  select 'an answer that is stored beside its pin says what is pinned', node.id, null
  from answer_pins as pin join cache_nodes as node on node.content_item_id = pin.content_item_id
  left join cache_nodes as parent on parent.id = node.parent_id
  where node.created_at > pin.pinned_at and node.version = 1 and node.answer <> pin.answer
    and parent.children_kept is not true and question_identity_hash(parent.question) = pin.asked_hash
    and sha256_hex(message_path_to_node(node.id)::text) = pin.path_hash
union all
  select 'an answer that was taken over says what its original says', node.id, null
  from cache_nodes as node join cache_nodes as original on original.id = node.origin_node_id
  where node.version = 1 and original.version = 1 and node.chunks <> original.chunks
union all
  select 'what was taken over stands below what was taken over', node.id, null
  from cache_nodes as node join cache_nodes as parent on parent.id = node.parent_id
  where node.origin_node_id is not null and parent.origin_node_id is null
union all
  select 'an answer in the making has a maker while someone listens to it', null, session.id
  from chat_sessions as session
  where session.answering_until > now() and session.answering_since < now() - interval '15 seconds'
    and not exists (
      select from generations as made
      where made.id = session.answering_generation_id and made.lease_until > now() - interval '5 seconds')
union all
  select 'a lease ends with the time limit of its answer', null, made.session_id
  from generations as made where made.lease_until > made.maker_until
union all
  select 'pieces are kept only of the last telling of an answer in the making', null, made.session_id
  from generation_pieces as piece join generations as made on made.id = piece.generation_id
  where made.state <> 'writing' or piece.attempt <> made.attempt
union all
  select 'an answer in the making has no node yet', node.id, null
  from generations as made
  join cache_nodes as node
    on node.node_key = made.node_key
  where made.state = 'writing' and made.question_id is null
union all
  select 'a cursor stands on an answer of its own topic', node.id, session.id
  from chat_sessions as session join cache_nodes as node on node.id = session.cache_node_id
  where node.content_item_id <> session.content_item_id
union all
  select 'a cursor stands on an answer that was told', node.id, session.id
  from chat_sessions as session join cache_nodes as node on node.id = session.cache_node_id
  where node.edited_at is null and node.version = 1 and not exists (
    select from chat_messages as told
    where told.session_id = session.id and told.cache_node_id = node.id and told.content = node.answer)
union all
  -- Only for unchanged text: an answer that staff replaced may have been delivered before the replacement was undone.
  select 'what waits for staff to approve it is told to nobody', node.id, session.id
  from cache_nodes as node
  join content_items as item on item.id = node.content_item_id and item.tutor_mode = 'reviewed'
  left join chat_sessions as session on session.cache_node_id = node.id
  where node.is_waiting and node.version = 1
    and (session.id is not null or exists (select from cache_visits where node_id = node.id)
         or exists (select from chat_messages where cache_node_id = node.id))
union all
  select 'an answer answers a question of its own session', null, answer.session_id
  from chat_messages as answer left join chat_messages as question on question.id = answer.in_reply_to_id
  where answer.role = 'assistant'
    and (question.role is distinct from 'user' or question.session_id is distinct from answer.session_id)
