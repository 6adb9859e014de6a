-- A course's outline, its modules and the content in them, is kept in order here, whoever writes: a module's depth
-- is its parent's plus 1, at most 32, no module is moved below itself, and what comes without a place goes last.
--
-- Whatever changes an outline locks its course first, before any row of the outline: such changes wait for each
-- other. Each query in a function looks anew, so what others committed during the wait is seen.
ALTER TABLE "modules" ADD CONSTRAINT "modules_depth_limit" CHECK ("depth" <= 32);
--> statement-breakpoint
-- A parent that does not exist, or is another course's, is left to the foreign key.
CREATE FUNCTION "modules_take_place"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM "courses" WHERE "id" = NEW."course_id" FOR NO KEY UPDATE;
  IF EXISTS (
    WITH RECURSIVE "ancestors" AS (
      SELECT "id", "parent_module_id" FROM "modules" WHERE "id" = NEW."parent_module_id"
      UNION
      SELECT "parent"."id", "parent"."parent_module_id"
      FROM "modules" AS "parent" JOIN "ancestors" ON "parent"."id" = "ancestors"."parent_module_id"
    )
    SELECT FROM "ancestors" WHERE "id" = NEW."id"
  ) THEN
    RAISE EXCEPTION 'module % cannot be moved below itself', NEW."id"
      USING ERRCODE = 'check_violation', TABLE = 'modules', CONSTRAINT = 'modules_not_below_itself';
  END IF;
  NEW."depth" := coalesce((SELECT "depth" + 1 FROM "modules" WHERE "id" = NEW."parent_module_id"), 0);
  NEW."sequence_index" := coalesce(NEW."sequence_index", (
    SELECT max("sequence_index") + 1 FROM "modules"
    WHERE "course_id" = NEW."course_id" AND "parent_module_id" IS NOT DISTINCT FROM NEW."parent_module_id"
  ), 1);
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "modules_take_place" BEFORE INSERT OR UPDATE OF "parent_module_id" ON "modules"
  FOR EACH ROW EXECUTE FUNCTION "modules_take_place"();
--> statement-breakpoint
CREATE FUNCTION "modules_take_subtree_along"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH RECURSIVE "below" AS (
    SELECT "id", NEW."depth" + 1 AS "depth" FROM "modules" WHERE "parent_module_id" = NEW."id"
    UNION ALL
    SELECT "child"."id", "below"."depth" + 1
    FROM "modules" AS "child" JOIN "below" ON "child"."parent_module_id" = "below"."id"
  )
  UPDATE "modules" SET "depth" = "below"."depth" FROM "below" WHERE "modules"."id" = "below"."id";
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "modules_take_subtree_along" AFTER UPDATE OF "parent_module_id" ON "modules"
  FOR EACH ROW WHEN (OLD."depth" <> NEW."depth") EXECUTE FUNCTION "modules_take_subtree_along"();
--> statement-breakpoint
CREATE FUNCTION "content_items_take_place"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."sequence_index" IS NULL THEN
    PERFORM FROM "courses" WHERE "id" = NEW."course_id" FOR NO KEY UPDATE;
    NEW."sequence_index" := coalesce(
      (SELECT max("sequence_index") + 1 FROM "content_items" WHERE "module_id" = NEW."module_id"), 1);
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "content_items_take_place" BEFORE INSERT OR UPDATE OF "module_id" ON "content_items"
  FOR EACH ROW EXECUTE FUNCTION "content_items_take_place"();
--> statement-breakpoint
-- Numbers the siblings from 1: the named ones in the order given, then the others in their old order. Answers all.
CREATE FUNCTION "reorder_modules"("course" integer, "named" integer[]) RETURNS SETOF "modules"
LANGUAGE plpgsql STRICT AS $$
DECLARE
  "parent" integer;
BEGIN
  PERFORM FROM "courses" WHERE "id" = "course" FOR NO KEY UPDATE;
  SELECT "parent_module_id" INTO "parent" FROM "modules" WHERE "id" = "named"[1];
  IF cardinality("named") <> (
    SELECT count(*) FROM "modules"
    WHERE "course_id" = "course" AND "parent_module_id" IS NOT DISTINCT FROM "parent" AND "id" = ANY ("named")
  ) THEN
    RAISE EXCEPTION 'modules % are not siblings, or not each named once', "named"
      USING ERRCODE = 'check_violation', TABLE = 'modules', CONSTRAINT = 'modules_reorder_siblings';
  END IF;
  UPDATE "modules" SET "sequence_index" = "place"."rank", "updated_at" = now()
  FROM (
    SELECT "id", row_number() OVER (ORDER BY array_position("named", "id"), "sequence_index") AS "rank"
    FROM "modules" WHERE "course_id" = "course" AND "parent_module_id" IS NOT DISTINCT FROM "parent"
  ) AS "place"
  WHERE "modules"."id" = "place"."id" AND "modules"."sequence_index" <> "place"."rank";
  RETURN QUERY SELECT * FROM "modules"
    WHERE "course_id" = "course" AND "parent_module_id" IS NOT DISTINCT FROM "parent";
END $$;
--> statement-breakpoint
-- The same for the content of one module.
CREATE FUNCTION "reorder_content_items"("course" integer, "named" integer[]) RETURNS SETOF "content_items"
LANGUAGE plpgsql STRICT AS $$
DECLARE
  "module" integer;
BEGIN
  PERFORM FROM "courses" WHERE "id" = "course" FOR NO KEY UPDATE;
  SELECT "module_id" INTO "module" FROM "content_items" WHERE "id" = "named"[1];
  IF cardinality("named") <> (
    SELECT count(*) FROM "content_items" WHERE "module_id" = "module" AND "id" = ANY ("named")
  ) THEN
    RAISE EXCEPTION 'content items % are not of one module, or not each named once', "named"
      USING ERRCODE = 'check_violation', TABLE = 'content_items', CONSTRAINT = 'content_items_reorder_siblings';
  END IF;
  UPDATE "content_items" SET "sequence_index" = "place"."rank", "updated_at" = now()
  FROM (
    SELECT "id", row_number() OVER (ORDER BY array_position("named", "id"), "sequence_index") AS "rank"
    FROM "content_items" WHERE "module_id" = "module"
  ) AS "place"
  WHERE "content_items"."id" = "place"."id" AND "content_items"."sequence_index" <> "place"."rank";
  RETURN QUERY SELECT * FROM "content_items" WHERE "module_id" = "module";
END $$;
