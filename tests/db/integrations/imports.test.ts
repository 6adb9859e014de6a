import { sql } from "drizzle-orm";
import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { createImportFileFinder } from "../../../lib/files/find-import-file.ts";
import { startImport } from "../../../lib/integrations/imports/imports.ts";
import { processImports } from "../../../lib/integrations/imports/work.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const people = 7000;
const roles = 1000;
const offerings = 10;
const enrolled = 2000;
const total = people + roles + enrolled;

let university: number;
let admin: { id: number };
let files: Record<string, string>;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

beforeAll(async () => {
  const { id } = await make.university();
  university = id;
  admin = await make.holder("university_admin", university);
  const course = await make.course(university);
  const runs: number[] = [];
  for (const _ of numbers(offerings)) runs.push((await make.offering(course, { capacity: 150 })).id);
  const lines = (header: string, rows: string[]) => [header, ...rows].join("\r\n");
  const enrollments = numbers(enrolled).map((n) => `s-${n},${runs[n % offerings]}`);
  files = {
    "people.csv": lines(
      "sourced_id,email,full_name",
      numbers(people).map((n) => `s-${n},learner${n}@example.edu,"Learner, ${n}"`),
    ),
    "roles.csv": lines(
      "sourced_id,role",
      numbers(roles).map((n) => `s-${n},ta`),
    ),
    "enrollments.csv": lines("sourced_id,course_offering_id", enrollments),
  };
});

/** Starts an import of everything and works on it until the signal, as clients do. */
async function start(signal: AbortSignal) {
  const held = { role: "university_admin" as const, university_id: university, department_id: null };
  const actor = { id: admin.id, roles: [held] } as unknown as Parameters<typeof startImport>[1];
  const input = { format: "CSV" as const, dry_run: false, override: false, files };
  return startImport(world.deps.db, actor, university, input, {
    ...{ now: world.deps.now(), secrets: world.deps.config, signal },
    find: createImportFileFinder(world.deps, actor),
  });
}

const counts = async () =>
  (
    await world.deps.db.execute(sql`
      select (select count(*)::int from users where email like 'learner%') as people,
        (select count(*)::int from user_university_roles where university_id = ${university} and role = 'ta') as tas,
        (select count(*)::int from enrollments where university_id = ${university}) as enrollments,
        (select count(*)::int from enrollments where university_id = ${university} and status = 'active') as active,
        (select count(*)::int from audit_events where action in ('role.granted', 'enrollment.created')) as told`)
  ).rows[0];

const all = {
  people,
  tas: roles,
  enrollments: enrolled,
  active: 150 * offerings,
  told: roles + enrolled,
};

describe("an import of 10 000 rows", () => {
  it("that dies half-way, within a batch, is completed by the next worker: nothing is lost or duplicated", async () => {
    const begun = await start(AbortSignal.abort());
    expect(begun).toMatchObject({ total, done: 0, ended_at: null });
    const client = new pg.Client(world.deps.config.DATABASE_URL);
    client.on("error", () => {});
    await client.connect();
    const work = `select process_next_import_rows(${begun.id}, 500, '{"at": "2026-03-10T12:00:00Z"}', null) as waiting`;
    for (const _ of numbers(17)) await client.query(work);
    await client.query("begin");
    expect((await client.query(work)).rows).toEqual([{ waiting: total - 9000 }]);
    // No other worker can claim it in between.
    const { rows } = await world.deps.db.execute(sql.raw(work));
    expect(rows).toEqual([{ waiting: null }]);
    const [{ pid } = { pid: 0 }] = (await client.query("select pg_backend_pid() as pid")).rows;
    await world.deps.db.execute(sql`select pg_terminate_backend(${pid})`);
    await client.end().catch(() => {});
    await expect
      .poll(async () => {
        await processImports(world.deps, new AbortController().signal);
        return (await world.deps.db.execute(sql`select ended_at from imports where id = ${begun.id}`))
          .rows[0]?.["ended_at"];
      })
      .not.toBeNull();
    expect(await counts()).toEqual(all);
  });

  it("changes nothing the second time", async () => {
    const again = await start(new AbortController().signal);
    expect(again).toMatchObject({ total, done: total, unchanged: total, created: 0, updated: 0, refused: 0 });
    expect(again.ended_at).not.toBeNull();
    expect(await counts()).toEqual(all);
  });
});

it("a failing import delays no other university's, and is retried", async () => {
  const other = await make.university();
  const { rows } = await world.deps.db.execute(sql`
    insert into imports (university_id, created_by_user_id, format, is_dry_run, overrides, total, refused, created_at)
    values (${university}, ${admin.id}, 'one_roster', false, false, 1, 0, now()),
           (${other.id}, ${admin.id}, 'csv', false, false, 0, 0, now())
    returning id`);
  // Rows that file readers would reject.
  await world.deps.db.execute(sql`
    insert into import_rows (import_id, kind, file, line, sourced_id, is_deletion, details)
    values (${rows[0]?.["id"]}, 'offering', 'classes.csv', 2, 'c-1', false,
            jsonb_build_object('course_code', repeat('x', 129), 'course_title', 'X'))`);
  await expect(processImports(world.deps, new AbortController().signal)).rejects.toThrow(AggregateError);
  const ended = await world.deps.db.execute(sql`
    select ended_at is not null as ended from imports where id in (${rows[0]?.["id"]}, ${rows[1]?.["id"]}) order by id`);
  expect(ended.rows).toEqual([{ ended: false }, { ended: true }]);
});
