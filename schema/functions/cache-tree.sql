-- The tree of shared answers. Nothing here writes or locks.

-- What must always hold of the tree of shared answers: a row for each thing that does not. Tests ask it after every
-- kind of traffic, and an operator may ask it at any time.
create or replace function cache_tree_violations() returns table (rule text, node_id integer)
language sql stable as $$
  select 'a child is of its parent''s topic', child.id
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where child.content_item_id <> parent.content_item_id
union all
  select 'a node grows from a whole answer only', child.id
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where parent.chunks is null
union all
  select 'roots answer Start., and nothing else does', id
  from cache_nodes where (parent_id is null) <> (message = 'Start.')
union all
  select 'a node is found by the hash of its message', id
  from cache_nodes where message_hash <> encode(sha256(convert_to(message, 'UTF8')), 'hex')
union all
  select 'an answer is whole, or someone is writing it', id
  from cache_nodes where (chunks is null) <> (filling_token is not null and filling_until is not null)
union all
  select 'a whole answer is not empty', id
  from cache_nodes where chunks = '[]'
union all
  select 'pieces are kept only while an answer is being written', cache_nodes.id
  from cache_nodes join cache_fill_chunks as piece on piece.node_id = cache_nodes.id
  where cache_nodes.chunks is not null
union all
  select 'a cursor stands on a whole answer of its own topic', cache_nodes.id
  from chat_sessions join cache_nodes on cache_nodes.id = chat_sessions.cache_node_id
  where cache_nodes.chunks is null or cache_nodes.content_item_id <> chat_sessions.content_item_id
union all
  select 'an answer answers a question of its own session', null
  from chat_messages as answer left join chat_messages as question on question.id = answer.in_reply_to_id
  where answer.role = 'assistant'
    and (question.role is distinct from 'user' or question.session_id is distinct from answer.session_id);
$$;
