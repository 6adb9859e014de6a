CREATE TABLE "activity_totals" (
	"scope" text NOT NULL,
	"day" date NOT NULL,
	"course_id" integer,
	"previous_day" date,
	"slot" integer NOT NULL,
	"people" bigint DEFAULT 0 NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"milliseconds" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "activity_totals_key" UNIQUE NULLS NOT DISTINCT("scope","day","course_id","previous_day","slot"),
	CONSTRAINT "activity_totals_scope_check" CHECK ("activity_totals"."scope" in ('anywhere', 'course', 'topic', 'tutor'))
);
--> statement-breakpoint
CREATE TABLE "chat_totals" (
	"day" date NOT NULL,
	"course_id" integer NOT NULL,
	"slot" integer NOT NULL,
	"sessions" bigint DEFAULT 0 NOT NULL,
	"session_milliseconds" bigint DEFAULT 0 NOT NULL,
	"diverged_sessions" bigint DEFAULT 0 NOT NULL,
	"hits" bigint DEFAULT 0 NOT NULL,
	"misses" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "chat_totals_key" UNIQUE("day","course_id","slot")
);
--> statement-breakpoint
DROP INDEX "activity_events_course_offering_id_index";--> statement-breakpoint
DROP INDEX "lab_submissions_submitted_at_index";--> statement-breakpoint
DROP INDEX "user_module_progress_course_offering_id_index";--> statement-breakpoint
DROP INDEX "quiz_attempts_submitted_at_index";--> statement-breakpoint
ALTER TABLE "enrollments" ADD COLUMN "dropped_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "activity_totals" ADD CONSTRAINT "activity_totals_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_totals" ADD CONSTRAINT "chat_totals_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "activity_totals_course_id_index" ON "activity_totals" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "chat_totals_course_id_index" ON "chat_totals" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "activity_events_course_offering_id_user_id_occurred_at_index" ON "activity_events" USING btree ("course_offering_id","user_id","occurred_at");--> statement-breakpoint
CREATE INDEX "enrollments_dropped_at_index" ON "enrollments" USING btree ("dropped_at");--> statement-breakpoint
CREATE INDEX "lab_submissions_results_index" ON "lab_submissions" USING btree ("submitted_at","status","score_obtained","max_score");--> statement-breakpoint
CREATE INDEX "user_content_progress_started_index" ON "user_content_progress" USING btree ("first_started_at","course_offering_id","completed_at");--> statement-breakpoint
CREATE INDEX "user_content_progress_completed_index" ON "user_content_progress" USING btree ("completed_at","course_offering_id");--> statement-breakpoint
CREATE INDEX "user_module_progress_tree_index" ON "user_module_progress" USING btree ("course_offering_id","user_id","module_id","started_at","completed_at");--> statement-breakpoint
CREATE INDEX "quiz_attempts_results_index" ON "quiz_attempts" USING btree ("submitted_at","passed","score_obtained","max_score");--> statement-breakpoint
CREATE INDEX "cache_nodes_unfinished_index" ON "cache_nodes" USING btree ("filling_until") WHERE "cache_nodes"."chunks" is null;--> statement-breakpoint
CREATE INDEX "users_created_at_index" ON "users" USING btree ("created_at");
--> statement-breakpoint
-- The totals that reports are drawn from are kept here, whoever writes. They say what happened: what is deleted
-- later, a conversation for one, stays counted.
CREATE FUNCTION utc_day(moment timestamptz) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT (moment AT TIME ZONE 'UTC')::date
$$;
--> statement-breakpoint
CREATE FUNCTION utc_midnight(day date) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT day::timestamp AT TIME ZONE 'UTC'
$$;
--> statement-breakpoint
-- What an event counts for: in each scope a target, the course or the topic. An event without a topic belongs to the
-- course of its offering.
CREATE FUNCTION activity_scopes(verb text, topic integer, offering integer)
RETURNS TABLE (scope text, target integer, course_id integer) LANGUAGE sql STABLE AS $$
  SELECT kind.scope, CASE kind.scope WHEN 'anywhere' THEN NULL WHEN 'course' THEN place.course_id ELSE topic END,
         CASE WHEN kind.scope <> 'anywhere' THEN place.course_id END
  FROM (SELECT coalesce(
    (SELECT i.course_id FROM content_items AS i WHERE i.id = topic),
    (SELECT o.course_id FROM course_offerings AS o WHERE o.id = offering)
  ) AS course_id) AS place
  CROSS JOIN (VALUES ('anywhere'), ('course'), ('topic'), ('tutor')) AS kind (scope)
  WHERE CASE kind.scope
    WHEN 'anywhere' THEN true
    WHEN 'course' THEN place.course_id IS NOT NULL
    WHEN 'topic' THEN topic IS NOT NULL
    ELSE topic IS NOT NULL AND verb = 'asked'
  END
