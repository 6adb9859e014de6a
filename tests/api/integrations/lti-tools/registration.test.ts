import { sql } from "drizzle-orm";
import type { Hono } from "hono";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../../../functions/groups.ts";
import { createApp } from "../../../../lib/http/create-app.ts";
import { clientOf } from "../../../support/client.ts";
import { issuer, send } from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";

let university: number;
let admin: ReturnType<typeof world.as>;
let owner: Awaited<ReturnType<typeof make.holder>>;
beforeAll(async () => {
  university = (await make.university()).id;
  admin = world.as(await make.holder("university_admin", university));
  owner = await make.holder("platform_admin", university);
});
beforeEach(() => world.setNow(moment));

const toolClaim = "https://purl.imsglobal.org/spec/lti-tool-configuration";

const metadata = {
  ...{
    application_type: "web",
    client_name: "Quiz tool",
    initiate_login_uri: "https://tool.example.com/login",
  },
  redirect_uris: ["https://tool.example.com/launch", "https://tool.example.com/pick"],
  ...{ jwks_uri: "https://tool.example.com/jwks", token_endpoint_auth_method: "private_key_jwt" },
  scope: "https://purl.imsglobal.org/spec/lti-ags/scope/score https://example.com/other",
  [toolClaim]: {
    target_link_uri: "https://tool.example.com/launch",
    custom_parameters: { course: "$Context.id" },
    messages: [
      { type: "LtiDeepLinkingRequest", target_link_uri: "https://tool.example.com/pick" },
      { type: "LtiResourceLinkRequest", placements: ["course_navigation", "other"] },
    ],
  },
};

const invite = async (client = admin) => {
  const { status, body } = await client.post(`/universities/${university}/lti-tool-registrations`, {
    registration_url: "https://tool.example.com/register?keep=1",
  });
  expect(status).toBe(201);
  return { ...body, url: new URL(body.registration_url) } as { url: URL; expires_at: string };
};

const tokenOf = async (client = admin) =>
  (await invite(client)).url.searchParams.get("registration_token") ?? "";

const register = (token: string, body: unknown = metadata) =>
  send(world, "POST", "/lti/tools/register", {
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });

const tools = async () => (await admin.get(`/universities/${university}/lti-tools`)).body;

describe("dynamic registration of a tool", () => {
  it("gives the tool this platform's configuration and a token", async () => {
    const { url, expires_at } = await invite();
    expect(expires_at).toBe("2026-03-10T13:00:00.000Z");
    expect(url.href).toContain("https://tool.example.com/register?keep=1&openid_configuration=");
    const configuration = url.searchParams.get("openid_configuration") ?? "";
    const { status, body } = await send(world, "GET", configuration);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        ...{ issuer, authorization_endpoint: `${issuer}/lti/tools/authorize` },
        ...{ token_endpoint: `${issuer}/lti/tools/token`, jwks_uri: `${issuer}/lti/jwks` },
        registration_endpoint: `${issuer}/lti/tools/register`,
        "https://purl.imsglobal.org/spec/lti-platform-configuration": expect.objectContaining({
          messages_supported: [
            { type: "LtiResourceLinkRequest", placements: ["course_navigation"] },
            { type: "LtiDeepLinkingRequest" },
            { type: "LtiSubmissionReviewRequest" },
          ],
        }),
      }),
    ]);
  });

  it("registers the tool once, without personal data", async () => {
    const token = await tokenOf();
    const { status, body } = await register(token);
    expect(status).toBe(200);
    const [tool] = (await tools()).slice(-1);
    expect(tool).toMatchObject({
      ...{ name: "Quiz tool", login_url: metadata.initiate_login_uri, jwks_url: metadata.jwks_uri },
      ...{ launch_url: "https://tool.example.com/launch", deep_linking_url: "https://tool.example.com/pick" },
      ...{ custom_parameters: { course: "$Context.id" }, shares_name: false, shares_email: false },
      in_navigation: true,
    });
    expect(body).toMatchObject({
      ...{ client_id: tool.client_id, scope: "https://purl.imsglobal.org/spec/lti-ags/scope/score" },
      [toolClaim]: { deployment_id: tool.deployment_ids[0] },
    });
    const before = await tools();
    expect((await register(token)).status).toBe(401);
    expect(await tools()).toEqual(before);
  });

  it.each([
    ["application_type", "native"],
    ["redirect_uris", []],
    ["redirect_uris", ["javascript:alert(1)"]],
    ["initiate_login_uri", "nonsense"],
    ["jwks_uri", undefined],
    ["token_endpoint_auth_method", "client_secret_basic"],
    [toolClaim, undefined],
  ])("rejects %s %j, and the token stays valid", async (name, value) => {
    const token = await tokenOf();
    const before = await tools();
    expect((await register(token, { ...metadata, [name]: value })).status).toBe(422);
    expect(await tools()).toEqual(before);
    expect((await register(token)).status).toBe(200);
  });

  it("rejects an expired, forged or missing token", async () => {
    const token = await tokenOf();
    for (const wrong of ["", `${token}x`, "nonsense"]) expect((await register(wrong)).status).toBe(401);
    world.setNow("2026-03-10T13:00:01.000Z");
    expect((await register(token)).status).toBe(401);
    expect((await register(token, "nonsense")).status).toBe(401);
  });

  it("ends when its creator loses the role, signs out everywhere or becomes inactive", async () => {
    const ends = [
      (id: number) => sql`delete from user_university_roles where user_id = ${id}`,
      (id: number) => sql`update users set token_version = 1 where id = ${id}`,
      (id: number) => sql`update users set is_active = false where id = ${id}`,
    ];
    const before = await tools();
    for (const end of ends) {
      const person = await make.holder("university_admin", university);
      const token = await tokenOf(world.as(person));
      await world.deps.db.execute(end(person.id));
      expect((await register(token)).status).toBe(401);
    }
    expect(await tools()).toEqual(before);
  });

  it("is started by administrators", async () => {
    const teacher = world.as(await make.holder("instructor", university));
    const body = { registration_url: "https://tool.example.com/register" };
    expect((await teacher.post(`/universities/${university}/lti-tool-registrations`, body)).status).toBe(403);
  });

  it("registers one tool if several requests use the token concurrently", async () => {
    const token = await tokenOf();
    const before = await tools();
    const replies = await Promise.all(Array.from({ length: 6 }, () => register(token)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401]);
    expect(await tools()).toHaveLength(before.length + 1);
  });
});

