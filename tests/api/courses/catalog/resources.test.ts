import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const platformAdmin = async () => world.as(await make.holder("platform_admin", (await make.university()).id));

let coined = 0;
/** A user-assigned country code (`XA` to `XZ`). */
const countryCode = () => {
  coined += 1;
  return `X${String.fromCharCode(64 + coined)}`;
};

type Kind = {
  path: string;
  resource: string;
  required: () => Record<string, unknown>;
  optional: Record<string, unknown>;
  unique?: string;
};

const kinds: Kind[] = [
  {
    path: "/countries",
    resource: "Country",
    required: () => ({ iso_code: countryCode(), name: "Utopia" }),
    optional: { region_name: "Nowhere" },
    unique: "iso_code",
  },
  {
    path: "/domains",
    resource: "Domain",
    required: () => ({ code: make.unique("D"), name: "Engineering" }),
    optional: { description: "How things are built" },
    unique: "code",
  },
  {
    path: "/subjects",
    resource: "Subject",
    required: () => ({ code: make.unique("S"), name: "Signals" }),
    optional: { description: "What varies over time" },
    unique: "code",
  },
  {
    path: "/content-types",
    resource: "Content type",
    required: () => ({ name: make.unique("type"), label: "Simulation" }),
    optional: { description: "Runs in the browser" },
    unique: "name",
  },
  {
    path: "/module-templates",
    resource: "Module template",
    required: () => ({ template_type: "UNIT", title: "Weekly unit" }),
    optional: { description: "A week's work", default_data: { weeks: 1 } },
  },
];

describe.each(kinds)("$path", ({ path, resource, required, optional, unique }) => {
  const nulls = Object.fromEntries(Object.keys(optional).map((field) => [field, null]));

  it("is created, read and listed", async () => {
    const admin = await platformAdmin();
    const bare = await admin.post(`${path}/`, required());
    expect([bare.status, bare.body]).toEqual([201, expect.objectContaining(nulls)]);
    const sent = { ...required(), ...optional };
    const full = await admin.post(path, sent);
    expect([full.status, full.body]).toEqual([201, expect.objectContaining(sent)]);

    expect((await admin.get(`${path}/${full.body.id}`)).body).toEqual(full.body);
    const listed = await admin.get(`${path}/?limit=1000`);
    expect(listed.body.slice(-2)).toEqual([bare.body, full.body]);
    expect((await admin.get(`${path}?skip=1&limit=1`)).body).toEqual([listed.body[1]]);
  });

  it("is changed field by field, null clears optional fields, and an empty change has no effect", async () => {
    const admin = await platformAdmin();
    const { body } = await admin.post(path, { ...required(), ...optional });
    const one = `${path}/${body.id}`;
    const cleared = await admin.put(one, { ...nulls, unknown: "key" });
    expect(cleared.body).toMatchObject({
      ...body,
      ...nulls,
      ...("updated_at" in body && { updated_at: expect.any(String) }),
    });
    const unchanged = await admin.put(one, {});
    expect([unchanged.status, unchanged.body]).toEqual([200, cleared.body]);
    for (const field of Object.keys(required()))
      expect((await admin.put(one, { [field]: null })).status).toBe(422);
  });

  it("is deleted once", async () => {
    const admin = await platformAdmin();
    const { body } = await admin.post(path, required());
    const gone = await admin.delete(`${path}/${body.id}`);
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect((await admin.delete(`${path}/${body.id}`)).status).toBe(404);
  });

  it("is a 404 if it does not exist, and a 422 for an invalid id", async () => {
    const admin = await platformAdmin();
    for (const answer of [
      await admin.get(`${path}/2147483647`),
      await admin.put(`${path}/2147483647`, {}),
      await admin.put(`${path}/2147483647`, required()),
      await admin.delete(`${path}/2147483647`),
    ])
      expect([answer.status, answer.body.detail]).toEqual([404, `${resource} not found`]);
    const name = `${resource.toLowerCase().replace(" ", "_")}_id`;
    for (const id of ["0", "2147483648", "x"])
      expect((await admin.get(`${path}/${id}`)).body.detail).toMatchObject([{ loc: ["path", name] }]);
  });

  it("needs its required fields", async () => {
    const refused = await (await platformAdmin()).post(path, {});
    const missing = Object.keys(required()).map((field) => ({ loc: ["body", field], type: "missing" }));
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toHaveLength(missing.length);
    expect(refused.body.detail).toEqual(
      expect.arrayContaining(missing.map((one) => expect.objectContaining(one))),
    );
  });

  it.runIf(unique)("has a unique value, also for concurrent writers", async () => {
    const admin = await platformAdmin();
    const sent = required();
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin.post(path, sent)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
    expect(answers.find(({ status }) => status === 400)?.body.detail).toBe(
      `${resource} ${unique} '${sent[unique ?? ""]}' is already taken`,
    );
    const other = await admin.post(path, required());
    expect((await admin.put(`${path}/${other.body.id}`, { [unique ?? ""]: sent[unique ?? ""] })).status).toBe(
      400,
    );
  });

  it("takes one statement to read, and one in addition to the caller's to write", async () => {
    const admin = await platformAdmin();
    const cost = () => world.log.at(-1)?.["db_query_count"];
    const { body } = await admin.post(path, required());
    expect(cost()).toBe(2);
    await admin.put(`${path}/${body.id}`, required());
    expect(cost()).toBe(2);
    await admin.delete(`${path}/${body.id}`);
    expect(cost()).toBe(2);
    await admin.get(path);
    expect(cost()).toBe(1);
  });
});

