import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { findOrCreateUserOfIdentity } from "../../../../lib/identity/auth/identities.ts";
import { userIdentities } from "../../../../schema/db/identity/identities.ts";
import { universities } from "../../../../schema/db/identity/universities.ts";
import { users } from "../../../../schema/db/identity/users.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const password = "correct horse battery staple";

async function learnerOf(offering: { id: number }) {
  const email = `${make.unique("learner")}@example.edu`.toLowerCase();
  await world.as().post("/auth/register", { email, password, full_name: "Learner" });
  const [learner] = await world.deps.db.select().from(users).where(eq(users.email, email));
  if (!learner) throw new Error("registering made nobody");
  await make.enrollment(learner.id, offering.id);
  const signIn = () => world.as().post("/auth/login", { email, password });
  return { ...learner, email, signIn };
}

describe("an inactive university", () => {
  test("is deactivated and reactivated by its administrator, and audited", async () => {
    const university = await make.university();
    const admin = world.as(await make.holder("university_admin", university.id));
    const path = `/universities/${university.id}`;
    for (const change of [
      { name: "Renamed" },
      { is_active: false },
      { is_active: false },
      { is_active: true },
    ])
      expect((await admin.put(path, change)).body).toMatchObject(change);
    const told = await admin.get(`/admin/audit?university_id=${university.id}`);
    expect(told.body.map(({ action }: { action: string }) => action)).toEqual([
      "university.reactivated",
      "university.deactivated",
    ]);
    const ta = world.as(await make.holder("ta", university.id));
    expect((await ta.put(path, { is_active: false })).status).toBe(403);
  });

  test("lets no learner sign in, chat or enroll; its staff can still read", async () => {
    const { university, course, offering, item } = await make.topic();
    const learner = await learnerOf(offering);
    const staff = await make.holder("ta", university.id);
    const api = world.as(learner);
    const session = await api.post("/chat/sessions", { content_item_id: item.id });
    const pair = (await learner.signIn()).body;
    await world.deps.db
      .update(universities)
      .set({ is_active: false })
      .where(eq(universities.id, university.id));

    const inactive = { status: 403, body: { detail: "Inactive university" } };
    expect(await learner.signIn()).toMatchObject(inactive);
    const refresh = { headers: { authorization: `Bearer ${pair.refresh_token}` } };
    expect(await world.as().post("/auth/refresh", undefined, refresh)).toMatchObject(inactive);
    const messages = `/chat/sessions/${session.body.id}/messages`;
    expect(await api.post(messages, { content: "Start." })).toMatchObject(inactive);
    expect(await api.post("/chat/sessions", { content_item_id: item.id })).toMatchObject(inactive);

    const other = {
      course_offering_id: offering.id,
      user_id: (await make.holder("student", university.id)).id,
    };
    const reply = await world.as(staff).post("/enrollments/", { ...other, override: true });
    expect([reply.status, reply.body.detail]).toEqual([400, "University is inactive"]);
    const stranger = await world
      .as(await make.person())
      .post("/enrollments/", { course_offering_id: offering.id });
    expect(stranger.body.detail).toBe("University is inactive");

    const roster = await world.as(staff).get(`/courses/${course.id}/offerings/${offering.id}/enrollments`);
    expect(roster.body).toMatchObject([{ user_id: learner.id, status: "ACTIVE" }]);
    const staffPair = await world.deps.tokens.issue(staff);
    const again = { headers: { authorization: `Bearer ${staffPair.refresh_token}` } };
    expect((await world.as().post("/auth/refresh", undefined, again)).status).toBe(200);
  });

  test("admits no learner through an identity provider either, linked or found by address", async () => {
    const { university, offering } = await make.topic();
    const [linked, known] = [await learnerOf(offering), await learnerOf(offering)];
    const { db } = world.deps;
    await db.insert(userIdentities).values({ user_id: linked.id, provider: "campus", subject: "linked" });
    await db.update(universities).set({ is_active: false }).where(eq(universities.id, university.id));
    for (const [subject, email] of [
      ["linked", undefined],
      ["known", known.email],
    ] as const) {
      const identity = { provider: "campus", subject, email, full_name: "Learner" };
      await expect(findOrCreateUserOfIdentity(db, identity), subject).rejects.toThrow("Inactive university");
    }
  });

  test("does not affect people in their other universities", async () => {
    const [closed, open] = [await make.topic(), await make.topic()];
    const learner = await learnerOf(closed.offering);
    await make.enrollment(learner.id, open.offering.id);
    await world.deps.db
      .update(universities)
      .set({ is_active: false })
      .where(eq(universities.id, closed.university.id));
    expect((await learner.signIn()).status).toBe(200);
    const asked = await world.as(learner).post("/chat/sessions", { content_item_id: open.item.id });
    expect(asked.status).toBe(201);
  });
});

test("an inactive person cannot be enrolled, and staff read their data", async () => {
  const { university, course, offering } = await make.topic();
  const staff = world.as(await make.holder("ta", university.id));
  const learner = await learnerOf(offering);
  await world.deps.db.update(users).set({ is_active: false }).where(eq(users.id, learner.id));
  expect((await learner.signIn()).body.detail).toBe("Inactive user");
  const further = await make.offering(course);
  const reply = await staff.post("/enrollments/", {
    course_offering_id: further.id,
    user_id: learner.id,
    override: true,
  });
  expect([reply.status, reply.body.detail]).toEqual([400, "Person is inactive"]);
  const outline = `/courses/${course.id}/offerings/${offering.id}/outline?user_id=${learner.id}`;
  expect((await staff.get(outline)).body.enrollment).toMatchObject({ status: "ACTIVE" });
  expect((await staff.get(`/users/${learner.id}/enrollments`)).body).toHaveLength(1);
});
