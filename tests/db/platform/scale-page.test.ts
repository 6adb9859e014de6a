import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { readCatalog } from "../../../scripts/ops/university/catalog.ts";
import { targetOf } from "../../../scripts/ops/university/conditions.ts";
import { byName, leftOut, ownerships } from "../../../scripts/ops/university/ownership.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { scaleTable } from "../../support/scale-page.ts";

const namedBelow = async (heading: string): Promise<string[]> =>
  (await scaleTable(heading)).map(({ name }) => name).sort();

/** Each table with the targets of its required and optional foreign keys. */
const ownership = `
  with recursive foreign_keys as (
    select conrelid as child, confrelid as parent, bool_and(attnotnull) as always
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any(conkey)
    where contype = 'f' group by pg_constraint.oid, conrelid, confrelid),
  of_university(id) as (values ('universities'::regclass::oid)
    union select child from foreign_keys join of_university on parent = id where always),
  of_person(id) as (values ('users'::regclass::oid)
    union select child from foreign_keys join of_person on parent = id where always),
  of_either(id) as (values ('universities'::regclass::oid)
    union select child from foreign_keys join of_either on parent = id)
  select relname as table, case
    when oid in (table of_university) then 'university' when oid in (table of_person) then 'person'
    when oid in (table of_either) then 'either' else 'none' end as owner
  from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition
  order by relname`;

/** JSON without row ids: text, options with their ids, and people's input. */
const jsonWithoutIds = [
  "answer_pins.asked",
  "answer_pins.choices",
  "answer_pins.path",
  "answer_pins.question",
  "answer_pins.question_key",
  "assets.meta_json",
  "cache_nodes.choices",
  "cache_nodes.chunks",
  "cache_nodes.question",
  "cache_nodes.question_key",
  "cartridge_parts.details",
  "certificates.metadata_json",
  "chat_messages.choices",
  "chat_messages.question",
  "chat_messages.question_key",
  "chat_sessions.tutor_context",
  "data_requests.correction",
  "grading_schemes.letter_scale",
  "imports.ignored",
  "imports.read_as",
  "lab_submissions.auto_grade_json",
  "lab_submissions.data_json",
  "lab_submissions.rubric",
  "lti_tools.custom_parameters",
  "lti_tools.public_jwks",
  "message_sources.place",
  "notes.anchor",
  "passages.place",
  "question_versions.answer_json",
  "question_versions.options_json",
  "questions.answer_json",
  "questions.options_json",
  "retention_runs.forgotten",
  "saml_providers.affiliation_roles",
  "saml_providers.seen_attributes",
  "scim_users.attributes",
  "scorm_attempts.scos",
  "scorm_attempts.sequencing",
  "scorm_packages.activity_tree",
  "scorm_packages.entries",
  "scorm_packages.scos",
  "submission_marks.rubric",
  "tutor_notes.common_errors",
  "tutor_notes.key_facts",
  "tutor_notes.never_say",
  "tutor_questions.question",
  "tutor_questions.question_key",
];

describe("docs/scale.md", () => {
  let clone: TestDatabase;
  let tables: { table: string; owner: string }[];

  beforeAll(async () => {
    clone = await cloneDatabase();
    const client = new pg.Client(clone.url);
    await client.connect();
    ({ rows: tables } = await client.query(ownership));
    await client.end();
  });

  afterAll(() => clone.drop());

  it.each([
    ["person", "Rows of a person"],
    ["either", "Rows of a university or of the platform"],
    ["none", "Rows that refer to no one"],
  ])("lists each table whose rows belong to no one university: %s", async (owner, heading) => {
    const found = tables.filter((one) => one.owner === owner).map(({ table }) => table);
    expect(found).not.toEqual([]);
    expect(await namedBelow(heading)).toEqual(found);
  });

  it("says for each table how the commands for a leaving university handle it", async () => {
    const taken = ownerships.map(({ table }) => table);
    expect([...taken, ...byName, ...leftOut].sort()).toEqual(tables.map(({ table }) => table));
    const said = (
      await Promise.all(
        ["Rows of a person", "Rows of a university or of the platform", "Rows that refer to no one"].map(
          scaleTable,
        ),
      )
    ).flat();
    for (const { name, text } of said) expect(/^none\b/.test(text), name).toBe(leftOut.includes(name));
    const ofUniversity = tables.filter(({ owner }) => owner === "university").map(({ table }) => table);
    expect(ofUniversity.filter((table) => !taken.includes(table))).toEqual(
      await namedBelow("Rows of a university that stay"),
    );
  });

  it("finds every reference without a foreign key in exported data", async () => {
    const client = new pg.Client(clone.url);
    await client.connect();
    const catalog = await readCatalog(client);
    await client.end();
    const missing = ownerships.flatMap((ownership) =>
      (catalog.get(ownership.table)?.columns ?? [])
        .filter(({ name, isId }) => !isId && /_ids?$|_id_/.test(name))
        .filter(({ name, type }) => /^(integer|bigint)/.test(type) && !ownership.instead?.[name])
        .filter((column) => !targetOf(column, ownership))
        .map(({ name }) => `${ownership.table}.${name}`),
    );
    // By its kind, `object_type`.
    expect(missing).toEqual(["activity_events.object_id"]);
    const json = ownerships.flatMap((ownership) =>
      (catalog.get(ownership.table)?.columns ?? [])
        .filter(({ name, type }) => type === "jsonb" && !ownership.json?.[name])
        .map(({ name }) => `${ownership.table}.${name}`),
    );
    expect(json.sort()).toEqual(jsonWithoutIds);
  });

  it("names each job, and each operation over all universities", async () => {
    const listed = await namedBelow("Work across all universities");
    const document = JSON.parse(
      await readFile(new URL("../../../docs/reference/openapi.json", import.meta.url), "utf8"),
    ) as { paths: Record<string, object> };
    const reports = Object.keys(document.paths)
      .filter((path) => /\/admin\/(analytics\/|audit$)/.test(path))
      .map((path) => `GET ${path.replace("/api/v1", "")}`);
    const expected = [...Object.keys(jobs), ...reports].sort();
    expect(listed).toEqual(expected);
  });
});