describe.each(kinds.filter(({ path }) => path !== "/module-templates"))("$path", ({ path, required }) => {
  it("is open to read, and written by platform admins only", async () => {
    const { body } = await (await platformAdmin()).post(path, required());
    const one = `${path}/${body.id}`;
    expect((await world.as().get(path)).status).toBe(200);
    expect((await world.as().get(one)).body).toEqual(body);

    const universityAdmin = await make.holder("university_admin", (await make.university()).id);
    for (const [caller, status] of [
      [undefined, 401],
      [await make.person(), 403],
      [universityAdmin, 403],
    ] as const) {
      expect((await world.as(caller).post(path, required())).status).toBe(status);
      expect((await world.as(caller).put(one, {})).status).toBe(status);
      expect((await world.as(caller).delete(one)).status).toBe(status);
    }
  });
});

describe("/module-templates", () => {
  const template = { template_type: "lesson", title: "Weekly lesson" };

  async function ofUniversity() {
    const { id: university_id } = await make.university();
    const department = await make.department(university_id);
    const instructor = world.as(await make.holder("instructor", university_id, department.id));
    const { body } = await instructor.post("/module-templates/", { ...template, university_id });
    return { university_id, instructor, body, path: `/module-templates/${body.id}` };
  }

  it("of a university are written by its instructors, and stay the university's", async () => {
    const { university_id, instructor, body, path } = await ofUniversity();
    expect(body).toMatchObject({ template_type: "LESSON", university_id });
    expect((await instructor.put(path, { title: "Ours", university_id: 1 })).body).toMatchObject({
      title: "Ours",
      university_id,
    });
    expect((await instructor.delete(path)).status).toBe(204);
  });

  it("of a university can be read by its other staff, who write none", async () => {
    const { university_id, body, path } = await ofUniversity();
    const assistant = world.as(await make.holder("ta", university_id));
    expect((await assistant.get(path)).body).toEqual(body);
    expect((await assistant.get(`/module-templates/?university_id=${university_id}`)).body).toEqual([body]);
    expect((await assistant.put(path, { title: "Mine" })).status).toBe(403);
    expect((await assistant.delete(path)).status).toBe(403);
    expect((await assistant.post("/module-templates/", { ...template, university_id })).status).toBe(403);
  });

  it("of a university are a 404 for another's staff, and rejected for students and anonymous callers", async () => {
    const { university_id, body, path } = await ofUniversity();
    const stranger = world.as(await make.holder("university_admin", (await make.university()).id));
    for (const refused of [
      await stranger.get(path),
      await stranger.put(path, { title: "Mine" }),
      await stranger.delete(path),
    ])
      expect([refused.status, refused.body.detail]).toEqual([404, "Module template not found"]);
    expect((await stranger.get("/module-templates/?limit=1000")).body).not.toContainEqual(body);
    expect((await stranger.post("/module-templates/", { ...template, university_id })).status).toBe(403);

    const student = world.as(await make.holder("student", university_id));
    expect((await student.get("/module-templates/")).status).toBe(403);
    expect((await student.get(path)).status).toBe(403);
    expect((await world.as().get("/module-templates/")).status).toBe(401);
  });

  it("of the platform are read by all staff, and written by platform admins", async () => {
    const { body } = await (await platformAdmin()).post("/module-templates/", template);
    expect(body.university_id).toBeNull();
    const instructor = world.as(await make.holder("instructor", (await make.university()).id));
    expect((await instructor.get(`/module-templates/${body.id}`)).body).toEqual(body);
    expect((await instructor.put(`/module-templates/${body.id}`, { title: "Mine" })).status).toBe(403);
    expect((await instructor.delete(`/module-templates/${body.id}`)).status).toBe(403);
    expect((await instructor.post("/module-templates/", template)).status).toBe(403);
  });

  it("that are deleted stay out of their modules", async () => {
    const { university, course } = await make.topic();
    const instructor = world.as(await make.holder("instructor", university.id));
    const { body } = await instructor.post("/module-templates/", {
      ...template,
      university_id: university.id,
    });
    await make.module(course.id, { module_template_id: body.id });
    expect((await instructor.delete(`/module-templates/${body.id}`)).status).toBe(204);
  });

  it("have a type of module", async () => {
    const refused = await (await platformAdmin()).post("/module-templates", {
      ...template,
      template_type: "party",
    });
    expect(refused.body.detail).toMatchObject([{ loc: ["body", "template_type"], type: "enum" }]);
  });
});

