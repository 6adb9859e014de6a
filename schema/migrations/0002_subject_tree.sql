-- The tree of subjects is kept whole here, whoever writes: a subject's depth is its parent's plus 1, a move takes
-- the depths of the whole subtree along, and no subject is moved below itself.

-- Changes of the tree wait for each other, before they lock a row: two moves that make a cycle only together
-- meet one after the other, and a move that renumbers its subtree never meets one that holds a part of it.
CREATE FUNCTION "subjects_lock_tree"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock('subjects'::regclass::oid::int, 0);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "subjects_lock_tree" BEFORE INSERT OR UPDATE OF "parent_subject_id" ON "subjects"
  FOR EACH STATEMENT EXECUTE FUNCTION "subjects_lock_tree"();
--> statement-breakpoint
-- Each query in a function looks anew, so what others committed while this one waited for the lock is seen.
-- A parent that does not exist is left to the foreign key.
CREATE FUNCTION "subjects_take_place"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    WITH RECURSIVE "ancestors" AS (
      SELECT "id", "parent_subject_id" FROM "subjects" WHERE "id" = NEW."parent_subject_id"
      UNION
      SELECT "parent"."id", "parent"."parent_subject_id"
      FROM "subjects" AS "parent" JOIN "ancestors" ON "parent"."id" = "ancestors"."parent_subject_id"
    )
    SELECT FROM "ancestors" WHERE "id" = NEW."id"
  ) THEN
    RAISE EXCEPTION 'subject % cannot be moved below itself', NEW."id"
      USING ERRCODE = 'check_violation', TABLE = 'subjects', CONSTRAINT = 'subjects_not_below_itself';
  END IF;
  NEW."depth" := coalesce((SELECT "depth" + 1 FROM "subjects" WHERE "id" = NEW."parent_subject_id"), 0);
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "subjects_take_place" BEFORE INSERT OR UPDATE OF "parent_subject_id" ON "subjects"
  FOR EACH ROW EXECUTE FUNCTION "subjects_take_place"();
--> statement-breakpoint
CREATE FUNCTION "subjects_take_subtree_along"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH RECURSIVE "below" AS (
    SELECT "id", NEW."depth" + 1 AS "depth" FROM "subjects" WHERE "parent_subject_id" = NEW."id"
    UNION ALL
    SELECT "child"."id", "below"."depth" + 1
    FROM "subjects" AS "child" JOIN "below" ON "child"."parent_subject_id" = "below"."id"
  )
  UPDATE "subjects" SET "depth" = "below"."depth" FROM "below" WHERE "subjects"."id" = "below"."id";
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "subjects_take_subtree_along" AFTER UPDATE OF "parent_subject_id" ON "subjects"
  FOR EACH ROW WHEN (OLD."depth" <> NEW."depth") EXECUTE FUNCTION "subjects_take_subtree_along"();
