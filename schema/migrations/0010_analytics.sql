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
	CONSTRAINT "activity_totals_scope_check" CHECK ("activity_totals"."scope" in ('anywhere', 'topic', 'tutor'))
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
ALTER TABLE "enrollments" ADD COLUMN "dropped_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "activity_totals" ADD CONSTRAINT "activity_totals_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_totals" ADD CONSTRAINT "chat_totals_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "activity_totals_course_id_index" ON "activity_totals" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "chat_totals_course_id_index" ON "chat_totals" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "activity_events_course_offering_id_user_id_occurred_at_index" ON "activity_events" USING btree ("course_offering_id","user_id","occurred_at");--> statement-breakpoint
CREATE INDEX "enrollments_dropped_at_index" ON "enrollments" USING btree ("dropped_at");--> statement-breakpoint
CREATE INDEX "user_content_progress_first_started_at_index" ON "user_content_progress" USING btree ("first_started_at");--> statement-breakpoint
CREATE INDEX "user_content_progress_completed_at_index" ON "user_content_progress" USING btree ("completed_at");--> statement-breakpoint
CREATE INDEX "users_created_at_index" ON "users" USING btree ("created_at");
--> statement-breakpoint
-- The totals that reports are drawn from are kept here, whoever writes. They say what happened: what is deleted
-- later, a conversation for one, stays counted.
CREATE FUNCTION "utc_day"("moment" timestamptz) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT ("moment" AT TIME ZONE 'UTC')::date
$$;
--> statement-breakpoint
CREATE FUNCTION "utc_midnight"("day" date) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT "day"::timestamp AT TIME ZONE 'UTC'
$$;
--> statement-breakpoint
-- What counts in each scope, and for which topic.
CREATE FUNCTION "activity_scopes"("verb" text, "content_item_id" integer)
RETURNS TABLE ("scope" text, "topic" integer) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('anywhere', NULL::integer)
  UNION ALL SELECT 'topic', "content_item_id" WHERE "content_item_id" IS NOT NULL
  UNION ALL SELECT 'tutor', "content_item_id" WHERE "content_item_id" IS NOT NULL AND "verb" = 'asked'
$$;
--> statement-breakpoint
-- When a person was active in a scope, as if the events with ids in "unseen" were not there.
CREATE FUNCTION "activity_moments"("in_scope" text, "person" integer, "topic" integer, "unseen" int8range)
RETURNS TABLE ("occurred_at" timestamptz) LANGUAGE sql STABLE AS $$
  SELECT "occurred_at" FROM "activity_events"
  WHERE "in_scope" = 'anywhere' AND "user_id" = "person" AND NOT "id" <@ "unseen"
  UNION ALL
  SELECT "occurred_at" FROM "activity_events"
  WHERE "in_scope" <> 'anywhere' AND "user_id" = "person" AND "content_item_id" = "topic"
    AND ("in_scope" = 'topic' OR "verb" = 'asked') AND NOT "id" <@ "unseen"
