import { describe, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const forbidden = { status: 403, body: { detail: "Not enough permissions" } };

async function campus() {
  const [university, another] = [await make.university(), await make.university()];
  const admin = await make.holder("university_admin", university.id);
  return { university, another, as: world.as(admin), admin };
}

describe("PATCH /users/{user_id}", () => {
  it("deactivates a person of one's university, whose tokens end for good, also when they are activated again", async () => {
    const { university, as } = await campus();
    const student = await make.holder("student", university.id);
    const token = world.as(student);
    expect((await token.get("/users/me")).status).toBe(200);
    expect(await as.patch(`/users/${student.id}`, { is_active: false })).toMatchObject({
      status: 200,
      body: { id: student.id, is_active: false },
    });
    expect(await token.get("/users/me")).toMatchObject({ status: 403, body: { detail: "Inactive user" } });
    expect((await as.patch(`/users/${student.id}`, { is_active: true })).body.is_active).toBe(true);
    expect((await token.get("/users/me")).status).toBe(401);
  });

  it("ends no tokens and notes nothing when nothing changes", async () => {
    const { university, as } = await campus();
    const student = await make.holder("student", university.id);
    expect((await as.patch(`/users/${student.id}`, { is_active: true })).status).toBe(200);
    expect((await world.as(student).get("/users/me")).status).toBe(200);
    expect((await as.get(`/admin/audit?user_id=${student.id}`)).body).toEqual([]);
  });

  it("takes a platform administrator for people who belong elsewhere too, by a role or an enrollment", async () => {
    const { university, another, as } = await campus();
    const byRole = await make.holder("student", university.id);
    await world.deps.db.execute(
      `insert into user_university_roles (user_id, university_id, role) values (${byRole.id}, ${another.id}, 'student')`,
    );
    const byEnrollment = await make.holder("student", university.id);
    const offering = await make.offering(await make.course(another.id));
    await make.enrollment(byEnrollment.id, offering.id);
    const platform = world.as(await make.holder("platform_admin", another.id));
    for (const { id } of [byRole, byEnrollment]) {
      expect(await as.patch(`/users/${id}`, { is_active: false })).toMatchObject(forbidden);
      expect((await platform.patch(`/users/${id}`, { is_active: false })).status).toBe(200);
    }
  });

  it("is not for lesser staff, not against a platform administrator, and 404 for people who are not seen", async () => {
    const { university, another, as } = await campus();
    const student = await make.holder("student", university.id);
    const platform = await make.holder("platform_admin", university.id);
    const instructor = world.as(await make.holder("instructor", university.id));
    const stranger = await make.holder("student", another.id);
    expect(await instructor.patch(`/users/${student.id}`, { is_active: false })).toMatchObject(forbidden);
    expect(await as.patch(`/users/${platform.id}`, { is_active: false })).toMatchObject(forbidden);
    expect((await as.patch(`/users/${stranger.id}`, { is_active: false })).status).toBe(404);
  });

  it("is not for oneself, and takes two round trips", async () => {
    const { university, admin, as } = await campus();
    expect((await as.patch(`/users/${admin.id}`, { is_active: false })).status).toBe(400);
    const student = await make.holder("student", university.id);
    const reply = await as.patch(`/users/${student.id}`, { is_active: false });
    expect(reply.headers.get("server-timing")).toMatch(/^db;desc="2 queries"/);
  });
});
