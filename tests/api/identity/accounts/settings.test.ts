import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { hashPassword } from "../../../../lib/identity/auth/password-hashes.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

describe("with LOGIN_MAX_FAILURES", () => {
  const world = openWorld({ LOGIN_MAX_FAILURES: "3", LOGIN_FAILURE_WINDOW_MINUTES: "10" });
  const make = makersOf(world);
  const password = "correct horse";

  async function account() {
    const email = `${make.unique("guarded")}@example.edu`;
    const reply = await world.as().post("/auth/register", { email, password, full_name: "Ada" });
    return { email, headers: { authorization: `Bearer ${reply.body.access_token}` } };
  }
  const signIn = (email: string, given = "guess") =>
    world.as().post("/auth/login", { email, password: given });

  it("an account is locked after as many failures until the window has passed, and so is an unknown one", async () => {
    const { email } = await account();
    const unknown = `${make.unique("unknown")}@example.edu`;
    for (const address of [email, unknown]) {
      for (const _ of [1, 2, 3]) expect((await signIn(address)).status).toBe(401);
      const refused = await signIn(address, password);
      expect(refused).toMatchObject({
        status: 429,
        body: { detail: "Too many failed sign-ins to this account. Try again later" },
      });
      expect(refused.headers.get("retry-after")).toBe("600");
    }
    const now = world.deps.now();
    world.setNow(new Date(now.getTime() + 10 * 60_000));
    expect((await signIn(email, password)).status).toBe(200);
    world.setNow(now);
  });

  it("only that many guesses are checked, also if they are concurrent", async () => {
    const { email } = await account();
    const replies = await Promise.all(Array.from({ length: 20 }, () => signIn(email)));
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(3);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(17);
  });

  it("a right password ends the count, and others' accounts are not touched", async () => {
    const [one, other] = [await account(), await account()];
    for (const _ of [1, 2]) await signIn(one.email);
    expect((await signIn(one.email, password)).status).toBe(200);
    for (const _ of [1, 2]) expect((await signIn(one.email)).status).toBe(401);
    expect((await signIn(one.email, password)).status).toBe(200);
    expect((await signIn(other.email, password)).status).toBe(200);
  });

  /** Signs in from that network address, with the cookie of a device. */
  async function from(address: string, email: string, given: string, cookie = "") {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", ...(cookie && { cookie }) },
      body: JSON.stringify({ email, password: given }),
    };
    const socket = { remoteAddress: address };
    const reply = await world.app.request("/api/v1/auth/login", init, { incoming: { socket } });
    const device = reply.headers.getSetCookie().find((one) => one.startsWith("app_device="));
    return { status: reply.status, device };
  }
  const cookieOf = (device: string | undefined) => device?.split(";")[0] ?? "";
  const stranger = "198.51.100.1";
  const owner = "203.0.113.7";

  it("a stranger locks out only their own network, however many guesses they send", async () => {
    const { email } = await account();
    const guesses = await Promise.all(Array.from({ length: 60 }, () => from(stranger, email, "guess")));
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(3);
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(57);
    expect((await from(stranger, email, password)).status).toBe(429);
    expect((await from(owner, email, password)).status).toBe(200);
    // The owner's sign-in gives the stranger no new guesses.
    expect((await from(stranger, email, "guess")).status).toBe(429);
  });

  it("guesses from many networks lock the account, but no device that signed in to it before", async () => {
    const { email } = await account();
    const { device } = await from(owner, email, password);
    expect(device).toMatch(/; Path=\/api\/v1\/auth\/login; HttpOnly; Secure; SameSite=Lax/);
    const networks = Array.from({ length: 12 }, (_, n) => `198.51.100.${n + 10}`);
    const sent = networks.flatMap((one) => [1, 2, 3].map(() => from(one, email, "guess")));
    // While the guesses are checked.
    const own = from(owner, email, password, cookieOf(device));
    const guesses = await Promise.all(sent);
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(30);
    expect((await own).status).toBe(200);
    expect((await from("192.0.2.1", email, password)).status).toBe(429);
    expect((await from("192.0.2.1", email, password, cookieOf(device))).status).toBe(200);
  });

  it("a device has as many guesses, and its cookie counts for no other account", async () => {
    const [one, other] = [await account(), await account()];
    const cookie = cookieOf((await from(owner, one.email, password)).device);
    const guess = () => from(owner, one.email, "guess", cookie);
    const guesses = await Promise.all(Array.from({ length: 9 }, guess));
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(3);
    expect((await from(owner, one.email, password)).status).toBe(200);
    for (const _ of [1, 2, 3]) await from(owner, other.email, "guess");
    expect((await from(owner, other.email, password, cookie)).status).toBe(429);
    expect((await from(owner, other.email, password, `${cookie}x`)).status).toBe(429);
  });

  it("a device knows each of its accounts", async () => {
    const [one, other] = [await account(), await account()];
    const first = cookieOf((await from(owner, one.email, password)).device);
    const both = cookieOf((await from(owner, other.email, password, first)).device);
    for (const { email } of [one, other]) {
      for (const _ of [1, 2, 3]) await from(owner, email, "guess");
      expect((await from(owner, email, password)).status).toBe(429);
      expect((await from(owner, email, password, both)).status).toBe(200);
    }
  });

  it("many right passwords in one window lock nobody out", async () => {
    const { email } = await account();
    for (let n = 0; n < 35; n += 1) expect((await from(owner, email, password)).status).toBe(200);
  });

  it("guesses of the current password count as well", async () => {
    const { email, headers } = await account();
    const change = { current_password: "guess", new_password: "n" };
    for (const _ of [1, 2, 3])
      expect((await world.as().post("/users/me/password", change, { headers })).status).toBe(400);
    expect((await world.as().post("/users/me/password", change, { headers })).status).toBe(429);
    expect((await signIn(email, password)).status).toBe(429);
  });
});

