CREATE TABLE "course_trees" (
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"course_id" integer NOT NULL,
	"touched_on" date NOT NULL,
	"completed_on" date,
	CONSTRAINT "course_trees_course_offering_id_user_id_pk" PRIMARY KEY("course_offering_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "report_totals" (
	"measure" text NOT NULL,
	"course_id" integer,
	"day" date,
	"since" date,
	"slot" integer NOT NULL,
	"amount" numeric NOT NULL,
	CONSTRAINT "report_totals_key" UNIQUE NULLS NOT DISTINCT("measure","course_id","day","since","slot"),
	CONSTRAINT "report_totals_measure_check" CHECK ("report_totals"."measure" in ('signups', 'people', 'course_people', 'topic_people', 'tutor_people', 'topic_milliseconds', 'tutor_questions', 'conversations', 'conversation_milliseconds', 'divergences', 'hits', 'misses', 'topics_started', 'topics_completed', 'trees_open', 'trees_completed', 'enrollments_active', 'enrollments_completed', 'enrollments_dropped', 'enrollments_pending', 'enrollments_waitlisted', 'drops', 'quizzes_submitted', 'quizzes_passed', 'quizzes_failed', 'quizzes_scored', 'quiz_scores', 'labs_submitted', 'labs_graded', 'labs_scored', 'lab_scores', 'notes', 'flashcards', 'flashcard_reviews', 'discussion_threads', 'discussion_posts', 'course_reviews', 'ratings'))
);
--> statement-breakpoint
DROP INDEX "activity_events_course_offering_id_index";--> statement-breakpoint
ALTER TABLE "enrollments" ADD COLUMN "dropped_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "course_trees" ADD CONSTRAINT "course_trees_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_trees" ADD CONSTRAINT "course_trees_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "course_trees_user_id_index" ON "course_trees" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "course_trees_course_id_index" ON "course_trees" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "activity_events_course_offering_id_user_id_occurred_at_index" ON "activity_events" USING btree ("course_offering_id","user_id","occurred_at");--> statement-breakpoint
CREATE INDEX "cache_nodes_unfinished_index" ON "cache_nodes" USING btree ("filling_until") WHERE "cache_nodes"."chunks" is null;
--> statement-breakpoint
-- The totals that reports are drawn from are kept here, whoever writes. Activity and conversations are counted as
-- what happened, and stay so when a conversation is deleted; everything else as what is there.
CREATE FUNCTION utc_day(moment timestamptz) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT (moment AT TIME ZONE 'UTC')::date
$$;
--> statement-breakpoint
CREATE FUNCTION utc_midnight(day date) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT day::timestamp AT TIME ZONE 'UTC'
$$;
--> statement-breakpoint
CREATE TYPE total_change AS (measure text, course_id integer, day date, since date, amount numeric);
--> statement-breakpoint
-- Adds to the totals: of a course to its own and to those of all courses. In one order, and those who write in one
-- transaction do so in the order divergences, conversations, what a table counts, trees, people: then no two writers
-- ever wait for each other.
CREATE FUNCTION add_to_totals(changes total_change[]) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO report_totals AS total (measure, course_id, day, since, slot, amount)
  SELECT change.measure, counted.course_id, change.day, change.since, pg_backend_pid() % 16, sum(change.amount)
  FROM unnest(changes) AS change
  CROSS JOIN LATERAL (SELECT change.course_id UNION SELECT NULL) AS counted (course_id)
  GROUP BY 1, 2, 3, 4
  HAVING sum(change.amount) <> 0
  ORDER BY 1, 2, 3, 4
  ON CONFLICT ON CONSTRAINT report_totals_key DO UPDATE SET amount = total.amount + excluded.amount;
END $$;
--> statement-breakpoint
-- What a row counts for, for each table whose rows are counted: a query over its columns.
CREATE FUNCTION total_measures(counted text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE counted
    WHEN 'users' THEN
      $q$ VALUES ('signups', NULL::integer, utc_day(created_at), NULL::date, 1) $q$
    WHEN 'enrollments' THEN $q$
      SELECT measure, (SELECT o.course_id FROM course_offerings AS o WHERE o.id = course_offering_id), day, NULL::date, 1
      FROM (VALUES ('enrollments_' || status, NULL::date), ('drops', utc_day(dropped_at))) AS one (measure, day)
      WHERE measure <> 'drops' OR day IS NOT NULL $q$
    WHEN 'user_content_progress' THEN $q$
      SELECT measure, (SELECT o.course_id FROM course_offerings AS o WHERE o.id = course_offering_id), day, since, 1
      FROM (VALUES
        ('topics_started', utc_day(first_started_at), NULL::date),
        ('topics_completed', utc_day(completed_at), utc_day(first_started_at))
      ) AS one (measure, day, since)
      WHERE day IS NOT NULL $q$
    WHEN 'course_trees' THEN $q$
      VALUES (CASE WHEN completed_on IS NULL THEN 'trees_open' ELSE 'trees_completed' END,
              course_id, coalesce(completed_on, touched_on), NULL::date, 1) $q$
    WHEN 'quiz_attempts' THEN $q$
      VALUES ('quizzes_submitted', NULL::integer, utc_day(submitted_at), NULL::date, (submitted_at IS NOT NULL)::int),
             ('quizzes_passed', NULL, utc_day(submitted_at), NULL, (submitted_at IS NOT NULL AND passed)::int),
             ('quizzes_failed', NULL, utc_day(submitted_at), NULL, (submitted_at IS NOT NULL AND NOT passed)::int),
             ('quizzes_scored', NULL, utc_day(submitted_at), NULL,
              (submitted_at IS NOT NULL AND score_obtained IS NOT NULL AND max_score > 0)::int),
             ('quiz_scores', NULL, utc_day(submitted_at), NULL,
              CASE WHEN submitted_at IS NOT NULL AND max_score > 0 THEN score_obtained / max_score END) $q$
    WHEN 'lab_submissions' THEN $q$
      VALUES ('labs_submitted', NULL::integer, utc_day(submitted_at), NULL::date, 1),
             ('labs_graded', NULL, utc_day(submitted_at), NULL, (status = 'graded')::int),
             ('labs_scored', NULL, utc_day(submitted_at), NULL, (score_obtained IS NOT NULL AND max_score > 0)::int),
             ('lab_scores', NULL, utc_day(submitted_at), NULL,
              CASE WHEN max_score > 0 THEN score_obtained / max_score END) $q$
    WHEN 'discussion_posts' THEN
      $q$ VALUES ('discussion_posts', NULL::integer, NULL::date, NULL::date, (NOT is_deleted)::int) $q$
    WHEN 'course_reviews' THEN $q$
      VALUES ('course_reviews', NULL::integer, NULL::date, NULL::date, 1), ('ratings', NULL, NULL, NULL, rating) $q$
    ELSE format('VALUES (%L, NULL::integer, NULL::date, NULL::date, 1)', counted)
  END
$$;
--> statement-breakpoint
-- What these rows, each with a sign, change in the totals.
CREATE FUNCTION changes_of(signed_rows text, counted text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format('
    SELECT array_agg((measure, course_id, day, since, amount)::total_change)
    FROM (
      SELECT one.measure, one.course_id, one.day, one.since, sum(sign * one.amount) AS amount
      FROM (%s) AS signed CROSS JOIN LATERAL (%s) AS one (measure, course_id, day, since, amount)
      GROUP BY 1, 2, 3, 4
    ) AS change
    WHERE amount <> 0', signed_rows, total_measures(counted))
$$;
--> statement-breakpoint
CREATE FUNCTION count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes total_change[];
BEGIN
  IF TG_OP <> 'DELETE' THEN
    IF NOT EXISTS (SELECT FROM added) THEN RETURN NULL; END IF;
  END IF;
  EXECUTE changes_of(CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, * FROM added'
    WHEN 'DELETE' THEN 'SELECT -1 AS sign, * FROM removed'
    ELSE 'SELECT 1 AS sign, * FROM added UNION ALL SELECT -1, * FROM removed'
  END, TG_TABLE_NAME) INTO changes;
  PERFORM add_to_totals(changes) WHERE changes IS NOT NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- The tables whose rows are counted, and whether what a row counts for can change.
CREATE FUNCTION counted_tables() RETURNS TABLE (name text, changes boolean) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('users', false), ('enrollments', true), ('user_content_progress', true), ('course_trees', true),
         ('quiz_attempts', true), ('lab_submissions', true), ('notes', false), ('flashcards', false),
         ('flashcard_reviews', false), ('discussion_threads', false), ('discussion_posts', true),
         ('course_reviews', true)
$$;
--> statement-breakpoint
DO $$
DECLARE
  counted record;
BEGIN
  FOR counted IN SELECT * FROM counted_tables() LOOP
    EXECUTE format('CREATE TRIGGER count_added_rows AFTER INSERT ON %I REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION count_rows()', counted.name);
    EXECUTE format('CREATE TRIGGER count_removed_rows AFTER DELETE ON %I REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION count_rows()', counted.name);
    IF counted.changes THEN
      EXECUTE format('CREATE TRIGGER count_changed_rows AFTER UPDATE ON %I
        REFERENCING NEW TABLE AS added OLD TABLE AS removed
        FOR EACH STATEMENT EXECUTE FUNCTION count_rows()', counted.name);
    END IF;
  END LOOP;
END $$;
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
--> statement-breakpoint
-- How a person stands with the published modules of a course, in one offering; no row before they have begun.
CREATE FUNCTION tree_state(offering integer, person integer, course integer)
RETURNS TABLE (touched_on date, completed_on date) LANGUAGE sql STABLE AS $$
  SELECT greatest(max(utc_day(p.started_at)), max(utc_day(p.completed_at)), (
           SELECT utc_day(max(e.occurred_at)) FROM activity_events AS e
           WHERE e.course_offering_id = offering AND e.user_id = person
         )),
         CASE WHEN NOT EXISTS (
           SELECT FROM modules AS m WHERE m.course_id = course AND m.is_published AND NOT EXISTS (
             SELECT FROM user_module_progress AS done
             WHERE done.course_offering_id = offering AND done.user_id = person AND done.module_id = m.id
               AND done.completed_at IS NOT NULL
           )
         ) THEN max(utc_day(p.completed_at)) END
  FROM user_module_progress AS p JOIN modules AS m ON m.id = p.module_id AND m.is_published
  WHERE p.course_offering_id = offering AND p.user_id = person
  HAVING count(*) > 0
$$;
--> statement-breakpoint
CREATE FUNCTION follow_trees() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  -- Two modules that a person completes at once are seen by one of the two.
  PERFORM FROM users WHERE id IN (SELECT user_id FROM added) ORDER BY id FOR NO KEY UPDATE;
  INSERT INTO course_trees AS tree (course_offering_id, user_id, course_id, touched_on, completed_on)
  SELECT walked.course_offering_id, walked.user_id, o.course_id, state.touched_on, state.completed_on
  FROM (SELECT DISTINCT course_offering_id, user_id FROM added) AS walked
  JOIN course_offerings AS o ON o.id = walked.course_offering_id
  CROSS JOIN LATERAL tree_state(o.id, walked.user_id, o.course_id) AS state
  ON CONFLICT (course_offering_id, user_id) DO UPDATE
    SET touched_on = excluded.touched_on, completed_on = excluded.completed_on
    WHERE (tree.touched_on, tree.completed_on) IS DISTINCT FROM (excluded.touched_on, excluded.completed_on);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER follow_begun_trees AFTER INSERT ON user_module_progress REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION follow_trees();
--> statement-breakpoint
CREATE TRIGGER follow_trees AFTER UPDATE ON user_module_progress REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION follow_trees();
--> statement-breakpoint
-- Looks at all trees of the course anew, or of every course for null.
CREATE FUNCTION replant_trees(course integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM course_trees WHERE course_id = course OR course IS NULL;
  INSERT INTO course_trees (course_offering_id, user_id, course_id, touched_on, completed_on)
  SELECT o.id, walker.user_id, o.course_id, state.touched_on, state.completed_on
  FROM course_offerings AS o
  CROSS JOIN LATERAL (SELECT DISTINCT user_id FROM user_module_progress WHERE course_offering_id = o.id) AS walker
  CROSS JOIN LATERAL tree_state(o.id, walker.user_id, o.course_id) AS state
  WHERE o.course_id = course OR course IS NULL;
END $$;
--> statement-breakpoint
-- A module that is published, or goes, decides for everyone whether their tree is complete.
CREATE FUNCTION modules_change_trees() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed integer := coalesce(NEW.course_id, OLD.course_id);
BEGIN
  IF NEW.is_published IS DISTINCT FROM OLD.is_published AND EXISTS (
    SELECT FROM course_offerings AS o JOIN user_module_progress AS p ON p.course_offering_id = o.id
    WHERE o.course_id = changed
  ) THEN
    PERFORM replant_trees(changed);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER modules_change_trees AFTER INSERT OR UPDATE OF is_published OR DELETE ON modules
  FOR EACH ROW EXECUTE FUNCTION modules_change_trees();
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
CREATE FUNCTION people_measure(scope text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE scope WHEN 'anywhere' THEN 'people' ELSE scope || '_people' END
$$;
--> statement-breakpoint
-- The day of the last activity before a day.
CREATE FUNCTION active_before(in_scope text, person integer, target integer, before date, unseen int8range)
RETURNS date LANGUAGE sql STABLE AS $$
  SELECT utc_day(moment) FROM activity_moments(in_scope, person, target, unseen)
  WHERE moment < utc_midnight(before) ORDER BY moment DESC LIMIT 1
$$;
--> statement-breakpoint
-- The time of a person on a topic on a day: the pauses of up to 30 minutes, each on the day on which it ended.
CREATE FUNCTION topic_milliseconds(person integer, topic integer, on_day date, unseen int8range)
RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(extract(epoch FROM pause) * 1000), 0)
  FROM (
    SELECT moment, moment - lag(moment) OVER (ORDER BY moment) AS pause
    FROM activity_moments('topic', person, topic, unseen)
    WHERE moment >= utc_midnight(on_day) - interval '30 minutes' AND moment < utc_midnight(on_day + 1)
  ) AS paced
  WHERE moment >= utc_midnight(on_day) AND pause <= interval '30 minutes'
$$;
--> statement-breakpoint
-- Counts events that were added, whatever their order: a day on which someone was not active before, the active day
-- that follows it, since its day before is another now, questions, and the time on a topic. What the totals should
-- hold now is added, and what they held is taken away. A plan for any values is as good as one for these, and is
-- made once.
CREATE FUNCTION count_activity() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  new_ids int8range := (SELECT int8range(min(id), max(id), '[]') FROM added);
  changes total_change[];
BEGIN
  -- A person's activities are counted one after the other, so that none overlooks another.
  PERFORM FROM users WHERE id IN (SELECT user_id FROM added) ORDER BY id FOR NO KEY UPDATE;
  UPDATE course_trees AS tree SET touched_on = latest.day
  FROM (SELECT course_offering_id, user_id, max(utc_day(occurred_at)) AS day FROM added GROUP BY 1, 2) AS latest
  WHERE tree.course_offering_id = latest.course_offering_id AND tree.user_id = latest.user_id
    AND tree.touched_on < latest.day;

  WITH touched AS MATERIALIZED (
    SELECT s.scope, s.target, s.course_id, a.user_id, utc_day(a.occurred_at) AS day,
           count(*) AS events, max(a.occurred_at) AS latest
    FROM added AS a, activity_scopes(a.verb, a.content_item_id, a.course_offering_id) AS s
    GROUP BY 1, 2, 3, 4, 5
  ), fresh AS MATERIALIZED (
    SELECT scope, target, course_id, user_id, day FROM touched
    WHERE NOT EXISTS (
      SELECT FROM activity_moments(scope, user_id, target, new_ids)
      WHERE moment >= utc_midnight(day) AND moment < utc_midnight(day + 1)
    )
  ), following AS (
    SELECT scope, target, course_id, user_id, utc_day(next.moment) AS day
    FROM fresh, LATERAL (
      SELECT moment FROM activity_moments(scope, user_id, target, 'empty')
      WHERE moment >= utc_midnight(day + 1) ORDER BY moment LIMIT 1
    ) AS next
    EXCEPT SELECT scope, target, course_id, user_id, day FROM fresh
  ), paced AS (
    SELECT user_id, target, course_id, day FROM touched WHERE scope = 'topic'
    UNION
    SELECT user_id, target, course_id, day + 1 FROM touched
    WHERE scope = 'topic' AND latest >= utc_midnight(day + 1) - interval '30 minutes'
  ), state (sign, unseen) AS (
    VALUES (1, 'empty'::int8range), (-1, new_ids)
  ), change (measure, course_id, day, since, amount) AS (
    SELECT people_measure(scope), course_id, day, active_before(scope, user_id, target, day, 'empty'), 1 FROM fresh
    UNION ALL
    SELECT people_measure(scope), course_id, day, active_before(scope, user_id, target, day, unseen), sign
    FROM following, state
    UNION ALL
    SELECT 'topic_milliseconds', course_id, day, NULL, sign * topic_milliseconds(user_id, target, day, unseen)
    FROM paced, state
    UNION ALL
    SELECT 'tutor_questions', course_id, day, NULL, events FROM touched WHERE scope = 'tutor'
  ), summed AS (
    SELECT measure, course_id, day, since, sum(amount) AS amount FROM change GROUP BY 1, 2, 3, 4
  )
  SELECT array_agg((measure, course_id, day, since, amount)::total_change) INTO changes FROM summed WHERE amount <> 0;
  PERFORM add_to_totals(changes) WHERE changes IS NOT NULL;
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
  changes total_change[];
BEGIN
  SELECT array_agg((measure, i.course_id, day, NULL, amount)::total_change) INTO changes
  FROM (
    SELECT session_id, CASE meta ->> 'source' WHEN 'cache' THEN 'hits' ELSE 'misses' END, utc_day(created_at), 1
    FROM added WHERE on_shared_path
    UNION ALL
    SELECT spoken.session_id, one.measure, utc_day(first), sign * one.amount
    FROM (SELECT DISTINCT session_id FROM added) AS spoken
    CROSS JOIN (VALUES (1, 'empty'::int4range), (-1, new_ids)) AS state (sign, unseen)
    CROSS JOIN LATERAL (
      SELECT min(m.created_at) AS first, max(m.created_at) AS last FROM chat_messages AS m
      WHERE m.session_id = spoken.session_id AND NOT m.id <@ unseen
    ) AS span
    CROSS JOIN LATERAL (VALUES
      ('conversations', 1), ('conversation_milliseconds', extract(epoch FROM last - first) * 1000)
    ) AS one (measure, amount)
    WHERE first IS NOT NULL
  ) AS change (session_id, measure, day, amount)
  JOIN chat_sessions AS s ON s.id = session_id
  JOIN content_items AS i ON i.id = s.content_item_id;
  PERFORM add_to_totals(changes) WHERE changes IS NOT NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_messages AFTER INSERT ON chat_messages REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_messages();
--> statement-breakpoint
-- Counts a conversation that has left the shared paths, once, on the day on which it was opened.
CREATE FUNCTION count_divergence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR OLD.cache_state <> NEW.cache_state THEN
    PERFORM add_to_totals(ARRAY[
      ('divergences', course_id, utc_day(NEW.created_at), NULL, 1)::total_change
    ]) FROM content_items WHERE id = NEW.content_item_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_divergence AFTER INSERT OR UPDATE OF cache_state ON chat_sessions
  FOR EACH ROW WHEN (NEW.cache_state = 'diverged') EXECUTE FUNCTION count_divergence();
--> statement-breakpoint
-- Counts everything anew: what was there before the totals, or was loaded with the triggers switched off.
CREATE FUNCTION recount_totals() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  counted record;
  changes total_change[];
BEGIN
  LOCK TABLE activity_events, chat_messages, chat_sessions, user_module_progress IN SHARE MODE;
  FOR counted IN SELECT * FROM counted_tables() LOOP
    EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', counted.name);
  END LOOP;
  PERFORM replant_trees(NULL);
  DELETE FROM report_totals;
  FOR counted IN SELECT * FROM counted_tables() LOOP
    EXECUTE changes_of(format('SELECT 1 AS sign, * FROM %I', counted.name), counted.name) INTO changes;
    PERFORM add_to_totals(changes) WHERE changes IS NOT NULL;
  END LOOP;

  WITH paced AS (
    SELECT s.scope, s.target, s.course_id, e.user_id, utc_day(e.occurred_at) AS day,
           e.occurred_at - lag(e.occurred_at) OVER (
             PARTITION BY s.scope, e.user_id, s.target ORDER BY e.occurred_at
           ) AS pause
    FROM activity_events AS e, activity_scopes(e.verb, e.content_item_id, e.course_offering_id) AS s
  ), person_day AS (
    SELECT scope, course_id, day, count(*) AS events,
           sum(extract(epoch FROM pause) * 1000) FILTER (WHERE pause <= interval '30 minutes') AS milliseconds,
           lag(day) OVER (PARTITION BY scope, user_id, target ORDER BY day) AS since
    FROM paced GROUP BY scope, user_id, target, course_id, day
  ), change (measure, course_id, day, since, amount) AS (
    SELECT people_measure(scope), course_id, day, since, count(*) FROM person_day GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT 'topic_milliseconds', course_id, day, NULL, sum(milliseconds) FROM person_day
    WHERE scope = 'topic' GROUP BY 2, 3
    UNION ALL
    SELECT 'tutor_questions', course_id, day, NULL, sum(events) FROM person_day WHERE scope = 'tutor' GROUP BY 2, 3
  )
  SELECT array_agg((measure, course_id, day, since, amount)::total_change) INTO changes FROM change;
  PERFORM add_to_totals(changes) WHERE changes IS NOT NULL;

  SELECT array_agg((measure, course_id, day, NULL, amount)::total_change) INTO changes
  FROM (
    SELECT measure, i.course_id, day, sum(amount) AS amount
    FROM (
      SELECT session_id, CASE meta ->> 'source' WHEN 'cache' THEN 'hits' ELSE 'misses' END, utc_day(created_at), 1
      FROM chat_messages WHERE on_shared_path
      UNION ALL
      SELECT session_id, one.measure, utc_day(first), one.amount
      FROM (
        SELECT session_id, min(created_at) AS first, max(created_at) AS last FROM chat_messages GROUP BY session_id
      ) AS span
      CROSS JOIN LATERAL (VALUES
        ('conversations', 1), ('conversation_milliseconds', extract(epoch FROM last - first) * 1000)
      ) AS one (measure, amount)
      UNION ALL
      SELECT id, 'divergences', utc_day(created_at), 1 FROM chat_sessions WHERE cache_state = 'diverged'
    ) AS said (session_id, measure, day, amount)
    JOIN chat_sessions AS s ON s.id = session_id
    JOIN content_items AS i ON i.id = s.content_item_id
    GROUP BY 1, 2, 3
  ) AS change;
  PERFORM add_to_totals(changes) WHERE changes IS NOT NULL;
END $$;
--> statement-breakpoint
SELECT recount_totals();
