-- Every report is drawn from one table of sums, of a course and of all together, and whatever they count is counted
-- after the fact: who writes only adds a row to a list, and waits for nobody.
--
-- Nothing that is counted is written until the migration has ended.
LOCK TABLE users, enrollments, modules, user_module_progress, user_content_progress, quiz_attempts, lab_submissions,
  notes, flashcards, flashcard_reviews, discussion_threads, discussion_posts, course_reviews, activity_events,
  chat_sessions, chat_messages IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
SELECT count_new_totals();
--> statement-breakpoint
CREATE TABLE "course_trees" (
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"course_id" integer NOT NULL,
	"completed_on" date,
	"interrupted" datemultirange NOT NULL,
	CONSTRAINT "course_trees_course_offering_id_user_id_pk" PRIMARY KEY("course_offering_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "report_totals" (
	"measure" text NOT NULL,
	"course_id" integer,
	"day" date,
	"since" date,
	"amount" numeric NOT NULL,
	CONSTRAINT "report_totals_key" UNIQUE NULLS NOT DISTINCT("course_id","measure","day","since") INCLUDE ("amount"),
	CONSTRAINT "report_totals_measure_check" CHECK ("report_totals"."measure" in ('signups', 'people', 'course_people', 'topic_people', 'topic_milliseconds', 'tutor_people', 'tutor_questions', 'conversations', 'conversation_milliseconds', 'divergences', 'hits', 'misses', 'topics_started', 'topics_completed', 'trees_completed', 'trees_interrupted', 'enrollments_active', 'enrollments_completed', 'enrollments_dropped', 'enrollments_pending', 'enrollments_waitlisted', 'drops', 'quizzes_submitted', 'quizzes_passed', 'quizzes_failed', 'quizzes_scored', 'quiz_scores', 'labs_submitted', 'labs_graded', 'labs_scored', 'lab_scores', 'notes', 'flashcards', 'flashcard_reviews', 'discussion_threads', 'discussion_posts', 'course_reviews', 'course_ratings'))
);
--> statement-breakpoint
CREATE TABLE "uncounted_changes" (
	"measure" text NOT NULL,
	"course_id" integer,
	"day" date,
	"since" date,
	"amount" numeric NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uncounted_courses" (
	"course_id" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uncounted_trees" (
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX "users_last_activity_date_index" ON "users" USING btree ("last_activity_date");
--> statement-breakpoint
-- What a row counts for, while it is there, for each table whose rows are counted.
CREATE FUNCTION counts_of(one users) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT 'signups', NULL::integer, utc_day(one.created_at), NULL::date, 1::numeric
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one enrollments) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT measure, o.course_id, day, NULL::date, 1::numeric
  FROM course_offerings AS o
  CROSS JOIN (VALUES ('enrollments_' || one.status, NULL), ('drops', utc_day(one.dropped_at))) AS counted (measure, day)
  WHERE o.id = one.course_offering_id AND (measure <> 'drops' OR day IS NOT NULL)
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one user_content_progress) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT measure, o.course_id, day, since, 1::numeric
  FROM course_offerings AS o
  CROSS JOIN (VALUES
    ('topics_started', utc_day(one.first_started_at), NULL),
    ('topics_completed', utc_day(one.completed_at), utc_day(one.first_started_at))
  ) AS counted (measure, day, since)
  WHERE o.id = one.course_offering_id AND day IS NOT NULL
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one course_trees) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT 'trees_completed', one.course_id, one.completed_on, NULL::date, 1::numeric WHERE one.completed_on IS NOT NULL
  UNION ALL
  SELECT 'trees_interrupted', one.course_id, day, NULL, amount
  FROM unnest(one.interrupted) AS pause
  CROSS JOIN LATERAL (VALUES (lower(pause), 1), (upper(pause), -1)) AS turn (day, amount)
  WHERE day IS NOT NULL
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one quiz_attempts) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT measure, NULL::integer, utc_day(one.submitted_at), NULL::date, amount
  FROM (VALUES
    ('quizzes_submitted', 1),
    ('quizzes_passed', one.passed::int),
    ('quizzes_failed', (NOT one.passed)::int),
    ('quizzes_scored', (one.score_obtained IS NOT NULL AND one.max_score <> 0)::int),
    ('quiz_scores', one.score_obtained / nullif(one.max_score, 0))
  ) AS counted (measure, amount)
  WHERE one.submitted_at IS NOT NULL AND amount <> 0
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one lab_submissions) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT measure, NULL::integer, utc_day(one.submitted_at), NULL::date, amount
  FROM (VALUES
    ('labs_submitted', 1),
    ('labs_graded', (one.status = 'graded')::int),
    ('labs_scored', (one.score_obtained IS NOT NULL AND one.max_score <> 0)::int),
    ('lab_scores', one.score_obtained / nullif(one.max_score, 0))
  ) AS counted (measure, amount)
  WHERE amount <> 0
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one notes) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT 'notes', NULL::integer, NULL::date, NULL::date, 1::numeric
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one flashcards) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT 'flashcards', NULL::integer, NULL::date, NULL::date, 1::numeric
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one flashcard_reviews) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT 'flashcard_reviews', NULL::integer, NULL::date, NULL::date, 1::numeric
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one discussion_threads) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT 'discussion_threads', NULL::integer, NULL::date, NULL::date, 1::numeric
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one discussion_posts) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT 'discussion_posts', NULL::integer, NULL::date, NULL::date, 1::numeric WHERE NOT one.is_deleted
$$;
--> statement-breakpoint
CREATE FUNCTION counts_of(one course_reviews) RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT measure, NULL::integer, NULL::date, NULL::date, amount::numeric
  FROM (VALUES ('course_reviews', 1), ('course_ratings', one.rating)) AS counted (measure, amount)