describe("dynamic registration of a tool of the platform", () => {
  const path = "/admin/lti-tool-registrations";
  const body = { registration_url: "https://tool.example.com/register" };

  const platformTokenOf = async () => {
    const { status, body: link } = await world.as(owner).post(path, body);
    expect([status, link.expires_at]).toEqual([201, "2026-03-10T13:00:00.000Z"]);
    return new URL(link.registration_url).searchParams.get("registration_token") ?? "";
  };

  const platformTools = async () => (await world.as(owner).get("/admin/lti-tools")).body;

  it("registers the tool once for all universities, without a deployment", async () => {
    const token = await platformTokenOf();
    const before = await tools();
    const reply = await register(token);
    expect(reply.status).toBe(200);
    const [tool] = (await platformTools()).slice(-1);
    expect(tool).toMatchObject({ university_id: null, name: "Quiz tool", deployment_ids: [] });
    expect(reply.body.client_id).toBe(tool.client_id);
    expect(reply.body[toolClaim]).not.toHaveProperty("deployment_id");
    expect((await register(token)).status).toBe(401);
    expect(await platformTools()).toHaveLength(1);
    expect(await tools()).toEqual(before);
  });

  it("registers one tool if several requests use the token concurrently", async () => {
    const token = await platformTokenOf();
    const before = await platformTools();
    const replies = await Promise.all(Array.from({ length: 6 }, () => register(token)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401]);
    expect(await platformTools()).toHaveLength(before.length + 1);
  });

  it("ends after an hour", async () => {
    const token = await platformTokenOf();
    world.setNow("2026-03-10T13:00:01.000Z");
    expect((await register(token)).status).toBe(401);
  });

  it("is started by the platform's administrators alone", async () => {
    expect((await admin.post(path, body)).status).toBe(403);
  });

  it("never sends the token to an address without https, except in development", async () => {
    const config = { ...world.deps.config, ENVIRONMENT: "production" as const };
    const deps = { ...world.deps, config };
    const client = clientOf(createApp(deps, allEndpointGroups) as unknown as Hono, deps, owner);
    const plain = await client.post(path, { registration_url: "http://tool.example.com/register" });
    expect([plain.status, plain.body.detail[0].loc]).toEqual([422, ["body", "registration_url"]]);
    expect((await client.post(path, body)).status).toBe(201);
  });
});
