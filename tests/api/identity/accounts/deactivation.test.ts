import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const forbidden = { status: 403, body: { detail: "Not enough permissions" } };

async function prepareUniversity() {
  const [university, another] = [await make.university(), await make.university()];
  const admin = await make.holder("university_admin", university.id);
  const platformAdmin = await make.holder("platform_admin", another.id);
  return {
    university,
    another,
    as: world.as(admin),
    admin,
    platform: world.as(platformAdmin),
    platformAdmin,
  };
}

describe("PATCH /users/{user_id}", () => {
  it("deactivates an account, and its tokens stay revoked after a reactivation", async () => {
    const { university, platform } = await prepareUniversity();
    const student = await make.holder("student", university.id);
    const token = world.as(student);
    expect((await token.get("/users/me")).status).toBe(200);
    expect(await platform.patch(`/users/${student.id}`, { is_active: false })).toMatchObject({
      status: 200,
      body: { id: student.id, is_active: false },
    });
    expect(await token.get("/users/me")).toMatchObject({ status: 403, body: { detail: "Inactive user" } });
    expect((await platform.patch(`/users/${student.id}`, { is_active: true })).body.is_active).toBe(true);
    expect((await token.get("/users/me")).status).toBe(401);
  });

  it("ends no tokens and notes nothing when nothing changes", async () => {
    const { university, platform } = await prepareUniversity();
    const student = await make.holder("student", university.id);
    expect((await platform.patch(`/users/${student.id}`, { is_active: true })).status).toBe(200);
    expect((await world.as(student).get("/users/me")).status).toBe(200);
    expect((await platform.get(`/admin/audit?user_id=${student.id}`)).body).toEqual([]);
  });

  it("is the platform's alone, and not for oneself", async () => {
    const { university, as, platform, platformAdmin } = await prepareUniversity();
    const student = await make.holder("student", university.id);
    expect(await as.patch(`/users/${student.id}`, { is_active: false })).toMatchObject(forbidden);
    expect((await platform.patch(`/users/${platformAdmin.id}`, { is_active: false })).status).toBe(400);
    expect((await platform.patch("/users/2000000", { is_active: false })).status).toBe(404);
  });
});

describe("PATCH /universities/{university_id}/members/{user_id}", () => {
  it("suspends a person at the university alone, and restores exactly what they had", async () => {
    const { university, another, as } = await prepareUniversity();
    const person = await make.holder("instructor", university.id);
    const course = await make.course(university.id, { is_published: false });
    await make.enrollment(person.id, (await make.offering(await make.course(another.id))).id);
    const path = `/universities/${university.id}/members/${person.id}`;
    const token = world.as(person);
    const limited = world.as({ ...person, reach: { university_id: university.id } });
    expect((await token.get(`/courses/${course.id}`)).status).toBe(200);
    expect((await limited.get("/users/me")).status).toBe(200);
    expect(await as.patch(path, { is_active: false })).toMatchObject({
      status: 200,
      body: { user_id: person.id, is_active: false },
    });
    expect((await token.get(`/courses/${course.id}`)).status).toBe(404);
    expect((await token.get("/users/me/roles")).body).toEqual([]);
    expect((await token.get("/enrollments/my-enrollments")).body).toHaveLength(1);
    expect((await limited.get("/users/me")).status).toBe(401);
    expect((await as.patch(path, { is_active: true })).body.is_active).toBe(true);
    expect((await token.get(`/courses/${course.id}`)).status).toBe(200);
    expect((await as.get(`/admin/audit?user_id=${person.id}`)).body).toMatchObject([
      { action: "member.restored" },
      { action: "member.suspended" },
    ]);
  });

  it("is for its administrators, not against the platform's, and 404 for people of other universities", async () => {
    const { university, another, as, admin } = await prepareUniversity();
    const at = (id: number) => `/universities/${university.id}/members/${id}`;
    const off = { is_active: false };
    const instructor = world.as(await make.holder("instructor", university.id));
    const student = await make.holder("student", university.id);
    expect(await instructor.patch(at(student.id), off)).toMatchObject(forbidden);
    expect(await as.patch(at((await make.holder("platform_admin", university.id)).id), off)).toMatchObject(
      forbidden,
    );
    expect((await as.patch(at((await make.holder("student", another.id)).id), off)).status).toBe(404);
    expect((await as.patch(at(admin.id), off)).status).toBe(400);
  });

  it("stops suspended people from enrolling there", async () => {
    const { university, as } = await prepareUniversity();
    const person = await make.holder("student", university.id);
    const offering = await make.offering(await make.course(university.id));
    await as.patch(`/universities/${university.id}/members/${person.id}`, { is_active: false });
    const enroll = () => world.as(person).post("/enrollments/", { course_offering_id: offering.id });
    expect((await enroll()).status).toBe(403);
    await as.patch(`/universities/${university.id}/members/${person.id}`, { is_active: true });
    expect((await enroll()).status).toBe(201);
  });
});
