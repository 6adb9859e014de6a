import { beforeAll, describe, expect, it } from "vitest";
import { LtiPlatformCreate } from "../../../../schema/api/integrations/lti.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let path: string;
let admin: ReturnType<typeof world.as>;
let platform: ReturnType<typeof world.as>;
let stranger: ReturnType<typeof world.as>;

beforeAll(async () => {
  const { id } = await make.university();
  const other = await make.university();
  path = `/universities/${id}/lti-platforms`;
  admin = world.as(await make.holder("university_admin", id));
  platform = world.as(await make.holder("platform_admin", other.id));
  stranger = world.as(await make.holder("university_admin", other.id));
});

let clients = 0;
const registration = (changes: object = {}) => ({
  name: "Moodle",
  issuer: "https://lms.example.edu",
  client_id: `client-${clients++}`,
  auth_login_url: "https://lms.example.edu/auth",
  auth_token_url: "https://lms.example.edu/token",
  jwks_url: "https://lms.example.edu/certs",
  ...changes,
});

const register = async (changes: object = {}) => (await admin.post(path, registration(changes))).body;

describe("an LMS", () => {
  it("is registered, changed and removed by the university's administrators alone, and the audit log says so", async () => {
    const given = registration();
    expect((await stranger.post(path, given)).status).toBe(403);
    const { status, body } = await admin.post(path, given);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...given, frame_origins: [], trusts_email: false, waiting_deployments: 0 });
    expect((await admin.get(path)).body).toContainEqual(body);
    expect((await stranger.get(path)).status).toBe(403);
    expect((await stranger.put(`${path}/${body.id}`, { name: "Theirs" })).status).toBe(403);
    const changed = await admin.put(`${path}/${body.id}`, { name: "Canvas", trusts_sourced_id: true });
    expect(changed.body).toMatchObject({ ...given, name: "Canvas", trusts_sourced_id: true });
    expect((await stranger.delete(`${path}/${body.id}`)).status).toBe(403);
    expect((await admin.delete(`${path}/${body.id}`)).status).toBe(204);
    expect((await admin.delete(`${path}/${body.id}`)).status).toBe(404);
    const { body: log } = await admin.get("/admin/audit?limit=3");
    expect(log.map(({ action }: { action: string }) => action)).toEqual([
      "lti_platform.removed",
      "lti_platform.changed",
      "lti_platform.created",
    ]);
  });

  it("is unique by issuer and client in a university, also for concurrent registrations", async () => {
    const given = registration();
    const replies = await Promise.all([admin.post(path, given), admin.post(path, given)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    expect(replies.find(({ status }) => status === 400)?.body).toEqual({
      detail: "The university already has a platform with this issuer and client_id",
    });
    expect((await admin.post(path, registration())).status).toBe(201);
    expect((await platform.post("/universities/2000000/lti-platforms", given)).status).toBe(404);
  });

  it("is trusted with addresses by the platform's administrators only, and no longer after new keys", async () => {
    expect((await admin.post(path, registration({ trusts_email: true }))).status).toBe(403);
    const { id } = await register();
    const one = `${path}/${id}`;
    expect((await admin.put(one, { trusts_email: true })).status).toBe(403);
    expect((await platform.put(one, { trusts_email: true })).body.trusts_email).toBe(true);
    expect((await admin.put(one, { name: "N", trusts_sourced_id: true })).body.trusts_email).toBe(true);
    const moved = { jwks_url: "https://keys.example.org/" };
    expect((await admin.put(one, moved)).body).toMatchObject({ ...moved, trusts_email: false });
    await platform.put(one, { trusts_email: true });
    expect((await platform.put(one, { jwks_url: "https://lms.example.edu/certs" })).body.trusts_email).toBe(
      true,
    );
  });

  it.each([
    ["no address", { jwks_url: "lms.example.edu" }],
    ["another scheme", { auth_login_url: "javascript:alert(1)" }],
    ["an address with a password", { auth_token_url: "https://a:b@lms.example.edu/" }],
    ["an address with a fragment", { jwks_url: "https://lms.example.edu/#keys" }],
    ["an origin that would end a directive", { frame_origins: ["https://lms.example.edu; script-src *"] }],
    ["an origin with a path", { frame_origins: ["https://lms.example.edu/path"] }],
    ["any origin", { frame_origins: ["*"] }],
    ["too many origins", { frame_origins: Array.from({ length: 21 }, (_, n) => `https://l${n}.example`) }],
    ["a blank name", { name: " " }],
    ["an issuer that is none", { issuer: "" }],
  ])("is not registered with %s", async (_, changes) => {
    expect((await admin.post(path, registration(changes))).status).toBe(422);
    expect(LtiPlatformCreate.safeParse(registration(changes)).success).toBe(false);
  });
});

describe("outside development", () => {
  const production = openWorld({
    ENVIRONMENT: "production",
    PUBLIC_URL: "https://learn.example.edu",
    SMTP_URL: "smtp://localhost",
    MAIL_FROM: "learn@example.edu",
  });
  it.each([
    ["issuer", "http://lms.example.edu"],
    ["auth_login_url", "http://lms.example.edu/auth"],
    ["auth_token_url", "http://lms.example.edu/token"],
    ["jwks_url", "http://lms.example.edu/keys"],
    ["frame_origins", ["http://lms.example.edu"]],
  ])("an LMS is registered with %s over https alone", async (field, value) => {
    const at = makersOf(production);
    const university = await at.university();
    const boss = production.as(await at.holder("university_admin", university.id));
    const reply = await boss.post(
      `/universities/${university.id}/lti-platforms`,
      registration({ [field]: value }),
    );
    expect(reply.status).toBe(422);
    expect(reply.text).toContain("https");
  });
});

describe("a deployment", () => {
  it("is admitted before its first launch, or while it waits, and removed", async () => {
    const { id } = await register();
    const deployments = `${path}/${id}/deployments`;
    expect((await admin.get(deployments)).body).toEqual([]);
    expect((await stranger.post(deployments, { deployment_id: "1" })).status).toBe(403);
    const admitted = await admin.post(deployments, { deployment_id: "1" });
    expect(admitted).toMatchObject({
      status: 201,
      body: { platform_id: id, deployment_id: "1", admitted_at: expect.any(String) },
    });
    expect((await admin.post(deployments, { deployment_id: "1" })).body).toEqual(admitted.body);
    expect((await admin.get(deployments)).body).toEqual([admitted.body]);
    expect((await stranger.get(deployments)).status).toBe(403);
    const one = `${deployments}/${admitted.body.id}`;
    expect((await stranger.delete(one)).status).toBe(403);
    expect((await admin.delete(one)).status).toBe(204);
    expect((await admin.delete(one)).status).toBe(404);
    expect((await admin.get(`${path}/2000000000/deployments`)).status).toBe(404);
    expect((await admin.post(`${path}/2000000000/deployments`, { deployment_id: "1" })).status).toBe(404);
    expect((await admin.delete(`${path}/2000000000/deployments/1`)).status).toBe(404);
  });

  it("is named in ASCII, as the standard says", async () => {
    const { id } = await register();
    for (const deployment_id of ["", "é", "x".repeat(256), 7])
      expect((await admin.post(`${path}/${id}/deployments`, { deployment_id })).status).toBe(422);
  });
});
