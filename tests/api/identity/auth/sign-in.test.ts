import { eq } from "drizzle-orm";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { users } from "../../../../schema/db/identity/users.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function account() {
  const body = { email: `${make.unique("who")}@example.edu`, password: "correct horse", full_name: "Ada" };
  const reply = await world.as().post("/auth/register", body);
  return { ...body, ...(reply.body as { access_token: string; refresh_token: string }) };
}

const me = (token: string) => world.as().get("/users/me", { headers: { authorization: `Bearer ${token}` } });
const refresh = (token: string) =>
  world.as().request("POST", "/auth/refresh", undefined, { headers: { authorization: `Bearer ${token}` } });

const deactivate = (email: string) =>
  world.deps.db.update(users).set({ is_active: false }).where(eq(users.email, email));

const unvalidated = { status: 401, body: { detail: "Could not validate credentials" } };

describe("POST /auth/login", () => {
  it("answers a pair of tokens and the cookies", async () => {
    const { email, password } = await account();
    const reply = await world.as().post("/auth/login", { email: email.toUpperCase(), password });
    expect(reply.status).toBe(200);
    expect(reply.headers.getSetCookie()).toHaveLength(3);
    expect((await me(reply.body.access_token)).body.email).toBe(email);
  });

  it("answers a wrong password and an unknown address alike", async () => {
    const { email } = await account();
    const wrong = await world.as().post("/auth/login", { email, password: "wrong" });
    const unknown = await world.as().post("/auth/login", { email: "nobody@example.edu", password: "wrong" });
    for (const reply of [wrong, unknown]) {
      expect(reply).toMatchObject({ status: 401, body: { detail: "Incorrect email or password" } });
      expect(reply.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  it("an inactive account is a 403, but only with the correct password", async () => {
    const { email, password } = await account();
    await deactivate(email);
    expect(await world.as().post("/auth/login", { email, password })).toMatchObject({
      status: 403,
      body: { detail: "Inactive user" },
    });
    expect((await world.as().post("/auth/login", { email, password: "wrong" })).status).toBe(401);
  });

  it("a password of 72 bytes with a multi-byte character on the edge opens the account it was registered with", async () => {
    const email = `${make.unique("edge")}@example.edu`;
    const password = `${"p".repeat(71)}é and more`;
    await world.as().post("/auth/register", { email, password, full_name: "Edge" });
    expect((await world.as().post("/auth/login", { email, password })).status).toBe(200);
    expect((await world.as().post("/auth/login", { email, password: "p".repeat(71) })).status).toBe(200);
    expect((await world.as().post("/auth/login", { email, password: "p".repeat(70) })).status).toBe(401);
  });
});

describe("a sign-in with cookies", () => {
  const misnamed = (type: string) => [
    422,
    [{ loc: ["header", "content-type"], msg: expect.any(String), type }],
    [],
  ];
  const told = async (path: string, body: string, headers: Record<string, string> = {}) => {
    // Bytes have no default content type, unlike strings.
    const reply = await world.app.request(`/api/v1${path}`, {
      method: "POST",
      body: new TextEncoder().encode(body),
      headers,
    });
    return [reply.status, ((await reply.json()) as { detail: unknown }).detail, reply.headers.getSetCookie()];
  };

  it("takes a body as application/json alone, which a page of another origin cannot send", async () => {
    const { email, password } = await account();
    const body = JSON.stringify({ email, password });
    for (const type of [
      "text/plain",
      "text/plain; charset=utf-8",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "text/plain; application/json",
      "",
    ])
      expect(await told("/auth/login", body, { "content-type": type })).toEqual(misnamed("value_error"));
    expect(await told("/auth/login", body)).toEqual(misnamed("missing"));
    for (const type of ["application/json", "Application/JSON; charset=utf-8"])
      expect((await told("/auth/login", body, { "content-type": type }))[0]).toBe(200);
  });

  it("reports it together with other faults, for each operation", async () => {
    for (const path of [
      "/auth/register",
      "/auth/register-with-onboarding",
      "/auth/login",
      "/auth/oidc/tokens",
      "/auth/invitations/accept",
    ]) {
      const [status, detail, cookies] = await told(path, "{}", { "content-type": "text/plain" });
      expect([path, status, cookies]).toEqual([path, 422, []]);
      expect(detail).toContainEqual({
        loc: ["header", "content-type"],
        msg: "Input should be 'application/json'",
        type: "value_error",
      });
    }
  });

  it("needs no content type without a body", async () => {
    const { refresh_token } = await account();
    const headers = { authorization: `Bearer ${refresh_token}`, "content-type": "text/plain" };
    expect((await world.as().request("POST", "/auth/refresh", undefined, { headers })).status).toBe(200);
    expect((await world.as().request("POST", "/auth/logout", undefined, { headers })).status).toBe(204);
  });
});

describe("POST /auth/refresh", () => {
  it("exchanges a refresh token for a new pair, cookies included; the old one stays valid", async () => {
    const { refresh_token } = await account();
    const reply = await refresh(refresh_token);
    expect(reply.status).toBe(200);
    expect(reply.headers.getSetCookie()).toHaveLength(3);
    expect((await me(reply.body.access_token)).status).toBe(200);
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  it("rejects an access token", async () => {
    expect(await refresh((await account()).access_token)).toMatchObject(unvalidated);
  });

  it("rejects an inactive user with a 403", async () => {
    const { email, refresh_token } = await account();
    await deactivate(email);
    expect(await refresh(refresh_token)).toMatchObject({ status: 403, body: { detail: "Inactive user" } });
  });
});

describe("POST /auth/logout", () => {
  it("clears the three cookies and needs no token", async () => {
    const reply = await world.as().post("/auth/logout");
    expect(reply.status).toBe(204);
    const cookies = reply.headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split("=")[0])).toEqual([
      "app_access_token",
      "app_refresh_token",
      "logged_in",
    ]);
    for (const cookie of cookies) expect(cookie).toContain("Max-Age=0");
  });
});

describe("a protected operation", () => {
  const sign = (payload: Record<string, unknown>, alg = "HS256", secret = world.deps.config.SECRET_KEY) =>
    new SignJWT(payload).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
  const soon = () => Math.floor(world.deps.now().getTime() / 1000) + 60;

  it("accepts an access token before its expiry", async () => {
    const { access_token } = await account();
    expect((await me(access_token)).status).toBe(200);
  });

  it("rejects a missing token, another scheme and an empty one, and names the scheme", async () => {
    for (const authorization of ["", "Bearer", "Bearer ", "Basic YTpi", "bearer a b"]) {
      const reply = await world.as().get("/users/me", { headers: { authorization } });
      expect(reply, authorization).toMatchObject(unvalidated);
      expect(reply.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  it("rejects a refresh token", async () => {
    expect(await me((await account()).refresh_token)).toMatchObject(unvalidated);
  });

  it("rejects a token from its expiry on, without leeway", async () => {
    const { access_token } = await account();
    const now = world.deps.now();
    world.setNow(new Date(now.getTime() + 30 * 60_000 - 1000));
    expect((await me(access_token)).status).toBe(200);
    world.setNow(new Date(now.getTime() + 30 * 60_000));
    expect(await me(access_token)).toMatchObject(unvalidated);
    world.setNow(now);
  });

  it("rejects alg none, another algorithm, another key and a broken signature", async () => {
    const { id } = await make.person();
    const claims = { sub: String(id), exp: soon(), type: "access" };
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const none = `${encode({ alg: "none", typ: "JWT" })}.${encode(claims)}.`;
    const good = await sign(claims);
    expect((await me(good)).status).toBe(200);
    const others = [
      none,
      await sign(claims, "HS384"),
      await sign(claims, "HS256", "x".repeat(40)),
      `${good.slice(0, -4)}AAAA`,
    ];
    for (const token of others) expect(await me(token)).toMatchObject(unvalidated);
  });

  it.each([undefined, "", "0", "-1", "abc", "1.5", "2147483648", "99999999999999999999", 7])(
    "rejects the subject %j",
    async (sub) => {
      const token = await sign({ ...(sub !== undefined && { sub }), exp: soon(), type: "access" });
      expect(await me(token)).toMatchObject(unvalidated);
      expect(await world.deps.tokens.verify(token, "access")).toBeUndefined();
    },
  );

  it("rejects a token without an expiry, and one without a type", async () => {
    const { id } = await make.person();
    expect(await me(await sign({ sub: String(id), type: "access" }))).toMatchObject(unvalidated);
    expect(await me(await sign({ sub: String(id), exp: soon() }))).toMatchObject(unvalidated);
  });

  it("rejects the token of a deleted user", async () => {
    const { email, access_token } = await account();
    await world.deps.db.delete(users).where(eq(users.email, email));
    expect(await me(access_token)).toMatchObject(unvalidated);
  });

  it("a valid token of an inactive user gets 403 Inactive user", async () => {
    const { email, access_token } = await account();
    await deactivate(email);
    expect(await me(access_token)).toMatchObject({ status: 403, body: { detail: "Inactive user" } });
  });

  it("cookies never authenticate a request", async () => {
    const { access_token } = await account();
    const reply = await world
      .as()
      .get("/users/me", { headers: { cookie: `app_access_token=${access_token}` } });
    expect(reply).toMatchObject(unvalidated);
  });

  it("no token with a bad body is a 401 and not a 422", async () => {
    expect(await world.as().put("/users/me", { full_name: 5 })).toMatchObject(unvalidated);
  });
});
