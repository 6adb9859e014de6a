-- Prompts change here, one change after another, whoever writes: numbers are consecutive, every move of a label is
-- recorded, `latest` stands on the newest version, and no change breaks what a prompt references.
--
-- Every function that changes prompts takes one lock first. Each query in a function looks anew, so what others
-- committed during the wait is seen. A refusal names its rule as the constraint; the detail is for whoever explains it.
CREATE VIEW "prompt_versions" AS
  SELECT "prompts"."id", "prompts"."name", "version", "type", "prompt", "config",
         ARRAY(SELECT "label"::text FROM "prompt_labels" WHERE "prompt_id" = "prompts"."id" ORDER BY "label") AS "labels",
         "tags", "commit_message", "created_by"::text AS "created_by", "prompts"."created_at", "prompts"."updated_at"
  FROM "prompts" JOIN "prompt_names" ON "prompt_names"."name" = "prompts"."name";
--> statement-breakpoint
-- Each reference with the prompt to which it leads just now; null when there is no such version or label.
CREATE VIEW "prompt_links" AS
  SELECT "prompt_dependencies"."prompt_id", "position", "child_name", "child_version", "child_label",
         coalesce("numbered"."id", "labelled"."prompt_id") AS "child_id"
  FROM "prompt_dependencies"
  LEFT JOIN "prompts" AS "numbered" ON "numbered"."name" = "child_name" AND "numbered"."version" = "child_version"
  LEFT JOIN "prompt_labels" AS "labelled" ON "labelled"."name" = "child_name" AND "labelled"."label" = "child_label";
