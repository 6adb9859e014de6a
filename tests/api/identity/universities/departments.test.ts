import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function administered() {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  return { university, admin, path: `/universities/${university.id}/departments` };
}

it("a university_admin creates departments, which anyone can read and list", async () => {
  const { university, admin, path } = await administered();
  const first = await admin.post(path, { name: "Physics", code: "PHY" });
  const second = await admin.post(path, { name: "Chemistry", code: "CHE" });
  expect(first.status).toBe(201);
  expect(first.body).toMatchObject({ university_id: university.id, name: "Physics", code: "PHY" });

  expect((await world.as().get(path)).body).toEqual([first.body, second.body]);
  expect((await world.as().get(`${path}/?skip=1&limit=1`)).body).toEqual([second.body]);
  expect((await world.as().get(`${path}?skip=2`)).body).toEqual([]);
  expect((await world.as().get(`${path}/${first.body.id}`)).body).toEqual(first.body);
});

it("a code is taken within its university only", async () => {
  const { admin, path } = await administered();
  const elsewhere = await administered();
  const sent = { name: "Physics", code: "PHY" };
  const answers = await Promise.all([admin.post(path, sent), admin.post(path, sent)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  const refused = answers.find(({ status }) => status === 400);
  expect(refused?.body.detail).toBe("Department code 'PHY' is already taken");
  expect((await elsewhere.admin.post(elsewhere.path, sent)).status).toBe(201);
});

it("a department changes field by field, and not at all when nothing is sent", async () => {
  const { admin, university } = await administered();
  const department = await make.department(university.id);
  const path = `/universities/${university.id}/departments/${department.id}`;
  const changed = await admin.put(path, { name: "Renamed" });
  expect(changed.body).toMatchObject({ name: "Renamed", code: department.code });
  expect((await admin.put(path, {})).body).toEqual(changed.body);
  expect((await admin.put(path, { code: null })).status).toBe(422);
});

it("a department_admin changes their own department, but creates and deletes none", async () => {
  const { university, path } = await administered();
  const own = await make.department(university.id);
  const other = await make.department(university.id);
  const admin = world.as(await make.holder("department_admin", university.id, own.id));
  expect((await admin.put(`${path}/${own.id}`, { name: "Ours" })).body.name).toBe("Ours");
  expect((await admin.put(`${path}/${other.id}`, { name: "Theirs" })).status).toBe(403);
  expect((await admin.delete(`${path}/${own.id}`)).status).toBe(403);
  expect((await admin.post(path, { name: "New", code: "NEW" })).status).toBe(403);
});

it("another university's admin, an instructor and a stranger write no department", async () => {
  const { university, path } = await administered();
  const department = await make.department(university.id);
  const elsewhere = await make.university();
  const callers = [
    await make.holder("university_admin", elsewhere.id),
    await make.holder("instructor", university.id),
    await make.person(),
  ];
  for (const caller of callers.map((person) => world.as(person))) {
    expect((await caller.post(path, { name: "New", code: "NEW" })).status).toBe(403);
    expect((await caller.put(`${path}/${department.id}`, { name: "Mine" })).status).toBe(403);
    expect((await caller.delete(`${path}/${department.id}`)).status).toBe(403);
  }
  expect((await world.as().post(path, { name: "New", code: "NEW" })).status).toBe(401);
});

it("a department is found under its own university only", async () => {
  const { university } = await administered();
  const department = await make.department(university.id);
  const elsewhere = await administered();
  const path = `${elsewhere.path}/${department.id}`;
  for (const answer of [
    await world.as().get(path),
    await elsewhere.admin.put(path, { name: "Mine" }),
    await elsewhere.admin.delete(path),
  ])
    expect([answer.status, answer.body.detail]).toEqual([404, "Department not found"]);
});

it("the departments of an unknown university are a 404", async () => {
  const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
  const path = "/universities/2147483647/departments";
  for (const answer of [
    await admin.get(path),
    await admin.post(path, { name: "New", code: "NEW" }),
    await admin.get(`${path}/1`),
    await admin.put(`${path}/1`, { name: "New" }),
    await admin.delete(`${path}/1`),
    await world.as(await make.person()).post(path, { name: "New", code: "NEW" }),
  ])
    expect([answer.status, answer.body.detail]).toEqual([404, "University not found"]);
});

it("a department with courses is not deleted; without, its roles are deleted with it", async () => {
  const { university, admin, path } = await administered();
  const department = await make.department(university.id);
  const course = await make.course(university.id, { department_id: department.id });
  await make.holder("instructor", university.id, department.id);
  const refused = await admin.delete(`${path}/${department.id}`);
  expect([refused.status, refused.body.detail]).toEqual([400, "Department is still in use"]);

  await admin.put(`/courses/${course.id}`, { department_id: null });
  expect((await admin.delete(`${path}/${department.id}`)).status).toBe(204);
  expect((await admin.get(`${path}/${department.id}`)).status).toBe(404);
  const roles = await admin.get(`/universities/${university.id}/roles`);
  expect(roles.body.map(({ role }: { role: string }) => role)).toEqual(["UNIVERSITY_ADMIN"]);
});

it.each([
  [{ name: "Physics" }, "code", "missing"],
  [{ name: "Physics", code: "" }, "code", "string_too_short"],
  [{ name: "Physics", code: "x".repeat(65) }, "code", "string_too_long"],
  [{ name: 1, code: "PHY" }, "name", "string_type"],
])("%j is a 422 at %s", async (body, field, type) => {
  const { admin, path } = await administered();
  const refused = await admin.post(path, body);
  expect(refused.body.detail).toMatchObject([{ loc: ["body", field], type }]);
});