$$;
--> statement-breakpoint
-- Counts events that were added: of each person's day that they touch, and of the active day after it, what the
-- totals should hold now is added, and what they held before is taken away. The order of the events is all one.
CREATE FUNCTION "count_activity"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "new_ids" int8range := (SELECT int8range(min("id"), max("id"), '[]') FROM "added");
BEGIN
  -- A person's activities are counted one after the other, so that none overlooks another.
  PERFORM FROM "users" WHERE "id" IN (SELECT "user_id" FROM "added") ORDER BY "id" FOR NO KEY UPDATE;
  INSERT INTO "activity_totals" AS "total"
    ("scope", "day", "course_id", "previous_day", "slot", "people", "events", "milliseconds")
  WITH "touched" AS MATERIALIZED (
    SELECT DISTINCT "scope", "user_id", "topic", utc_day("occurred_at") AS "day"
    FROM "added", "activity_scopes"("verb", "content_item_id")
  ), "affected" AS (
    SELECT * FROM "touched"
    UNION
    SELECT "scope", "user_id", "topic", utc_day("next"."occurred_at")
    FROM "touched", LATERAL (
      SELECT "occurred_at" FROM "activity_moments"("scope", "user_id", "topic", 'empty')
      WHERE "occurred_at" >= utc_midnight("day" + 1) ORDER BY "occurred_at" LIMIT 1
    ) AS "next"
  )
  SELECT "scope", "day", "course_id", "before"."previous_day", pg_backend_pid() % 16,
         sum("sign"), sum("sign" * "on_day"."events"), sum("sign" * "on_day"."milliseconds")
  FROM "affected" CROSS JOIN (VALUES (1, 'empty'::int8range), (-1, "new_ids")) AS "state" ("sign", "unseen")
  CROSS JOIN LATERAL (
    SELECT count(*) AS "events",
           coalesce(sum(extract(epoch FROM "pause") * 1000) FILTER (WHERE "pause" <= interval '30 minutes'), 0)
             AS "milliseconds"
    FROM (
      SELECT "occurred_at", "occurred_at" - lag("occurred_at") OVER (ORDER BY "occurred_at") AS "pause"
      FROM "activity_moments"("scope", "user_id", "topic", "unseen")
      WHERE "occurred_at" >= utc_midnight("day") - interval '30 minutes' AND "occurred_at" < utc_midnight("day" + 1)
    ) AS "moment"
    WHERE "occurred_at" >= utc_midnight("day")
  ) AS "on_day"
  LEFT JOIN LATERAL (
    SELECT utc_day("occurred_at") AS "previous_day" FROM "activity_moments"("scope", "user_id", "topic", "unseen")
    WHERE "occurred_at" < utc_midnight("day") ORDER BY "occurred_at" DESC LIMIT 1
  ) AS "before" ON true
  LEFT JOIN "content_items" ON "content_items"."id" = "topic"
  WHERE "on_day"."events" > 0
  GROUP BY "scope", "day", "course_id", "before"."previous_day"
  HAVING (sum("sign"), sum("sign" * "on_day"."events"), sum("sign" * "on_day"."milliseconds")) <> (0, 0, 0)
  ORDER BY "scope", "day", "course_id", "before"."previous_day"
  ON CONFLICT ON CONSTRAINT "activity_totals_key" DO UPDATE SET
    "people" = "total"."people" + excluded."people",
    "events" = "total"."events" + excluded."events",
    "milliseconds" = "total"."milliseconds" + excluded."milliseconds";
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_activity" AFTER INSERT ON "activity_events" REFERENCING NEW TABLE AS "added"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_activity"();
--> statement-breakpoint
-- Counts messages that were added, in the same way: answers on shared paths, and how long each conversation is.
CREATE FUNCTION "count_messages"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "new_ids" int4range := (SELECT int4range(min("id"), max("id"), '[]') FROM "added");
BEGIN
  INSERT INTO "chat_totals" AS "total"
    ("day", "course_id", "slot", "sessions", "session_milliseconds", "hits", "misses")
  SELECT "day", "course_id", pg_backend_pid() % 16,
         sum("sessions"), sum("sessions" * "milliseconds"), sum("hits"), sum("misses")
  FROM (
    SELECT "session_id", utc_day("created_at") AS "day", 0 AS "sessions", 0 AS "milliseconds",
           ("meta" ->> 'source' = 'cache')::int AS "hits", ("meta" ->> 'source' <> 'cache')::int AS "misses"
    FROM "added" WHERE "on_shared_path"
    UNION ALL
    SELECT "session_id", utc_day("first"), "sign", extract(epoch FROM "last" - "first") * 1000, 0, 0
    FROM (SELECT DISTINCT "session_id" FROM "added") AS "touched"
    CROSS JOIN (VALUES (1, 'empty'::int4range), (-1, "new_ids")) AS "state" ("sign", "unseen")
    CROSS JOIN LATERAL (
      SELECT min("created_at") AS "first", max("created_at") AS "last" FROM "chat_messages"
      WHERE "chat_messages"."session_id" = "touched"."session_id" AND NOT "id" <@ "unseen"
    ) AS "span"
    WHERE "first" IS NOT NULL
  ) AS "change"
  JOIN "chat_sessions" ON "chat_sessions"."id" = "session_id"
  JOIN "content_items" ON "content_items"."id" = "content_item_id"
  GROUP BY "day", "course_id"
  HAVING (sum("sessions"), sum("sessions" * "milliseconds"), sum("hits"), sum("misses")) <> (0, 0, 0, 0)
  ORDER BY "day", "course_id"
  ON CONFLICT ON CONSTRAINT "chat_totals_key" DO UPDATE SET
    "sessions" = "total"."sessions" + excluded."sessions",
    "session_milliseconds" = "total"."session_milliseconds" + excluded."session_milliseconds",
    "hits" = "total"."hits" + excluded."hits",
    "misses" = "total"."misses" + excluded."misses";
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_messages" AFTER INSERT ON "chat_messages" REFERENCING NEW TABLE AS "added"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_messages"();
--> statement-breakpoint
-- Counts a conversation that has left the shared paths, on the day on which it was opened. It does so once.
CREATE FUNCTION "count_divergence"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD."cache_state" = NEW."cache_state" THEN RETURN NULL; END IF;
  INSERT INTO "chat_totals" AS "total" ("day", "course_id", "slot", "diverged_sessions")
  SELECT utc_day(NEW."created_at"), "course_id", pg_backend_pid() % 16, 1
  FROM "content_items" WHERE "id" = NEW."content_item_id"
  ON CONFLICT ON CONSTRAINT "chat_totals_key" DO UPDATE SET
    "diverged_sessions" = "total"."diverged_sessions" + excluded."diverged_sessions";
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_divergence" AFTER INSERT OR UPDATE OF "cache_state" ON "chat_sessions"
  FOR EACH ROW WHEN (NEW."cache_state" = 'diverged') EXECUTE FUNCTION "count_divergence"();
