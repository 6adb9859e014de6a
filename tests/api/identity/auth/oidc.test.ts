import { createHash } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userIdentities } from "../../../../schema/db/identity/identities.ts";
import { users } from "../../../../schema/db/identity/users.ts";
import {
  type IdentityProvider,
  type Subject,
  startIdentityProvider,
} from "../../../support/identity-provider.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { browserOf, callbackUri, cookiesOf } from "./oidc-support.ts";

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider({ redirectUri: callbackUri() });
});
afterAll(() => provider.close());

// Without CORS, whose headers would keep the cookies of errors.
const world = openWorld(() => ({
  OIDC_PROVIDERS: JSON.stringify([provider.setting]),
  BACKEND_CORS_ORIGINS: "",
}));
const make = makersOf(world);
const mailbox = mailboxOf(world);
const browser = browserOf(world, () => provider);

const someone = (overrides: Partial<Subject> = {}): Subject => {
  const sub = make.unique("subject");
  return { sub, email: `${sub}@example.edu`, email_verified: true, name: "Ada Lovelace", ...overrides };
};

const accountOf = async (email = "") => {
  const found = await world.deps.db.select().from(users).where(eq(users.email, email));
  expect(found.length).toBeLessThan(2);
  return found[0];
};
const identitiesOf = (subject: string) =>
  world.deps.db.select().from(userIdentities).where(eq(userIdentities.subject, subject));

const noVerifiedEmail = {
  status: 403,
  body: { detail: "The identity provider names no verified e-mail address" },
};

describe("GET /auth/oidc/providers", () => {
  it("names the providers, without secrets", async () => {
    const reply = await world.as().get("/auth/oidc/providers");
    expect(reply).toMatchObject({
      status: 200,
      body: [{ name: "campus", label: "Campus account", kind: "oidc" }],
    });
  });
});