$$;
--> statement-breakpoint
-- Notes what a row that was written changes in the totals.
CREATE FUNCTION note_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO uncounted_changes SELECT * FROM counts_of(NEW);
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO uncounted_changes SELECT measure, course_id, day, since, -amount FROM counts_of(OLD);
  ELSE
    INSERT INTO uncounted_changes
    SELECT measure, course_id, day, since, sum(amount)
    FROM (
      SELECT * FROM counts_of(NEW)
      UNION ALL
      SELECT measure, course_id, day, since, -amount FROM counts_of(OLD)
    ) AS change
    GROUP BY measure, course_id, day, since
    HAVING sum(amount) <> 0;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_changes AFTER INSERT OR DELETE ON users
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes AFTER INSERT OR UPDATE OF status, dropped_at, course_offering_id OR DELETE ON enrollments
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes AFTER INSERT OR UPDATE OF first_started_at, completed_at OR DELETE ON user_content_progress
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes AFTER INSERT OR UPDATE OR DELETE ON course_trees
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes
  AFTER INSERT OR UPDATE OF submitted_at, passed, score_obtained, max_score OR DELETE ON quiz_attempts
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes
  AFTER INSERT OR UPDATE OF submitted_at, status, score_obtained, max_score OR DELETE ON lab_submissions
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes AFTER INSERT OR DELETE ON notes
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes AFTER INSERT OR DELETE ON flashcards
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes AFTER INSERT OR DELETE ON flashcard_reviews
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes AFTER INSERT OR DELETE ON discussion_threads
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes AFTER INSERT OR UPDATE OF is_deleted OR DELETE ON discussion_posts
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
CREATE TRIGGER note_changes AFTER INSERT OR UPDATE OF rating OR DELETE ON course_reviews
  FOR EACH ROW EXECUTE FUNCTION note_changes();
--> statement-breakpoint
-- A conversation that has left the shared paths counts once, on the day on which it was opened, and stays counted.
CREATE OR REPLACE FUNCTION count_divergence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.cache_state = NEW.cache_state THEN RETURN NULL; END IF;
  INSERT INTO uncounted_changes
  SELECT 'divergences', course_id, utc_day(NEW.created_at), NULL, 1
  FROM content_items WHERE id = NEW.content_item_id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION note_tree() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO uncounted_trees
  VALUES (coalesce(NEW.course_offering_id, OLD.course_offering_id), coalesce(NEW.user_id, OLD.user_id));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_tree AFTER INSERT OR UPDATE OF started_at, completed_at OR DELETE ON user_module_progress
  FOR EACH ROW EXECUTE FUNCTION note_tree();
