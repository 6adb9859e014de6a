-- A stored answer is one statement: opening the turn finds it, and stores the exchange, the cursor and the hit. Before,
-- the turn took a lease, handed the answer to the service, and was closed by a second statement. The former open_turn,
-- which takes other parameters, stays for the version of the service that runs until it is replaced.
CREATE FUNCTION sha256_hex(content text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT encode(sha256(convert_to(content, 'UTF8')), 'hex')
$$;
--> statement-breakpoint
ALTER TABLE "prompts" ADD COLUMN "plain_fingerprint" varchar(64) GENERATED ALWAYS AS (case when prompt not like '%@@@refPrompt:%' then sha256_hex(prompt) end) STORED;
--> statement-breakpoint
-- Opens a turn of the person whom a valid token names: stores their message with what it does to the session and to
-- their streak, and answers it where the tree holds the answer. Else it takes the session's lease, and reads what
-- answering takes. No row: there is no such person. A "refusal" says why nothing was done: 'inactive person', 'no such
-- session', 'not theirs', 'being answered', or 'another time zone', when "today" is the day in another zone than theirs.
CREATE FUNCTION open_turn(
  the_session integer, the_person integer, the_content text, the_kind text, the_hash text, the_token uuid,
  lease_seconds integer, default_model text, tutor_prompt text, deepest integer, the_zone text, today date,
  moment timestamptz, most_candidates integer
) RETURNS TABLE (
  refusal text, time_zone text, message_id integer,
  -- Of an answer from the tree.
  answer_id integer, answered_at timestamptz, meta jsonb, chunks jsonb,
  -- Of a turn that is still to be answered.
  content_item_id integer, content_fingerprint text, shared boolean, parent_id integer, model text,
  graph json, candidates json
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  prompt integer;
  tutor_name text;
  tutor_version integer;
  node integer;
  university integer;
  last_active date;
  leaves_tree boolean;
BEGIN
  -- What is read after the lock is what the message before this one left.
  PERFORM FROM chat_sessions AS s WHERE s.id = the_session AND s.user_id = the_person FOR UPDATE;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back. Free text leaves it
  -- in any case; an answer without a path does so where answers are shared at all.
  SELECT CASE
           WHEN NOT person.is_active THEN 'inactive person'
           WHEN s.id IS NULL THEN 'no such session'
           WHEN s.user_id <> the_person THEN 'not theirs'
           WHEN s.answering_until > now() THEN 'being answered'
           WHEN person.time_zone <> the_zone THEN 'another time zone'
         END,
         person.time_zone, person.last_activity_date, item.university_id, s.content_item_id, s.content_fingerprint,
         place.shared, place.parent_id, place.model,
         the_kind = 'free' OR (course.cache_enabled AND NOT place.on_path),
         tutor.id, tutor.name, tutor.version, stored.id, stored.chunks
  INTO refusal, time_zone, last_active, university, content_item_id, content_fingerprint,
       shared, parent_id, model, leaves_tree, prompt, tutor_name, tutor_version, node, chunks
  FROM users AS person
  LEFT JOIN (
    chat_sessions AS s
    JOIN content_items AS item ON item.id = s.content_item_id
    JOIN content_types AS type ON type.id = item.content_type_id
    JOIN courses AS course ON course.id = item.course_id
  ) ON s.id = the_session
  LEFT JOIN LATERAL (
    SELECT on_path, on_path AND course.cache_enabled AND s.cache_state = 'tracking' AS shared,
           CASE WHEN the_kind = 'answer' THEN s.cache_node_id END AS parent_id,
           coalesce(course.llm_model, default_model) AS model
    FROM (SELECT the_kind = 'start' OR (the_kind = 'answer' AND s.cache_node_id IS NOT NULL) AS on_path) AS path
  ) AS place ON true
  LEFT JOIN LATERAL (
    SELECT p.id, p.name, p.version, p.plain_fingerprint
    FROM prompt_labels AS label JOIN prompts AS p ON p.id = label.prompt_id
    WHERE label.label = 'production' AND label.name IN (tutor_prompt || '-' || type.name, tutor_prompt)
    ORDER BY length(p.name) DESC
    LIMIT 1
  ) AS tutor ON true
  LEFT JOIN LATERAL (
    SELECT n.id, n.chunks
    FROM cache_nodes AS n
    WHERE place.shared AND n.content_item_id = s.content_item_id
      -- Not "is not distinct from", which uses no index.
      AND (n.parent_id = place.parent_id OR (n.parent_id IS NULL AND place.parent_id IS NULL))
      AND n.message_hash = the_hash AND n.prompt_name = tutor.name AND n.prompt_version = tutor.version
      AND n.model = place.model AND n.prompt_fingerprint = tutor.plain_fingerprint
      AND n.content_fingerprint = s.content_fingerprint AND n.chunks IS NOT NULL
    -- Which keeps it from being pruned until the cursor stands on it.
    FOR KEY SHARE
  ) AS stored ON true
  WHERE person.id = the_person;
  IF NOT FOUND THEN RETURN; END IF;
  IF refusal IS NOT NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;

  IF last_active IS NULL OR last_active < today THEN
    UPDATE users
    SET current_streak_days = CASE WHEN last_activity_date = today - 1 THEN current_streak_days + 1 ELSE 1 END,
        last_activity_date = today
    WHERE id = the_person AND (last_activity_date IS NULL OR last_activity_date < today);
  END IF;
  WITH event AS (
    INSERT INTO activity_events (user_id, verb, object_type, object_id, university_id, content_item_id, occurred_at)
    VALUES (the_person, 'asked', 'content_item', open_turn.content_item_id, university, open_turn.content_item_id, moment)
  ), hit AS (
    INSERT INTO cache_hits (node_id) SELECT node WHERE node IS NOT NULL
  ), turned AS (
    UPDATE chat_sessions
    SET cache_node_id = coalesce(node, cache_node_id),
        cache_state = CASE WHEN leaves_tree THEN 'diverged' ELSE cache_state END,
        answering_until = CASE WHEN node IS NULL THEN now() + make_interval(secs => lease_seconds) END,
        answering_token = CASE WHEN node IS NULL THEN the_token END,
        updated_at = CASE WHEN node IS NULL THEN updated_at ELSE now() END
    WHERE id = the_session
  ), said AS (
    SELECT nextval('chat_messages_id_seq')::int AS question,
           CASE WHEN node IS NOT NULL THEN nextval('chat_messages_id_seq')::int END AS answer,
           CASE WHEN node IS NOT NULL THEN jsonb_build_object(
             'source', 'cache', 'model', open_turn.model, 'prompt_name', tutor_name, 'prompt_version', tutor_version,
             'latency_ms', round(extract(milliseconds FROM clock_timestamp() - statement_timestamp())),
             'cache_node_id', node) END AS meta
  ), exchange AS (
    INSERT INTO chat_messages (id, session_id, role, content, meta, in_reply_to_id, on_shared_path)
    OVERRIDING SYSTEM VALUE
    SELECT question, the_session, 'user', the_content, '{}'::jsonb, NULL::int, false FROM said
    UNION ALL
    SELECT answer, the_session, 'assistant',
           (SELECT string_agg(chunk, '') FROM jsonb_array_elements_text(open_turn.chunks) AS chunk),
           said.meta, question, true
    FROM said WHERE answer IS NOT NULL
  )
  SELECT question, answer, now(), said.meta INTO message_id, answer_id, answered_at, meta FROM said;
  IF node IS NOT NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;

  candidates := '[]';
  IF prompt IS NOT NULL THEN
    SELECT json_build_object('root', prompt, 'prompts', reached.prompts, 'links', reached.links) INTO graph
    FROM reached_prompts(ARRAY[prompt], 0, deepest) AS reached;
    IF shared THEN
      SELECT coalesce(json_agg(json_build_object(
               'id', likely.id, 'prompt_fingerprint', likely.prompt_fingerprint, 'chunks', likely.chunks)), '[]')
      INTO candidates
      FROM (
        SELECT n.id, n.prompt_fingerprint, n.chunks
        FROM cache_nodes AS n
        WHERE n.content_item_id = open_turn.content_item_id
          AND (n.parent_id = open_turn.parent_id OR (n.parent_id IS NULL AND open_turn.parent_id IS NULL))
          AND n.message_hash = the_hash AND n.prompt_name = tutor_name AND n.prompt_version = tutor_version
          AND n.model = open_turn.model AND n.content_fingerprint = open_turn.content_fingerprint
        ORDER BY n.id DESC
        LIMIT most_candidates
      ) AS likely;
    END IF;
  END IF;
  RETURN NEXT;
END;
$$;
