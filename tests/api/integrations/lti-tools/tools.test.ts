import { beforeAll, describe, expect, it } from "vitest";
import { registerTool, toolAddresses, toolCourse } from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let university: number;
let admin: ReturnType<typeof world.as>;
let all: string;

beforeAll(async () => {
  university = (await make.university()).id;
  admin = world.as(await make.holder("university_admin", university));
  all = `/universities/${university}/lti-tools`;
});

const keys = { jwks_url: "https://tool.example.com/jwks" };
const input = { name: "Quiz tool", ...toolAddresses, ...keys };

describe("an LTI tool", () => {
  it("is registered with a client id and a deployment in all of the university, without personal data", async () => {
    const { status, body } = await admin.post(all, input);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...input,
      ...{ university_id: university, shares_name: false, shares_email: false, target: "FRAME" },
      ...{ deep_linking_url: null, public_jwks: null, custom_parameters: {}, course_ids: null },
    });
    expect(body.client_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.deployment_ids).toHaveLength(1);
    expect(body).not.toHaveProperty("subject_key");
    expect((await admin.get(all)).body).toContainEqual(body);
    expect((await admin.post(all, input)).body.client_id).not.toBe(body.client_id);
  });

  it("keeps its deployments when others are added and removed", async () => {
    const [first, second] = [await make.course(university), await make.course(university)];
    const { body: tool } = await admin.post(all, { ...input, course_ids: [first.id] });
    expect(tool).toMatchObject({ course_ids: [first.id] });
    const path = `${all}/${tool.id}`;
    const { body: both } = await admin.put(path, { course_ids: [second.id, first.id] });
    expect(both.course_ids).toEqual([first.id, second.id]);
    expect(both.deployment_ids[0]).toBe(tool.deployment_ids[0]);
    const { body: one } = await admin.put(path, { course_ids: [second.id], name: "Renamed" });
    expect(one).toMatchObject({ name: "Renamed", deployment_ids: [both.deployment_ids[1]] });
    expect((await admin.put(path, { course_ids: null })).body.course_ids).toBeNull();
    expect((await admin.put(path, { shares_name: true })).body).toMatchObject({ shares_name: true, ...keys });
  });

  it("has either an address of keys or a key set", async () => {
    const jwks = { keys: [{ kty: "RSA", n: "n", e: "AQAB" }] };
    const { body } = await admin.post(all, input);
    const changed = await admin.put(`${all}/${body.id}`, { jwks_url: null, public_jwks: jwks });
    expect(changed.body).toMatchObject({ jwks_url: null, public_jwks: jwks });
    expect((await admin.put(`${all}/${body.id}`, { ...keys, public_jwks: jwks })).status).toBe(422);
    expect((await admin.post(all, { name: "Tool", ...toolAddresses })).status).toBe(422);
    expect((await admin.post(all, { ...input, public_jwks: jwks })).status).toBe(422);
    const secret = { keys: [{ kty: "RSA", d: "secret" }] };
    const withSecret = { name: "Tool", ...toolAddresses, jwks_url: null, public_jwks: secret };
    expect((await admin.post(all, withSecret)).status).toBe(422);
    expect((await admin.put(`${all}/${body.id}`, { jwks_url: null })).status).toBe(422);
  });

  it.each([
    ["login_url", "javascript:alert(1)"],
    ["launch_url", "https://user:password@tool.example.com"],
    ["redirect_uris", ["https://tool.example.com/#fragment"]],
    ["redirect_uris", []],
    ["course_ids", []],
    ["custom_parameters", { "not allowed": "x" }],
    ["custom_parameters", { week: 1 }],
    ["target", "TAB"],
  ])("rejects %s %j", async (field, value) => {
    expect((await admin.post(all, { ...input, [field]: value })).status).toBe(422);
  });

  it("sends at most 50 custom parameters", async () => {
    const parameters = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, "x"]));
    const added = await admin.post(all, { ...input, custom_parameters: parameters(50) });
    expect(added.body.custom_parameters).toEqual(parameters(50));
    expect((await admin.post(all, { ...input, custom_parameters: parameters(51) })).status).toBe(422);
  });

  it("rejects courses of another university", async () => {
    const other = await make.topic();
    const { status, body } = await admin.post(all, { ...input, course_ids: [other.course.id] });
    expect([status, body.detail]).toEqual([400, "A course of course_ids does not exist"]);
    const { body: tool } = await admin.post(all, input);
    expect((await admin.put(`${all}/${tool.id}`, { course_ids: [other.course.id] })).status).toBe(400);
  });

  it("belongs to administrators of its university", async () => {
    const { body: tool } = await admin.post(all, input);
    const other = await make.university();
    const stranger = world.as(await make.holder("university_admin", other.id));
    const teacher = world.as(await make.holder("instructor", university));
    for (const person of [stranger, teacher])
      expect([(await person.get(all)).status, (await person.put(`${all}/${tool.id}`, {})).status]).toEqual([
        403, 403,
      ]);
    const foreign = `/universities/${other.id}/lti-tools/${tool.id}`;
    expect((await stranger.put(foreign, { name: "Mine" })).status).toBe(404);
    expect((await stranger.delete(foreign)).status).toBe(404);
    expect((await stranger.get(`/universities/${other.id}/lti-tools`)).body).toEqual([]);
  });

  it("can be removed; its items stay and no longer open", async () => {
    const made = await toolCourse(world, make);
    const path = `/universities/${made.university.id}/lti-tools/${made.tool.id}`;
    expect((await made.admin.delete(path)).status).toBe(204);
    expect((await made.admin.delete(path)).status).toBe(404);
    const { status, body } = await made.launch(made.learner);
    expect([status, body.detail]).toEqual([
      400,
      "The tool of this item was removed, or is not available in this course",
    ]);
  });
});

describe("a course", () => {
  it("lists the tools that its teachers may use", async () => {
    const { course, tool, teacher, learner, university: home, admin: owner } = await toolCourse(world, make);
    await registerTool(world, owner, home.id, {
      name: "Elsewhere",
      course_ids: [(await make.course(home.id)).id],
    });
    const picking = await registerTool(world, owner, home.id, {
      ...{ name: "Here", course_ids: [course.id], deep_linking_url: "https://tool.example.com/pick" },
    });
    const path = `/courses/${course.id}/lti-tools`;
    expect((await world.as(teacher).get(path)).body).toEqual([
      { id: tool.id, name: "Tool", has_deep_linking: false },
      { id: picking.id, name: "Here", has_deep_linking: true },
    ]);
    expect((await world.as(learner).get(path)).status).toBe(403);
    const stranger = await make.holder("instructor", (await make.university()).id);
    expect((await world.as(stranger).get(path)).status).toBe(403);
  });

  it("takes items only of tools that are deployed there", async () => {
    const { course, module, tool, teacher, item } = await toolCourse(world, make);
    const other = await toolCourse(world, make);
    const { content_type_id } = item;
    const create = (lti_tool_id: number) =>
      world.as(teacher).post("/content/", {
        ...{ course_id: course.id, module_id: module.id, content_type_id, title: "Tool" },
        data_json: { lti_tool_id },
      });
    expect((await create(tool.id)).status).toBe(201);
    expect((await create(other.tool.id)).status).toBe(400);
    expect((await create(999_999)).status).toBe(400);
  });
});
