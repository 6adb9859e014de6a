import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ltiBrowser } from "../../../support/lti-browser.ts";
import {
  type KeysMode,
  type LtiPlatformStandIn,
  startLtiPlatform,
} from "../../../support/lti-platform-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld, type World } from "../../../support/world.ts";

const world = openWorld();
const moment = "2026-03-10T12:00:00.000Z";

let platform: LtiPlatformStandIn;
let university: number;
let admin: ReturnType<typeof world.as>;

async function administrator(at: World) {
  const make = makersOf(at);
  const { id } = await make.university();
  return { id, client: at.as(await make.holder("university_admin", id)) };
}

beforeAll(async () => {
  platform = await startLtiPlatform();
  const { id, client } = await administrator(world);
  [university, admin] = [id, client];
});
afterAll(() => platform.close());
beforeEach(() => {
  world.setNow(moment);
  Object.assign(platform.state, { registrations: "well", configuration: {}, registered: [] });
});

const links = (id = university) => `/universities/${id}/lti-registrations`;
const platforms = async () => (await admin.get(`/universities/${university}/lti-platforms`)).body;

async function opened(client = admin, id = university): Promise<URL> {
  const { status, body } = await client.post(links(id));
  expect(status).toBe(201);
  const link = new URL(body.registration_url);
  link.searchParams.set("openid_configuration", `${platform.issuer}/configuration`);
  link.searchParams.set("registration_token", "token-of-the-platform");
  return link;
}

/** The page's button. */
const confirm = (link: URL, changes: Record<string, string> = {}, at = world) =>
  at.app.request(link.origin + link.pathname, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...Object.fromEntries(link.searchParams), ...changes }).toString(),
  });

