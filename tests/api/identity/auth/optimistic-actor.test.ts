import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { courseOfferingInstructors } from "../../../../schema/db/courses/offerings.ts";
import { userUniversityRoles } from "../../../../schema/db/identity/roles.ts";
import { users } from "../../../../schema/db/identity/users.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const change = (id: number, values: Partial<typeof users.$inferInsert>) =>
  world.deps.db.update(users).set(values).where(eq(users.id, id));

/** An instructor whose staff rights are cached by a recent read. */
async function rememberedInstructor() {
  const { university } = await make.topic();
  const person = await make.holder("instructor", university.id);
  const client = world.as(person);
  const read = () => client.get("/feature-requests/all");
  expect((await read()).status).toBe(200);
  const withdraw = () =>
    world.deps.db.delete(userUniversityRoles).where(eq(userUniversityRoles.user_id, person.id));
  return { person, university, client, read, withdraw };
}

const roundTrips = () => world.log.at(-1)?.["db_query_count"];

describe("the next read of a cached person", () => {
  it("takes one round trip, also if it finds nothing or is rejected", async () => {
    const { client } = await rememberedInstructor();
    const reads = [
      ["/feature-requests/all", 200],
      ["/users/me", 200],
      ["/courses/2147483647", 404],
      ["/courses/?limit=abc", 422],
      ["/admin/analytics/overview", 403],
    ] as const;
    for (const [path, status] of reads) {
      expect((await client.get(path)).status, path).toBe(status);
      expect(roundTrips(), path).toBe(1);
    }
  });

  it("is rejected after a deactivation, and answered after a reactivation", async () => {
    const { person, read } = await rememberedInstructor();
    await change(person.id, { is_active: false });
    const refused = await read();
    expect([refused.status, refused.body.detail]).toEqual([403, "Inactive user"]);
    await change(person.id, { is_active: true });
    expect((await read()).status).toBe(200);
  });

  it("is rejected after an erasure", async () => {
    const { person, read } = await rememberedInstructor();
    await world.deps.db.delete(users).where(eq(users.id, person.id));
    expect((await read()).status).toBe(401);
    expect((await read()).status).toBe(401);
  });

  it("is rejected after their role was withdrawn, and answered once they have it again", async () => {
    const { person, university, read, withdraw } = await rememberedInstructor();
    await withdraw();
    expect((await read()).status).toBe(403);
    await world.deps.db
      .insert(userUniversityRoles)
      .values({ user_id: person.id, university_id: university.id, role: "INSTRUCTOR" });
    expect((await read()).status).toBe(200);
  });

  it("is rejected with a revoked token, although they are cached by a valid one", async () => {
    const { person, university, client, read } = await rememberedInstructor();
    const course = await make.course(university.id, { is_published: false });
    await change(person.id, { token_version: 1 });
    expect((await read()).status).toBe(401);
    const current = world.as({ id: person.id, token_version: 1 });
    const reads = [
      ["/feature-requests/all", 401],
      ["/users/me", 401],
      [`/courses/${course.id}`, 404],
    ] as const;
    for (const [path, refusal] of reads) {
      expect((await current.get(path)).status, path).toBe(200);
      expect((await client.get(path)).status, path).toBe(refusal);
      expect((await current.get(path)).status, path).toBe(200);
    }
  });

  it("shows what a role makes visible while the role lasts", async () => {
    const { university, client, withdraw } = await rememberedInstructor();
    const course = await make.course(university.id, { is_published: false });
    expect((await client.get(`/courses/${course.id}`)).status).toBe(200);
    await withdraw();
    expect((await client.get(`/courses/${course.id}`)).status).toBe(404);
  });

  it("has the rights of a teacher as soon as a learner who teaches becomes staff", async () => {
    const { university, course, offering } = await make.topic();
    const person = await make.holder("student", university.id);
    const client = world.as(person);
    const roles = async () =>
      (await client.get("/users/me/roles")).body.map(({ role, course_id }: Record<string, unknown>) => [
        role,
        course_id,
      ]);
    await world.deps.db
      .insert(courseOfferingInstructors)
      .values({ course_offering_id: offering.id, user_id: person.id });
    for (let read = 0; read < 3; read += 1) expect(await roles()).toEqual([["STUDENT", null]]);
    expect(roundTrips()).toBe(1);
    const { id: department_id } = await make.department(university.id);
    const held = { user_id: person.id, university_id: university.id, department_id, role: "TA" as const };
    await world.deps.db.insert(userUniversityRoles).values(held);
    const asStaff = [
      ["STUDENT", null],
      ["TA", null],
      ["INSTRUCTOR", course.id],
    ];
    expect(await roles()).toEqual(asStaff);
    await world.deps.db
      .delete(userUniversityRoles)
      .where(and(eq(userUniversityRoles.user_id, person.id), eq(userUniversityRoles.role, "TA")));
    expect(await roles()).toEqual([["STUDENT", null]]);
    expect(await roles()).toEqual([["STUDENT", null]]);
  });

  it("shows their current profile", async () => {
    const { person, client } = await rememberedInstructor();
    await change(person.id, { full_name: "Renamed elsewhere" });
    expect((await client.get("/users/me")).body.full_name).toBe("Renamed elsewhere");
  });
});

