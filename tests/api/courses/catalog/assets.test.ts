import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const file = { url: "https://cdn.example.edu/circuit.png", asset_type: "image" };

async function staffed() {
  const university = await make.university();
  const instructor = world.as(await make.holder("instructor", university.id));
  return { university, instructor, own: { ...file, university_id: university.id } };
}

it("an instructor creates, reads, changes and deletes an asset of their university", async () => {
  const { university, instructor, own } = await staffed();
  const created = await instructor.post("/assets/", { ...own, meta_json: { width: 640 } });
  expect([created.status, created.body]).toEqual([
    201,
    expect.objectContaining({ ...file, university_id: university.id, meta_json: { width: 640 } }),
  ]);
  const path = `/assets/${created.body.id}`;
  expect((await instructor.get(path)).body).toEqual(created.body);

  const changed = await instructor.put(path, { meta_json: null, university_id: 1 });
  expect(changed.body).toMatchObject({ ...own, meta_json: null });
  expect((await instructor.put(path, {})).body).toEqual(changed.body);

  expect((await instructor.delete(path)).status).toBe(204);
  expect((await instructor.get(path)).status).toBe(404);
});

it("a university's assets are a 404 for another's staff", async () => {
  const { instructor, own } = await staffed();
  const { body } = await instructor.post("/assets", own);
  const stranger = (await staffed()).instructor;
  const path = `/assets/${body.id}`;
  for (const answer of [
    await stranger.get(path),
    await stranger.put(path, { url: "https://mine.example.edu" }),
    await stranger.put(path, {}),
    await stranger.delete(path),
  ])
    expect([answer.status, answer.body.detail]).toEqual([404, "Asset not found"]);
  expect((await stranger.get(`/assets/?university_id=${own.university_id}`)).body).toEqual([]);
  expect((await stranger.post("/assets", own)).status).toBe(403);
  expect((await instructor.get(path)).body).toEqual(body);
});

it("an asset without a university is the platform's: read by all staff, written by platform admins", async () => {
  const { university, instructor } = await staffed();
  const platformAdmin = world.as(await make.holder("platform_admin", university.id));
  expect((await instructor.post("/assets", file)).status).toBe(403);
  const { body } = await platformAdmin.post("/assets", file);
  expect(body.university_id).toBeNull();
  expect((await instructor.get("/assets?limit=1000")).body).toContainEqual(body);
  expect((await instructor.put(`/assets/${body.id}`, { asset_type: "other" })).status).toBe(403);
  expect((await instructor.delete(`/assets/${body.id}`)).status).toBe(403);
  expect((await platformAdmin.put(`/assets/${body.id}`, { asset_type: "other" })).status).toBe(200);
});

it("the list has what the caller may see, and filters by university", async () => {
  const { university, instructor, own } = await staffed();
  const platformAdmin = world.as(await make.holder("platform_admin", university.id));
  const shared = await platformAdmin.post("/assets", file);
  const first = await instructor.post("/assets", own);
  const second = await instructor.post("/assets", own);
  expect((await instructor.get(`/assets?university_id=${university.id}`)).body).toEqual([
    first.body,
    second.body,
  ]);
  const { body: all } = await instructor.get("/assets?limit=1000");
  expect(all).toEqual(expect.arrayContaining([shared.body, first.body, second.body]));
  expect((await instructor.get("/assets?skip=1&limit=1")).body).toEqual([all[1]]);
});

it("assistants read assets and write none; students and strangers do neither", async () => {
  const { university, instructor, own } = await staffed();
  const { body } = await instructor.post("/assets", own);
  const path = `/assets/${body.id}`;
  const assistant = world.as(await make.holder("ta", university.id));
  expect((await assistant.get(path)).body).toEqual(body);
  const student = world.as(await make.holder("student", university.id));
  expect((await student.get(path)).status).toBe(403);
  expect((await student.get("/assets")).status).toBe(403);

  for (const [caller, status] of [
    [assistant, 403],
    [student, 403],
    [world.as(), 401],
  ] as const) {
    expect((await caller.post("/assets", own)).status).toBe(status);
    expect((await caller.post("/assets", file)).status).toBe(status);
    // Content that a student cannot see returns 404.
    const unseen = caller === student ? 404 : status;
    expect((await caller.put(path, {})).status).toBe(unseen);
    expect((await caller.delete(path)).status).toBe(unseen);
  }
  expect((await world.as().get("/assets")).status).toBe(401);
});

it("a teacher who assists in another university writes only where they teach", async () => {
  const { university, instructor, own } = await staffed();
  const { body } = await instructor.post("/assets", own);
  const person = await make.holder("instructor", (await make.university()).id);
  await instructor.get("/assets");
  const admin = world.as(await make.holder("platform_admin", university.id));
  await admin.post(`/universities/${university.id}/roles`, { user_id: person.id, role: "TA" });

  expect((await world.as(person).get(`/assets/${body.id}`)).body).toEqual(body);
  expect((await world.as(person).put(`/assets/${body.id}`, { url: "https://mine.example.edu" })).status).toBe(
    403,
  );
  expect((await world.as(person).delete(`/assets/${body.id}`)).status).toBe(403);
});

it("staff of a department read and write the assets of their university, and of no other", async () => {
  const { university, own } = await staffed();
  const department = await make.department(university.id);
  const [teacher, assistant] = [
    world.as(await make.holder("instructor", university.id, department.id)),
    world.as(await make.holder("ta", university.id, department.id)),
  ];
  const { status, body } = await teacher.post("/assets", own);
  expect(status).toBe(201);
  expect((await assistant.get(`/assets/${body.id}`)).body).toEqual(body);
  expect((await assistant.put(`/assets/${body.id}`, { asset_type: "pdf" })).status).toBe(403);
  expect((await teacher.put(`/assets/${body.id}`, { asset_type: "pdf" })).status).toBe(200);
  const others = await staffed();
  const foreign = await others.instructor.post("/assets", others.own);
  expect((await teacher.get(`/assets/${foreign.body.id}`)).status).toBe(404);
});

it("an unknown university is a 400 for callers who may write anywhere", async () => {
  const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
  const refused = await admin.post("/assets", { ...file, university_id: 2_147_483_647 });
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    "Asset university_id '2147483647' does not exist",
  ]);
});

it.each([
  [{ url: " " }, "url", "value_error"],
  [{ url: "javascript:alert(1)" }, "url", "value_error"],
  [{ url: "/circuit.png" }, "url", "value_error"],
  [{ url: "u".repeat(1025) }, "url", "string_too_long"],
  [{ asset_type: "t".repeat(33) }, "asset_type", "string_too_long"],
  [{ asset_type: undefined }, "asset_type", "missing"],
  [{ meta_json: [] }, "meta_json", "dict_type"],
  [{ university_id: 2_147_483_648 }, "university_id", "less_than_equal"],
])("%j is a 422 at %s", async (change, field, type) => {
  const { instructor, own } = await staffed();
  const refused = await instructor.post("/assets", { ...own, ...change });
  expect(refused.body.detail).toMatchObject([{ loc: ["body", field], type }]);
});
