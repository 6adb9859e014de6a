-- What must always hold of the tree of shared answers: a row for each thing that does not. Tests ask it after every
-- kind of traffic, and an operator may ask it at any time.
CREATE FUNCTION cache_tree_violations() RETURNS TABLE (rule text, node_id integer)
LANGUAGE sql STABLE AS $$
  SELECT 'a child is of its parent''s topic', child.id
  FROM cache_nodes AS child JOIN cache_nodes AS parent ON parent.id = child.parent_id
  WHERE child.content_item_id <> parent.content_item_id
UNION ALL
  SELECT 'a node grows from a whole answer only', child.id
  FROM cache_nodes AS child JOIN cache_nodes AS parent ON parent.id = child.parent_id
  WHERE parent.chunks IS NULL
UNION ALL
  SELECT 'roots answer Start., and nothing else does', id
  FROM cache_nodes WHERE (parent_id IS NULL) <> (message = 'Start.')
UNION ALL
  SELECT 'a node is found by the hash of its message', id
  FROM cache_nodes WHERE message_hash <> encode(sha256(convert_to(message, 'UTF8')), 'hex')
UNION ALL
  SELECT 'an answer is whole, or someone is writing it', id
  FROM cache_nodes WHERE (chunks IS NULL) <> (filling_token IS NOT NULL AND filling_until IS NOT NULL)
UNION ALL
  SELECT 'a whole answer is not empty', id
  FROM cache_nodes WHERE chunks = '[]'
UNION ALL
  SELECT 'pieces are kept only while an answer is being written', cache_nodes.id
  FROM cache_nodes JOIN cache_fill_chunks AS piece ON piece.node_id = cache_nodes.id
  WHERE cache_nodes.chunks IS NOT NULL
UNION ALL
  SELECT 'a cursor stands on a whole answer of its own topic', cache_nodes.id
  FROM chat_sessions JOIN cache_nodes ON cache_nodes.id = chat_sessions.cache_node_id
  WHERE cache_nodes.chunks IS NULL OR cache_nodes.content_item_id <> chat_sessions.content_item_id
UNION ALL
  SELECT 'an answer answers a question of its own session', NULL
  FROM chat_messages AS answer LEFT JOIN chat_messages AS question ON question.id = answer.in_reply_to_id
  WHERE answer.role = 'assistant'
    AND (question.role IS DISTINCT FROM 'user' OR question.session_id IS DISTINCT FROM answer.session_id);
$$;
