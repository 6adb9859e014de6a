import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { identityProviders } from "../../../../schema/db/identity/identity-providers.ts";
import { userUniversityRoles } from "../../../../schema/db/identity/roles.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let platform: ReturnType<typeof world.as>;
beforeAll(async () => {
  platform = world.as(await make.holder("platform_admin", (await make.university()).id));
});

async function topicAt(university_id: number) {
  const course = await make.course(university_id);
  return { course, item: await make.contentItem(await make.module(course.id), university_id) };
}

const addProvider = (university_id: number, name = "campus") =>
  world.deps.db
    .insert(identityProviders)
    .values({
      ...{ university_id, name, label: "Campus account", issuer: "https://id.example.edu" },
      ...{ client_id: "c", secret_ciphertext: "s" },
    })
    .returning();

/**
 * A university that requires its provider, with its administrator's tokens from the provider and from
 * elsewhere.
 */
async function asking() {
  const university = await make.university();
  const [added] = await addProvider(university.id);
  const admin = await make.holder("university_admin", university.id);
  const reach = { university_id: university.id };
  const path = `/universities/${university.id}`;
  const reply = await world.as(admin).put(path, { requires_own_provider: true });
  expect(reply).toMatchObject({ status: 200, body: { requires_own_provider: true } });
  return { university, path, reach, admin, provider: added?.id };
}

const named = {
  status: 403,
  body: { detail: expect.stringContaining("its own identity provider, Campus account") },
};

describe("a university that requires its own identity provider", () => {
  it("must have one, and keeps the last", async () => {
    const university = await make.university();
    const admin = world.as(await make.holder("university_admin", university.id));
    expect(await admin.put(`/universities/${university.id}`, { requires_own_provider: true })).toMatchObject({
      status: 400,
      body: { detail: "The university has no identity provider of its own" },
    });
    const { path, provider } = await asking();
    const removed = await platform.delete(`${path}/identity-providers/${provider}`);
    expect(removed).toMatchObject({ status: 400, body: { detail: expect.stringContaining("The last") } });
  });

  it("never loses its last provider to a removal during the change of this setting", async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 10; round++) {
      const { id } = await make.university();
      const [added] = await addProvider(id);
      const [asked, removed] = await Promise.all([
        platform.put(`/universities/${id}`, { requires_own_provider: true }),
        platform.delete(`/universities/${id}/identity-providers/${added?.id}`),
      ]);
      outcomes.add(`${asked.status} ${removed.status}`);
    }
    for (const outcome of outcomes) expect(["200 400", "400 204"]).toContain(outcome);
  });

  it("keeps one of two concurrently removed providers", async () => {
    const { university, path, provider } = await asking();
    const [second] = await addProvider(university.id, "second");
    const replies = await Promise.all(
      [provider, second?.id].map((id) => platform.delete(`${path}/identity-providers/${id}`)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 400]);
  });

  it("is named with its provider in the profile of people with another sign-in", async () => {
    const { university, admin, reach } = await asking();
    const { id: university_id, name: university_name } = university;
    const { body } = await world.as(admin).get("/users/me");
    expect(body.sign_in).toEqual({
      university_id: null,
      course_offering_id: null,
      reaches_account: true,
      withheld: [{ university_id, university_name, is_suspended: false, provider: "Campus account" }],
    });
    expect((await world.as({ ...admin, reach }).get("/users/me")).body.sign_in.withheld).toEqual([]);
  });

  it("is changed only after a sign-in by it, disabled by the platform, and both are audited", async () => {
    const { path, university, admin, reach } = await asking();
    const off = { requires_own_provider: false };
    expect(await world.as(admin).put(path, off)).toMatchObject(named);
    expect((await world.as({ ...admin, reach }).put(path, off)).status).toBe(200);
    expect((await world.as(admin).put(path, { requires_own_provider: true })).status).toBe(200);
    expect((await platform.put(path, off)).status).toBe(200);
    const { rows } = await world.deps.db.execute(sql`
      select action from audit_events where university_id = ${university.id} order by id`);
    const [on, waived] = ["university.own_provider_required", "university.own_provider_waived"];
    expect(rows.map(({ action }) => action)).toEqual([on, waived, on, waived]);
  });

  it("gives no rights to other sign-ins, which count elsewhere", async () => {
    const { university, admin, reach, path } = await asking();
    const other = await make.university();
    await world.deps.db
      .insert(userUniversityRoles)
      .values({ user_id: admin.id, university_id: other.id, role: "UNIVERSITY_ADMIN" });
    const whole = world.as(admin);
    const rights = async (client: typeof whole, id: number) =>
      (await client.get(`/universities/${id}/roles`)).status;
    expect(await rights(whole, university.id)).toBe(403);
    expect(await whole.get(`${path}/roles`)).toMatchObject(named);
    expect(await rights(whole, other.id)).toBe(200);
    expect(await rights(world.as({ ...admin, reach }), university.id)).toBe(200);
    // An inactive user gets a different reason.
    await world.deps.db.execute(sql`update users set is_active = false where id = ${admin.id}`);
    expect((await whole.get(`${path}/roles`)).body).toEqual({ detail: "Inactive user" });
    await world.deps.db.execute(sql`update users set is_active = true where id = ${admin.id}`);
    // Sign-in remains allowed.
    expect((await whole.get("/users/me")).status).toBe(200);
  });

  it("shows learners with another sign-in none of their data there, and accepts no work", async () => {
    const { university, reach } = await asking();
    const { course, item } = await topicAt(university.id);
    const offering = await make.offering(course);
    const person = await make.holder("student", university.id);
    await make.enrollment(person.id, offering.id);
    const [whole, here] = [world.as(person), world.as({ ...person, reach })];
    const session = (await here.post("/chat/sessions", { content_item_id: item.id })).body;
    expect((await whole.get("/enrollments/my-enrollments")).body).toEqual([]);
    expect((await here.get("/enrollments/my-enrollments")).body).toHaveLength(1);
    const progress = { content_item_id: item.id, course_offering_id: offering.id, progress_percent: 10 };
    expect(await whole.post("/progress/content", progress)).toMatchObject(named);
    expect((await here.post("/progress/content", progress)).status).toBe(200);
    expect(await whole.get(`/chat/sessions/${session.id}`)).toMatchObject(named);
    expect(await whole.post(`/chat/sessions/${session.id}/messages`, { content: "Start." })).toMatchObject(
      named,
    );
    expect(await whole.post("/chat/sessions", { content_item_id: item.id })).toMatchObject(named);
  });

  it("neither enrolls people with another sign-in, nor lets them chat with its tutor", async () => {
    const { university } = await asking();
    const { course, item } = await topicAt(university.id);
    const offering = await make.offering(course);
    const stranger = world.as(await make.person());
    expect(await stranger.post("/enrollments/", { course_offering_id: offering.id })).toMatchObject(named);
    expect(await stranger.post("/chat/sessions", { content_item_id: item.id })).toMatchObject(named);
    expect((await stranger.get(`/courses/${course.id}`)).status).toBe(200);
  });

  it("binds no platform_admin", async () => {
    const { path } = await asking();
    expect((await platform.get(`${path}/roles`)).status).toBe(200);
  });
});
