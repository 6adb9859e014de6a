import pg from "pg";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Event = { id: number; cursor: string; user_id: number };

async function college() {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  const ada = await make.holder("student", university.id);
  const path = `/universities/${university.id}/events`;
  const made = await admin.post(`/universities/${university.id}/api-keys`, {
    name: "Record store",
    scopes: ["events:read"],
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  return { university, admin, ada, path, key: made.body.key as string };
}

/** Another test's transaction in the same cluster also delays events. */
const listed = (admin: ReturnType<typeof world.as>, path: string, count: number) =>
  expect.poll(async () => (await admin.get(path)).body.events.length).toBe(count);

const insert = (university: number, person: number, verb = "completed", type = "content_item") =>
  `insert into activity_events (user_id, university_id, verb, object_type, object_id)
   values (${person}, ${university}, '${verb}', '${type}', 12) returning id::int`;

describe("GET /universities/{university_id}/events", () => {
  it("answers each event once, behind a cursor, and no cards", async () => {
    const { university, admin, ada, path } = await college();
    expect((await admin.get(path)).body).toEqual({ events: [], next: null });
    for (const verb of ["progressed", "completed"])
      await world.deps.db.execute(insert(university.id, ada.id, verb));
    await world.deps.db.execute(insert(university.id, ada.id, "reviewed", "flashcard"));
    await listed(admin, path, 2);
    const first = (await admin.get(`${path}?limit=1`)).body;
    expect(first.events).toMatchObject([{ user_id: ada.id, verb: "PROGRESSED", result: null }]);
    const second = (await admin.get(`${path}?after=${first.next}`)).body;
    expect(second.events).toMatchObject([{ verb: "COMPLETED", result: { completion: true } }]);
    expect((await admin.get(`${path}?after=${second.next}`)).body).toEqual({ events: [], next: second.next });
    for (const bad of ["after=1", "after=a-b", "limit=0", "limit=1001", "format=csv", "before=1-1"])
      expect((await admin.get(`${path}?${bad}`)).status).toBe(422);
    // As after a restore to an earlier state.
    const stale = await admin.get(`${path}?after=999999999999999-1`);
    expect(stale.status).toBe(410);
    expect(stale.body.detail).toContain(`the oldest stored one is ${first.next}`);
  });

  it("is for administrators and keys with its scope, of that university alone", async () => {
    const { university, admin, path, key } = await college();
    const other = await college();
    const get = (path: string, bearer: string) =>
      world.as().get(path, { headers: { authorization: `Bearer ${bearer}` } });
    expect((await get(path, key)).status).toBe(200);
    expect((await get(path, other.key)).status).toBe(403);
    expect((await other.admin.get(path)).status).toBe(403);
    expect((await world.as(await make.holder("instructor", university.id)).get(path)).status).toBe(403);
    expect((await admin.get(path)).status).toBe(200);
  });

  it("answers statements that xAPI's rules accept, the same each time", async () => {
    const { university, admin, ada, path } = await college();
    const offering = await make.offering(await make.course(university.id));
    await world.deps.db.execute(insert(university.id, ada.id));
    await world.deps.db.execute(
      `update activity_events set course_offering_id = ${offering.id} where university_id = ${university.id}`,
    );
    await listed(admin, path, 1);
    const read = async () => (await admin.get(`${path}?format=xapi`)).body;
    const { statements, more } = await read();
    expect(more).toBe("");
    expect((await read()).statements).toEqual(statements);
    const iri = /^https?:\/\/\S+$/;
    for (const statement of statements) {
      expect(Object.keys(statement).sort()).toEqual(
        ["actor", "context", "id", "object", "result", "timestamp", "verb", "version"].sort(),
      );
      expect(statement.id).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(statement.verb.id).toMatch(iri);
      expect(statement.object).toEqual({ objectType: "Activity", id: expect.stringMatching(iri) });
      expect(statement.actor).toEqual({
        objectType: "Agent",
        account: { homePage: expect.stringMatching(iri), name: String(ada.id) },
      });
      expect(statement.context.contextActivities.grouping[0].id).toMatch(iri);
      expect(new Date(statement.timestamp).toISOString()).toBe(statement.timestamp);
      expect(statement.result).toEqual({ completion: true });
    }
  });
});

describe("concurrent writes", () => {
  it("two readers miss nothing and double nothing while transactions end out of order", async () => {
    const { university, admin, ada, path } = await college();
    const written: number[] = [];
    let isOver = false;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      const client = new pg.Client({ connectionString: world.deps.config.DATABASE_URL });
      await client.connect();
      for (let turn = 0; turn < 15; turn += 1) {
        await client.query("begin");
        for (let n = 0; n <= turn % 3; n += 1) {
          const { rows } = await client.query<{ id: number }>(insert(university.id, ada.id));
          if ((turn + writer) % 5 !== 4) written.push(rows[0]?.id ?? 0);
          await client.query(`select pg_sleep(${((writer * 7 + turn * 3) % 5) / 200})`);
        }
        await client.query((turn + writer) % 5 === 4 ? "rollback" : "commit");
      }
      await client.end();
    });
    const reading = async (limit: number) => {
      const seen: number[] = [];
      let after = "";
      for (let isLast = false; ; ) {
        const { body } = await admin.get(`${path}?limit=${limit}${after}`);
        const events = body.events as Event[];
        seen.push(...events.map(({ id }) => id));
        if (body.next) after = `&after=${body.next}`;
        if (isLast && events.length === 0) return seen;
        isLast = isOver && seen.length >= written.length;
      }
    };
    const readers = [reading(3), reading(1000)];
    await Promise.all(writers);
    isOver = true;
    const [one = [], other = []] = await Promise.all(readers);
    expect(one.toSorted((a, b) => a - b)).toEqual(written.toSorted((a, b) => a - b));
    expect(other).toEqual(one);
  });

  it("an event waits for earlier transactions", async () => {
    const { university, admin, ada, path } = await college();
    const late = new pg.Client({ connectionString: world.deps.config.DATABASE_URL });
    await late.connect();
    await late.query("begin");
    const { rows } = await late.query<{ id: number }>(insert(university.id, ada.id));
    await world.deps.db.execute(insert(university.id, ada.id));
    expect((await admin.get(path)).body.events).toEqual([]);
    await late.query("commit");
    await late.end();
    await listed(admin, path, 2);
    const events = (await admin.get(path)).body.events as Event[];
    expect(events[0]?.id).toBe(rows[0]?.id);
  });
});