$$;
--> statement-breakpoint
-- When a person was active in a scope, as if the events with ids in "unseen" were not there.
CREATE FUNCTION activity_moments(in_scope text, person integer, target integer, unseen int8range)
RETURNS TABLE (moment timestamptz) LANGUAGE sql STABLE AS $$
  SELECT e.occurred_at FROM activity_events AS e
  WHERE in_scope = 'anywhere' AND e.user_id = person AND NOT e.id <@ unseen
  UNION ALL
  SELECT e.occurred_at FROM activity_events AS e
  WHERE in_scope = 'course' AND e.user_id = person AND NOT e.id <@ unseen AND target = coalesce(
    (SELECT i.course_id FROM content_items AS i WHERE i.id = e.content_item_id),
    (SELECT o.course_id FROM course_offerings AS o WHERE o.id = e.course_offering_id)
  )
  UNION ALL
  SELECT e.occurred_at FROM activity_events AS e
  WHERE in_scope IN ('topic', 'tutor') AND e.user_id = person AND e.content_item_id = target
    AND (in_scope = 'topic' OR e.verb = 'asked') AND NOT e.id <@ unseen
$$;
--> statement-breakpoint
-- Counts events that were added: of each person's day that they touch, and of the active day after it, what the
-- totals should hold now is added, and what they held before is taken away. The order of the events is all one.
-- A plan for any values is as good as one for these, and is made once.
CREATE FUNCTION count_activity() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  new_ids int8range := (SELECT int8range(min(id), max(id), '[]') FROM added);
BEGIN
  -- A person's activities are counted one after the other, so that none overlooks another.
  PERFORM FROM users WHERE id IN (SELECT user_id FROM added) ORDER BY id FOR NO KEY UPDATE;
  INSERT INTO activity_totals AS total
    (scope, day, course_id, previous_day, slot, people, events, milliseconds)
  WITH touched AS MATERIALIZED (
    SELECT DISTINCT s.scope, s.target, s.course_id, a.user_id, utc_day(a.occurred_at) AS day
    FROM added AS a, activity_scopes(a.verb, a.content_item_id, a.course_offering_id) AS s
  ), affected AS (
    SELECT scope, target, course_id, user_id, day FROM touched
    UNION
    SELECT scope, target, course_id, user_id, utc_day(next.moment)
    FROM touched, LATERAL (
      SELECT moment FROM activity_moments(scope, user_id, target, 'empty')
      WHERE moment >= utc_midnight(day + 1) ORDER BY moment LIMIT 1
    ) AS next
  )
  SELECT scope, day, course_id, before.day_before, pg_backend_pid() % 16,
         sum(sign), sum(sign * counted.events), sum(sign * counted.milliseconds)
  FROM affected
  CROSS JOIN (VALUES (1, 'empty'::int8range), (-1, new_ids)) AS state (sign, unseen)
  CROSS JOIN LATERAL (
    SELECT count(*) AS events,
           coalesce(sum(extract(epoch FROM pause) * 1000) FILTER (WHERE pause <= interval '30 minutes'), 0)
             AS milliseconds
    FROM (
      SELECT moment, moment - lag(moment) OVER (ORDER BY moment) AS pause
      FROM activity_moments(scope, user_id, target, unseen)
      WHERE moment >= utc_midnight(day) - interval '30 minutes' AND moment < utc_midnight(day + 1)
    ) AS paced
    WHERE moment >= utc_midnight(day)
  ) AS counted
  LEFT JOIN LATERAL (
    SELECT utc_day(moment) AS day_before FROM activity_moments(scope, user_id, target, unseen)
    WHERE moment < utc_midnight(day) ORDER BY moment DESC LIMIT 1
  ) AS before ON true
  WHERE counted.events > 0
  GROUP BY scope, day, course_id, before.day_before
  HAVING (sum(sign), sum(sign * counted.events), sum(sign * counted.milliseconds)) <> (0, 0, 0)
  ORDER BY scope, day, course_id, before.day_before
  ON CONFLICT ON CONSTRAINT activity_totals_key DO UPDATE SET
    people = total.people + excluded.people,
    events = total.events + excluded.events,
    milliseconds = total.milliseconds + excluded.milliseconds;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_activity AFTER INSERT ON activity_events REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_activity();
