import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Grade = { user_id: number; change_number: string; is_final: boolean; final_score: number | null };

const execute = (statement: string) => world.deps.db.execute(statement);

/**
 * A university with learners in an offering. Their grades are finalized and reopened as the service does it.
 */
async function college(size: number) {
  const university = await make.university();
  const teacher = await make.holder("university_admin", university.id);
  const offering = await make.offering(await make.course(university.id));
  const people: number[] = [];
  for (let n = 0; n < size; n += 1) people.push((await make.holder("student", university.id)).id);
  await execute(`insert into enrollments (user_id, course_offering_id)
    select person, ${offering.id} from unnest('{${people}}'::int[]) as person`);
  const finalize = (who: number[]) =>
    `select from finalize_course_grades(${offering.id}, ${teacher.id},
      '{"people": [${who}], "with_awaiting": true, "why": "Term"}', now(), '{"at": "2026-03-01T12:00:00Z"}')`;
  const reopen = (who: number[]) =>
    `select from reopen_final_course_grades(${offering.id}, '{${who}}', ${teacher.id}, 'Late', now(), '{"at": "2026-03-01T12:00:00Z"}')`;
  const path = `/universities/${university.id}/final-grades`;
  return { university, offering, people, admin: world.as(teacher), path, finalize, reopen };
}

/** Another test's transaction in the same cluster delays changes too. */
const listed = (admin: ReturnType<typeof world.as>, path: string, count: number) =>
  expect.poll(async () => (await admin.get(path)).body.grades.length).toBe(count);

describe("GET /universities/{university_id}/final-grades", () => {
  let opened: Awaited<ReturnType<typeof college>>;
  beforeAll(async () => {
    opened = await college(3);
  });

  it("returns each grade in its current state, again after a change, with the ids of the record store", async () => {
    const { university, offering, people, admin, path, finalize, reopen } = opened;
    const [ada = 0, grace = 0] = people;
    expect((await admin.get(path)).body).toEqual({ grades: [], next: null });
    await execute(`insert into sourced_people (university_id, sourced_id, user_id) values
      (${university.id}, 's-1', ${ada}), (${university.id}, 's-2', ${ada})`);
    await execute(`insert into sourced_offerings (university_id, sourced_id, course_offering_id)
      values (${university.id}, 'class-1', ${offering.id})`);
    await execute(finalize([ada, grace]));
    await listed(admin, path, 2);
    const { grades, next } = (await admin.get(path)).body;
    expect(grades[0]).toMatchObject({
      ...{
        user_id: ada,
        external_id: "s-2",
        course_offering_id: offering.id,
        offering_external_id: "class-1",
      },
      ...{ term_id: null, is_final: true, final_score: 0, letter_grade: "F", passed: false },
      is_outdated: false,
    });
    expect(next).toBe(grades[1].change_number);
    const part = (await admin.get(`${path}?limit=1`)).body;
    expect(part).toEqual({ grades: [grades[0]], next: grades[0].change_number });
    expect((await admin.get(`${path}?since=${part.next}`)).body.grades).toEqual([grades[1]]);
    expect((await admin.get(`${path}?since=${next}`)).body).toEqual({ grades: [], next });

    await execute(reopen([ada]));
    await listed(admin, `${path}?since=${next}`, 1);
    const again = (await admin.get(`${path}?since=${next}`)).body.grades;
    expect(again).toMatchObject([{ user_id: ada, is_final: false, final_score: null, graded_at: null }]);
    await execute(`update course_grades set outdated_at = now() where user_id = ${grace}`);
    await listed(admin, `${path}?since=${again[0].change_number}`, 1);
    expect((await admin.get(`${path}?since=${again[0].change_number}`)).body.grades).toMatchObject([
      { user_id: grace, is_final: true, is_outdated: true },
    ]);
    expect((await admin.get(path)).body.grades).toHaveLength(2);

    const { text, headers } = await admin.get(`${path}?format=csv`);
    expect(headers.get("content-type")).toContain("text/csv");
    const lines = text.trim().split("\r\n");
    expect(lines[0]).toMatch(/^user_id,external_id,.*,final_score,.*,change_number$/);
    expect(lines[1]).toContain(`${ada},s-2,`);
    expect(lines).toHaveLength(3);
  });

  it("filters by term, rejects invalid input, and returns the start for a cursor of another database", async () => {
    const { university, offering, admin, path } = opened;
    const [oldest] = (await admin.get(path)).body.grades;
    const term = (
      await admin.post(`/universities/${university.id}/terms`, {
        ...{ name: "Spring", starts_on: "2026-03-01", ends_on: "2026-07-01" },
      })
    ).body;
    expect((await admin.get(`${path}?term_id=${term.id}`)).body.grades).toEqual([]);
    await execute(`update course_offerings set term_id = ${term.id} where id = ${offering.id}`);
    expect((await admin.get(`${path}?term_id=${term.id}`)).body.grades).toHaveLength(2);
    for (const bad of [
      "since=1",
      "since=x-1",
      "limit=0",
      "limit=1001",
      "format=xapi",
      "term_id=0",
      "after=1-1",
    ])
      expect((await admin.get(`${path}?${bad}`)).status).toBe(422);
    const stale = await admin.get(`${path}?since=999999999999999-1`);
    expect(stale.status).toBe(410);
    expect(stale.body.detail).toContain(`the oldest stored one is ${oldest.change_number}`);
  });

  it("is for administrators and keys that may read grades, of that university alone", async () => {
    const { university, admin, path } = opened;
    const keyOf = async (scopes: string[]) =>
      (
        await admin.post(`/universities/${university.id}/api-keys`, {
          ...{ name: "Record store", scopes, expires_at: new Date(Date.now() + 86_400_000).toISOString() },
        })
      ).body.key;
    const by = async (scopes: string[], at = path) =>
      (await world.as().get(at, { headers: { authorization: `Bearer ${await keyOf(scopes)}` } })).status;
    expect(await by(["grades:read"])).toBe(200);
    expect(await by(["events:read"])).toBe(403);
    const other = await college(0);
    expect(await by(["grades:read"], other.path)).toBe(403);
    expect((await other.admin.get(path)).status).toBe(403);
    expect((await world.as(await make.holder("instructor", university.id)).get(path)).status).toBe(403);
    const platform = world.as(await make.holder("platform_admin", university.id));
    expect((await platform.get(path)).status).toBe(200);
    expect((await platform.get("/universities/2147483647/final-grades")).status).toBe(404);
  });
});

