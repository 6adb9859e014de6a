-- An enrollment knows its university, which is its offering's: the people of a university are read in their order,
-- however many they are.
ALTER TABLE "course_offerings" ADD CONSTRAINT "course_offerings_id_university_id_unique" UNIQUE("id","university_id");--> statement-breakpoint
ALTER TABLE "enrollments" ADD COLUMN "university_id" integer DEFAULT null;--> statement-breakpoint
UPDATE "enrollments" SET "university_id" = "course_offerings"."university_id"
  FROM "course_offerings" WHERE "course_offerings"."id" = "course_offering_id";--> statement-breakpoint
ALTER TABLE "enrollments" ALTER COLUMN "university_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "enrollments" DROP CONSTRAINT "enrollments_course_offering_id_course_offerings_id_fk";--> statement-breakpoint
ALTER TABLE "enrollments" ADD CONSTRAINT "enrollments_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "enrollments_university_id_user_id_index" ON "enrollments" USING btree ("university_id","user_id");--> statement-breakpoint
CREATE INDEX "user_university_roles_university_id_user_id_index" ON "user_university_roles" USING btree ("university_id","user_id");--> statement-breakpoint
-- Who everyone of an offering is, and how they stand, is read from one index.
DROP INDEX "enrollments_roster_index";--> statement-breakpoint
CREATE INDEX "enrollments_roster_index" ON "enrollments" USING btree ("course_offering_id","status","enrolled_at","id","user_id");--> statement-breakpoint
-- The top of a course's tree is read without looking at what is below it.
CREATE INDEX "modules_root_index" ON "modules" USING btree ("course_id","sequence_index") WHERE "modules"."parent_module_id" is null;--> statement-breakpoint
CREATE FUNCTION "enrollments_take_university"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."university_id" := (SELECT "university_id" FROM "course_offerings" WHERE "id" = NEW."course_offering_id");
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "enrollments_take_university" BEFORE INSERT OR UPDATE OF "course_offering_id" ON "enrollments"
  FOR EACH ROW EXECUTE FUNCTION "enrollments_take_university"();