--> statement-breakpoint
-- Counts everything anew: for what was there before the totals, and after a load with the triggers switched off.
CREATE FUNCTION "recount_totals"() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE "activity_events", "chat_messages", "chat_sessions" IN SHARE MODE;
  DELETE FROM "activity_totals";
  INSERT INTO "activity_totals"
    ("scope", "day", "course_id", "previous_day", "slot", "people", "events", "milliseconds")
  SELECT "scope", "day", "course_id", "previous_day", 0, count(*), sum("events"), sum("milliseconds")
  FROM (
    SELECT "scope", "topic", "day", count(*) AS "events",
           lag("day") OVER (PARTITION BY "scope", "user_id", "topic" ORDER BY "day") AS "previous_day",
           coalesce(sum(extract(epoch FROM "pause") * 1000) FILTER (WHERE "pause" <= interval '30 minutes'), 0)
             AS "milliseconds"
    FROM (
      SELECT "scope", "user_id", "topic", utc_day("occurred_at") AS "day",
             "occurred_at" - lag("occurred_at") OVER (PARTITION BY "scope", "user_id", "topic" ORDER BY "occurred_at")
               AS "pause"
      FROM "activity_events", "activity_scopes"("verb", "content_item_id")
    ) AS "moment"
    GROUP BY "scope", "user_id", "topic", "day"
  ) AS "person_day"
  LEFT JOIN "content_items" ON "content_items"."id" = "topic"
  GROUP BY "scope", "day", "course_id", "previous_day";

  DELETE FROM "chat_totals";
  INSERT INTO "chat_totals"
    ("day", "course_id", "slot", "sessions", "session_milliseconds", "diverged_sessions", "hits", "misses")
  SELECT "day", "course_id", 0, sum("sessions"), sum("milliseconds"), sum("diverged"), sum("hits"), sum("misses")
  FROM (
    SELECT "session_id", utc_day("created_at") AS "day", 0 AS "sessions", 0 AS "milliseconds", 0 AS "diverged",
           ("meta" ->> 'source' = 'cache')::int AS "hits", ("meta" ->> 'source' <> 'cache')::int AS "misses"
    FROM "chat_messages" WHERE "on_shared_path"
    UNION ALL
    SELECT "session_id", utc_day(min("created_at")), 1,
           extract(epoch FROM max("created_at") - min("created_at")) * 1000, 0, 0, 0
    FROM "chat_messages" GROUP BY "session_id"
    UNION ALL
    SELECT "id", utc_day("created_at"), 0, 0, 1, 0, 0 FROM "chat_sessions" WHERE "cache_state" = 'diverged'
  ) AS "change"
  JOIN "chat_sessions" ON "chat_sessions"."id" = "session_id"
  JOIN "content_items" ON "content_items"."id" = "content_item_id"
  GROUP BY "day", "course_id";
END $$;
--> statement-breakpoint
SELECT "recount_totals"();
--> statement-breakpoint
-- Enrollments are dropped in many ways; one that is taken up again keeps the moment.
CREATE FUNCTION "note_drop"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW."dropped_at" := coalesce(NEW."dropped_at", now());
  ELSIF OLD."status" <> 'dropped' THEN
    NEW."dropped_at" := CASE WHEN NEW."dropped_at" IS DISTINCT FROM OLD."dropped_at" THEN NEW."dropped_at" ELSE now() END;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "note_drop" BEFORE INSERT OR UPDATE OF "status" ON "enrollments"
  FOR EACH ROW WHEN (NEW."status" = 'dropped') EXECUTE FUNCTION "note_drop"();