describe("concurrent changes", () => {
  it("readers end with every current grade, while concurrent transactions finalize and reopen them", async () => {
    const { people, admin, path, finalize, reopen } = await college(9);
    let isOver = false;
    const writers = [0, 1, 2].map(async (writer) => {
      const client = new pg.Client({ connectionString: world.deps.config.DATABASE_URL });
      await client.connect();
      // The grades of an offering change one transaction at a time. Each writer has separate rows after that,
      // and ends out of order.
      const own = people.slice(writer * 3, writer * 3 + 3);
      for (let turn = 0; turn < 8; turn += 1) {
        await client.query("begin");
        const person = own[turn % 3] ?? 0;
        await client.query(
          turn === 0
            ? `insert into course_grades (user_id, course_offering_id, final_score, passed, graded_at)
               select user_id, course_offering_id, 1, true, now() from enrollments where user_id in (${own})`
            : `update course_grades set final_score = ${turn} where user_id = ${person}`,
        );
        await client.query(`select pg_sleep(${((writer * 7 + turn * 3) % 5) / 200})`);
        await client.query((turn + writer) % 5 === 4 && turn > 0 ? "rollback" : "commit");
      }
      await client.end();
    });
    const reading = async (limit: number) => {
      const known = new Map<number, Grade>();
      let since = "";
      for (let isLast = false; ; ) {
        const { body } = await admin.get(`${path}?limit=${limit}${since}`);
        for (const grade of body.grades as Grade[]) known.set(grade.user_id, grade);
        if (body.next) since = `&since=${body.next}`;
        if (isLast && body.grades.length === 0) return known;
        isLast = isOver;
      }
    };
    const readers = [reading(2), reading(1000)];
    await Promise.all(writers);
    await execute(finalize(people.slice(0, 1)));
    await execute(reopen(people.slice(0, 2)));
    await execute(finalize(people.slice(0, 1)));
    // Earlier transactions have ended once all of it is listed.
    const all = async () => (await admin.get(path)).body.grades as Grade[];
    await expect
      .poll(async () => (await all()).map((one) => one.is_final).sort())
      .toEqual([false, ...Array.from({ length: people.length - 1 }, () => true)]);
    isOver = true;
    const now = new Map((await all()).map((grade) => [grade.user_id, grade]));
    for (const known of await Promise.all(readers)) expect(known).toEqual(now);
  });
});
