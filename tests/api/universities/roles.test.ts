import { expect, it } from "vitest";
import { assignRole } from "../../../lib/universities/roles.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function administered() {
  const university = await make.university();
  const person = await make.holder("university_admin", university.id);
  return { university, person, admin: world.as(person), path: `/universities/${university.id}/roles` };
}

it("a university_admin grants a role, and sees who holds which", async () => {
  const { university, person, admin, path } = await administered();
  const someone = await make.person();
  const granted = await admin.post(path, { user_id: someone.id, role: "instructor" });
  expect(granted.status).toBe(201);
  expect(granted.body).toMatchObject({
    user_id: someone.id,
    email: someone.email,
    full_name: someone.full_name,
    university_id: university.id,
    role: "INSTRUCTOR",
    department_id: null,
  });
  const listed = await admin.get(path);
  expect(listed.body).toEqual([
    expect.objectContaining({ email: person.email, role: "UNIVERSITY_ADMIN" }),
    granted.body,
  ]);
  expect((await admin.get(`${path}?skip=1&limit=1`)).body).toEqual([granted.body]);
});

it("a granted role counts at once, and no longer when it is revoked", async () => {
  const { university, admin, path } = await administered();
  const someone = await make.person();
  const course = { university_id: university.id, title: "Signals", code: make.unique("C") };
  expect((await world.as(someone).post("/courses/", course)).status).toBe(403);

  const granted = await admin.post(path, { user_id: someone.id, role: "INSTRUCTOR" });
  expect((await world.as(someone).post("/courses/", course)).status).toBe(201);

  expect((await admin.delete(`${path}/${granted.body.id}`)).status).toBe(204);
  expect((await world.as(someone).post("/courses/", course)).status).toBe(403);
});

it("a role may be bound to a department of the same university, and to no other's", async () => {
  const { university, admin, path } = await administered();
  const own = await make.department(university.id);
  const other = await make.department((await make.university()).id);
  const user_id = (await make.person()).id;
  const granted = await admin.post(path, { user_id, role: "TA", department_id: own.id });
  expect(granted.body.department_id).toBe(own.id);
  const refused = await admin.post(path, { user_id, role: "STUDENT", department_id: other.id });
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    `Role department_id '${other.id}' does not exist`,
  ]);
});

it("a role that is held already, and a person who does not exist, are a 400", async () => {
  const { admin, path } = await administered();
  const grant = { user_id: (await make.person()).id, role: "STUDENT" };
  const answers = await Promise.all(Array.from({ length: 6 }, () => admin.post(path, grant)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(400)]);
  expect(answers.find(({ status }) => status === 400)?.body.detail).toBe(
    `Role 'STUDENT' is already held by user_id '${grant.user_id}'`,
  );
  const unknown = await admin.post(path, { user_id: 2_147_483_647, role: "STUDENT" });
  expect([unknown.status, unknown.body.detail]).toEqual([400, "Role user_id '2147483647' does not exist"]);
});

it("nobody grants or revokes a role above their own", async () => {
  const { university, admin, path } = await administered();
  const user_id = (await make.person()).id;
  expect((await admin.post(path, { user_id, role: "UNIVERSITY_ADMIN" })).status).toBe(201);
  expect((await admin.post(path, { user_id, role: "PLATFORM_ADMIN" })).status).toBe(403);

  const platformAdmin = world.as(await make.holder("platform_admin", university.id));
  const granted = await platformAdmin.post(path, { user_id, role: "PLATFORM_ADMIN" });
  expect(granted.status).toBe(201);
  const refused = await admin.delete(`${path}/${granted.body.id}`);
  expect([refused.status, refused.body.detail]).toEqual([403, "Not enough permissions"]);
  expect((await platformAdmin.delete(`${path}/${granted.body.id}`)).status).toBe(204);
});

it("roles are the business of the university's own administrators", async () => {
  const { university, path } = await administered();
  const department = await make.department(university.id);
  const [role] = (await world.as(await make.holder("university_admin", university.id)).get(path)).body;
  const grant = { user_id: (await make.person()).id, role: "STUDENT" };
  const callers = [
    await make.person(),
    await make.holder("instructor", university.id),
    await make.holder("department_admin", university.id, department.id),
    await make.holder("department_admin", university.id),
    await make.holder("university_admin", (await make.university()).id),
  ];
  for (const caller of callers.map((person) => world.as(person))) {
    expect((await caller.get(path)).status).toBe(403);
    expect((await caller.post(path, grant)).status).toBe(403);
    expect((await caller.delete(`${path}/${role.id}`)).status).toBe(403);
  }
  expect((await world.as().get(path)).status).toBe(401);
  expect((await world.as().post(path, grant)).status).toBe(401);
});

it("a role is found under its own university only", async () => {
  const { admin, path } = await administered();
  const elsewhere = await administered();
  const [role] = (await elsewhere.admin.get(elsewhere.path)).body;
  const refused = await admin.delete(`${path}/${role.id}`);
  expect([refused.status, refused.body.detail]).toEqual([404, "Role not found"]);
  expect((await elsewhere.admin.get(elsewhere.path)).body).toHaveLength(1);
});

it("the roles of an unknown university are a 404, and an empty list of a known one is a list", async () => {
  const { university } = await administered();
  const platformAdmin = world.as(await make.holder("platform_admin", university.id));
  const path = "/universities/2147483647/roles";
  const grant = { user_id: (await make.person()).id, role: "STUDENT" };
  for (const answer of [
    await platformAdmin.get(path),
    await platformAdmin.post(path, grant),
    await platformAdmin.delete(`${path}/1`),
    await world.as(await make.person()).get(path),
  ])
    expect([answer.status, answer.body.detail]).toEqual([404, "University not found"]);
  const empty = await make.university();
  expect((await platformAdmin.get(`/universities/${empty.id}/roles`)).body).toEqual([]);
});

it("an unknown role is a 422", async () => {
  const { admin, path } = await administered();
  const refused = await admin.post(path, { user_id: 1, role: "DEAN" });
  expect(refused.body.detail).toMatchObject([{ loc: ["body", "role"], type: "enum" }]);
});

it("a role can be assigned in nobody's name, as an installation's first one is", async () => {
  const university = await make.university();
  const first = await make.person();
  const role = { user_id: first.id, university_id: university.id, role: "PLATFORM_ADMIN" } as const;
  expect(await assignRole(world.deps.db, role)).toMatchObject({ ...role, email: first.email });
  expect((await world.as(first).post("/domains/", { code: make.unique("D"), name: "First" })).status).toBe(
    201,
  );
});