describe("without it", () => {
  const world = openWorld();
  const make = makersOf(world);

  it("failures are not counted, no account is locked, and a sign-in takes two round trips, the second for the audit log", async () => {
    const email = `${make.unique("free")}@example.edu`;
    await world.as().post("/auth/register", { email, password: "p", full_name: "Ada" });
    for (let times = 0; times < 15; times += 1)
      expect((await world.as().post("/auth/login", { email, password: "guess" })).status).toBe(401);
    const reply = await world.as().post("/auth/login", { email, password: "p" });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("server-timing")).toMatch(/^db;desc="2 queries"/);
    const { rows } = await world.deps.db.execute(sql`select from login_failures`);
    expect(rows).toEqual([]);
  });
});

describe("with PASSWORD_MIN_LENGTH", () => {
  const world = openWorld({ PASSWORD_MIN_LENGTH: "12" });
  const make = makersOf(world);
  const mailbox = mailboxOf(world);
  const short = "eleven char";
  const refused = (field: string) => ({
    status: 422,
    body: {
      detail: [
        { loc: ["body", field], msg: "String should have at least 12 characters", type: "string_too_short" },
      ],
    },
  });

  it("no new password is shorter, wherever it is set", async () => {
    const person = await make.person();
    const email = `${make.unique("short")}@example.edu`;
    const registration = { email, password: short, full_name: "Ada" };
    expect(await world.as().post("/auth/register", registration)).toMatchObject(refused("password"));
    expect(await world.as().post("/auth/register-with-onboarding", registration)).toMatchObject(
      refused("password"),
    );
    expect(await world.as(person).post("/users/me/password", { new_password: short })).toMatchObject(
      refused("new_password"),
    );
    await world.as().post("/auth/password-reset", { email: person.email });
    const token = await mailbox.tokenFor(person.email);
    expect(
      await world.as().post("/auth/password-reset/confirm", { token, new_password: short }),
    ).toMatchObject(refused("new_password"));
    expect((await world.as().post("/auth/register", { ...registration, password: `${short}!` })).status).toBe(
      201,
    );
  });
});

describe("with PASSWORD_MIN_LENGTH set later", () => {
  const world = openWorld({ PASSWORD_MIN_LENGTH: "12" });
  const make = makersOf(world);

  it("users with a shorter password sign in as before, and can change it", async () => {
    const password = "short";
    const password_hash = await hashPassword(password, world.deps.config.BCRYPT_COST);
    const { email } = await make.person({ password_hash });
    const signedIn = await world.as().post("/auth/login", { email, password });
    expect(signedIn.status).toBe(200);
    const headers = { authorization: `Bearer ${signedIn.body.access_token}` };
    const change = { current_password: password, new_password: "twelve chars" };
    expect((await world.as().post("/users/me/password", change, { headers })).status).toBe(200);
  });
});

describe("with PASSWORD_SIGN_IN=false", () => {
  const world = openWorld({ PASSWORD_SIGN_IN: "false" });
  const make = makersOf(world);

  it("no one registers, signs in or sets a password", async () => {
    const email = "ada@example.edu";
    const closed = {
      status: 403,
      body: { detail: "Passwords are switched off. Sign in with an identity provider" },
    };
    const asked = {
      "/auth/register": { email, password: "p", full_name: "Ada" },
      "/auth/register-with-onboarding": { email, password: "p", full_name: "Ada" },
      "/auth/login": { email, password: "p" },
      "/auth/password-reset": { email },
      "/auth/password-reset/confirm": { token: "t", new_password: "p" },
    };
    for (const [path, body] of Object.entries(asked))
      expect(await world.as().post(path, body), path).toMatchObject(closed);
    const person = world.as(await make.person());
    expect(await person.post("/users/me/password", { new_password: "p" })).toMatchObject(closed);
  });
});
