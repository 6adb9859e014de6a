import { and, desc, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import {
  tablesExcludedFromUniversityExport,
  universityConditionsByPersonalTable,
} from "../../../../lib/operations/data-requests/university-tables.ts";
import { createMailComposer } from "../../../../lib/operations/mail/compose-mail.ts";
import { personalTables } from "../../../../lib/operations/personal-data/personal-data.ts";
import { auditEvents } from "../../../../schema/db/identity/audit.ts";
import { universityMembers } from "../../../../schema/db/identity/university-members.ts";
import { mailOutbox } from "../../../../schema/db/platform/mail.ts";
import type { Person } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let university_id: number;
let admin: Person;
let officer: Person;
let second: Person;

const path = () => `/universities/${university_id}/data-requests`;
const give = async (person: Person) => {
  const right = { user_id: person.id, right: "data-request:write" };
  const given = await world.as(admin).post(`/universities/${university_id}/offices`, right);
  expect(given.status).toBe(201);
};
const ask = (body: object, person = officer) => world.as(person).post(path(), body);
const decide = (id: number, body: object, person = second) =>
  world.as(person).put(`${path()}/${id}/decision`, body);
const asked = async (body: object): Promise<number> => {
  const made = await ask(body);
  expect([made.status, made.body]).toMatchObject([201, { state: "OPEN" }]);
  return made.body.id;
};
const student = () => make.holder("student", university_id);

/** A university in Berlin with two data protection officers, who are students there. */
beforeAll(async () => {
  world.setNow("2026-01-31T22:30:00Z");
  university_id = (await make.university({ time_zone: "Europe/Berlin" })).id;
  admin = await make.holder("university_admin", university_id);
  [officer, second] = await Promise.all([student(), student()]);
  await give(officer);
  await give(second);
});

describe("a data subject request", () => {
  it("has the dates of its university, and a month until it is to be answered", async () => {
    const { id } = await student();
    const made = (await ask({ user_id: id, kind: "EXPORT" })).body;
    // A month from the last day of January ends on the last day of February.
    expect(made).toMatchObject({
      user_id: id,
      received_on: "2026-01-31",
      due_on: "2026-02-28",
      made_by_user_id: officer.id,
    });
    const other = await student();
    const earlier = await ask({ user_id: other.id, kind: "ERASE", received_on: "2025-12-24" });
    expect(earlier.body).toMatchObject({ received_on: "2025-12-24", due_on: "2026-01-24", decided_at: null });
    expect(
      (await world.as(second).get(`${path()}?state=OPEN`)).body.map((one: { id: number }) => one.id),
    ).toEqual([earlier.body.id, made.id]);
  });

  it("is rejected if it is impossible, and for everyone without the office", async () => {
    const { id } = await student();
    await asked({ user_id: id, kind: "RECTIFY", correction: { given_name: "Ada" } });
    const stranger = await make.person();
    for (const [body, status, code] of [
      [{ user_id: id, kind: "RECTIFY", correction: { given_name: "Eva" } }, 400, "data_request_open"],
      [{ user_id: id, kind: "EXPORT", received_on: "2026-02-01" }, 400, "data_request_future"],
      [{ user_id: stranger.id, kind: "EXPORT" }, 404, "member_not_found"],
      [{ user_id: officer.id, kind: "EXPORT" }, 403, "own_data_request"],
      [{ user_id: id, kind: "RECTIFY" }, 422, "validation"],
      [{ user_id: id, kind: "RECTIFY", correction: {} }, 422, "validation"],
      [{ user_id: id, kind: "EXPORT", correction: { given_name: "Ada" } }, 422, "validation"],
      [{ user_id: id, kind: "FORGET" }, 422, "validation"],
      [{ user_id: id, email: "a@example.edu", kind: "EXPORT" }, 422, "validation"],
      [{ user_id: id, kind: "EXPORT", received_on: "soon" }, 422, "validation"],
      [{ kind: "EXPORT" }, 422, "validation"],
    ] as const) {
      const refused = await ask(body);
      expect([body, refused.status, refused.headers.get("x-error-code")]).toEqual([body, status, code]);
    }
    const platform = await make.holder("platform_admin", university_id);
    for (const person of [admin, platform, await student()]) {
      expect((await ask({ user_id: id, kind: "EXPORT" }, person)).status).toBe(403);
      expect((await world.as(person).get(path())).status).toBe(403);
    }
    const elsewhere = (await make.university()).id;
    expect((await world.as(officer).get(`/universities/${elsewhere}/data-requests`)).status).toBe(403);
    expect((await world.as(officer).get("/universities/999999/data-requests")).status).toBe(404);
  });

  it("is approved by another person than its creator, who may withdraw it, and never by its subject", async () => {
    const { id: user_id } = await student();
    const id = await asked({ user_id, kind: "EXPORT" });
    const own = await decide(id, { approve: true }, officer);
    expect([own.status, own.headers.get("x-error-code")]).toEqual([403, "data_request_four_eyes"]);
    for (const body of [{}, { approve: false }, { approve: true, reason: "x" }, { approve: "yes" }])
      expect((await decide(id, body)).status).toBe(422);
    expect((await decide(999_999, { approve: true })).status).toBe(404);
    expect((await decide(id, { approve: true }, admin)).status).toBe(403);
    const taken = await decide(id, { approve: false, reason: "A mistake" }, officer);
    expect([taken.status, taken.body]).toMatchObject([200, { state: "REJECTED", reason: "A mistake" }]);
    expect((await decide(id, { approve: true })).headers.get("x-error-code")).toBe("data_request_decided");
    // It may be requested again, also about a person who has since become an officer.
    const again = await asked({ user_id, kind: "EXPORT" });
    const about = { ...(await student()) };
    const theirs = await asked({ user_id: about.id, kind: "EXPORT" });
    await give(about);
    expect((await decide(theirs, { approve: true }, about)).headers.get("x-error-code")).toBe(
      "own_data_request",
    );
    const listed = (await world.as(about).get(`${path()}?limit=100`)).body;
    expect(listed.map((one: { user_id: number }) => one.user_id)).not.toContain(about.id);
    expect((await decide(again, { approve: true })).body).toMatchObject({
      state: "DONE",
      decided_by_user_id: second.id,
    });
  });

  it("is decided once, and made once, of two at the same time", async () => {
    const { id: user_id } = await student();
    const third = await student();
    await give(third);
    const made = await Promise.all(
      [officer, second, third].map((one) => ask({ user_id, kind: "EXPORT" }, one)),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    const [one] = made.filter(({ status }) => status === 201);
    const decided = await Promise.all(
      [officer, second, third].map((person) => decide(one?.body.id, { approve: true }, person)),
    );
    expect(decided.filter(({ status }) => status === 200)).toHaveLength(1);
    const approved = and(
      eq(auditEvents.action, "data_request.approved"),
      eq(auditEvents.subject_id, user_id),
    );
    expect(await world.deps.db.$count(auditEvents, approved)).toBe(1);
  });

  it("is recorded in the audit log, with a mail about the decision, without user-written text", async () => {
    const person = await student();
    const id = await asked({ user_id: person.id, kind: "EXPORT" });
    const mails = () => world.deps.db.select().from(mailOutbox).where(eq(mailOutbox.user_id, person.id));
    expect(await mails()).toEqual([]);
    await decide(id, { approve: false, reason: "Shown no identity" });
    const [mail] = await mails();
    if (!mail) throw new Error("no mail");
    const message = await createMailComposer(world.deps)({ ...mail, locale: "en", time_zone: "UTC" });
    expect(message?.text).toContain("has rejected a request in your name for a copy of its data about you");
    expect(message?.text).not.toContain("identity");
    const lines = await world.deps.db
      .select({ action: auditEvents.action, actor: auditEvents.actor_id })
      .from(auditEvents)
      .where(and(eq(auditEvents.subject_id, person.id), eq(auditEvents.university_id, university_id)))
      .orderBy(desc(auditEvents.id));
    expect(lines).toMatchObject([
      { action: "data_request.rejected", actor: second.id },
      { action: "data_request.made", actor: officer.id },
      ...lines.slice(2),
    ]);
  });
});

describe("an approved correction", () => {
  it("is written as staff's, unless the id is taken or the person has gone", async () => {
    const [one, other] = [await student(), await student()];
    const names = { given_name: "Ada", family_name: "Lovelace", external_id: "s-1815" };
    const id = await asked({ user_id: one.id, kind: "RECTIFY", correction: names });
    expect((await decide(id, { approve: true })).body).toMatchObject({
      ...{ state: "DONE", full_name: "Ada Lovelace", correction: null },
    });
    const wanted = and(
      eq(universityMembers.user_id, one.id),
      eq(universityMembers.university_id, university_id),
    );
    const [member] = await world.deps.db.select().from(universityMembers).where(wanted);
    expect(member).toMatchObject({ given_name: "Ada", family_name: "Lovelace", source: "STAFF" });
    const taken = await asked({ user_id: other.id, kind: "RECTIFY", correction: { external_id: "s-1815" } });
    const refused = await decide(taken, { approve: true });
    expect([refused.status, refused.headers.get("x-error-code")]).toEqual([
      400,
      "data_request_external_id_taken",
    ]);
    expect((await world.as(second).get(`${path()}?state=OPEN`)).body).toContainEqual(
      expect.objectContaining({ id: taken, correction: { external_id: "s-1815" } }),
    );
  });
});

describe("an approved export", () => {
  it("equals the person's own export, limited to this university, for a week", async () => {
    const runAt = async (university: number) => make.offering(await make.course(university));
    const offering = await runAt(university_id);
    const elsewhere = await runAt((await make.university()).id);
    const person = await make.person();
    await make.enrollment(person.id, offering.id);
    await make.enrollment(person.id, elsewhere.id);
    const id = await asked({ user_id: person.id, kind: "EXPORT" });
    const download = (one = officer) => world.as(one).get(`${path()}/${id}/export`);
    expect((await download()).headers.get("x-error-code")).toBe("data_request_export_unavailable");
    await decide(id, { approve: true });
    const { status, body } = await download();
    expect([status, Object.keys(body).slice(1)]).toEqual([
      200,
      Object.keys(universityConditionsByPersonalTable).filter((name) => name in body),
    ]);
    expect(body.enrollments).toMatchObject([{ course_offering_id: offering.id }]);
    expect(body.university_members).toMatchObject([{ university_id }]);
    for (const rows of Object.values(body).filter(Array.isArray))
      for (const row of rows) expect([university_id, undefined, null]).toContain(row.university_id);
    expect((await download(await student())).status).toBe(403);
    const exported = eq(auditEvents.action, "data_request.exported");
    expect(await world.deps.db.$count(auditEvents, exported)).toBe(1);
    const before = world.deps.now();
    world.setNow(new Date(before.getTime() + 7 * 24 * 60 * 60 * 1000).toISOString());
    expect((await download()).status).toBe(400);
    world.setNow(before.toISOString());
  });

  it("says of each table of the own export whether a university has part of it", () => {
    const named = [
      ...Object.keys(universityConditionsByPersonalTable),
      ...tablesExcludedFromUniversityExport,
    ];
    expect(named.sort()).toEqual(personalTables.map(({ name }) => name).sort());
  });
});
