import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Person = { id: number };

async function idsSeenBy(person: Person): Promise<number[]> {
  const { body } = await world.as(person).get("/users/?limit=1000");
  return body.map(({ id }: Person) => id);
}

/** A university with an instructor, a student by role, a learner with a dropped enrollment, and an outsider. */
async function prepareUniversity() {
  const { university, offering } = await make.topic();
  const instructor = await make.holder("instructor", university.id);
  const student = await make.holder("student", university.id);
  const learner = await make.person();
  await make.enrollment(learner.id, offering.id, "DROPPED");
  const outsider = await make.person();
  return { university, instructor, student, learner, outsider };
}

it("staff see the people with a role or an enrollment in their universities, and themselves", async () => {
  const { university, instructor, student, learner, outsider } = await prepareUniversity();
  const department = await make.department(university.id);
  const assistant = await make.holder("ta", university.id, department.id);
  const people = [instructor, student, learner, assistant].map(({ id }) => id);
  expect(await idsSeenBy(instructor)).toEqual(people);
  expect(await idsSeenBy(assistant)).toEqual(people);
  expect((await world.as(instructor).get(`/users/${learner.id}`)).body.email).toBe(learner.email);
  const unseen = await world.as(instructor).get(`/users/${outsider.id}`);
  expect([unseen.status, unseen.body.detail]).toEqual([404, "User not found"]);
});

it("another university's staff see none of them", async () => {
  const { student, learner } = await prepareUniversity();
  const stranger = await make.holder("university_admin", (await make.university()).id);
  expect(await idsSeenBy(stranger)).toEqual([stranger.id]);
  for (const { id } of [student, learner])
    expect((await world.as(stranger).get(`/users/${id}`)).status).toBe(404);
});

it("students see themselves alone", async () => {
  const { instructor, student, learner } = await prepareUniversity();
  expect(await idsSeenBy(student)).toEqual([student.id]);
  expect(await idsSeenBy(learner)).toEqual([learner.id]);
  expect((await world.as(student).get(`/users/${student.id}/`)).status).toBe(200);
  expect((await world.as(student).get(`/users/${instructor.id}`)).status).toBe(404);
});

it("a platform_admin sees everyone, by id, in windows", async () => {
  const { outsider } = await prepareUniversity();
  const admin = await make.holder("platform_admin", (await make.university()).id);
  const client = world.as(admin);
  const all = (await client.get("/users/?limit=1000")).body;
  expect(all.map(({ id }: Person) => id)).toContain(outsider.id);
  expect(all).toEqual(all.toSorted((a: Person, b: Person) => a.id - b.id));
  expect((await client.get("/users?skip=1&limit=2")).body).toEqual(all.slice(1, 3));
  expect((await client.get("/users/2147483647")).status).toBe(404);
});

it("a person is shown without the password, with today's streak", async () => {
  world.setNow("2026-03-10T12:00:00.000Z");
  const active = { current_streak_days: 4, password_hash: "kept to itself" };
  const alive = await make.person({ ...active, last_activity_date: "2026-03-09" });
  const lapsed = await make.person({ ...active, last_activity_date: "2026-03-08" });
  const { body } = await world.as(alive).get(`/users/${alive.id}`);
  expect(body).toEqual({
    id: alive.id,
    email: alive.email,
    full_name: alive.full_name,
    locale: "en",
    time_zone: "UTC",
    is_active: true,
    current_streak_days: 4,
    created_at: alive.created_at,
    avatar_url: null,
    updated_at: alive.updated_at,
    memberships: [],
  });
  expect((await world.as(lapsed).get("/users")).body[0].current_streak_days).toBe(0);
});

it("people need a token to be read, and ids and windows their range", async () => {
  expect((await world.as().get("/users")).status).toBe(401);
  expect((await world.as().get("/users/1")).status).toBe(401);
  const client = world.as(await make.person());
  expect((await client.get("/users/0")).body.detail[0].loc).toEqual(["path", "user_id"]);
  expect((await client.get("/users?limit=1001")).status).toBe(422);
  expect((await client.get("/users?skip=-1")).status).toBe(422);
});
