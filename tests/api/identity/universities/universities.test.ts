import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function platformAdmin() {
  const { id } = await make.university();
  return world.as(await make.holder("platform_admin", id));
}

async function draft() {
  return {
    name: make.unique("University"),
    short_code: make.unique("U"),
    country_id: (await make.country()).id,
  };
}

it("a platform admin creates a university, which anyone can read and list", async () => {
  const sent = { ...(await draft()), time_zone: "Europe/London" };
  const created = await (await platformAdmin()).post("/universities/", sent);
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ ...sent, website_url: null, is_active: true });

  const { id } = created.body;
  expect((await world.as().get(`/universities/${id}`)).body).toEqual(created.body);
  const listed = await world.as().get("/universities/?limit=1000");
  expect(listed.body).toContainEqual(created.body);
  expect((await world.as().get("/universities?skip=1&limit=1")).body).toEqual([listed.body[1]]);
});

it("a university's time zone is UTC unless it is given", async () => {
  const created = await (await platformAdmin()).post("/universities/", await draft());
  expect(created.body.time_zone).toBe("UTC");
});

it("an inactive university stays listed", async () => {
  const inactive = await make.university({ is_active: false });
  const listed = await world.as().get("/universities/?limit=1000");
  expect(listed.body).toContainEqual(expect.objectContaining({ id: inactive.id, is_active: false }));
});

it("only a platform admin creates universities", async () => {
  const { id } = await make.university();
  const sent = await draft();
  expect((await world.as().post("/universities/", sent)).status).toBe(401);
  for (const role of ["student", "instructor", "university_admin"] as const) {
    const refused = await world.as(await make.holder(role, id)).post("/universities/", sent);
    expect([refused.status, refused.body.detail]).toEqual([403, "Not enough permissions"]);
  }
});

it("a taken short code and an unknown country are a 400 that names them", async () => {
  const admin = await platformAdmin();
  const { short_code } = await make.university();
  const taken = await admin.post("/universities/", { ...(await draft()), short_code });
  expect([taken.status, taken.body.detail]).toEqual([
    400,
    `University short_code '${short_code}' is already taken`,
  ]);
  const stateless = await admin.post("/universities/", { ...(await draft()), country_id: 999_999 });
  expect([stateless.status, stateless.body.detail]).toEqual([
    400,
    "University country_id '999999' does not exist",
  ]);
});

it("of concurrent requests with the same short code, one gets it and the others a 400", async () => {
  const admin = await platformAdmin();
  const sent = await draft();
  const answers = await Promise.all(Array.from({ length: 8 }, () => admin.post("/universities/", sent)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(400)]);
});

it.each([
  [{ name: " " }, "name", "string_too_short"],
  [{ name: "n".repeat(256) }, "name", "string_too_long"],
  [{ short_code: undefined }, "short_code", "missing"],
  [{ short_code: null }, "short_code", "string_type"],
  [{ country_id: "GB" }, "country_id", "int_type"],
  [{ time_zone: "Mars/Olympus" }, "time_zone", "value_error"],
  [{ website_url: "javascript:alert(1)" }, "website_url", "value_error"],
  [{ is_active: "yes" }, "is_active", "bool_type"],
])("%j is a 422 at %s", async (change, field, type) => {
  const refused = await (await platformAdmin()).post("/universities/", { ...(await draft()), ...change });
  expect(refused.status).toBe(422);
  expect(refused.body.detail).toMatchObject([{ loc: ["body", field], type }]);
});

it("its own university_admin changes a university, field by field", async () => {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  const path = `/universities/${university.id}`;

  const named = await admin.put(path, { website_url: "https://www.example.edu", unknown: "key" });
  expect(named.body).toMatchObject({ name: university.name, website_url: "https://www.example.edu" });
  expect((await admin.put(path, { website_url: null })).body.website_url).toBeNull();
  expect((await admin.put(path, { name: null })).status).toBe(422);

  const before = await admin.get(path);
  const unchanged = await admin.put(path, {});
  expect([unchanged.status, unchanged.body]).toEqual([200, before.body]);
});

it("a university is changed only by its own university_admin or above", async () => {
  const university = await make.university();
  const elsewhere = await make.university();
  const path = `/universities/${university.id}`;
  expect((await world.as().put(path, {})).status).toBe(401);
  const callers = [
    await make.person(),
    await make.holder("department_admin", university.id),
    await make.holder("university_admin", elsewhere.id),
  ];
  for (const caller of callers) {
    expect((await world.as(caller).put(path, { name: "Mine" })).status).toBe(403);
    expect((await world.as(caller).put(path, {})).status).toBe(403);
  }
  expect((await world.as().get(path)).body.name).toBe(university.name);
});

it("an unknown university is a 404, an id out of range a 422", async () => {
  const admin = await platformAdmin();
  for (const answer of [
    await admin.get("/universities/2147483647"),
    await admin.put("/universities/2147483647", { name: "Nowhere" }),
    await admin.put("/universities/2147483647", {}),
    await admin.delete("/universities/2147483647"),
  ])
    expect([answer.status, answer.body.detail]).toEqual([404, "University not found"]);
  const refused = await admin.get("/universities/2147483648");
  expect(refused.body.detail).toMatchObject([{ loc: ["path", "university_id"] }]);
});

it("a platform admin deletes a university, with its departments, roles and assets", async () => {
  const university = await make.university();
  const department = await make.department(university.id);
  const instructor = await make.holder("instructor", university.id, department.id);
  const admin = await platformAdmin();
  const asset = await admin.post("/assets/", {
    university_id: university.id,
    url: "https://cdn.example.edu/a.png",
    asset_type: "image",
  });

  expect((await admin.delete(`/universities/${university.id}`)).status).toBe(204);
  expect((await admin.get(`/universities/${university.id}`)).status).toBe(404);
  expect((await admin.get(`/universities/${university.id}/departments`)).status).toBe(404);
  expect((await admin.get(`/assets/${asset.body.id}`)).status).toBe(404);
  expect((await world.as(instructor).get("/module-templates/")).status).toBe(403);
});

it("a university with courses is not deleted, and loses nothing", async () => {
  const university = await make.university();
  const department = await make.department(university.id);
  await make.course(university.id, { department_id: department.id });
  const refused = await (await platformAdmin()).delete(`/universities/${university.id}`);
  expect([refused.status, refused.body.detail]).toEqual([400, "University is still in use"]);
  expect((await world.as().get(`/universities/${university.id}/departments`)).body).toHaveLength(1);
});

it("only a platform admin deletes universities", async () => {
  const { id } = await make.university();
  const admin = world.as(await make.holder("university_admin", id));
  expect((await admin.delete(`/universities/${id}`)).status).toBe(403);
});
