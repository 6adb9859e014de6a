import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IdentityProvider, startIdentityProvider } from "../../../support/identity-provider.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { browserOf, callbackUri } from "./oidc-support.ts";

// Ids start there: the provider must know its redirect URI before it starts.
const universityId = 7_001;
const loginName = `${universityId}.campus`;

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider({ redirectUri: callbackUri(loginName) });
});
afterAll(() => provider.close());

const world = openWorld({ BACKEND_CORS_ORIGINS: "" });
const make = makersOf(world);
const browser = browserOf(world, () => provider);
const path = `/universities/${universityId}/identity-providers`;

let admin: ReturnType<typeof world.as>;
let platform: ReturnType<typeof world.as>;
let id: number;

beforeAll(async () => {
  await world.deps.db.execute(sql`
    insert into universities (id, name, short_code, country_id) overriding system value
    select ${universityId}, 'Campus', 'CAMPUS', id from countries limit 1`);
  admin = world.as(await make.holder("university_admin", universityId));
  platform = world.as(await make.holder("platform_admin", (await make.university()).id));
  const { issuer, client_id, client_secret } = provider.setting;
  const added = await admin.post(path, { name: "campus", label: "Campus", issuer, client_id, client_secret });
  expect(added).toMatchObject({ status: 201, body: { login_name: loginName, email_domains: [] } });
  id = added.body.id;
});

async function signIn(email: string, sub = make.unique("subject"), email_verified = true) {
  const { address, cookie } = await browser.begin(undefined, loginName);
  const back = await provider.visit(address.href, { sub, email, email_verified, name: "Ada" });
  return browser.comeBack(back, cookie);
}

describe("an identity provider of a university", () => {
  it("signs in no one before the platform grants it a domain, which its own administrator cannot", async () => {
    const refused = await signIn("ada@campus.example.edu");
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining("not trusted") } });
    const domains = { email_domains: ["campus.example.edu"] };
    expect((await admin.put(`${path}/${id}/email-domains`, domains)).status).toBe(403);
    expect(await platform.put(`${path}/${id}/email-domains`, domains)).toMatchObject({
      status: 200,
      body: domains,
    });
  });

  it("is listed for its university, and makes its users people of it", async () => {
    expect((await world.as().get(`/auth/oidc/providers?university_id=${universityId}`)).body).toEqual([
      { name: loginName, label: "Campus", kind: "oidc" },
    ]);
    expect((await world.as().get("/auth/oidc/providers")).body).toEqual([]);
    const reply = await signIn("grace@campus.example.edu");
    expect(reply.status).toBe(302);
    expect(reply.headers.getSetCookie().length).toBeGreaterThan(1);
    const { rows } = await world.deps.db.execute(sql`
      select role, university_id from user_university_roles
      join users on users.id = user_id where email = 'grace@campus.example.edu'`);
    expect(rows).toEqual([{ role: "student", university_id: universityId }]);
  });

  it("signs in people of its domains, whatever they have elsewhere, with tokens that reach only the university", async () => {
    const other = await make.university();
    const [inDomain, outside] = [
      await make.person({ email: `${make.unique("ben")}@campus.example.edu`.toLowerCase() }),
      await make.person({ email: `${make.unique("elsewhere")}@example.com`.toLowerCase() }),
    ];
    await make.enrollment(inDomain.id, (await make.offering(await make.course(other.id))).id);
    await world.deps.db.execute(sql`
      insert into user_university_roles (user_id, university_id, role) values (${inDomain.id}, ${other.id}, 'platform_admin')`);
    const reply = await signIn(inDomain.email);
    expect(reply.status).toBe(302);
    const [access] = reply.headers
      .getSetCookie()
      .map((cookie) => /^app_access_token=([^;]+)/.exec(cookie)?.[1] ?? "")
      .filter(Boolean);
    const bearer = { headers: { authorization: `Bearer ${access}` } };
    const roles = (await world.as().get("/users/me/roles", bearer)).body;
    expect(roles).toMatchObject([{ role: "STUDENT", university_id: universityId }]);
    expect((await world.as().get("/enrollments/my-enrollments", bearer)).body).toEqual([]);
    expect((await signIn(outside.email)).status).toBe(403);
    expect((await signIn("cyd@campus.example.edu", make.unique("subject"), false)).status).toBe(403);
    expect((await platform.get(`/admin/audit?user_id=${inDomain.id}&action=sign_in`)).body).toHaveLength(1);
  });

  it("never returns its secret, stores it encrypted, and the audit log has none", async () => {
    const { text } = await admin.get(path);
    expect(text).not.toContain(provider.setting.client_secret);
    const { rows } = await world.deps.db.execute(sql`
      select (select count(*)::int from identity_providers as one where position(${provider.setting.client_secret} in one::text) > 0) as stored,
        (select count(*)::int from audit_events as one where position(${provider.setting.client_secret} in one::text) > 0) as told,
        (select count(*)::int from audit_events where action like 'identity_provider.%') as acts`);
    expect(rows).toEqual([{ stored: 0, told: 0, acts: 2 }]);
  });

  it("that would move without a new secret stays unchanged: the stored one would be sent there", async () => {
    const elsewhere = { issuer: "https://id.evil.example.com", label: "Moved" };
    const refused = await admin.put(`${path}/${id}`, elsewhere);
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      [{ loc: ["body", "client_secret"], msg: "Field required with another issuer", type: "missing" }],
    ]);
    expect((await platform.put(`${path}/${id}`, elsewhere)).status).toBe(422);
    const { issuer } = provider.setting;
    expect((await admin.get(path)).body).toMatchObject([{ issuer, label: "Campus" }]);
    // The current configuration does not require it.
    expect((await admin.put(`${path}/${id}`, { issuer, label: "Campus" })).status).toBe(200);
    expect((await signIn("ruth@campus.example.edu")).status).toBe(302);
    const none = await admin.put(`${path}/2147483647`, elsewhere);
    expect([none.status, none.body.detail]).toEqual([404, "Identity provider not found"]);
  });

  it("that moves to another issuer loses its links and domains; if removed, it is gone", async () => {
    expect((await signIn("joan@campus.example.edu")).status).toBe(302);
    const elsewhere = { issuer: "https://id.evil.example.com", client_secret: "of elsewhere" };
    const moved = await admin.put(`${path}/${id}`, elsewhere);
    expect(moved).toMatchObject({ status: 200, body: { email_domains: [] } });
    const { rows } = await world.deps.db.execute(
      sql`select from user_identities where provider = ${loginName}`,
    );
    expect(rows).toEqual([]);
    expect((await admin.delete(`${path}/${id}`)).status).toBe(204);
    expect((await world.as().get(`/auth/oidc/${loginName}/login`)).status).toBe(404);
  });
});