--> statement-breakpoint
CREATE FUNCTION "lock_prompts"() RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock('prompts'::regclass::oid::int, 0)
$$;
--> statement-breakpoint
CREATE FUNCTION "refuse_prompt_change"("rule" text, "about" text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'prompts would break the rule %', "rule"
    USING ERRCODE = 'check_violation', TABLE = 'prompts', CONSTRAINT = "rule", DETAIL = coalesce("about", '');
END $$;
--> statement-breakpoint
-- Whether every reference below a prompt leads somewhere, at most so many levels deep. A cycle is endlessly deep.
CREATE FUNCTION "prompt_is_whole"("prompt" integer, "levels" integer DEFAULT 5) RETURNS boolean
LANGUAGE sql STABLE AS $$
  WITH RECURSIVE "reached" AS (
    SELECT "prompt" AS "id", 0 AS "level"
    UNION
    SELECT "child_id", "level" + 1
    FROM "reached" JOIN "prompt_links" ON "prompt_links"."prompt_id" = "reached"."id"
    WHERE "level" <= "levels"
  )
  SELECT bool_and("id" IS NOT NULL AND "level" <= "levels") FROM "reached"
$$;
--> statement-breakpoint
-- The prompts whose references lead to one of the labels of a name, at once or through others.
CREATE FUNCTION "prompts_reaching"("named" text, "moving" text[]) RETURNS SETOF integer LANGUAGE sql STABLE AS $$
  WITH RECURSIVE "above" AS (
    SELECT "prompt_id" FROM "prompt_dependencies" WHERE "child_name" = "named" AND "child_label" = ANY ("moving")
    UNION
    SELECT "prompt_links"."prompt_id"
    FROM "above"
    JOIN "prompts" ON "prompts"."id" = "above"."prompt_id"
    JOIN "prompt_links"
      ON "prompt_links"."child_name" = "prompts"."name" AND "prompt_links"."child_id" = "prompts"."id"
  )
  SELECT "prompt_id" FROM "above"
$$;
--> statement-breakpoint
-- Those of them that are whole, and have to be so when the labels have moved.
CREATE FUNCTION "whole_prompts_reaching"("named" text, "moving" text[]) RETURNS integer[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg("id" ORDER BY "id"), '{}')
  FROM "prompts_reaching"("named", "moving") AS "above" ("id") WHERE "prompt_is_whole"("id")
$$;
--> statement-breakpoint
-- Refuses when one of the prompts is broken. The detail is the way to its first reference that cannot be followed,
-- `{"problem": "cycle", "chain": ["a", "b", "a"]}`.
CREATE FUNCTION "refuse_broken_prompts"("checked" integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  "path" integer[];
  "chain" text[];
  "link" "prompt_links";
BEGIN
  SELECT ARRAY["prompts"."id"], ARRAY["name"]::text[] INTO "path", "chain"
  FROM unnest("checked") WITH ORDINALITY AS "one" ("id", "rank") JOIN "prompts" ON "prompts"."id" = "one"."id"
  WHERE NOT "prompt_is_whole"("one"."id") ORDER BY "rank" LIMIT 1;
  IF NOT FOUND THEN RETURN; END IF;
  FOR "levels_left" IN REVERSE 4 .. -1 LOOP
    SELECT * INTO "link" FROM "prompt_links"
    WHERE "prompt_id" = "path"[cardinality("path")]
      AND ("child_id" IS NULL OR NOT "prompt_is_whole"("child_id", "levels_left"))
    ORDER BY "position" LIMIT 1;
    "chain" := "chain" || "link"."child_name"::text;
    "path" := "path" || "link"."child_id";
    EXIT WHEN "link"."child_id" IS NULL OR "link"."child_id" = ANY (trim_array("path", 1));
  END LOOP;
  PERFORM "refuse_prompt_change"('prompt_references_whole', jsonb_build_object(
    'problem', CASE WHEN "link"."child_id" IS NULL THEN 'missing'
                    WHEN "link"."child_id" = ANY (trim_array("path", 1)) THEN 'cycle' ELSE 'too deep' END,
    'chain', "chain", 'child_version', "link"."child_version", 'child_label', "link"."child_label")::text);
END $$;
--> statement-breakpoint
-- Puts labels on a version, whence they leave the others of the name, or takes them off where the version is null.
-- The clock is read after the wait for the lock, so that the recorded moments are in the order of the changes.
CREATE FUNCTION "place_prompt_labels"("named" text, "placed" text[], "target" integer, "person" integer)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  "moved" text[] := ARRAY(
    SELECT unnest("placed") EXCEPT SELECT "label" FROM "prompt_labels" WHERE "prompt_id" = "target" ORDER BY 1);
BEGIN
  IF "moved" = '{}' THEN RETURN; END IF;
  INSERT INTO "prompt_label_events" ("name", "label", "from_version", "to_version", "changed_by", "changed_at")
  SELECT "named", "one"."label", "former"."version",
         (SELECT "version" FROM "prompts" WHERE "id" = "target"), "person", clock_timestamp()
  FROM unnest("moved") AS "one" ("label")
  LEFT JOIN "prompt_labels" AS "held" ON "held"."name" = "named" AND "held"."label" = "one"."label"
  LEFT JOIN "prompts" AS "former" ON "former"."id" = "held"."prompt_id";
  UPDATE "prompts" SET "updated_at" = now() WHERE "id" = "target" OR "id" IN (
    SELECT "prompt_id" FROM "prompt_labels" WHERE "name" = "named" AND "label" = ANY ("moved"));
  DELETE FROM "prompt_labels" WHERE "name" = "named" AND "label" = ANY ("moved");
  INSERT INTO "prompt_labels" ("name", "label", "prompt_id")
  SELECT "named", "label", "target" FROM unnest("moved") AS "one" ("label") WHERE "target" IS NOT NULL;
END $$;
--> statement-breakpoint
-- Adds the next version of a name, with `latest` and the labels wanted. `tagged` null keeps the name's tags.
-- `referenced`: `[{"child_name": "tone", "child_version": null, "child_label": "formal"}, …]`, in order.
CREATE FUNCTION "create_prompt_version"(
  "named" text, "body" text, "settings" jsonb, "wanted" text[], "tagged" text[], "message" text,
  "referenced" jsonb, "person" integer
) RETURNS SETOF "prompt_versions" LANGUAGE plpgsql AS $$
DECLARE
  "number" integer;
  "made" integer;
  "checked" integer[];
BEGIN
  PERFORM "lock_prompts"();
  INSERT INTO "prompt_names" ("name", "tags", "latest_version") VALUES ("named", coalesce("tagged", '{}'), 1)
  ON CONFLICT ("name") DO UPDATE SET
    "latest_version" = "prompt_names"."latest_version" + 1, "tags" = coalesce("tagged", "prompt_names"."tags")
  RETURNING "latest_version" INTO "number";
  INSERT INTO "prompts" ("name", "version", "prompt", "config", "commit_message", "created_by")
  VALUES ("named", "number", "body", "settings", "message", "person") RETURNING "id" INTO "made";
  INSERT INTO "prompt_dependencies" ("prompt_id", "position", "child_name", "child_version", "child_label")
  SELECT "made", "position", "child_name", "child_version", "child_label"
  FROM ROWS FROM (
    jsonb_to_recordset("referenced") AS ("child_name" text, "child_version" integer, "child_label" text)
  ) WITH ORDINALITY AS "one" ("child_name", "child_version", "child_label", "position");
  "wanted" := array_append("wanted", 'latest');
  "checked" := "made" || "whole_prompts_reaching"("named", "wanted");
  PERFORM "place_prompt_labels"("named", "wanted", "made", "person");
  PERFORM "refuse_broken_prompts"("checked");
  RETURN QUERY SELECT * FROM "prompt_versions" WHERE "id" = "made";
END $$;
--> statement-breakpoint
-- Sets a version's labels to those wanted; `latest` stays where it is. The `guarded` ones are not the caller's to
-- put on, move or take off. No row: there is no such version.
CREATE FUNCTION "set_prompt_labels"(
  "named" text, "number" integer, "wanted" text[], "guarded" text[], "person" integer
) RETURNS SETOF "prompt_versions" LANGUAGE plpgsql AS $$
DECLARE
  "target" integer;
  "held" text[];
  "added" text[];
  "removed" text[];
  "checked" integer[];
BEGIN
  PERFORM "lock_prompts"();
  SELECT "id", "labels" INTO "target", "held" FROM "prompt_versions" WHERE "name" = "named" AND "version" = "number";
  IF NOT FOUND THEN RETURN; END IF;
  "added" := ARRAY(SELECT unnest("wanted") EXCEPT SELECT unnest("held"));
  "removed" := ARRAY(SELECT unnest("held") EXCEPT SELECT unnest(array_append("wanted", 'latest')));
  IF 'latest' = ANY ("added") THEN PERFORM "refuse_prompt_change"('prompt_labels_latest'); END IF;
  IF ("added" || "removed") && "guarded" THEN PERFORM "refuse_prompt_change"('prompt_labels_protected'); END IF;
  "checked" := "whole_prompts_reaching"("named", "added" || "removed");
  PERFORM "place_prompt_labels"("named", "added", "target", "person");
  PERFORM "place_prompt_labels"("named", "removed", NULL, "person");
  PERFORM "refuse_broken_prompts"("checked");
  RETURN QUERY SELECT * FROM "prompt_versions" WHERE "id" = "target";
END $$;
--> statement-breakpoint
-- Sets the tags of all versions of a name; false when there is none.
CREATE FUNCTION "set_prompt_tags"("named" text, "tagged" text[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "lock_prompts"();
  UPDATE "prompt_names" SET "tags" = "tagged" WHERE "name" = "named" AND "tags" <> "tagged";
  IF FOUND THEN UPDATE "prompts" SET "updated_at" = now() WHERE "name" = "named"; END IF;
  RETURN EXISTS (SELECT FROM "prompt_names" WHERE "name" = "named");
END $$;
--> statement-breakpoint
-- Deletes a version of a name, or all of them where `number` is null; the name goes with its last version. Refused
-- while another prompt depends on what would go: the version, or a label that no version would carry any more.
-- `latest` goes to the newest version that remains. False when there is nothing to delete.
CREATE FUNCTION "delete_prompt_versions"("named" text, "number" integer, "person" integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  "doomed" integer[];
  "heir" integer;
  "lost" text[];
  "dependents" text;
BEGIN
  PERFORM "lock_prompts"();
  "doomed" := ARRAY(
    SELECT "id" FROM "prompts" WHERE "name" = "named" AND ("number" IS NULL OR "version" = "number"));
  IF "doomed" = '{}' THEN RETURN false; END IF;
  SELECT "id" INTO "heir" FROM "prompts" WHERE "name" = "named" AND "id" <> ALL ("doomed")
  ORDER BY "version" DESC LIMIT 1;
  "lost" := ARRAY(
    SELECT "label" FROM "prompt_labels"
    WHERE "prompt_id" = ANY ("doomed") AND ("label" <> 'latest' OR "heir" IS NULL));
  SELECT string_agg("name" || ' (version ' || "version" || ')', ', ' ORDER BY "name", "version") INTO "dependents"
  FROM "prompts" WHERE "id" IN (
    SELECT "prompt_id" FROM "prompt_dependencies"
    WHERE "child_name" = "named"
      AND ("heir" IS NULL OR "child_version" = "number" OR "child_label" = ANY ("lost")));
  IF "dependents" IS NOT NULL THEN PERFORM "refuse_prompt_change"('prompt_dependents', "dependents"); END IF;
  PERFORM "place_prompt_labels"("named", "lost", NULL, "person");
  IF "heir" IS NULL THEN
    DELETE FROM "prompt_names" WHERE "name" = "named";
  ELSE
    PERFORM "place_prompt_labels"("named", '{latest}', "heir", "person");
    DELETE FROM "prompts" WHERE "id" = ANY ("doomed");
  END IF;
  RETURN true;
END $$;