describe("concurrent reads of cached people", () => {
  const statuses = (reads: Promise<{ status: number }>[]) =>
    Promise.all(reads.map(async (read) => (await read).status));

  it("each take one round trip, and return what is each one's own", async () => {
    const people = [
      await make.person(),
      (await rememberedInstructor()).person,
      await make.person({ full_name: "A third" }),
    ];
    const readAll = () =>
      Promise.all([...people, ...people].map((person) => world.as(person).get("/users/me")));
    await readAll();
    world.log.length = 0;
    const ids = (await readAll()).map(({ body }) => body.id);
    expect(ids).toEqual([...people, ...people].map(({ id }) => id));
    const paths = ["/users/me", "/courses/", "/enrollments/my-enrollments", "/courses/2147483647"];
    const some = people.flatMap((person) => paths.map((path) => world.as(person).get(path)));
    expect(await statuses(some)).toEqual(people.flatMap(() => [200, 200, 200, 404]));
    expect(world.log.map(({ db_query_count }) => db_query_count)).toEqual(Array(18).fill(1));
  });

  it("are judged one by one by what is current", async () => {
    const unchanged = await rememberedInstructor();
    const withdrawn = await rememberedInstructor();
    const inactive = await rememberedInstructor();
    const revoked = await rememberedInstructor();
    const erased = await rememberedInstructor();
    const renamed = await rememberedInstructor();
    const all = [unchanged, withdrawn, inactive, revoked, erased, renamed];
    await withdrawn.withdraw();
    await change(inactive.person.id, { is_active: false });
    await change(revoked.person.id, { token_version: 1 });
    await world.deps.db.delete(users).where(eq(users.id, erased.person.id));
    await change(renamed.person.id, { full_name: "Renamed elsewhere" });
    expect(await statuses(all.map(({ read }) => read()))).toEqual([200, 403, 403, 401, 401, 200]);
    const names = all.map(async ({ client }) => (await client.get("/users/me")).body.full_name);
    expect((await Promise.all(names)).at(-1)).toBe("Renamed elsewhere");
  });

  it("accept the current token of a person and refuse their revoked one", async () => {
    const { person, client, read } = await rememberedInstructor();
    await change(person.id, { token_version: 1 });
    const current = world.as({ id: person.id, token_version: 1 });
    const both = () => [current.get("/users/me"), client.get("/users/me"), read(), current.get("/courses/")];
    for (let round = 0; round < 3; round += 1) expect(await statuses(both())).toEqual([200, 401, 401, 200]);
  });

  it("show the courses of a learner who became staff, beside others who did not", async () => {
    const { university, course, offering } = await make.topic();
    const people = [await make.holder("student", university.id), await make.holder("student", university.id)];
    for (const { id } of people)
      await world.deps.db
        .insert(courseOfferingInstructors)
        .values({ course_offering_id: offering.id, user_id: id });
    const courses = () =>
      Promise.all(
        people.map(async (person) => {
          const { body } = await world.as(person).get("/users/me/roles");
          return body.flatMap(({ course_id }: Record<string, unknown>) => course_id ?? []);
        }),
      );
    for (let round = 0; round < 3; round += 1) expect(await courses()).toEqual([[], []]);
    const { id: department_id } = await make.department(university.id);
    const held = { university_id: university.id, department_id, role: "TA" as const };
    await world.deps.db.insert(userUniversityRoles).values({ ...held, user_id: people[1]?.id ?? 0 });
    for (let round = 0; round < 3; round += 1) expect(await courses()).toEqual([[], [course.id]]);
  });
});

