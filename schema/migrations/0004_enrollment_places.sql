-- Who has a place in an offering, and which courses need which, is decided here, whoever writes.
--
-- Whatever gives or frees a place locks the offering first, before any enrollment: such changes wait for each other.
-- Each query in a function looks anew, so what others committed during the wait is seen.
CREATE FUNCTION "is_full"("offering" "course_offerings") RETURNS boolean LANGUAGE sql AS $$
  SELECT coalesce("offering"."capacity" <= (
    SELECT count(*) FROM "enrollments" WHERE "course_offering_id" = "offering"."id" AND "status" = 'active'
  ), false)
$$;
--> statement-breakpoint
-- Free places go to those who have waited longest, all of them where there is no capacity; `passed_over` is who has
-- just gone back to waiting.
CREATE FUNCTION "fill_places"("offering" integer, "passed_over" integer DEFAULT NULL) RETURNS void
LANGUAGE sql AS $$
  UPDATE "enrollments" SET "status" = 'active' WHERE "id" IN (
    SELECT "id" FROM "enrollments"
    WHERE "course_offering_id" = "offering" AND "status" = 'waitlisted' AND "id" IS DISTINCT FROM "passed_over"
    ORDER BY "enrolled_at", "id"
    LIMIT (
      SELECT "capacity" - least("capacity", (
        SELECT count(*) FROM "enrollments" WHERE "course_offering_id" = "offering" AND "status" = 'active'
      )) FROM "course_offerings" WHERE "id" = "offering"
    )
  )
$$;
--> statement-breakpoint
-- Later than everyone who waits already, however the clocks of the callers differ.
CREATE FUNCTION "end_of_waiting_list"("offering" integer, "moment" timestamptz) RETURNS timestamptz
LANGUAGE sql AS $$
  SELECT greatest("moment", max("enrolled_at") + interval '1 millisecond') FROM "enrollments"
  WHERE "course_offering_id" = "offering" AND "status" = 'waitlisted'
$$;
--> statement-breakpoint
-- The strict prerequisites of the offering's course that the person has completed in no offering; null for none.
CREATE FUNCTION "unmet_prerequisites"("offering" "course_offerings", "person" integer) RETURNS text
LANGUAGE sql AS $$
  SELECT string_agg("required"."code" || ' ' || "required"."title", ', ' ORDER BY "required"."code")
  FROM "course_prerequisites" JOIN "courses" AS "required" ON "required"."id" = "prerequisite_course_id"
  WHERE "course_id" = "offering"."course_id" AND "prerequisite_type" = 'strict' AND NOT EXISTS (
    SELECT FROM "enrollments" JOIN "course_offerings" AS "taken" ON "taken"."id" = "course_offering_id"
    WHERE "user_id" = "person" AND "status" = 'completed' AND "taken"."course_id" = "required"."id"
  )
$$;
--> statement-breakpoint
-- Why the person may not take up the offering at that moment, and what is missing; two nulls when they may.
CREATE FUNCTION "refusal_to_enroll"(
  "offering" "course_offerings", "person" integer, "moment" timestamptz, OUT "refusal" text, OUT "missing" text
) LANGUAGE plpgsql AS $$
BEGIN
  IF "moment" < "offering"."enrollment_start" OR "moment" > "offering"."enrollment_end" THEN
    "refusal" := 'not_open';
    RETURN;
  END IF;
  "missing" := "unmet_prerequisites"("offering", "person");
  IF "missing" IS NOT NULL THEN "refusal" := 'unmet_prerequisites'; END IF;
END $$;
--> statement-breakpoint
-- Gives a place, or one on the waiting list, and the student role to whoever has no role in the university.
-- A dropped enrollment is taken up again. No row: the offering is gone.
CREATE FUNCTION "enroll"("offering" integer, "person" integer, "moment" timestamptz)
RETURNS TABLE ("refusal" text, "missing" text, "enrollment" "enrollments") LANGUAGE plpgsql AS $$
DECLARE
  "run" "course_offerings";
  "waits" boolean;
BEGIN
  SELECT * INTO "run" FROM "course_offerings" WHERE "id" = "offering" FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT * INTO "refusal", "missing" FROM "refusal_to_enroll"("run", "person", "moment");
  IF "refusal" IS DISTINCT FROM 'not_open' AND EXISTS (
    SELECT FROM "enrollments"
    WHERE "course_offering_id" = "offering" AND "user_id" = "person" AND "status" <> 'dropped'
  ) THEN
    "refusal" := 'already_enrolled';
  END IF;
  IF "refusal" IS NULL THEN
    "waits" := "is_full"("run");
    INSERT INTO "enrollments" AS "placed" ("user_id", "course_offering_id", "status", "enrolled_at")
    VALUES ("person", "offering", CASE WHEN "waits" THEN 'waitlisted' ELSE 'active' END,
            CASE WHEN "waits" THEN "end_of_waiting_list"("offering", "moment") ELSE "moment" END)
    ON CONFLICT ("user_id", "course_offering_id") DO UPDATE
      SET "status" = excluded."status", "enrolled_at" = excluded."enrolled_at"
    RETURNING "placed".* INTO "enrollment";
    INSERT INTO "user_university_roles" ("user_id", "university_id", "role")
    SELECT "person", "run"."university_id", 'student' WHERE NOT EXISTS (
      SELECT FROM "user_university_roles"
      WHERE "user_id" = "person" AND "university_id" = "run"."university_id"
    ) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NEXT;
