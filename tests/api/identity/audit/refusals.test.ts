import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createForbiddenRequestBuffer } from "../../../../lib/platform/metrics/forbidden-requests.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const refusedTo = async (person: { id: number }) => {
  await world.deps.metrics.report();
  const { rows } = await world.deps.db.execute(
    sql`select details ->> 'operation' as operation, subject_id, request_id, from_address, occurred_at
        from audit_events where action = 'access.refused' and actor_id = ${person.id} order by occurred_at, id`,
  );
  return rows as Record<string, unknown>[];
};

const refusal = (person: { id: number }, at = "2026-03-10T12:00:00Z") => ({
  person: person.id,
  operation: "GET /api/v1/admin/audit",
  at: new Date(at),
  request: "request-that-was-refused",
  from: "203.0.113.7",
});

describe("a 403 for a signed-in user", () => {
  it("is a line of the audit log for each person, operation and hour", async () => {
    const [one, other] = [await make.person(), await make.person()];
    const headers = { "x-request-id": "the-first-of-them" };
    world.setNow("2026-03-10T12:00:00.000Z");
    expect((await world.as(one).get("/admin/audit", { headers })).status).toBe(403);
    world.setNow("2026-03-10T12:59:59.000Z");
    await world.as(one).get("/admin/audit");
    await world.as(one).post("/prompts/", { name: "one", prompt: "text" });
    await world.as(other).get("/admin/audit");
    expect(await refusedTo(one)).toMatchObject([
      { operation: "GET /api/v1/admin/audit", subject_id: one.id, request_id: "the-first-of-them" },
      { operation: "POST /api/v1/prompts" },
    ]);
    expect(await refusedTo(other)).toHaveLength(1);
    await world.as(one).get("/admin/audit");
    expect(await refusedTo(one)).toHaveLength(2);
    world.setNow("2026-03-10T13:00:00.000Z");
    await world.as(one).get("/admin/audit");
    expect(await refusedTo(one)).toHaveLength(3);
  });

  it("is recorded, unlike a 404 and refusals that no user caused", async () => {
    const someone = await make.person();
    expect((await world.as(someone).get("/courses/2147483647")).status).toBe(404);
    expect((await world.as().get("/admin/audit")).status).toBe(401);
    expect(await refusedTo(someone)).toEqual([]);
  });

  it("is visible to administrators of the person's universities, and to no others", async () => {
    const [university, elsewhere] = [await make.university(), await make.university()];
    const student = await make.holder("student", university.id);
    expect((await world.as(student).get("/admin/audit")).status).toBe(403);
    await world.deps.metrics.report();
    const seenAt = async ({ id }: { id: number }) =>
      (await world.as(await make.holder("university_admin", id)).get("/admin/audit?action=access.refused"))
        .body;
    expect(await seenAt(university)).toMatchObject([
      { actor_id: student.id, subject_id: student.id, details: { operation: "GET /api/v1/admin/audit" } },
    ]);
    expect(await seenAt(elsewhere)).toEqual([]);
  });

  it("costs the request no statement", async () => {
    const someone = await make.person();
    const ask = async () =>
      (await world.as(someone).get("/admin/audit")).headers.get("server-timing")?.match(/(\d+) quer/)?.[1];
    expect(await ask()).toBe(await ask());
  });

  it("is one line for several concurrent processes, and for a retry", async () => {
    const someone = await make.person();
    const processes = Array.from({ length: 5 }, createForbiddenRequestBuffer);
    for (const one of processes) one.note(refusal(someone));
    await Promise.all(processes.map((one) => one.store(world.deps.db)));
    const again = createForbiddenRequestBuffer();
    again.note(refusal(someone, "2026-03-10T12:30:00Z"));
    await again.store(world.deps.db);
    expect(await refusedTo(someone)).toHaveLength(1);
  });

  it("is written later if the database is unreachable", async () => {
    const someone = await make.person();
    const refusals = createForbiddenRequestBuffer();
    refusals.note(refusal(someone));
    const away = { execute: () => Promise.reject(new Error("away")) } as unknown as typeof world.deps.db;
    await expect(refusals.store(away)).rejects.toThrow("away");
    await refusals.store(world.deps.db);
    expect(await refusedTo(someone)).toMatchObject([{ from_address: "203.0.113.7" }]);
  });

  it("names no account erased in between", async () => {
    const someone = await make.person();
    const refusals = createForbiddenRequestBuffer();
    refusals.note(refusal(someone));
    await world.deps.db.execute(
      sql`update users set email = null, full_name = '', is_active = false, erased_at = now() where id = ${someone.id}`,
    );
    await refusals.store(world.deps.db);
    expect(await refusedTo(someone)).toEqual([]);
  });
});

describe("without ENABLE_METRICS", () => {
  const silent = openWorld({ ENABLE_METRICS: "false" });

  it("a 403 is still recorded", async () => {
    const someone = await makersOf(silent).person();
    await silent.as(someone).get("/admin/audit");
    await silent.deps.metrics.report();
    const { rows } = await silent.deps.db.execute(
      sql`select from audit_events where action = 'access.refused' and actor_id = ${someone.id}`,
    );
    expect(rows).toHaveLength(1);
  });
});
