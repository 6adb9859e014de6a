import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { locksOf, tablesOf } from "../../../scripts/build/writes/chains.ts";
import { longestChains } from "../../../scripts/build/writes/document.ts";
import { advisoryLock } from "../../../scripts/build/writes/locks.ts";
import { bare, readWrites, type Writes } from "../../../scripts/build/writes/read.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

const kind = (name: string) => `(select id from content_types where name = '${name}')`;
const request = `'{"at": "2026-03-01T12:00:00Z"}'`;

/** Two people take a course with a quiz and a lab: one has begun the quiz and has a graded lab. */
const arranged = `
  update course_offerings set capacity = null;
  insert into terms (university_id, name, starts_on, ends_on) values (1, 'Spring', '2026-01-01', '2026-06-30');
  update course_offerings set term_id = 1 where id = 1;
  insert into enrollments (user_id, course_offering_id) values (1, 1), (2, 1);
  update content_items set content_type_id = ${kind("quiz")}, data_json = '{}' where id = 1;
  update content_items set content_type_id = ${kind("engineering_lab")}, data_json = '{"grading": {"max_points": 20}}'
  where id = 2;
  insert into quiz_attempts (user_id, content_item_id, course_offering_id) values (1, 1, 1);
  insert into scorm_attempts (user_id, content_item_id, course_offering_id, session_id) values (2, 1, 1, 's');
  select from submit_work(1, 1, 2, '{"body": "x", "links": []}', now(), current_date);
  select from grade_submission_with_group(1, 3, '{"points": 20, "feedback": "Good"}', now(), ${request});
  select from submit_work(2, 1, 2, '{"body": "y", "links": []}', now(), current_date);
  insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint) values (1, 1, '{}', 'c', 'c');`;

/** Statements, and the tables whose rows change. */
const statements: Record<string, [statement: string, changed: string[]]> = {
  enrollments: [
    "insert into enrollments (user_id, course_offering_id) values (3, 1)",
    ["course_popularity", "enrollment_progress", "enrollments", "university_members"],
  ],
  content_items: [
    "update content_items set is_active = false, due_at = now() where id = 1",
    ["content_items", "quiz_attempts", "stale_outlines"],
  ],
  terms: ["update terms set ends_on = ends_on + 1, name = 'Later'", ["course_offerings", "terms"]],
  course_offerings: ["update course_offerings set ends_at = now() where id = 1", ["course_offerings"]],
  quiz_attempts: [
    "update quiz_attempts set submitted_at = now(), passed = true, score_obtained = 5, max_score = 5",
    [
      ...["certificates", "enrollment_progress", "enrollments", "quiz_attempts", "stale_trees"],
      "user_content_progress",
    ],
  ],
  lab_submissions: [
    `insert into lab_submissions overriding system value
     select (jsonb_populate_record(one, '{"id": 999, "attempt_number": 2, "status": "graded", "score_obtained": 20}')).*
     from lab_submissions as one where user_id = 2`,
    ["enrollment_progress", "lab_submissions", "stale_trees", "user_content_progress"],
  ],
  item_grades: [
    "insert into item_grades (user_id, course_offering_id, content_item_id, score_override, version) values (2, 1, 2, 20, 1)",
    ["enrollment_progress", "item_grades", "stale_trees", "user_content_progress"],
  ],
  user_content_progress: [
    "insert into user_content_progress (user_id, course_offering_id, content_item_id, completed_at) values (1, 1, 1, now())",
    ["stale_trees", "user_content_progress"],
  ],
  course_grades: [
    `insert into course_grades (user_id, course_offering_id, final_score, letter_grade, passed, graded_at)
     values (2, 1, 90, 'A', true, now())`,
    ["course_grades"],
  ],
  scorm_attempts: [
    "update scorm_attempts set completed_at = now(), score_scaled = 1",
    ["enrollment_progress", "scorm_attempts", "stale_trees", "user_content_progress"],
  ],
};

/** Tables with changed or locked rows, and whether an advisory lock is taken. */
type Touched = { changed: string[]; held: string[]; locked: string[] };