--> statement-breakpoint
-- Counts messages that were added, in the same way: answers on shared paths, and how long each conversation is.
CREATE FUNCTION count_messages() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  new_ids int4range := (SELECT int4range(min(id), max(id), '[]') FROM added);
BEGIN
  INSERT INTO chat_totals AS total (day, course_id, slot, sessions, session_milliseconds, hits, misses)
  SELECT day, course_id, pg_backend_pid() % 16, sum(sign), sum(sign * milliseconds), sum(hits), sum(misses)
  FROM (
    SELECT session_id, utc_day(created_at) AS day, 0 AS sign, 0 AS milliseconds,
           (meta ->> 'source' = 'cache')::int AS hits, (meta ->> 'source' <> 'cache')::int AS misses
    FROM added WHERE on_shared_path
    UNION ALL
    SELECT spoken.session_id, utc_day(first), sign, extract(epoch FROM last - first) * 1000, 0, 0
    FROM (SELECT DISTINCT session_id FROM added) AS spoken
    CROSS JOIN (VALUES (1, 'empty'::int4range), (-1, new_ids)) AS state (sign, unseen)
    CROSS JOIN LATERAL (
      SELECT min(m.created_at) AS first, max(m.created_at) AS last FROM chat_messages AS m
      WHERE m.session_id = spoken.session_id AND NOT m.id <@ unseen
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
    misses = total.misses + excluded.misses;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_messages AFTER INSERT ON chat_messages REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_messages();
--> statement-breakpoint
-- Counts a conversation that has left the shared paths, once, on the day on which it was opened.
CREATE FUNCTION count_divergence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.cache_state = NEW.cache_state THEN RETURN NULL; END IF;
  INSERT INTO chat_totals AS total (day, course_id, slot, diverged_sessions)
  SELECT utc_day(NEW.created_at), course_id, pg_backend_pid() % 16, 1
  FROM content_items WHERE id = NEW.content_item_id
  ON CONFLICT ON CONSTRAINT chat_totals_key DO UPDATE SET
    diverged_sessions = total.diverged_sessions + excluded.diverged_sessions;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_divergence AFTER INSERT OR UPDATE OF cache_state ON chat_sessions
  FOR EACH ROW WHEN (NEW.cache_state = 'diverged') EXECUTE FUNCTION count_divergence();
--> statement-breakpoint
-- Counts everything anew: what was there before the totals, or was loaded with the triggers switched off.
CREATE FUNCTION recount_totals() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE activity_events, chat_messages, chat_sessions IN SHARE MODE;
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
--> statement-breakpoint
SELECT recount_totals();
--> statement-breakpoint
-- Enrollments are dropped in many ways, and each is noted; one that is taken up again keeps the moment.
CREATE FUNCTION note_drop() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.dropped_at := coalesce(NEW.dropped_at, now());
  ELSIF OLD.status <> 'dropped' AND NEW.dropped_at IS NOT DISTINCT FROM OLD.dropped_at THEN
    NEW.dropped_at := now();
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_drop BEFORE INSERT OR UPDATE OF status ON enrollments
  FOR EACH ROW WHEN (NEW.status = 'dropped') EXECUTE FUNCTION note_drop();
