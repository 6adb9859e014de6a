import { describe, expect, it } from "vitest";
import { grantRoleWithoutActor } from "../../../../lib/identity/universities/roles.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);

async function administered() {
  const university = await make.university();
  const person = await make.holder("university_admin", university.id);
  return { university, person, admin: world.as(person), path: `/universities/${university.id}/roles` };
}

it("a university_admin grants a role, and lists all roles", async () => {
  const { university, person, admin, path } = await administered();
  const someone = await make.person();
  await make.enrollment(someone.id, (await make.offering(await make.course(university.id))).id);
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
  expect(listed.body).toContainEqual(
    expect.objectContaining({ email: person.email, role: "UNIVERSITY_ADMIN" }),
  );
  expect(listed.body.at(-1)).toEqual(granted.body);
  expect((await admin.get(`${path}?skip=${listed.body.length - 1}`)).body).toEqual([granted.body]);
});

it("a granted role counts immediately, and no longer after its revocation", async () => {
  const { university, admin, path } = await administered();
  const someone = await make.ownPerson(university.id);
  const course = { university_id: university.id, title: "Signals", code: make.unique("C") };
  expect((await world.as(someone).post("/courses/", course)).status).toBe(403);

  const granted = await admin.post(path, { email: someone.email, role: "INSTRUCTOR" });
  expect((await world.as(someone).post("/courses/", course)).status).toBe(201);

  expect((await admin.delete(`${path}/${granted.body.id}`)).status).toBe(204);
  expect((await world.as(someone).post("/courses/", course)).status).toBe(403);
});

it("a role may be bound to a department of the same university, and to no other's", async () => {
  const { university, admin, path } = await administered();
  const own = await make.department(university.id);
  const other = await make.department((await make.university()).id);
  const { email } = await make.ownPerson(university.id);
  const granted = await admin.post(path, { email, role: "TA", department_id: own.id });
  expect(granted.body.department_id).toBe(own.id);
  const refused = await admin.post(path, { email, role: "STUDENT", department_id: other.id });
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    `Role department_id '${other.id}' does not exist`,
  ]);
});

it("a duplicate role is a 400, also for concurrent grants", async () => {
  const { university, admin, path } = await administered();
  const { id, email } = await make.ownPerson(university.id);
  const grant = { email, role: "STUDENT" };
  const answers = await Promise.all(Array.from({ length: 6 }, () => admin.post(path, grant)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(400)]);
  expect(answers.find(({ status }) => status === 400)?.body.detail).toBe(
    `Role 'STUDENT' is already held by email '${email}'`,
  );
  const again = await admin.post(path, { user_id: id, role: "STUDENT" });
  expect(again.body.detail).toBe(`Role 'STUDENT' is already held by user_id '${id}'`);
});

it("a grant to a guessed id does not reveal whether it exists", async () => {
  const { admin, path } = await administered();
  const elsewhere = await administered();
  const stranger = await make.holder("student", elsewhere.university.id);
  for (const user_id of [stranger.id, 2_147_483_647]) {
    const refused = await admin.post(path, { user_id, role: "STUDENT" });
    expect([refused.status, refused.body]).toEqual([404, { detail: "User not found" }]);
  }
  expect((await admin.get(`/users/${stranger.id}`)).status).toBe(404);
  expect((await admin.get(path)).body).toHaveLength(1);
});

it("the university's own person gets a role by email, ignoring case, and keeps their name", async () => {
  const { university, admin, path } = await administered();
  const someone = await make.ownPerson(university.id);
  const granted = await admin.post(path, { email: ` ${someone.email.toUpperCase()}`, role: "TA" });
  expect([granted.status, granted.body]).toEqual([
    201,
    {
      id: expect.any(Number),
      user_id: someone.id,
      email: someone.email,
      full_name: null,
      university_id: university.id,
      role: "TA",
      department_id: null,
      created_at: expect.any(String),
    },
  ]);
});

it("an address outside of the university is offered the role: once, also concurrently, in one statement", async () => {
  const { university, admin, path } = await administered();
  const { id: department_id } = await make.department(university.id);
  const grant = { email: `${make.unique("new")}@example.edu`, role: "TA", department_id };
  const answers = await Promise.all(Array.from({ length: 4 }, () => admin.post(path, grant)));
  expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(202));
  const again = await admin.post(path, grant);
  expect(world.log.at(-1)?.["db_query_count"]).toBe(2);
  expect(again).toMatchObject({ status: 202, body: { offer: grant } });
  const listed = await admin.get(`/universities/${university.id}/invitations`);
  expect(listed.body).toMatchObject([{ ...again.body.offer, status: "OPEN", teaches: false }]);

  const token = await mailbox.tokenFor(grant.email);
  const anew = { token, full_name: "New", password: "correct horse" };
  expect((await world.as().post("/auth/invitations/accept", anew)).status).toBe(201);
  const roles = await admin.get(`${path}?role=TA`);
  expect(roles.body).toMatchObject([{ email: grant.email, role: "TA", department_id }]);
});

it("callers who may not grant a role cannot offer it either", async () => {
  const { university, admin, path } = await administered();
  const email = `${make.unique("new")}@example.edu`;
  const instructor = world.as(await make.holder("instructor", university.id));
  expect((await instructor.post(path, { email, role: "STUDENT" })).status).toBe(403);
  expect((await admin.post(path, { email, role: "PLATFORM_ADMIN" })).status).toBe(403);
  expect((await admin.get(`/universities/${university.id}/invitations`)).body).toEqual([]);
});