const counters = "pg_stat_xact_user_tables";
const changes = "n_tup_ins + n_tup_upd + n_tup_del";

describe("effects of writes, as docs/reference/writes.md says", () => {
  let database: TestDatabase;
  let client: pg.Client;
  let writes: Writes;

  beforeAll(async () => {
    database = await cloneDatabase();
    await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
    await database.run(arranged);
    client = new pg.Client(database.url);
    await client.connect();
    writes = await readWrites(client);
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  const names = async (query: string) =>
    (await client.query<{ name: string }>(query)).rows.map(({ name }) => name).toSorted();

  /** The tables in which a statement changes rows, and those that it locks like a writer. Rolled back. */
  async function touchedBy(statement: string): Promise<Touched> {
    await client.query("begin");
    try {
      // Changes of earlier statements count until PostgreSQL resets them.
      const before = await names(`select format('%s %s', relname, ${changes}) as name from ${counters}`);
      await client.query(statement);
      return {
        changed: await names(`
          select relname as name from ${counters}
          where ${changes} > 0 and format('%s %s', relname, ${changes}) <> all ('{${before}}')`),
        held: await names(`
          select relname as name from pg_locks join pg_class on pg_class.oid = relation
          where pid = pg_backend_pid() and mode = 'RowExclusiveLock' and relkind in ('r', 'p')`),
        locked: await names(`
          select relname as name from pg_locks join pg_class on pg_class.oid = relation
          where pid = pg_backend_pid() and mode = 'RowShareLock' and relkind in ('r', 'p')
          union select '${advisoryLock}' from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'`),
      };
    } finally {
      await client.query("rollback");
    }
  }

  it("is drawn for the tables that are tried here", () => {
    const drawn = longestChains(writes).map((chain) => tablesOf(chain)[0]);
    expect(drawn.toSorted()).toEqual(Object.keys(statements).toSorted());
  });

  it.each(Object.entries(statements))("is all that changes with %s", async (table, [statement, expected]) => {
    const chain = longestChains(writes).find((one) => tablesOf(one)[0] === table);
    const { changed, held } = await touchedBy(statement);
    expect(chain && tablesOf(chain)).toEqual(expect.arrayContaining([...changed, ...held]));
    expect(changed).toEqual(expected);
  });

  it.each(Object.entries(statements))(
    "is all that is locked with %s, but for what rows refer to",
    async (table, [statement]) => {
      const chain = longestChains(writes).find((one) => tablesOf(one)[0] === table);
      if (!chain) throw new Error("No such chain");
      const said = locksOf(writes, chain).map((lock) => (lock === advisoryLock ? lock : lock.split(" ")[0]));
      const referred = await names(`
      select confrelid::regclass::text as name from pg_constraint
      where contype = 'f' and conrelid::regclass::text = any ('{${tablesOf(chain)}}')`);
      const { locked } = await touchedBy(statement);
      expect([...said, ...referred]).toEqual(expect.arrayContaining(locked));
    },
  );

  it("hides in no function: none has a statement that is put together, or one that the reader does not know", async () => {
    const { rows } = await client.query<{ name: string; source: string; isBound: boolean; writes: boolean }>(`
      select proname as name, prosrc as source, prosqlbody is not null as "isBound", provolatile = 'v' as writes
      from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`);
    expect(rows.length).toBeGreaterThan(200);
    const unread = /(^|;|\b(begin|then|else|loop))\s*(execute|merge\s+into|truncate|copy)\b/i;
    expect(rows.filter(({ source }) => unread.test(bare(source))).map(({ name }) => name)).toEqual([]);
    expect(rows.filter(({ isBound, writes }) => isBound && writes)).toEqual([]);
  });

  it("is a lock order in each file whose functions lock rows", () => {
    const holding = [...writes.functions.values()].filter(({ file, locks }) => file && locks.length > 0);
    expect(holding.length).toBeGreaterThan(60);
    expect(holding.filter(({ file }) => !writes.lockOrders.get(file)).map(({ name }) => name)).toEqual([]);
  });
});
