-- A turn of the tutor is opened and closed by one function each. What they do could stand in statements of the
-- service, and did: with its many parts such a statement took ten times as long to plan as to run, at each message.
-- PostgreSQL plans the statements of a function once for each connection.

-- The prompts that `roots` reach by their references, themselves included, and where each reference leads. `depth` is
-- how deep the roots stand; one level more than `deepest` is fetched, so that "too deep" is told from "missing".
CREATE FUNCTION reached_prompts(roots integer[], depth integer, deepest integer, OUT prompts json, OUT links json)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- Most prompts reference no other, and are spared the recursion.
  IF NOT EXISTS (SELECT FROM prompt_dependencies WHERE prompt_id = ANY (roots)) THEN
    links := '[]';
    SELECT coalesce(json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
    INTO prompts FROM prompts AS p WHERE p.id = ANY (roots);
    RETURN;
  END IF;
  WITH RECURSIVE reached (id, level) AS (
      SELECT root, depth FROM unnest(roots) AS root
    UNION
      SELECT link.child_id, reached.level + 1
      FROM reached JOIN prompt_links AS link ON link.prompt_id = reached.id
      WHERE link.child_id IS NOT NULL AND reached.level <= deepest
  )
  SELECT
    (SELECT coalesce(json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
     FROM prompts AS p WHERE p.id IN (SELECT id FROM reached)),
    (SELECT coalesce(json_agg(link), '[]') FROM (
       SELECT DISTINCT child_name, child_version, child_label, child_id
       FROM prompt_links WHERE prompt_id IN (SELECT id FROM reached)) AS link)
  INTO prompts, links;
END;
$$;
--> statement-breakpoint
-- Opens a turn: takes the session's lease, stores the learner's message with what it does to the session and the
-- learner's streak, and reads what answering it takes. No row: there is no such session. `asked_by` is its owner; of
-- another's session nothing else is told or touched. Without `message_id` an answer is already being written.
CREATE FUNCTION open_turn(
  the_session integer, the_actor integer, the_content text, the_kind text, the_hash text, the_token uuid,
  lease_seconds integer, default_model text, tutor_name text, deepest integer, today date, moment timestamptz,
  most_candidates integer
) RETURNS TABLE (
  asked_by integer, message_id integer, content_item_id integer, content_fingerprint text, shared boolean,
  parent_id integer, model text, graph json, candidates json
) LANGUAGE plpgsql AS $$
DECLARE
  session record;
  tutor record;
  on_path boolean;
BEGIN
  SELECT s.user_id, s.content_item_id, s.content_fingerprint, s.cache_node_id, s.cache_state, s.answering_until,
         item.university_id, type.name AS content_type, course.cache_enabled,
         coalesce(course.llm_model, default_model) AS model
  INTO session
  FROM chat_sessions AS s
  JOIN content_items AS item ON item.id = s.content_item_id
  JOIN content_types AS type ON type.id = item.content_type_id
  JOIN courses AS course ON course.id = item.course_id
  WHERE s.id = the_session
  FOR UPDATE OF s;
  IF NOT FOUND THEN RETURN; END IF;

  asked_by := session.user_id;
  content_item_id := session.content_item_id;
  content_fingerprint := session.content_fingerprint;
  model := session.model;
  IF asked_by <> the_actor OR session.answering_until > now() THEN
    RETURN NEXT;
    RETURN;
  END IF;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back.
  on_path := the_kind = 'start' OR (the_kind = 'answer' AND session.cache_node_id IS NOT NULL);
  shared := on_path AND session.cache_enabled AND session.cache_state = 'tracking';
  parent_id := CASE WHEN the_kind = 'answer' THEN session.cache_node_id END;

  -- Free text leaves the tree in any case; an answer without a path does so where answers are shared at all.
  UPDATE chat_sessions
  SET answering_until = now() + make_interval(secs => lease_seconds), answering_token = the_token,
      cache_state = CASE WHEN the_kind = 'free' OR (NOT on_path AND session.cache_enabled)
                         THEN 'diverged' ELSE cache_state END
  WHERE id = the_session;
  INSERT INTO chat_messages (session_id, role, content) VALUES (the_session, 'user', the_content)
  RETURNING id INTO message_id;
  INSERT INTO activity_events (user_id, verb, object_type, object_id, university_id, content_item_id, occurred_at)
  VALUES (the_actor, 'asked', 'content_item', session.content_item_id, session.university_id,
          session.content_item_id, moment);
  UPDATE users
  SET current_streak_days = CASE WHEN last_activity_date = today - 1 THEN current_streak_days + 1 ELSE 1 END,
      last_activity_date = today
  WHERE id = the_actor AND (last_activity_date IS NULL OR last_activity_date < today);

  SELECT prompts.id, prompts.name, prompts.version INTO tutor
  FROM prompt_labels AS label JOIN prompts ON prompts.id = label.prompt_id
  WHERE label.label = 'production' AND label.name IN (tutor_name || '-' || session.content_type, tutor_name)
  ORDER BY length(prompts.name) DESC
  LIMIT 1;
  IF FOUND THEN
    SELECT json_build_object('root', tutor.id, 'prompts', reached.prompts, 'links', reached.links) INTO graph
    FROM reached_prompts(ARRAY[tutor.id], 0, deepest) AS reached;
  END IF;

  candidates := '[]';
  IF shared AND graph IS NOT NULL THEN
    SELECT coalesce(json_agg(json_build_object(
             'id', node.id, 'prompt_fingerprint', node.prompt_fingerprint, 'chunks', node.chunks)), '[]')
    INTO candidates
    FROM (
      SELECT n.id, n.prompt_fingerprint, n.chunks
      FROM cache_nodes AS n
      WHERE n.content_item_id = session.content_item_id
        -- Not "is not distinct from", which uses no index.
        AND (n.parent_id = open_turn.parent_id OR (n.parent_id IS NULL AND open_turn.parent_id IS NULL))
        AND n.message_hash = the_hash AND n.prompt_name = tutor.name AND n.prompt_version = tutor.version
        AND n.model = session.model AND n.content_fingerprint = session.content_fingerprint
      ORDER BY n.id DESC
      LIMIT most_candidates
    ) AS node;
  END IF;
  RETURN NEXT;
END;
$$;
--> statement-breakpoint
-- Closes a turn: stores the answer, moves the cursor, ends the lease, and does to the tree what the answer's place says:
-- 'hit' (the node gave it), 'followed' (another call made it meanwhile), 'filled' (this call made it under its lease),
-- or none. A node that is gone by now leaves the cursor where it was, and the answer is kept all the same.
CREATE FUNCTION close_turn(
  the_session integer, the_token uuid, question integer, answer text, the_meta jsonb, on_path boolean,
  place text, node integer, fill_token uuid, fill_chunks jsonb, tokens_in integer, tokens_out integer
) RETURNS TABLE (id integer, created_at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  standing integer;
BEGIN
  IF place = 'filled' THEN
    UPDATE cache_nodes AS n
    SET chunks = fill_chunks, filling_until = NULL, filling_token = NULL,
        input_tokens = tokens_in, output_tokens = tokens_out, last_used_at = now()
    WHERE n.id = node AND n.filling_token = fill_token;
    IF FOUND THEN DELETE FROM cache_fill_chunks WHERE node_id = node; END IF;
  END IF;
  -- The lock keeps the node from being pruned until the cursor stands on it.
  SELECT n.id INTO standing FROM cache_nodes AS n WHERE n.id = node AND n.chunks IS NOT NULL FOR KEY SHARE;
  IF place = 'hit' AND standing IS NOT NULL THEN INSERT INTO cache_hits (node_id) VALUES (standing); END IF;
  UPDATE chat_sessions AS s
  SET cache_node_id = coalesce(standing, s.cache_node_id), updated_at = now(),
      answering_until = NULL, answering_token = NULL
  WHERE s.id = the_session AND s.answering_token = the_token;
  RETURN QUERY
    INSERT INTO chat_messages AS m (session_id, role, content, meta, in_reply_to_id, on_shared_path)
    VALUES (the_session, 'assistant', answer, the_meta, question, on_path)
    RETURNING m.id, m.created_at;
END;
$$;
