-- Totals are counted after the fact. Counted with each event, as they were, they made a message of the tutor take four
-- times as long, and the longer the more someone had done on a day. Now an event only leaves its number, and whoever
-- asks for a report, or the schedule, counts all that came since.
CREATE TABLE "uncounted_events" (
	"event_id" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uncounted_messages" (
	"message_id" integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
DROP TRIGGER count_activity ON activity_events;
--> statement-breakpoint
DROP FUNCTION count_activity();
--> statement-breakpoint
DROP TRIGGER count_messages ON chat_messages;
--> statement-breakpoint
DROP FUNCTION count_messages();
--> statement-breakpoint
CREATE FUNCTION note_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO uncounted_events SELECT id FROM added;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_events AFTER INSERT ON activity_events REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_events();
--> statement-breakpoint
CREATE FUNCTION note_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO uncounted_messages SELECT id FROM added;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_messages AFTER INSERT ON chat_messages REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_messages();
--> statement-breakpoint
DROP FUNCTION activity_moments(text, integer, integer, int8range);
--> statement-breakpoint
-- When a person was active in a scope; on request as if the events that are not counted yet were not there.
CREATE FUNCTION activity_moments(in_scope text, person integer, target integer, without_new boolean)
RETURNS TABLE (moment timestamptz) LANGUAGE sql STABLE AS $$
  SELECT e.occurred_at FROM activity_events AS e
  WHERE in_scope = 'anywhere' AND e.user_id = person
    AND NOT (without_new AND EXISTS (SELECT FROM uncounted_events AS u WHERE u.event_id = e.id))
  UNION ALL
  SELECT e.occurred_at FROM activity_events AS e
  WHERE in_scope = 'course' AND e.user_id = person AND target = coalesce(
    (SELECT i.course_id FROM content_items AS i WHERE i.id = e.content_item_id),
    (SELECT o.course_id FROM course_offerings AS o WHERE o.id = e.course_offering_id)
  )
    AND NOT (without_new AND EXISTS (SELECT FROM uncounted_events AS u WHERE u.event_id = e.id))
  UNION ALL
  SELECT e.occurred_at FROM activity_events AS e
  WHERE in_scope IN ('topic', 'tutor') AND e.user_id = person AND e.content_item_id = target
    AND (in_scope = 'topic' OR e.verb = 'asked')
    AND NOT (without_new AND EXISTS (SELECT FROM uncounted_events AS u WHERE u.event_id = e.id))
$$;
--> statement-breakpoint
-- Counts what came since it was last done: of each person's day that new events touch, and of the active day after it,
-- what the totals should hold now is added, and what they held before is taken away. The order of the events is all
-- one. Each count is one statement, which sees one state of everything: what it takes from the list of the uncounted is
-- still on the list for its own parts, and what is written meanwhile is there for the next time.
CREATE FUNCTION count_new_totals(OUT new_events integer, OUT new_messages integer)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM pg_advisory_xact_lock('activity_totals'::regclass::oid::int, 0);
  WITH new AS (
    DELETE FROM uncounted_events RETURNING event_id
  ), touched AS MATERIALIZED (
    SELECT DISTINCT s.scope, s.target, s.course_id, a.user_id, utc_day(a.occurred_at) AS day
    FROM activity_events AS a JOIN new ON new.event_id = a.id,
         LATERAL activity_scopes(a.verb, a.content_item_id, a.course_offering_id) AS s
  ), affected AS (
    SELECT scope, target, course_id, user_id, day FROM touched
    UNION
    SELECT scope, target, course_id, user_id, utc_day(next.moment)
    FROM touched, LATERAL (
      SELECT moment FROM activity_moments(scope, user_id, target, false)
      WHERE moment >= utc_midnight(day + 1) ORDER BY moment LIMIT 1
    ) AS next
  ), counted AS (
    INSERT INTO activity_totals AS total
    (scope, day, course_id, previous_day, slot, people, events, milliseconds)
  SELECT scope, day, course_id, before.day_before, 0,
         sum(sign), sum(sign * counted.events), sum(sign * counted.milliseconds)
  FROM affected
  CROSS JOIN (VALUES (1, false), (-1, true)) AS state (sign, without_new)
  CROSS JOIN LATERAL (
    SELECT count(*) AS events,
           coalesce(sum(extract(epoch FROM pause) * 1000) FILTER (WHERE pause <= interval '30 minutes'), 0)
             AS milliseconds
    FROM (
      SELECT moment, moment - lag(moment) OVER (ORDER BY moment) AS pause
      FROM activity_moments(scope, user_id, target, without_new)
      WHERE moment >= utc_midnight(day) - interval '30 minutes' AND moment < utc_midnight(day + 1)
    ) AS paced
    WHERE moment >= utc_midnight(day)
  ) AS counted
  LEFT JOIN LATERAL (
    SELECT utc_day(moment) AS day_before FROM activity_moments(scope, user_id, target, without_new)
    WHERE moment < utc_midnight(day) ORDER BY moment DESC LIMIT 1
  ) AS before ON true
  WHERE counted.events > 0
  GROUP BY scope, day, course_id, before.day_before
  HAVING (sum(sign), sum(sign * counted.events), sum(sign * counted.milliseconds)) <> (0, 0, 0)
  ORDER BY scope, day, course_id, before.day_before
  ON CONFLICT ON CONSTRAINT activity_totals_key DO UPDATE SET
    people = total.people + excluded.people,
    events = total.events + excluded.events,
    milliseconds = total.milliseconds + excluded.milliseconds
  )
  SELECT count(*) INTO new_events FROM new;

  WITH new AS (
    DELETE FROM uncounted_messages RETURNING message_id
  ), added AS MATERIALIZED (
    SELECT m.* FROM chat_messages AS m JOIN new ON new.message_id = m.id
  ), counted AS (
  INSERT INTO chat_totals AS total (day, course_id, slot, sessions, session_milliseconds, hits, misses)
  SELECT day, course_id, 0, sum(sign), sum(sign * milliseconds), sum(hits), sum(misses)
  FROM (
    SELECT session_id, utc_day(created_at) AS day, 0 AS sign, 0 AS milliseconds,
           (meta ->> 'source' = 'cache')::int AS hits, (meta ->> 'source' <> 'cache')::int AS misses
    FROM added WHERE on_shared_path
    UNION ALL
    SELECT spoken.session_id, utc_day(first), sign, extract(epoch FROM last - first) * 1000, 0, 0
    FROM (SELECT DISTINCT session_id FROM added) AS spoken
    CROSS JOIN (VALUES (1, false), (-1, true)) AS state (sign, without_new)
    CROSS JOIN LATERAL (
      SELECT min(m.created_at) AS first, max(m.created_at) AS last FROM chat_messages AS m
      WHERE m.session_id = spoken.session_id
        AND NOT (without_new AND EXISTS (SELECT FROM uncounted_messages AS u WHERE u.message_id = m.id))
    ) AS span
    WHERE first IS NOT NULL
  ) AS change
  JOIN chat_sessions AS s ON s.id = session_id
  JOIN content_items AS i ON i.id = s.content_item_id
  GROUP BY day, course_id
  HAVING (sum(sign), sum(sign * milliseconds), sum(hits), sum(misses)) <> (0, 0, 0, 0)
  ORDER BY day, course_id
  ON CONFLICT ON CONSTRAINT chat_totals_key DO UPDATE SET
    sessions = total.sessions + excluded.sessions,
    session_milliseconds = total.session_milliseconds + excluded.session_milliseconds,
    hits = total.hits + excluded.hits,
    misses = total.misses + excluded.misses
  )
  SELECT count(*) INTO new_messages FROM new;
END $$;
--> statement-breakpoint
-- What is about to be deleted is counted first.
CREATE FUNCTION count_before_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_new_totals();
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_before_deletion BEFORE DELETE ON activity_events
  FOR EACH STATEMENT EXECUTE FUNCTION count_before_deletion();
--> statement-breakpoint
CREATE TRIGGER count_before_deletion BEFORE DELETE ON chat_messages
  FOR EACH STATEMENT EXECUTE FUNCTION count_before_deletion();
--> statement-breakpoint
CREATE TRIGGER count_before_deletion BEFORE DELETE ON chat_sessions
  FOR EACH STATEMENT EXECUTE FUNCTION count_before_deletion();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION recount_totals() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE activity_events, chat_messages, chat_sessions IN SHARE MODE;
  DELETE FROM uncounted_events;
  DELETE FROM uncounted_messages;
  DELETE FROM activity_totals;
  INSERT INTO activity_totals (scope, day, course_id, previous_day, slot, people, events, milliseconds)
  SELECT scope, day, course_id, previous_day, 0, count(*), sum(events), sum(milliseconds)
  FROM (
    SELECT scope, course_id, day, count(*) AS events,
           lag(day) OVER (PARTITION BY scope, user_id, target ORDER BY day) AS previous_day,
           coalesce(sum(extract(epoch FROM pause) * 1000) FILTER (WHERE pause <= interval '30 minutes'), 0)
             AS milliseconds
    FROM (
      SELECT s.scope, s.target, s.course_id, e.user_id, utc_day(e.occurred_at) AS day,
             e.occurred_at - lag(e.occurred_at) OVER (
               PARTITION BY s.scope, e.user_id, s.target ORDER BY e.occurred_at
             ) AS pause
      FROM activity_events AS e, activity_scopes(e.verb, e.content_item_id, e.course_offering_id) AS s
    ) AS paced
    GROUP BY scope, user_id, target, course_id, day
  ) AS person_day
  GROUP BY scope, day, course_id, previous_day;

  DELETE FROM chat_totals;
  INSERT INTO chat_totals (day, course_id, slot, sessions, session_milliseconds, diverged_sessions, hits, misses)
  SELECT day, course_id, 0, sum(sessions), sum(milliseconds), sum(diverged), sum(hits), sum(misses)
  FROM (
    SELECT session_id, utc_day(created_at) AS day, 0 AS sessions, 0 AS milliseconds, 0 AS diverged,
           (meta ->> 'source' = 'cache')::int AS hits, (meta ->> 'source' <> 'cache')::int AS misses
    FROM chat_messages WHERE on_shared_path
    UNION ALL
    SELECT session_id, utc_day(min(created_at)), 1, extract(epoch FROM max(created_at) - min(created_at)) * 1000,
           0, 0, 0
    FROM chat_messages GROUP BY session_id
    UNION ALL
    SELECT id, utc_day(created_at), 0, 0, 1, 0, 0 FROM chat_sessions WHERE cache_state = 'diverged'
  ) AS change
  JOIN chat_sessions AS s ON s.id = session_id
  JOIN content_items AS i ON i.id = s.content_item_id
  GROUP BY day, course_id;
END $$;