describe("the next write of a cached learner", () => {
  /** A learner with a seat whom a read has cached, and posts of their progress. */
  async function rememberedLearner() {
    const { university, offering, item } = await make.topic();
    const person = await make.person();
    await make.enrollment(person.id, offering.id);
    const client = world.as(person);
    const post = (percent: number, over: object = {}) =>
      client.post("/progress/content", {
        ...{ course_offering_id: offering.id, content_item_id: item.id, progress_percent: percent },
        ...over,
      });
    const stored = async () => {
      const { rows } = await world.deps.db.execute(
        sql`select progress_percent::int as percent from user_content_progress where user_id = ${person.id}`,
      );
      return rows.map(({ percent }) => percent);
    };
    expect((await post(10)).status).toBe(200);
    // The first activity of a day changes their streak.
    expect((await client.get("/users/me")).status).toBe(200);
    return { person, university, offering, item, client, post, stored };
  }

  it("takes one round trip, and one more when it finds that they changed", async () => {
    const { person, item, offering, client, post, stored } = await rememberedLearner();
    expect([(await post(20)).status, roundTrips()]).toEqual([200, 1]);
    const module = { course_offering_id: offering.id, module_id: item.module_id, progress_percent: 50 };
    expect([(await client.post("/progress/modules", module)).status, roundTrips()]).toEqual([200, 1]);
    await change(person.id, { full_name: "Renamed elsewhere" });
    expect([(await post(30)).status, roundTrips()]).toEqual([200, 2]);
    expect([(await post(40)).status, roundTrips()]).toEqual([200, 1]);
    expect(await stored()).toEqual([40]);
  });

  it("stores nothing after a deactivation, and something after a reactivation", async () => {
    const { person, post, stored } = await rememberedLearner();
    await change(person.id, { is_active: false });
    for (const over of [{}, { progress_percent: "x" }, { completed_at: "2999-01-01T00:00:00Z" }]) {
      const refused = await post(20, over);
      expect([refused.status, refused.body.detail]).toEqual([403, "Inactive user"]);
    }
    expect(await stored()).toEqual([10]);
    await change(person.id, { is_active: true });
    expect((await post(20)).status).toBe(200);
    expect(await stored()).toEqual([20]);
  });

  it("stores nothing with a revoked token, although they are cached by a valid one", async () => {
    const { person, offering, item, post, stored } = await rememberedLearner();
    await change(person.id, { token_version: 1 });
    const current = world.as({ id: person.id, token_version: 1 });
    expect((await current.get("/users/me")).status).toBe(200);
    for (const over of [{}, { progress_percent: "x" }, { completed_at: "2999-01-01T00:00:00Z" }])
      expect((await post(20, over)).status).toBe(401);
    expect(await stored()).toEqual([10]);
    const { id } = item;
    const own = { course_offering_id: offering.id, content_item_id: id, progress_percent: 30 };
    expect((await current.post("/progress/content", own)).status).toBe(200);
    expect(await stored()).toEqual([30]);
  });

  it("is rejected after an erasure", async () => {
    const { person, post } = await rememberedLearner();
    await world.deps.db.delete(users).where(eq(users.id, person.id));
    expect((await post(20)).status).toBe(401);
    expect((await post(20)).status).toBe(401);
  });

  it("has the rights of a teacher as soon as a learner who teaches becomes staff", async () => {
    const { person, university, offering, client } = await rememberedLearner();
    await world.deps.db
      .insert(courseOfferingInstructors)
      .values({ course_offering_id: offering.id, user_id: person.id });
    const { id: module_id } = await make.module(offering.course_id, { is_published: false });
    const progress = { course_offering_id: offering.id, module_id, progress_percent: 50 };
    const post = () => client.post("/progress/modules", progress);
    expect((await post()).status).toBe(400);
    const { id: department_id } = await make.department(university.id);
    const held = { user_id: person.id, university_id: university.id, department_id, role: "TA" as const };
    await world.deps.db.insert(userUniversityRoles).values(held);
    expect((await post()).status).toBe(200);
    expect((await post()).status).toBe(200);
  });

  it("is refused for its own reason while they are unchanged", async () => {
    const { post } = await rememberedLearner();
    expect((await post(20, { progress_percent: "x" })).status).toBe(422);
    expect((await post(20, { completed_at: "2999-01-01T00:00:00Z" })).status).toBe(422);
    for (const over of [{ content_item_id: 2147483647 }, { course_offering_id: 2147483647 }])
      expect([(await post(20, over)).status, roundTrips()]).toEqual([400, 2]);
  });
});

/** Reads that wait for a locked table. */
const waiting = sql`select 1 from pg_locks where relation = 'feature_requests'::regclass and not granted
  and database = (select oid from pg_database where datname = current_database())`;

it("returns nothing to a person who is deactivated during the read", async () => {
  const { person, read } = await rememberedInstructor();
  let reading: ReturnType<typeof read> | undefined;
  await world.deps.db.transaction(async (tx) => {
    await tx.execute(sql`lock table feature_requests in access exclusive mode`);
    reading = read();
    await expect.poll(async () => (await world.deps.signsOfLife.execute(waiting)).rows).toHaveLength(1);
    await tx.update(users).set({ is_active: false }).where(eq(users.id, person.id));
  });
  expect((await reading)?.status).toBe(403);
});

it("returns nothing to a person who revokes their tokens during the read", async () => {
  const { person, read } = await rememberedInstructor();
  let reading: ReturnType<typeof read> | undefined;
  await world.deps.db.transaction(async (tx) => {
    await tx.execute(sql`lock table feature_requests in access exclusive mode`);
    reading = read();
    await expect.poll(async () => (await world.deps.signsOfLife.execute(waiting)).rows).toHaveLength(1);
    await tx.update(users).set({ token_version: 1 }).where(eq(users.id, person.id));
  });
  expect((await reading)?.status).toBe(401);
});

it("a person who is not cached is looked up before their read", async () => {
  const { university } = await make.topic();
  const person = await make.holder("instructor", university.id);
  expect((await world.as(person).get("/feature-requests/all")).status).toBe(200);
  expect(roundTrips()).toBe(2);
});
