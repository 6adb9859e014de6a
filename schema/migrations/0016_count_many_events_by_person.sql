-- Many new events, of an import for example, are counted person by person: one by one they took a third of a
-- millisecond each, two million of them twelve minutes.
--
-- What events of these people, or of all for null, count for; on request as if the uncounted were not there.
CREATE FUNCTION activity_counts(people integer[], without_new boolean) RETURNS SETOF uncounted_changes
LANGUAGE sql STABLE AS $$
  WITH paced AS (
    SELECT s.scope, s.target, s.course_id, e.user_id, utc_day(e.occurred_at) AS day,
           e.occurred_at - lag(e.occurred_at) OVER (
             PARTITION BY s.scope, e.user_id, s.target ORDER BY e.occurred_at
           ) AS pause
    FROM activity_events AS e, activity_scopes(e.verb, e.content_item_id, e.course_offering_id) AS s
    WHERE (people IS NULL OR e.user_id = ANY (people))
      AND NOT (without_new AND EXISTS (SELECT FROM uncounted_events AS u WHERE u.event_id = e.id))
  ), person_day AS MATERIALIZED (
    SELECT scope, course_id, day, count(*) AS events,
           sum(extract(epoch FROM pause) * 1000) FILTER (WHERE pause <= interval '30 minutes') AS milliseconds,
           lag(day) OVER (PARTITION BY scope, user_id, target ORDER BY day) AS since
    FROM paced GROUP BY scope, user_id, target, course_id, day
  )
  SELECT people_measure(scope), course_id, day, since, 1::numeric FROM person_day
  UNION ALL
  SELECT 'topic_milliseconds', course_id, day, NULL, milliseconds FROM person_day
  WHERE scope = 'topic' AND milliseconds IS NOT NULL
  UNION ALL
  SELECT 'tutor_questions', course_id, day, NULL, events FROM person_day WHERE scope = 'tutor'
$$;
--> statement-breakpoint
-- Everything that is counted as what happened, from the events and messages that are there.
CREATE OR REPLACE FUNCTION happened_counts() RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  WITH spoken AS (
    SELECT session_id, utc_day(min(created_at)) AS day,
           extract(epoch FROM max(created_at) - min(created_at)) * 1000 AS milliseconds
    FROM chat_messages GROUP BY session_id
  ), said (session_id, measure, day, amount) AS (
    SELECT session_id, CASE meta ->> 'source' WHEN 'cache' THEN 'hits' ELSE 'misses' END, utc_day(created_at), 1
    FROM chat_messages WHERE on_shared_path
    UNION ALL
    SELECT session_id, 'conversations', day, 1 FROM spoken
    UNION ALL
    SELECT session_id, 'conversation_milliseconds', day, milliseconds FROM spoken
    UNION ALL
    SELECT id, 'divergences', utc_day(created_at), 1 FROM chat_sessions WHERE cache_state = 'diverged'
  )
  SELECT * FROM activity_counts(NULL, false)
  UNION ALL
  SELECT measure, i.course_id, day, NULL, amount
  FROM said JOIN chat_sessions AS s ON s.id = session_id JOIN content_items AS i ON i.id = s.content_item_id
$$;
--> statement-breakpoint
-- Counts all uncounted events of the first people who have any: what they should come to now is added, and what they
-- came to without the new ones is taken away. All events of these people are read for it, which pays for many.
CREATE FUNCTION count_events_of_people(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  people integer[] := ARRAY (
    SELECT DISTINCT e.user_id
    FROM (SELECT event_id FROM uncounted_events ORDER BY event_id LIMIT most) AS first
    JOIN activity_events AS e ON e.id = first.event_id
  );
  counted integer;
BEGIN
  WITH new AS (
    DELETE FROM uncounted_events AS u USING activity_events AS e
    WHERE e.id = u.event_id AND e.user_id = ANY (people)
    RETURNING e.course_offering_id, e.user_id
  ), noted AS (
    INSERT INTO uncounted_changes
    SELECT measure, course_id, day, since, sum(sign * amount)
    FROM (VALUES (1, false), (-1, true)) AS state (sign, without_new)
    CROSS JOIN LATERAL activity_counts(people, without_new)
    GROUP BY measure, course_id, day, since HAVING sum(sign * amount) <> 0
  ), walked AS (
    INSERT INTO uncounted_trees
    SELECT DISTINCT course_offering_id, user_id FROM new WHERE course_offering_id IS NOT NULL
  )
  SELECT count(*) INTO counted FROM new;
  RETURN counted;
END $$;
--> statement-breakpoint
-- Counts some of the uncounted events in the way that is quicker for as many as there are.
CREATE FUNCTION count_some_events(OUT new_events integer, OUT is_behind boolean) LANGUAGE plpgsql AS $$
BEGIN
  is_behind := EXISTS (SELECT FROM uncounted_events OFFSET 50000);
  IF is_behind THEN
    new_events := count_events_of_people(200);
  ELSE
    new_events := count_events(5000);
    is_behind := new_events >= 5000;
  END IF;
END $$;
--> statement-breakpoint
-- Counts what is noted, as much of it as takes a few seconds; `is_behind` says that more is left.
CREATE OR REPLACE FUNCTION count_new_totals(OUT new_events integer, OUT new_messages integer, OUT is_behind boolean)
LANGUAGE plpgsql AS $$
DECLARE
  trees integer;
  changes integer;
BEGIN
  PERFORM lock_totals();
  SELECT events.new_events, events.is_behind INTO new_events, is_behind FROM count_some_events() AS events;
  new_messages := count_messages(20000);
  PERFORM count_courses();
  trees := count_trees(10000);
  changes := count_changes(100000);
  is_behind := is_behind OR new_messages >= 20000 OR trees >= 10000 OR changes >= 100000;
END $$;
--> statement-breakpoint
-- What happened is counted before it is deleted.
CREATE OR REPLACE FUNCTION count_before_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_totals();
  WHILE (SELECT is_behind FROM count_some_events()) LOOP END LOOP;
  WHILE count_messages(20000) >= 20000 LOOP END LOOP;
  RETURN NULL;
END $$;
