import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  createPersonDataReadBuffer,
  type PersonDataRead,
} from "../../../../lib/platform/metrics/person-reads.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const readOf = async (person: { id: number }) => {
  await world.deps.metrics.report();
  const { rows } = await world.deps.db.execute(sql`
    select actor_id, university_id, details, request_id from audit_events
    where action = 'person.read' and subject_id = ${person.id} order by id`);
  return rows as Record<string, unknown>[];
};

const read = (
  actor: { id: number },
  person: { id: number },
  request = "request-that-read",
): PersonDataRead => ({
  ...{ actor: actor.id, person: person.id, operation: "GET /api/v1/users/{user_id}", request },
  ...{ at: new Date("2026-03-10T12:00:00Z"), from: null, key: null },
  ...{ university: null, offering: null, course: null, item: null },
});

const log = { warn() {}, error() {} };

describe("a read by staff that names one person", () => {
  it("is a line of the audit log with the university that it is of, each time, and costs no statement of the request", async () => {
    const { university, offering } = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    const teacher = await make.holder("instructor", university.id);
    const all = `/assessments/offerings/${offering.id}/submissions`;
    const ask = (path: string) =>
      world.as(teacher).get(path, { headers: { "x-request-id": "what-was-asked" } });
    const queriesOf = (reply: { headers: Headers }) =>
      reply.headers.get("server-timing")?.match(/(\d+) quer/)?.[1];
    await ask(all);
    const [list, one] = [await ask(all), await ask(`${all}?user_id=${learner.id}`)];
    expect([one.status, queriesOf(one)]).toEqual([200, queriesOf(list)]);
    expect((await ask(`/users/${learner.id}`)).status).toBe(200);
    expect(await readOf(learner)).toMatchObject([
      {
        ...{ actor_id: teacher.id, university_id: university.id, request_id: "what-was-asked" },
        details: {
          operation: "GET /api/v1/assessments/offerings/{offering_id}/submissions",
          course_offering_id: offering.id,
        },
      },
      { university_id: null, details: { operation: "GET /api/v1/users/{user_id}" } },
    ]);
    await ask(`/users/${learner.id}`);
    expect(await readOf(learner)).toHaveLength(3);
    const admin = await make.holder("university_admin", university.id);
    const seen = await world.as(admin).get(`/admin/audit?action=person.read&user_id=${learner.id}`);
    expect(seen.body).toHaveLength(3);
  });

  it("is not recorded without data, for the reader's own data, or for readers who are no staff", async () => {
    const { university } = await make.topic();
    const learner = await make.holder("student", university.id);
    const stranger = await make.person();
    const teacher = await make.holder("ta", university.id);
    expect((await world.as(teacher).get(`/users/${stranger.id}`)).status).toBe(404);
    expect((await world.as(teacher).get(`/users/${teacher.id}`)).status).toBe(200);
    await world.as(learner).get(`/users/${teacher.id}`);
    await world.as(teacher).get("/users/not-a-number");
    expect(await Promise.all([stranger, teacher, learner].map(readOf))).toEqual([[], [], []]);
  });

  it("is written later if the database is unreachable, and once if the outcome is unknown", async () => {
    const [teacher, learner] = [await make.person(), await make.person()];
    let isAway = true;
    const { db } = world.deps;
    const shaky = {
      async execute(statement: Parameters<typeof db.execute>[0]) {
        // The row is written, but its response is lost.
        const done = await db.execute(statement);
        if (isAway) throw new Error("away");
        return done;
      },
    } as unknown as typeof db;
    const reads = createPersonDataReadBuffer(shaky, log);
    reads.note(read(teacher, learner));
    await expect(reads.store()).rejects.toThrow("away");
    reads.note(read(teacher, learner, "another-request"));
    await reads.store().catch(() => {});
    isAway = false;
    await reads.store();
    expect((await readOf(learner)).map(({ request_id }) => request_id)).toEqual([
      "request-that-read",
      "another-request",
    ]);
  });

  it("loses none of a thousand concurrent ones, and names no account erased in between", async () => {
    const [teacher, learner, gone] = [await make.person(), await make.person(), await make.person()];
    await world.deps.db.execute(sql`
      update users set email = null, full_name = '', is_active = false, erased_at = now() where id = ${gone.id}`);
    const reads = createPersonDataReadBuffer(world.deps.db, log);
    for (let count = 0; count < 1000; count += 1) reads.note(read(teacher, learner));
    reads.note(read(teacher, gone));
    reads.note(read(gone, learner));
    await reads.store();
    const lines = await readOf(learner);
    expect([lines.length, lines.at(-1)?.["actor_id"]]).toEqual([1001, null]);
    expect(await readOf(gone)).toEqual([]);
  });
});