describe("a resource in use cannot be deleted", () => {
  const refusal = async (path: string) => {
    const { status, body } = await (await platformAdmin()).delete(path);
    return [status, body.detail];
  };

  it("a country with universities", async () => {
    const university = await make.university();
    expect(await refusal(`/countries/${university.country_id}`)).toEqual([400, "Country is still in use"]);
  });

  it("a content type with content", async () => {
    const { item } = await make.topic();
    const path = `/content-types/${item.content_type_id}`;
    expect(await refusal(path)).toEqual([400, "Content type is still in use"]);
  });

  it("a domain with subjects, and a subject with subjects below it or courses", async () => {
    const admin = await platformAdmin();
    const domain = await admin.post("/domains", { code: make.unique("D"), name: "Engineering" });
    const subject = { code: make.unique("S"), name: "Signals", domain_id: domain.body.id };
    const parent = await admin.post("/subjects", subject);
    const child = { code: make.unique("S"), name: "Filters", parent_subject_id: parent.body.id };
    const leaf = await admin.post("/subjects", child);
    await make.course((await make.university()).id, { primary_subject_id: leaf.body.id });

    expect(await refusal(`/domains/${domain.body.id}`)).toEqual([400, "Domain is still in use"]);
    expect(await refusal(`/subjects/${parent.body.id}`)).toEqual([400, "Subject is still in use"]);
    expect(await refusal(`/subjects/${leaf.body.id}`)).toEqual([400, "Subject is still in use"]);
  });
});

describe("the reference data of an installation", () => {
  it("hold the countries of ISO 3166-1", async () => {
    const listed = await world.as().get("/countries/?limit=1000");
    expect(listed.body).toContainEqual(
      expect.objectContaining({ iso_code: "GB", name: "United Kingdom", region_name: "Europe" }),
    );
  });

  it("hold the built-in content types, with lowercase names", async () => {
    const names = (await world.as().get("/content-types/")).body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["video", "quiz", "engineering_lab", "text", "assignment", "resource", "scorm"]),
    );
  });
});

it.each(["video", "quiz", "engineering_lab", "text", "assignment", "resource", "scorm"])(
  "the content type %s keeps its name, and may have another label and description",
  async (name) => {
    const admin = await platformAdmin();
    const types = (await admin.get("/content-types/")).body;
    const { id } = types.find((type: { name: string }) => type.name === name);
    const refused = await admin.put(`/content-types/${id}`, { name: "renamed", label: "Renamed" });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      `Content type name '${name}' cannot be changed`,
    ]);
    const changed = await admin.put(`/content-types/${id}`, {
      name: name.toUpperCase(),
      label: "Relabelled",
    });
    expect(changed.body).toMatchObject({ name, label: "Relabelled" });
  },
);

it.each(["video", "quiz", "engineering_lab", "assignment", "resource", "scorm"])(
  "the content type %s is not deleted though nothing uses it",
  async (name) => {
    const admin = await platformAdmin();
    const types = (await admin.get("/content-types/")).body;
    const { id } = types.find((type: { name: string }) => type.name === name);
    const refused = await admin.delete(`/content-types/${id}`);
    expect([refused.status, refused.body.detail]).toEqual([400, `Content type '${name}' cannot be deleted`]);
    expect((await admin.get(`/content-types/${id}`)).status).toBe(200);
  },
);

it("a content type that was added later can be renamed, and deleted", async () => {
  const admin = await platformAdmin();
  const { body } = await admin.post("/content-types", { name: make.unique("game"), label: "Game" });
  const name = make.unique("simulation");
  expect((await admin.put(`/content-types/${body.id}`, { name })).body.name).toBe(name);
  expect((await admin.put("/content-types/2147483647", { name })).status).toBe(404);
  expect((await admin.delete(`/content-types/${body.id}`)).status).toBe(204);
  expect((await admin.delete(`/content-types/${body.id}`)).status).toBe(404);
});

it("a content type's name is lowercase however it is sent", async () => {
  const name = make.unique("Simulation");
  const created = await (await platformAdmin()).post("/content-types", { name, label: "Simulation" });
  expect(created.body.name).toBe(name.toLowerCase());
});

it.each([
  ["gb ", "string_too_long"],
  ["G", "string_too_short"],
  ["G1", "value_error"],
])("%j is no code of a country", async (iso_code, type) => {
  const refused = await (await platformAdmin()).post("/countries", { iso_code, name: "Utopia" });
  expect(refused.body.detail).toMatchObject([{ loc: ["body", "iso_code"], type }]);
});

it("a content type takes a result because a migration says so, regardless of the request", async () => {
  const admin = await platformAdmin();
  const types: { name: string; takes_result: boolean }[] = (await admin.get("/content-types/")).body;
  expect(types.find(({ name }) => name === "quiz")?.takes_result).toBe(true);
  expect(types.find(({ name }) => name === "text")?.takes_result).toBe(false);
  const { body: made } = await admin.post("/content-types", {
    ...{ name: make.unique("game"), label: "Game", takes_result: true },
  });
  expect(made.takes_result).toBe(false);
  const { body: changed } = await admin.put(`/content-types/${made.id}`, {
    label: "Play",
    takes_result: true,
  });
  expect(changed).toMatchObject({ label: "Play", takes_result: false });
});