describe("GET /auth/oidc/{provider}/login", () => {
  it("redirects to the provider with code, PKCE, state and nonce, and stores the rest in a cookie", async () => {
    const { address, cookie, setCookie } = await browser.begin();
    expect(address.origin).toBe(provider.issuer);
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(address.searchParams);
    expect(rest).toEqual({
      client_id: "learning-platform",
      response_type: "code",
      redirect_uri: callbackUri(),
      scope: "openid email profile",
      code_challenge_method: "S256",
    });
    for (const random of [state, nonce, code_challenge]) expect(random).toMatch(/^[\w-]{43}$/);
    expect(cookie).toMatch(`app_login_${state}=`);
    expect(cookie).not.toContain(nonce);
    expect(setCookie.split("; ").slice(1).sort()).toEqual([
      "HttpOnly",
      "Max-Age=600",
      "Path=/api/v1/auth/oidc/campus/callback",
      "SameSite=Lax",
      "Secure",
    ]);
  });

  it("is never cached", async () => {
    const reply = await world.as().get("/auth/oidc/campus/login");
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  it("reads the provider's discovery document once", async () => {
    await Promise.all([1, 2, 3].map(() => browser.begin()));
    expect(provider.discoveries).toBe(1);
  });

  it("an unknown provider is a 404", async () => {
    const notFound = { status: 404, body: { detail: "Identity provider not found" } };
    expect(await world.as().get("/auth/oidc/nobody/login")).toMatchObject(notFound);
    expect(await world.as().get("/auth/oidc/nobody/callback?code=a&state=b")).toMatchObject(notFound);
  });
});

describe("GET /auth/oidc/{provider}/callback", () => {
  it("creates an account for a new person and signs them in", async () => {
    const person = someone({ email: "New.Person@Example.EDU" });
    const reply = await browser.signIn(person, "/courses?page=2#top");
    expect(reply.status).toBe(302);
    expect(reply.headers.get("location")).toBe("/courses?page=2#top");
    expect(reply.headers.get("cache-control")).toBe("no-store");

    const { app_access_token, app_refresh_token, logged_in } = cookiesOf(reply.headers);
    expect(logged_in).toBe("1");
    expect((await world.deps.tokens.verify(app_refresh_token ?? "", "refresh"))?.id).toBeTypeOf("number");
    const me = await world
      .as()
      .get("/users/me", { headers: { authorization: `Bearer ${app_access_token}` } });
    expect(me.body).toMatchObject({ email: "new.person@example.edu", full_name: "Ada Lovelace" });
    expect((await accountOf("new.person@example.edu"))?.password_hash).toBeNull();
  });

  it("sets the three cookies of a sign-in with a password, and clears the login's", async () => {
    const { address, cookie } = await browser.begin();
    const reply = await browser.comeBack(await provider.visit(address.href, someone()), cookie);
    const [name = ""] = cookie.split("=");
    expect(Object.keys(cookiesOf(reply.headers)).sort()).toEqual(
      [name, "app_access_token", "app_refresh_token", "logged_in"].sort(),
    );
    const cleared = reply.headers.getSetCookie().find((one) => one.startsWith(name));
    expect(cleared).toMatch(/=; Max-Age=0; Path=\/api\/v1\/auth\/oidc\/campus\/callback;/);
  });

  it("puts no token into an address, and no code into the log", async () => {
    const { address, cookie } = await browser.begin("/courses");
    const back = await provider.visit(address.href, someone());
    world.log.length = 0;
    const reply = await browser.comeBack(back, cookie);
    expect(reply.headers.get("location")).toBe("/courses");
    const code = new URL(back).searchParams.get("code") ?? "";
    expect(JSON.stringify(world.log)).not.toContain(code);
  });

  it("leads a returning person to the same account, by the subject alone", async () => {
    const person = someone();
    await browser.signIn(person);
    const again = { ...person, email: "another@example.edu", email_verified: false };
    expect((await browser.signIn(again)).status).toBe(302);
    expect(await accountOf("another@example.edu")).toBeUndefined();
    expect(await identitiesOf(person.sub)).toMatchObject([{ user_id: (await accountOf(person.email))?.id }]);
  });

  it("takes over an account with an unverified address: its creator is locked out", async () => {
    const password = "the attacker's";
    const email = `${make.unique("victim")}@example.edu`;
    const made = await world.as().post("/auth/register", { email, password, full_name: "Not The Victim" });
    const attacker = { headers: { authorization: `Bearer ${made.body.access_token}` } };
    const refresh = { headers: { authorization: `Bearer ${made.body.refresh_token}` } };
    // Links that could later move the account: one sent, one pending.
    const [sent, waiting] = [`${make.unique("away")}@evil.example`, `${make.unique("later")}@evil.example`];
    await world.as().post("/users/me/email", { email: sent, current_password: password }, attacker);
    const away = await mailbox.tokenFor(sent);
    await world.as().post("/users/me/email", { email: waiting, current_password: password }, attacker);

    expect((await browser.signIn(someone({ email }))).status).toBe(302);

    expect((await world.as().get("/users/me", attacker)).status).toBe(401);
    expect((await world.as().post("/auth/refresh", undefined, refresh)).status).toBe(401);
    expect((await world.as().post("/auth/login", { email, password })).status).toBe(401);
    expect((await world.as().post("/auth/verify-email", { token: away, password })).status).toBe(400);
    expect(await mailbox.tokenFor(waiting)).toBe("");
    const account = await accountOf(email);
    expect(account).toMatchObject({ password_hash: null, token_version: 1 });
    expect(account?.email_verified_at).not.toBeNull();
    const { rows } = await world.deps.db.execute(
      sql`select action from audit_events where subject_id = ${account?.id} and action = 'account.taken_over'`,
    );
    expect(rows).toHaveLength(1);
  });

  it("links the account that has the verified e-mail address, which keeps its password", async () => {
    const password = "correct horse";
    const email = `${make.unique("both")}@example.edu`;
    const { body } = await world.as().post("/auth/register", { email, password, full_name: "Grace Hopper" });
    const headers = { authorization: `Bearer ${body.access_token}` };
    await world.as().post("/auth/verify-email", { token: await mailbox.tokenFor(email) }, { headers });
    const person = someone({ email });
    expect((await browser.signIn(person)).status).toBe(302);
    expect(await accountOf(email)).toMatchObject({ full_name: "Grace Hopper" });
    expect(await identitiesOf(person.sub)).toHaveLength(1);
    expect((await world.as().post("/auth/login", { email, password })).status).toBe(200);
  });

  it.each([
    ["is not verified", { email_verified: false }],
    ["is verified in another word", { email_verified: "yes" }],
    ["is not said to be verified", { email_verified: undefined }],
    ["is missing", { email: undefined }],
    ["is none", { email: "nobody" }],
  ])("rejects a new person whose e-mail address %s, and stores nothing", async (_, claims) => {
    const email = `${make.unique("known")}@example.edu`;
    const { id } = await make.person({ email });
    const person = someone({ email, ...claims });
    expect(await browser.signIn(person)).toMatchObject(noVerifiedEmail);
    expect(await identitiesOf(person.sub)).toEqual([]);
    expect((await accountOf(email))?.id).toBe(id);
  });

  it("rejects another subject with the e-mail address of a linked account", async () => {
    const person = someone();
    await browser.signIn(person);
    const other = someone({ email: person.email });
    expect(await browser.signIn(other)).toMatchObject({
      status: 403,
      body: {
        detail: "The account with this e-mail address is linked to another person at the identity provider",
      },
    });
    expect(await identitiesOf(other.sub)).toEqual([]);
  });

  it("rejects an inactive account, linked or not", async () => {
    const inactive = { status: 403, body: { detail: "Inactive user" } };
    const person = someone();
    await make.person({ email: String(person.email), is_active: false });
    expect(await browser.signIn(person)).toMatchObject(inactive);
    expect(await identitiesOf(person.sub)).toEqual([]);

    const linked = someone();
    await browser.signIn(linked);
    await world.deps.db
      .update(users)
      .set({ is_active: false })
      .where(eq(users.email, linked.email ?? ""));
    const reply = await browser.signIn(linked);
    expect(reply).toMatchObject(inactive);
    expect(Object.entries(cookiesOf(reply.headers))).toEqual([[expect.stringMatching(/^app_login_/), ""]]);
    const { rows } = await world.deps.db.execute(
      sql`select actor_id, subject_id, details from audit_events where action = 'sign_in.failed' order by id desc limit 2`,
    );
    const details = { provider: "campus", status: 403 };
    const account = await accountOf(linked.email);
    expect(rows).toEqual([
      { actor_id: null, subject_id: account?.id, details },
      { actor_id: null, subject_id: null, details },
    ]);
  });

  it("derives a missing name from the e-mail address, and truncates a long one", async () => {
    const nameless = someone({ name: undefined });
    await browser.signIn(nameless);
    expect((await accountOf(nameless.email))?.full_name).toBe(nameless.sub);
    const long = someone({ name: `\u0000 ${"😀".repeat(300)}` });
    await browser.signIn(long);
    expect((await accountOf(long.email))?.full_name).toBe("😀".repeat(255));
  });

  it("makes one account and one identity for a new person's concurrent sign-ins", async () => {
    for (let round = 0; round < 5; round++) {
      const person = someone();
      const begun = await Promise.all([1, 2, 3, 4].map(() => browser.begin()));
      const backs = await Promise.all(begun.map(({ address }) => provider.visit(address.href, person)));
      const replies = await Promise.all(
        backs.map((back, at) => browser.comeBack(back, begun[at]?.cookie ?? "")),
      );
      expect(replies.map(({ status }) => status)).toEqual([302, 302, 302, 302]);
      const [identity, ...others] = await identitiesOf(person.sub);
      expect(others).toEqual([]);
      expect(identity?.user_id).toBe((await accountOf(person.email))?.id);
    }
  });

  it("a second tab leaves the sign-in of the first alone", async () => {
    const person = someone();
    const [first, second] = [await browser.begin("/first"), await browser.begin("/second")];
    const both = `${first.cookie}; ${second.cookie}`;
    for (const [tab, path] of [
      [second, "/second"],
      [first, "/first"],
    ] as const) {
      const reply = await browser.comeBack(await provider.visit(tab.address.href, person), both);
      expect(reply.headers.get("location")).toBe(path);
    }
  });
});

describe("the service's public URL", () => {
  it("is the URL of the request, with API Gateway's stage", async () => {
    const path = "/api/v1/auth/oidc/campus/login";
    const reply = await world.app.request(`https://api.example/${path.slice(1)}`, undefined, {
      requestContext: { path: `/production${path}` },
    });
    const address = new URL(reply.headers.get("location") ?? "");
    const callback = "/production/api/v1/auth/oidc/campus/callback";
    expect(address.searchParams.get("redirect_uri")).toBe(`https://api.example${callback}`);
    expect(reply.headers.getSetCookie()[0]).toContain(`Path=${callback};`);
  });
});

describe("POST /auth/oidc/tokens", () => {
  const code_verifier = "a-verifier-of-a-page-that-keeps-its-own-tokens";
  const challenge = createHash("sha256").update(code_verifier).digest("base64url");

  const comeBack = async (subject: Subject | "refuse") => {
    const { address, cookie } = await browser.begin("/app?page=1#/catalog", "campus", challenge);
    const reply = await browser.comeBack(await provider.visit(address.href, subject), cookie);
    expect(reply.status).toBe(302);
    return { reply, target: new URL(reply.headers.get("location") ?? "", "http://here") };
  };
  const exchange = (code: string, verifier = code_verifier) =>
    world.as().post("/auth/oidc/tokens", { code, code_verifier: verifier });

  it("signs in the page that began, which no cookie and no token in an address does", async () => {
    const person = someone();
    const { reply, target } = await comeBack(person);
    expect(Object.keys(cookiesOf(reply.headers))).toEqual([expect.stringMatching(/^app_login_/)]);
    const { page, sign_in_code = "", ...rest } = Object.fromEntries(target.searchParams);
    expect([target.pathname, page, target.hash, rest]).toEqual(["/app", "1", "#/catalog", {}]);
    expect(await world.deps.tokens.verify(sign_in_code, "access")).toBeUndefined();
    const { status, body } = await exchange(sign_in_code);
    expect(status).toBe(200);
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect((await world.as().get("/users/me", { headers })).body.email).toBe(person.email);
  });

  it("accepts each code once, also of several concurrent requests", async () => {
    const { target } = await comeBack(someone());
    const code = target.searchParams.get("sign_in_code") ?? "";
    const replies = await Promise.all(Array.from({ length: 6 }, () => exchange(code)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    expect(await exchange(code)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("finished") },
    });
  });

  it("rejects a stolen code, and a code after a minute", async () => {
    const { target } = await comeBack(someone());
    const code = target.searchParams.get("sign_in_code") ?? "";
    const refused = { status: 400, body: { detail: expect.stringContaining("Start again") } };
    expect(await exchange(code, code_verifier.replace("a-", "b-"))).toMatchObject(refused);
    expect(await exchange(`${code.slice(0, -4)}AAAA`)).toMatchObject(refused);
    const before = world.deps.now();
    world.setNow(new Date(before.getTime() + 61_000));
    expect(await exchange(code)).toMatchObject(refused);
    world.setNow(before);
  });

  it("the page gets an error in its URL if the provider signs in no one", async () => {
    const { target } = await comeBack("refuse");
    expect(Object.fromEntries(target.searchParams)).toEqual({ page: "1", sign_in_error: "400" });
  });
});