it("a grant names one person in one way", async () => {
  const { admin, path } = await administered();
  const nobody = await admin.post(path, { role: "STUDENT" });
  expect(nobody.body.detail).toEqual([{ loc: ["body", "user_id"], msg: "Field required", type: "missing" }]);
  const twice = await admin.post(path, { user_id: 1, email: "ada@example.edu", role: "STUDENT" });
  expect(twice.body.detail).toMatchObject([{ loc: ["body", "email"], type: "value_error" }]);
});

it("a grant takes one statement in addition to the caller's", async () => {
  const { university, admin, path } = await administered();
  await admin.post(path, { email: (await make.ownPerson(university.id)).email, role: "STUDENT" });
  expect(world.log.at(-1)?.["db_query_count"]).toBe(2);
});

it("no one grants or revokes a role above their own", async () => {
  const { university, admin, path } = await administered();
  const { email, id: user_id } = await make.ownPerson(university.id);
  expect((await admin.post(path, { email, role: "UNIVERSITY_ADMIN" })).status).toBe(201);
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
    await make.holder("instructor", university.id, department.id),
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

it("a department_admin sees, grants and revokes up to instructor, in the department alone", async () => {
  const { university, admin, path } = await administered();
  const [own, other] = [await make.department(university.id), await make.department(university.id)];
  const head = world.as(await make.holder("department_admin", university.id, own.id));
  const { email } = await make.ownPerson(university.id);
  const elsewhere = await admin.post(path, { email, role: "TA", department_id: other.id });

  for (const role of ["STUDENT", "TA", "INSTRUCTOR"])
    expect((await head.post(path, { email, role, department_id: own.id })).status).toBe(201);
  for (const refused of [
    { role: "TA" },
    { role: "TA", department_id: other.id },
    { role: "DEPARTMENT_ADMIN", department_id: own.id },
    { role: "UNIVERSITY_ADMIN", department_id: own.id },
    { role: "PLATFORM_ADMIN", department_id: own.id },
  ])
    expect((await head.post(path, { email, ...refused })).status).toBe(403);

  const { body: listed } = await head.get(path);
  expect(listed.map(({ role }: { role: string }) => role)).toEqual([
    "DEPARTMENT_ADMIN",
    "STUDENT",
    "TA",
    "INSTRUCTOR",
  ]);
  expect((await head.delete(`${path}/${listed[1].id}`)).status).toBe(204);
  expect((await head.delete(`${path}/${listed[0].id}`)).status).toBe(403);
  expect((await head.delete(`${path}/${elsewhere.body.id}`)).status).toBe(404);
});

it("a department_admin of the whole university grants for any department of it, and for nothing above", async () => {
  const { university, path } = await administered();
  const department = await make.department(university.id);
  const dean = world.as(await make.holder("department_admin", university.id));
  const { email } = await make.ownPerson(university.id);
  expect((await dean.post(path, { email, role: "TA", department_id: department.id })).status).toBe(201);
  expect((await dean.post(path, { email, role: "TA" })).status).toBe(403);
});

it("a person has a role once per department, also after concurrent grants", async () => {
  const { university, admin, path } = await administered();
  const departments = [await make.department(university.id), await make.department(university.id)];
  const { email } = await make.ownPerson(university.id);
  for (const department_id of [null, ...departments.map(({ id }) => id)]) {
    const grant = { email, role: "TA", department_id };
    const answers = await Promise.all(Array.from({ length: 4 }, () => admin.post(path, grant)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  }
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

it("a role can be assigned without an actor, as an installation's first one is", async () => {
  const university = await make.university();
  const first = await make.person();
  const role = { user_id: first.id, university_id: university.id, role: "PLATFORM_ADMIN" } as const;
  expect(await grantRoleWithoutActor(world.deps.db, role)).toMatchObject({ ...role, email: first.email });
  expect((await world.as(first).post("/domains/", { code: make.unique("D"), name: "First" })).status).toBe(
    201,
  );
});

describe("the last university_admin", () => {
  const ownRole = async (university: { id: number }, person: { id: number }) => {
    const { body } = await world.as(person).get(`/universities/${university.id}/roles`);
    const own = body.find((one: { user_id: number }) => one.user_id === person.id);
    return world.as(person).delete(`/universities/${university.id}/roles/${own.id}`);
  };

  it("cannot revoke their own role until there is another", async () => {
    const university = await make.university();
    const first = await make.holder("university_admin", university.id);
    await make.holder("department_admin", university.id);
    const refused = await ownRole(university, first);
    expect([refused.status, refused.headers.get("x-error-code")]).toEqual([400, "last_administrator"]);
    const second = await make.holder("university_admin", university.id);
    expect((await ownRole(university, first)).status).toBe(204);
    expect((await ownRole(university, second)).status).toBe(400);
  });

  it("is one of two who revoke their own roles concurrently", async () => {
    const university = await make.university();
    const people = [
      await make.holder("university_admin", university.id),
      await make.holder("university_admin", university.id),
    ];
    const replies = await Promise.all(people.map((person) => ownRole(university, person)));
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 400]);
  });
});