describe("the dynamic registration of an LMS", () => {
  it("is begun by an administrator's link, which asks first, and ends with both knowing each other", async () => {
    const link = await opened();
    const asking = await world.app.request(link.href);
    const html = await asking.text();
    expect(asking.status).toBe(200);
    expect(html).toContain(new URL(platform.issuer).host);
    expect(html).toContain('<form method="post">');
    expect(asking.headers.get("content-security-policy")).toContain("form-action 'self'");
    expect(platform.state.registered).toEqual([]);

    const done = await confirm(link);
    expect(done.status).toBe(200);
    const page = await done.text();
    const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(page) ?? [];
    expect(script).toContain("org.imsglobal.lti.close");
    expect(done.headers.get("content-security-policy")).toContain(
      createHash("sha256").update(script).digest("base64"),
    );
    const root = `http://localhost/lti/${university}`;
    expect(platform.state.registered).toMatchObject([
      {
        authorization: "Bearer token-of-the-platform",
        tool: {
          application_type: "web",
          initiate_login_uri: `${root}/login`,
          redirect_uris: [`${root}/launch`],
          jwks_uri: "http://localhost/lti/jwks",
          token_endpoint_auth_method: "private_key_jwt",
        },
      },
    ]);
    const listed = await platforms();
    expect(listed).toMatchObject([
      { name: "stand-in 127.0.0.1", issuer: platform.issuer, client_id: "client-1", trusts_email: false },
    ]);
    const { body: log } = await admin.get("/admin/audit?limit=2");
    expect(log.map(({ action }: { action: string }) => action)).toEqual([
      "lti_deployment.admitted",
      "lti_platform.created",
    ]);
    const browser = ltiBrowser(
      world,
      () => ({ ...platform, clientId: "client-1" }),
      () => university,
    );
    const from = { "https://purl.imsglobal.org/spec/lti/claim/deployment_id": "from-registration" };
    expect((await browser.launch({ aud: "client-1", ...from })).status).toBe(200);
  });

  it("is done once by a link, also when two open it at the same time", async () => {
    const { length } = await platforms();
    const link = await opened();
    const answers = await Promise.all([confirm(link), confirm(link), confirm(link)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    expect(platform.state.registered).toHaveLength(1);
    expect(await platforms()).toHaveLength(length + 1);
    // If the LMS returns a known client id, the registration is rejected.
    platform.state.clients -= 1;
    const again = await confirm(await opened());
    expect(again.status).toBe(400);
    expect(await again.text()).toContain("already registered");
  });

  it("is rejected after an hour, with a link of another university, and without one", async () => {
    const link = await opened();
    const other = await administrator(world);
    const elsewhere = new URL(link.href.replace(`/lti/${university}/`, `/lti/${other.id}/`));
    for (const wrong of [elsewhere, new URL(link.href.replace("key=", "key=x"))]) {
      expect((await world.app.request(wrong.href)).status).toBe(400);
      expect((await confirm(wrong)).status).toBe(400);
    }
    world.setNow(new Date(Date.parse(moment) + 3_601_000));
    const late = await world.app.request(link.href);
    expect(await late.text()).toContain("over an hour old");
    expect((await confirm(link)).status).toBe(400);
    expect(platform.state.registered).toEqual([]);
    world.setNow(moment);
    expect((await other.client.post(links())).status).toBe(403);
    expect((await world.as().post(links())).status).toBe(401);
  });

  it("is over when the link's creator loses the role or signs out everywhere", async () => {
    const make = makersOf(world);
    const ends = [
      (id: number) => world.deps.db.execute(sql`delete from user_university_roles where user_id = ${id}`),
      (id: number) => world.deps.db.execute(sql`update users set token_version = 1 where id = ${id}`),
      (id: number) => world.deps.db.execute(sql`update users set is_active = false where id = ${id}`),
    ];
    for (const end of ends) {
      const person = await make.holder("university_admin", university);
      const link = await opened(world.as(person));
      expect((await world.app.request(link.href)).status).toBe(200);
      await end(person.id);
      expect((await world.app.request(link.href)).status).toBe(400);
      expect((await confirm(link)).status).toBe(400);
    }
    expect(platform.state.registered).toEqual([]);
  });

  const failures: [string, KeysMode, object][] = [
    ["is away", "reset", {}],
    ["answers HTML", "html", {}],
    ["leads elsewhere", "redirect", {}],
    ["refuses (401)", 401, {}],
    ["fails (500)", 500, {}],
    ["names no keys", "well", { jwks_uri: undefined }],
    ["names an address that is none", "well", { token_endpoint: "javascript:alert(1)" }],
    ["names an issuer that is none", "well", { issuer: "\u0000" }],
  ];
  it.each(failures)("is rejected with a page if the LMS %s", async (_, mode, configuration) => {
    const before = await platforms();
    Object.assign(platform.state, { registrations: mode, configuration });
    const answer = await confirm(await opened());
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("could not be registered");
    expect(await platforms()).toEqual(before);
  });

  it.each(["", "nonsense", "http://localhost:1/", "file:///etc/passwd"])(
    "asks nothing at %j",
    async (openid_configuration) => {
      const link = await opened();
      expect((await confirm(link, { openid_configuration })).status).toBe(400);
    },
  );
});

describe("outside development", () => {
  const production = openWorld({
    ENVIRONMENT: "production",
    PUBLIC_URL: "http://localhost",
    SMTP_URL: "smtp://localhost",
    MAIL_FROM: "learn@example.edu",
  });

  it("an LMS at a private address, or without https, is not called", async () => {
    const { id, client } = await administrator(production);
    for (const openid_configuration of [
      `${platform.issuer}/configuration`,
      "https://127.0.0.1/configuration",
      "https://169.254.169.254/latest",
    ]) {
      production.setNow(moment);
      const answer = await confirm(await opened(client, id), { openid_configuration }, production);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("could not be registered");
    }
  });
});

it("the tool shows the values for a manual registration", async () => {
  const answer = await world.app.request(`http://localhost/lti/${university}/config.json`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    oidc_initiation_url: `http://localhost/lti/${university}/login`,
    target_link_uri: `http://localhost/lti/${university}/launch`,
    public_jwk_url: "http://localhost/lti/jwks",
    extensions: [{ platform: "canvas.instructure.com", domain: "localhost" }],
  });
});