--> statement-breakpoint
-- A module that is published, or goes, decides for everyone whether their tree is complete.
CREATE FUNCTION note_outline() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.is_published IS DISTINCT FROM OLD.is_published THEN
    INSERT INTO uncounted_courses VALUES (coalesce(NEW.course_id, OLD.course_id));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_outline AFTER INSERT OR UPDATE OF is_published OR DELETE ON modules
  FOR EACH ROW EXECUTE FUNCTION note_outline();
--> statement-breakpoint
CREATE FUNCTION note_end_of_course() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO uncounted_courses VALUES (OLD.id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_end_of_course AFTER DELETE ON courses
  FOR EACH ROW EXECUTE FUNCTION note_end_of_course();
--> statement-breakpoint
-- How a person stands with the published modules of an offering's course; no row before they have begun one. A tree
-- is touched by what is begun, by what is completed, and by any activity in the offering.
CREATE FUNCTION tree_of(offering integer, person integer)
RETURNS TABLE (course_id integer, completed_on date, interrupted datemultirange) LANGUAGE sql STABLE AS $$
  WITH walked AS (
    SELECT m.course_id, utc_day(p.started_at) AS started_on,
           CASE WHEN p.completed_at IS NOT NULL THEN utc_day(greatest(p.started_at, p.completed_at)) END AS done_on
    FROM user_module_progress AS p
    JOIN course_offerings AS o ON o.id = p.course_offering_id
    JOIN modules AS m ON m.id = p.module_id AND m.course_id = o.course_id AND m.is_published
    WHERE p.course_offering_id = offering AND p.user_id = person
  ), tree AS (
    SELECT w.course_id, min(w.started_on) AS begun_on,
           CASE WHEN count(w.done_on) = (
             SELECT count(*) FROM modules AS m WHERE m.course_id = w.course_id AND m.is_published
           ) THEN max(w.done_on) END AS completed_on
    FROM walked AS w GROUP BY w.course_id
  ), touched (day) AS (
    SELECT started_on FROM walked
    UNION
    SELECT done_on FROM walked WHERE done_on IS NOT NULL
    UNION
    SELECT utc_day(e.occurred_at) FROM tree JOIN activity_events AS e ON e.occurred_at >= utc_midnight(tree.begun_on)
    WHERE e.course_offering_id = offering AND e.user_id = person
  )
  SELECT tree.course_id, tree.completed_on, coalesce((
    SELECT range_agg(daterange(day + 14, next_day))
    FROM (SELECT day, lead(day) OVER (ORDER BY day) AS next_day FROM touched) AS visit
    WHERE (next_day > day + 14 OR next_day IS NULL) AND (day < tree.completed_on OR tree.completed_on IS NULL)
  ), '{}')
  FROM tree
$$;
--> statement-breakpoint
DROP FUNCTION activity_moments(text, integer, integer, boolean) CASCADE;
--> statement-breakpoint
-- When a person was active in a scope: by events that are counted, and by the uncounted up to a number.
CREATE FUNCTION activity_moments(in_scope text, person integer, target integer, seen bigint)
RETURNS TABLE (moment timestamptz) LANGUAGE sql STABLE AS $$
  SELECT e.occurred_at FROM activity_events AS e
  WHERE in_scope = 'anywhere' AND e.user_id = person
    AND NOT EXISTS (SELECT FROM uncounted_events AS u WHERE u.event_id = e.id AND u.event_id > seen)
  UNION ALL
  SELECT e.occurred_at FROM activity_events AS e
  WHERE in_scope = 'course' AND e.user_id = person AND target = coalesce(
    (SELECT i.course_id FROM content_items AS i WHERE i.id = e.content_item_id),
    (SELECT o.course_id FROM course_offerings AS o WHERE o.id = e.course_offering_id)
  )
    AND NOT EXISTS (SELECT FROM uncounted_events AS u WHERE u.event_id = e.id AND u.event_id > seen)
  UNION ALL
  SELECT e.occurred_at FROM activity_events AS e
  WHERE in_scope IN ('topic', 'tutor') AND e.user_id = person AND e.content_item_id = target
    AND (in_scope = 'topic' OR e.verb = 'asked')
    AND NOT EXISTS (SELECT FROM uncounted_events AS u WHERE u.event_id = e.id AND u.event_id > seen)
$$;
--> statement-breakpoint
CREATE FUNCTION people_measure(scope text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE scope WHEN 'anywhere' THEN 'people' ELSE scope || '_people' END
$$;
--> statement-breakpoint
-- The day of the last activity before a day.
CREATE FUNCTION active_before(in_scope text, person integer, target integer, before date, seen bigint)
RETURNS date LANGUAGE sql STABLE AS $$
  SELECT utc_day(moment) FROM activity_moments(in_scope, person, target, seen)
  WHERE moment < utc_midnight(before) ORDER BY moment DESC LIMIT 1
$$;
--> statement-breakpoint
-- The time of a person on a topic on a day: the pauses of up to 30 minutes, each on the day on which it ended.
CREATE FUNCTION topic_milliseconds(person integer, topic integer, on_day date, seen bigint)
RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(extract(epoch FROM pause) * 1000), 0)
  FROM (
    SELECT moment, moment - lag(moment) OVER (ORDER BY moment) AS pause
    FROM activity_moments('topic', person, topic, seen)
    WHERE moment >= utc_midnight(on_day) - interval '30 minutes' AND moment < utc_midnight(on_day + 1)
  ) AS paced
  WHERE moment >= utc_midnight(on_day) AND pause <= interval '30 minutes'
$$;
--> statement-breakpoint
-- Counts the first of the uncounted events, whatever their order: a day on which someone was not active before, the
-- active day that follows it, since its day before is another now, questions, and the time on a topic. What the totals
-- should hold now is added, and what they held is taken away. It is one statement, which sees one state of everything:
-- what it takes from the list is still on it for its own parts, and what is written meanwhile is left for later.
CREATE FUNCTION count_events(most integer) RETURNS integer
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  newest bigint := (
    SELECT max(event_id) FROM (SELECT event_id FROM uncounted_events ORDER BY event_id LIMIT most) AS first
  );
  counted integer;
BEGIN
  IF newest IS NULL THEN RETURN 0; END IF;
  WITH new AS (
    DELETE FROM uncounted_events WHERE event_id <= newest RETURNING event_id
  ), added AS MATERIALIZED (
    SELECT e.* FROM new JOIN activity_events AS e ON e.id = new.event_id
  ), touched AS MATERIALIZED (
    SELECT s.scope, s.target, s.course_id, a.user_id, utc_day(a.occurred_at) AS day,
           count(*) AS events, max(a.occurred_at) AS latest
    FROM added AS a, activity_scopes(a.verb, a.content_item_id, a.course_offering_id) AS s
    GROUP BY 1, 2, 3, 4, 5
  ), fresh AS MATERIALIZED (
    SELECT scope, target, course_id, user_id, day FROM touched
    WHERE NOT EXISTS (
      SELECT FROM activity_moments(scope, user_id, target, 0)
      WHERE moment >= utc_midnight(day) AND moment < utc_midnight(day + 1)
    )
  ), following AS (
    SELECT scope, target, course_id, user_id, utc_day(next.moment) AS day
    FROM fresh, LATERAL (
      SELECT moment FROM activity_moments(scope, user_id, target, newest)
      WHERE moment >= utc_midnight(day + 1) ORDER BY moment LIMIT 1
    ) AS next
    EXCEPT SELECT scope, target, course_id, user_id, day FROM fresh
  ), paced AS (
    SELECT user_id, target, course_id, day FROM touched WHERE scope = 'topic'
    UNION
    SELECT user_id, target, course_id, day + 1 FROM touched
    WHERE scope = 'topic' AND latest >= utc_midnight(day + 1) - interval '30 minutes'
  ), state (sign, seen) AS (
    VALUES (1, newest), (-1, 0)
  ), change (measure, course_id, day, since, amount) AS (
    SELECT people_measure(scope), course_id, day, active_before(scope, user_id, target, day, newest), 1 FROM fresh
    UNION ALL
    SELECT people_measure(scope), course_id, day, active_before(scope, user_id, target, day, seen), sign
    FROM following, state
    UNION ALL
    SELECT 'topic_milliseconds', course_id, day, NULL, sign * topic_milliseconds(user_id, target, day, seen)
    FROM paced, state
    UNION ALL
    SELECT 'tutor_questions', course_id, day, NULL, events FROM touched WHERE scope = 'tutor'
  ), noted AS (
    INSERT INTO uncounted_changes
    SELECT measure, course_id, day, since, sum(amount) FROM change GROUP BY 1, 2, 3, 4 HAVING sum(amount) <> 0
  ), walked AS (
    INSERT INTO uncounted_trees
    SELECT DISTINCT course_offering_id, user_id FROM added WHERE course_offering_id IS NOT NULL
  )
  SELECT count(*) INTO counted FROM new;
  RETURN counted;
END $$;
--> statement-breakpoint
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
-- Counts the first of the uncounted messages in the same way: answers on shared paths, and how long each conversation
-- is, on the day on which it began.
CREATE FUNCTION count_messages(most integer) RETURNS integer
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  newest integer := (
    SELECT max(message_id) FROM (SELECT message_id FROM uncounted_messages ORDER BY message_id LIMIT most) AS first
  );
  counted integer;
BEGIN
  IF newest IS NULL THEN RETURN 0; END IF;
  WITH new AS (
    DELETE FROM uncounted_messages WHERE message_id <= newest RETURNING message_id
  ), added AS MATERIALIZED (
    SELECT m.* FROM new JOIN chat_messages AS m ON m.id = new.message_id
  ), change (session_id, measure, day, amount) AS (
    SELECT session_id, CASE meta ->> 'source' WHEN 'cache' THEN 'hits' ELSE 'misses' END, utc_day(created_at), 1
    FROM added WHERE on_shared_path
    UNION ALL
    SELECT spoken.session_id, one.measure, utc_day(first), sign * one.amount
    FROM (SELECT DISTINCT session_id FROM added) AS spoken
    CROSS JOIN (VALUES (1, newest), (-1, 0)) AS state (sign, seen)
    CROSS JOIN LATERAL (
      SELECT min(m.created_at) AS first, max(m.created_at) AS last FROM chat_messages AS m
      WHERE m.session_id = spoken.session_id
        AND NOT EXISTS (SELECT FROM uncounted_messages AS u WHERE u.message_id = m.id AND u.message_id > seen)
    ) AS span
    CROSS JOIN LATERAL (VALUES
      ('conversations', 1), ('conversation_milliseconds', extract(epoch FROM span.last - first) * 1000)
    ) AS one (measure, amount)
    WHERE first IS NOT NULL
  ), noted AS (
    INSERT INTO uncounted_changes
    SELECT measure, i.course_id, day, NULL, sum(amount)
    FROM change JOIN chat_sessions AS s ON s.id = session_id JOIN content_items AS i ON i.id = s.content_item_id
    GROUP BY measure, i.course_id, day HAVING sum(amount) <> 0
  )
  SELECT count(*) INTO counted FROM new;
  RETURN counted;
END $$;
--> statement-breakpoint
-- All trees of a noted course are noted. What was counted of a course goes with it, also from the sums of all courses.
CREATE FUNCTION count_courses() RETURNS void LANGUAGE sql AS $$
  WITH noted AS (
    DELETE FROM uncounted_courses RETURNING course_id
  ), walked AS (
    INSERT INTO uncounted_trees
    SELECT DISTINCT p.course_offering_id, p.user_id
    FROM noted JOIN course_offerings AS o USING (course_id) JOIN user_module_progress AS p ON p.course_offering_id = o.id
  ), gone AS (
    DELETE FROM report_totals AS total USING (SELECT DISTINCT course_id FROM noted) AS course
    WHERE total.course_id = course.course_id AND NOT EXISTS (SELECT FROM courses WHERE id = course.course_id)
    RETURNING total.*
  )
  INSERT INTO uncounted_changes SELECT measure, NULL, day, since, -amount FROM gone
$$;
--> statement-breakpoint
-- Looks at the first of the noted trees anew; what that changes is noted by the trigger of the trees.
CREATE FUNCTION count_trees(most integer) RETURNS integer
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  counted integer;
BEGIN
  WITH noted AS (
    DELETE FROM uncounted_trees WHERE ctid = ANY (ARRAY (SELECT ctid FROM uncounted_trees LIMIT most))
    RETURNING course_offering_id, user_id
  ), looked_at AS MATERIALIZED (
    SELECT walked.*, tree.*
    FROM (SELECT DISTINCT * FROM noted) AS walked
    LEFT JOIN LATERAL tree_of(course_offering_id, user_id) AS tree ON true
  ), gone AS (
    DELETE FROM course_trees AS former USING looked_at AS l
    WHERE former.course_offering_id = l.course_offering_id AND former.user_id = l.user_id AND l.course_id IS NULL
  ), kept AS (
    INSERT INTO course_trees AS former (course_offering_id, user_id, course_id, completed_on, interrupted)
    SELECT * FROM looked_at WHERE course_id IS NOT NULL
    ON CONFLICT (course_offering_id, user_id) DO UPDATE
    SET completed_on = excluded.completed_on, interrupted = excluded.interrupted
    WHERE (former.completed_on, former.interrupted) IS DISTINCT FROM (excluded.completed_on, excluded.interrupted)
  )
  SELECT count(*) INTO counted FROM noted;
  RETURN counted;
END $$;
--> statement-breakpoint
-- Adds the first of the noted changes to the totals: to those of a course, and to those of all courses together. What
-- is still noted of a course that is gone no longer counts.
CREATE FUNCTION count_changes(most integer) RETURNS integer
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  counted integer;
BEGIN
  WITH noted AS (
    DELETE FROM uncounted_changes WHERE ctid = ANY (ARRAY (SELECT ctid FROM uncounted_changes LIMIT most)) RETURNING *
  ), added AS (
    INSERT INTO report_totals AS total (measure, course_id, day, since, amount)
    SELECT measure, course_id, day, since, sum(amount) FROM noted
    WHERE course_id IS NULL OR EXISTS (SELECT FROM courses WHERE id = course_id)
    GROUP BY GROUPING SETS ((measure, course_id, day, since), (measure, day, since))
    HAVING sum(amount) <> 0 AND (course_id IS NOT NULL OR grouping(course_id) = 1)
    ON CONFLICT ON CONSTRAINT report_totals_key DO UPDATE SET amount = total.amount + excluded.amount
  )
  SELECT count(*) INTO counted FROM noted;
  RETURN counted;
END $$;
--> statement-breakpoint
DROP FUNCTION count_new_totals() CASCADE;
--> statement-breakpoint
-- One counts at a time, so that none overlooks another's part.
CREATE FUNCTION lock_totals() RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock('report_totals'::regclass::oid::int, 0)
$$;
--> statement-breakpoint
-- Counts some of the uncounted events in the way that is quicker for as many as there are.
CREATE FUNCTION count_some_events(OUT new_events integer, OUT is_behind boolean) LANGUAGE plpgsql AS $$
BEGIN
  is_behind := EXISTS (SELECT FROM uncounted_events OFFSET 50000);
  IF is_behind THEN new_events := count_events_of_people(200); END IF;
  -- Nothing is counted by person where only the numbers are left, of events that were truncated.
  IF NOT is_behind OR new_events = 0 THEN
    new_events := count_events(5000);
    is_behind := new_events >= 5000;
  END IF;
END $$;
--> statement-breakpoint
-- Counts what is noted, as much of it as takes a few seconds; `is_behind` says that more is left.
CREATE FUNCTION count_new_totals(OUT new_events integer, OUT new_messages integer, OUT is_behind boolean)
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
--> statement-breakpoint
-- Everything that is counted as it stands, from the rows themselves.
CREATE FUNCTION standing_counts() RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
  SELECT counted.* FROM users AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM enrollments AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM user_content_progress AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM course_trees AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM quiz_attempts AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM lab_submissions AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM notes AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM flashcards AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM flashcard_reviews AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM discussion_threads AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM discussion_posts AS one, counts_of(one) AS counted
  UNION ALL SELECT counted.* FROM course_reviews AS one, counts_of(one) AS counted
$$;
--> statement-breakpoint
-- Everything that is counted as what happened, from the events and messages that are there.
CREATE FUNCTION happened_counts() RETURNS SETOF uncounted_changes LANGUAGE sql STABLE AS $$
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
-- Counts everything anew, for example what was loaded with the triggers switched off. Until it is done nothing that
-- is counted can be written, and what was deleted since it was counted is forgotten.
CREATE OR REPLACE FUNCTION recount_totals() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE users, enrollments, modules, user_module_progress, user_content_progress, quiz_attempts, lab_submissions,
    notes, flashcards, flashcard_reviews, discussion_threads, discussion_posts, course_reviews, activity_events,
    chat_sessions, chat_messages IN SHARE MODE;
  PERFORM lock_totals();
  DELETE FROM uncounted_courses;
  DELETE FROM course_trees;
  INSERT INTO uncounted_trees SELECT DISTINCT course_offering_id, user_id FROM user_module_progress;
  PERFORM count_trees(NULL);
  DELETE FROM uncounted_events;
  DELETE FROM uncounted_messages;
  DELETE FROM uncounted_changes;
  DELETE FROM report_totals;
  INSERT INTO report_totals (measure, course_id, day, since, amount)
  SELECT measure, course_id, day, since, sum(amount)
  FROM (SELECT * FROM standing_counts() UNION ALL SELECT * FROM happened_counts()) AS counted
  GROUP BY GROUPING SETS ((measure, course_id, day, since), (measure, day, since))
  HAVING sum(amount) <> 0 AND (course_id IS NOT NULL OR grouping(course_id) = 1);
END $$;
--> statement-breakpoint
-- What has been counted so far moves, also of what is deleted since; what stands is counted for the first time.
INSERT INTO uncounted_changes
SELECT measure, course_id, day, since, amount
FROM activity_totals AS t
CROSS JOIN LATERAL (VALUES
  (people_measure(scope), previous_day, people),
  ('topic_milliseconds', NULL, CASE scope WHEN 'topic' THEN milliseconds END),
  ('tutor_questions', NULL, CASE scope WHEN 'tutor' THEN events END)
) AS one (measure, since, amount)
WHERE amount <> 0
UNION ALL
SELECT measure, course_id, day, NULL, amount
FROM chat_totals
CROSS JOIN LATERAL (VALUES
  ('conversations', sessions), ('conversation_milliseconds', session_milliseconds),
  ('divergences', diverged_sessions), ('hits', hits), ('misses', misses)
) AS one (measure, amount)
WHERE amount <> 0;
--> statement-breakpoint
INSERT INTO uncounted_changes SELECT * FROM standing_counts();
--> statement-breakpoint
INSERT INTO uncounted_trees SELECT DISTINCT course_offering_id, user_id FROM user_module_progress;
--> statement-breakpoint
SELECT count_trees(NULL);
--> statement-breakpoint
SELECT count_changes(NULL);
--> statement-breakpoint
DROP TABLE "activity_totals" CASCADE;
--> statement-breakpoint
DROP TABLE "chat_totals" CASCADE;
--> statement-breakpoint
-- For the version before this one, which runs until it is replaced, and after a rollback.
CREATE VIEW activity_totals AS
  SELECT CASE measure WHEN 'people' THEN 'anywhere' ELSE split_part(measure, '_', 1) END AS scope,
         course_id, day, since AS previous_day,
         CASE WHEN measure LIKE '%people' THEN amount ELSE 0 END AS people,
         CASE WHEN measure = 'tutor_questions' THEN amount ELSE 0 END AS events,
         CASE WHEN measure = 'topic_milliseconds' THEN amount ELSE 0 END AS milliseconds
  FROM report_totals
  WHERE measure = 'people' OR (course_id IS NOT NULL AND measure IN
    ('course_people', 'topic_people', 'topic_milliseconds', 'tutor_people', 'tutor_questions'));
--> statement-breakpoint
CREATE VIEW chat_totals AS
  SELECT course_id, day,
         CASE WHEN measure = 'conversations' THEN amount ELSE 0 END AS sessions,
         CASE WHEN measure = 'conversation_milliseconds' THEN amount ELSE 0 END AS session_milliseconds,
         CASE WHEN measure = 'divergences' THEN amount ELSE 0 END AS diverged_sessions,
         CASE WHEN measure = 'hits' THEN amount ELSE 0 END AS hits,
         CASE WHEN measure = 'misses' THEN amount ELSE 0 END AS misses
  FROM report_totals
  WHERE course_id IS NOT NULL
    AND measure IN ('conversations', 'conversation_milliseconds', 'divergences', 'hits', 'misses');