--> statement-breakpoint
-- How many take each course is kept, for the course and once more for each subject that it teaches: recommendations
-- begin with what most people take, and counting every enrollment for that would take a second.
CREATE TABLE "course_popularity" (
	"course_id" integer NOT NULL,
	"subject_id" integer,
	"enrollments" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "course_popularity_key" UNIQUE NULLS NOT DISTINCT("course_id","subject_id")
);
--> statement-breakpoint
ALTER TABLE "course_popularity" ADD CONSTRAINT "course_popularity_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_popularity" ADD CONSTRAINT "course_popularity_subject_id_subjects_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."subjects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "course_popularity_subject_id_enrollments_course_id_index" ON "course_popularity" USING btree ("subject_id","enrollments" DESC,"course_id");--> statement-breakpoint
-- The row of the course itself is locked before the others change, so that a count and a change of subjects that
-- meet do not overlook each other: each query in a function looks anew.
CREATE FUNCTION "keep_popularity_of_subjects"("course" integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  "counted" integer;
  "taught" integer[];
BEGIN
  SELECT "enrollments" INTO "counted" FROM "course_popularity"
    WHERE "course_id" = "course" AND "subject_id" IS NULL FOR UPDATE;
  "taught" := ARRAY(
    SELECT "subject_id" FROM "course_subjects" WHERE "course_id" = "course"
    UNION SELECT "primary_subject_id" FROM "courses" WHERE "id" = "course" AND "primary_subject_id" IS NOT NULL);
  DELETE FROM "course_popularity"
    WHERE "course_id" = "course" AND "subject_id" IS NOT NULL AND "subject_id" <> ALL ("taught");
  INSERT INTO "course_popularity" ("course_id", "subject_id", "enrollments")
    SELECT "course", "subject", "counted" FROM unnest("taught") AS "subject" ON CONFLICT DO NOTHING;
END $$;
--> statement-breakpoint
CREATE FUNCTION "courses_keep_popularity"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "course_popularity" ("course_id") VALUES (NEW."id") ON CONFLICT DO NOTHING;
  PERFORM "keep_popularity_of_subjects"(NEW."id");
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "courses_keep_popularity" AFTER INSERT OR UPDATE OF "primary_subject_id" ON "courses"
  FOR EACH ROW EXECUTE FUNCTION "courses_keep_popularity"();
--> statement-breakpoint
CREATE FUNCTION "course_subjects_keep_popularity"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "keep_popularity_of_subjects"("id") FROM "courses" WHERE "id" = coalesce(NEW."course_id", OLD."course_id");
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "course_subjects_keep_popularity" AFTER INSERT OR DELETE ON "course_subjects"
  FOR EACH ROW EXECUTE FUNCTION "course_subjects_keep_popularity"();
--> statement-breakpoint
CREATE FUNCTION "enrollments_keep_popularity"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "change" integer := coalesce(NEW."status" IN ('active', 'completed'), false)::int
                    - coalesce(OLD."status" IN ('active', 'completed'), false)::int;
  "course" integer;
BEGIN
  IF "change" <> 0 THEN
    SELECT "course_id" INTO "course" FROM "course_offerings"
      WHERE "id" = coalesce(NEW."course_offering_id", OLD."course_offering_id");
    PERFORM FROM "course_popularity" WHERE "course_id" = "course" AND "subject_id" IS NULL FOR UPDATE;
    UPDATE "course_popularity" SET "enrollments" = "enrollments" + "change" WHERE "course_id" = "course";
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "enrollments_keep_popularity" AFTER INSERT OR UPDATE OF "status" OR DELETE ON "enrollments"
  FOR EACH ROW EXECUTE FUNCTION "enrollments_keep_popularity"();
--> statement-breakpoint
INSERT INTO "course_popularity" ("course_id", "enrollments")
  SELECT "courses"."id", count("status") FROM "courses"
  LEFT JOIN "course_offerings" ON "course_offerings"."course_id" = "courses"."id"
  LEFT JOIN "enrollments" ON "course_offering_id" = "course_offerings"."id" AND "status" IN ('active', 'completed')
  GROUP BY "courses"."id";--> statement-breakpoint
SELECT "keep_popularity_of_subjects"("id") FROM "courses";
--> statement-breakpoint
-- The published courses of these subjects that most people take.
CREATE FUNCTION "most_taken_courses"("subjects" integer[], "passed_over" integer[], "most" integer)
RETURNS integer[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ARRAY(
    SELECT "course_id" FROM (
      SELECT DISTINCT "course_id", "enrollments" FROM unnest("subjects") AS "subject", LATERAL (
        SELECT "course_id", "enrollments" FROM "course_popularity" JOIN "courses" ON "id" = "course_id"
        WHERE "subject_id" = "subject" AND "is_published" AND "course_id" <> ALL ("passed_over")
        ORDER BY "enrollments" DESC, "course_id" LIMIT "most"
      ) AS "of_subject"
    ) AS "of_subjects" ORDER BY "enrollments" DESC, "course_id" LIMIT "most");
END $$;
--> statement-breakpoint
-- Published courses that the person has not been enrolled in: first those of a subject that they said they like, then
-- those of a subject that they learn already, then all others; of each the ones that most people take.
CREATE FUNCTION "recommended_courses"("person" integer, "most" integer) RETURNS SETOF "courses"
LANGUAGE plpgsql STABLE AS $$
DECLARE
  "own" integer[] := ARRAY(
    SELECT DISTINCT "course_id" FROM "enrollments"
    JOIN "course_offerings" ON "course_offerings"."id" = "course_offering_id" WHERE "user_id" = "person");
  "found" integer[];
BEGIN
  "found" := "most_taken_courses"(
    ARRAY(SELECT "subject_id" FROM "user_subject_preferences" WHERE "user_id" = "person"), "own", "most");
  IF cardinality("found") < "most" THEN
    "found" := "found" || "most_taken_courses"(
      ARRAY(SELECT DISTINCT "subject_id" FROM "course_popularity" WHERE "course_id" = ANY ("own") AND "subject_id" IS NOT NULL),
      "own" || "found", "most" - cardinality("found"));
  END IF;
  IF cardinality("found") < "most" THEN
    -- Written with the subject in the order, which is no order among nulls: only so is the index read in its own.
    "found" := "found" || ARRAY(
      SELECT "course_id" FROM "course_popularity" JOIN "courses" ON "id" = "course_id"
      WHERE "subject_id" IS NULL AND "is_published" AND "course_id" <> ALL ("own") AND "course_id" <> ALL ("found")
      ORDER BY "subject_id", "enrollments" DESC, "course_id" LIMIT "most" - cardinality("found"));
  END IF;
  RETURN QUERY SELECT "courses".* FROM unnest("found") WITH ORDINALITY AS "ranked" ("course_id", "place")
    JOIN "courses" ON "courses"."id" = "ranked"."course_id" ORDER BY "place";
END $$;
--> statement-breakpoint
-- Whoever takes or gives up a place keeps the course from being deleted first, and only then locks the offering and
-- the popularity: a deletion takes the course before both, so that the two never wait for each other.
CREATE FUNCTION "keep_course"("offering" integer) RETURNS void LANGUAGE sql AS $$
  SELECT FROM "courses" WHERE "id" = (SELECT "course_id" FROM "course_offerings" WHERE "id" = "offering") FOR KEY SHARE
$$;
--> statement-breakpoint
-- As before, but for the first line.
CREATE OR REPLACE FUNCTION "enroll"("offering" integer, "person" integer, "moment" timestamptz)
RETURNS TABLE ("refusal" text, "missing" text, "enrollment" "enrollments") LANGUAGE plpgsql AS $$
DECLARE
  "run" "course_offerings";
  "waits" boolean;
BEGIN
  PERFORM "keep_course"("offering");
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
-- As before, but for the first line.
CREATE OR REPLACE FUNCTION "set_enrollment_status"(
  "moved" integer, "wanted" text, "by_owner" boolean, "moment" timestamptz
) RETURNS TABLE ("refusal" text, "missing" text, "enrollment" "enrollments") LANGUAGE plpgsql AS $$
DECLARE
  "run" "course_offerings";
  "former" text;
BEGIN
  PERFORM "keep_course"("course_offering_id") FROM "enrollments" WHERE "id" = "moved";
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
-- How many feature requests have each status is kept as well: the list of all answers their number with every page.
CREATE TABLE "feature_request_totals" (
	"status" text PRIMARY KEY NOT NULL,
	"requests" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "feature_request_totals_status_check" CHECK ("feature_request_totals"."status" in ('pending', 'under_review', 'planned', 'completed', 'declined'))
);
--> statement-breakpoint
-- All rows are locked in one order, so that two changes of status never wait for each other.
CREATE FUNCTION "feature_requests_keep_totals"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM "feature_request_totals" ORDER BY "status" FOR NO KEY UPDATE;
  IF TG_OP <> 'INSERT' THEN
    UPDATE "feature_request_totals" AS "total" SET "requests" = "requests" - "number"
    FROM (SELECT "status", count(*) AS "number" FROM "removed" GROUP BY "status") AS "counted"
    WHERE "total"."status" = "counted"."status";
  END IF;
  IF TG_OP <> 'DELETE' THEN
    UPDATE "feature_request_totals" AS "total" SET "requests" = "requests" + "number"
    FROM (SELECT "status", count(*) AS "number" FROM "added" GROUP BY "status") AS "counted"
    WHERE "total"."status" = "counted"."status";
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "feature_requests_keep_totals_added" AFTER INSERT ON "feature_requests"
  REFERENCING NEW TABLE AS "added"
  FOR EACH STATEMENT EXECUTE FUNCTION "feature_requests_keep_totals"();
--> statement-breakpoint
CREATE TRIGGER "feature_requests_keep_totals_changed" AFTER UPDATE ON "feature_requests"
  REFERENCING OLD TABLE AS "removed" NEW TABLE AS "added"
  FOR EACH STATEMENT EXECUTE FUNCTION "feature_requests_keep_totals"();
--> statement-breakpoint
CREATE TRIGGER "feature_requests_keep_totals_removed" AFTER DELETE ON "feature_requests"
  REFERENCING OLD TABLE AS "removed"
  FOR EACH STATEMENT EXECUTE FUNCTION "feature_requests_keep_totals"();
--> statement-breakpoint
INSERT INTO "feature_request_totals" ("status", "requests")
  SELECT "known"."status", count("id")
  FROM unnest(ARRAY['pending', 'under_review', 'planned', 'completed', 'declined']) AS "known" ("status")
  LEFT JOIN "feature_requests" ON "feature_requests"."status" = "known"."status" GROUP BY "known"."status";