END $$;
--> statement-breakpoint
-- Moves an enrollment to another status, `wanted` null for none. The owner takes a place up only as if enrolling
-- anew; staff may overfill an offering. Whoever goes to the waiting list stands at its end, and a place that is
-- left goes to the next in line.
CREATE FUNCTION "set_enrollment_status"(
  "moved" integer, "wanted" text, "by_owner" boolean, "moment" timestamptz
) RETURNS TABLE ("refusal" text, "missing" text, "enrollment" "enrollments") LANGUAGE plpgsql AS $$
DECLARE
  "run" "course_offerings";
  "former" text;
BEGIN
  SELECT "course_offerings".* INTO "run"
  FROM "enrollments" JOIN "course_offerings" ON "course_offerings"."id" = "course_offering_id"
  WHERE "enrollments"."id" = "moved" FOR NO KEY UPDATE OF "course_offerings";
  SELECT * INTO "enrollment" FROM "enrollments" WHERE "id" = "moved";
  "former" := "enrollment"."status";
  IF "wanted" <> "former" AND "wanted" = 'active' AND "by_owner" THEN
    SELECT * INTO "refusal", "missing" FROM "refusal_to_enroll"("run", "enrollment"."user_id", "moment");
    IF "refusal" IS NULL AND "is_full"("run") THEN "refusal" := 'full'; END IF;
  END IF;
  IF "wanted" <> "former" AND "refusal" IS NULL THEN
    UPDATE "enrollments" SET
      "status" = "wanted",
      "completed_at" = CASE WHEN "wanted" = 'completed' THEN "moment" END,
      "enrolled_at" = CASE WHEN "wanted" = 'waitlisted' THEN "end_of_waiting_list"("run"."id", "moment")
                           ELSE "enrolled_at" END
    WHERE "id" = "moved" RETURNING "enrollments".* INTO "enrollment";
    IF "former" = 'active' THEN PERFORM "fill_places"("run"."id", "moved"); END IF;
  END IF;
  RETURN NEXT;
END $$;
--> statement-breakpoint
CREATE FUNCTION "course_offerings_fill_places"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "fill_places"(NEW."id");
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "course_offerings_fill_places" AFTER UPDATE OF "capacity" ON "course_offerings"
  FOR EACH ROW WHEN (OLD."capacity" IS DISTINCT FROM NEW."capacity")
  EXECUTE FUNCTION "course_offerings_fill_places"();
--> statement-breakpoint
-- No course is needed for itself, through however many others. Within a university new prerequisites wait for each
-- other: two that make a cycle only together meet one after the other.
CREATE FUNCTION "course_prerequisites_stay_acyclic"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM "universities"
  WHERE "id" = (SELECT "university_id" FROM "courses" WHERE "id" = NEW."course_id") FOR NO KEY UPDATE;
  IF EXISTS (
    WITH RECURSIVE "needed" AS (
      SELECT NEW."prerequisite_course_id" AS "id"
      UNION
      SELECT "prerequisite_course_id"
      FROM "course_prerequisites" JOIN "needed" ON "course_prerequisites"."course_id" = "needed"."id"
    )
    SELECT FROM "needed" WHERE "id" = NEW."course_id"
  ) THEN
    RAISE EXCEPTION 'course % would be needed for itself', NEW."course_id"
      USING ERRCODE = 'check_violation', TABLE = 'course_prerequisites', CONSTRAINT = 'course_prerequisites_acyclic';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "course_prerequisites_stay_acyclic"
  BEFORE INSERT OR UPDATE OF "course_id", "prerequisite_course_id" ON "course_prerequisites"
  FOR EACH ROW EXECUTE FUNCTION "course_prerequisites_stay_acyclic"();
--> statement-breakpoint
-- The set of a course's subjects, in place of the one before: `[{"subject_id": 1, "is_primary": true}, …]`.
-- The subject that is marked, or none, is the course's primary subject from now on. Answers the set.
CREATE FUNCTION "replace_course_subjects"("course" integer, "wanted" jsonb) RETURNS SETOF "course_subjects"
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM "courses" WHERE "id" = "course" FOR NO KEY UPDATE;
  DELETE FROM "course_subjects" WHERE "course_id" = "course";
  INSERT INTO "course_subjects" ("course_id", "subject_id", "is_primary")
  SELECT "course", "subject_id", "is_primary"
  FROM jsonb_to_recordset("wanted") AS "one" ("subject_id" integer, "is_primary" boolean);
  UPDATE "courses" SET "updated_at" = now(), "primary_subject_id" = (
    SELECT "subject_id" FROM "course_subjects" WHERE "course_id" = "course" AND "is_primary"
  ) WHERE "id" = "course";
  RETURN QUERY SELECT * FROM "course_subjects" WHERE "course_id" = "course";
END $$;
