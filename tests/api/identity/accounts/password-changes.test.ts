import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);

const old = "correct horse";

async function account() {
  const email = `${make.unique("owner")}@example.edu`;
  const reply = await world.as().post("/auth/register", { email, password: old, full_name: "Ada" });
  const token = reply.body.access_token as string;
  return { email, token, bearer: { headers: { authorization: `Bearer ${token}` } } };
}

const signIn = async (email: string, password: string) =>
  (await world.as().post("/auth/login", { email, password })).status;
const confirm = (token: string, new_password: string) =>
  world.as().post("/auth/password-reset/confirm", { token, new_password });
const ask = (email: string) => world.as().post("/auth/password-reset", { email });
const rowsOfOutbox = async () =>
  (await world.deps.db.execute(sql`select count(*)::int as found from mail_outbox`)).rows[0]?.["found"];

describe("POST /users/me/password", () => {
  it("sets the password, ends every token, and answers new ones that are valid", async () => {
    const { email, bearer } = await account();
    const change = { current_password: old, new_password: "battery staple" };
    const reply = await world.as().post("/users/me/password", change, bearer);
    expect(reply.status).toBe(200);
    expect(reply.headers.getSetCookie()).toHaveLength(3);
    const fresh = { headers: { authorization: `Bearer ${reply.body.access_token}` } };
    expect((await world.as().get("/users/me", fresh)).status).toBe(200);
    expect((await world.as().get("/users/me", bearer)).status).toBe(401);
    expect([await signIn(email, old), await signIn(email, "battery staple")]).toEqual([401, 200]);
    await mailbox.send();
    expect(mailbox.mails.filter(({ to }) => to === email).map(({ subject }) => subject)).toContain(
      "Your password was changed",
    );
  });

  it("requires the current password: absent is a 422, wrong a 400, and nothing changes", async () => {
    const { email, bearer } = await account();
    const absent = await world.as().post("/users/me/password", { new_password: "n" }, bearer);
    expect(absent).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "current_password"], type: "missing" }] },
    });
    const wrong = { current_password: "guess", new_password: "n" };
    expect(await world.as().post("/users/me/password", wrong, bearer)).toMatchObject({
      status: 400,
      body: { detail: "Incorrect password" },
    });
    expect(await signIn(email, old)).toBe(200);
  });

  it("sets a first password for a person without one, within 10 minutes of their sign-in", async () => {
    const person = await make.person();
    const now = Math.floor(world.deps.now().getTime() / 1000);
    const set = (signed_in_at?: number) =>
      world.as({ ...person, signed_in_at }).post("/users/me/password", { new_password: "a first one" });
    for (const moment of [undefined, now - 601])
      expect(await set(moment)).toMatchObject({
        status: 403,
        body: { detail: "This requires a sign-in in the last 10 minutes. Sign in again" },
      });
    expect((await set(now - 600)).status).toBe(200);
    expect(await signIn(person.email, "a first one")).toBe(200);
  });

  it("accepts one of two concurrent changes", async () => {
    const { bearer } = await account();
    const change = (new_password: string) =>
      world.as().post("/users/me/password", { current_password: old, new_password }, bearer);
    const replies = await Promise.all(["one", "two", "three"].map((which) => change(`${which} of three`)));
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses[0]).toBe(200);
    // The others failed because the password had changed or the token had ended.
    for (const status of statuses.slice(1)) expect([400, 401]).toContain(status);
  });

  it("takes two round trips", async () => {
    const { bearer } = await account();
    const change = { current_password: old, new_password: "battery staple" };
    const reply = await world.as().post("/users/me/password", change, bearer);
    expect(reply.headers.get("server-timing")).toMatch(/db;desc="2 queries"/);
  });
});

describe("POST /auth/password-reset", () => {
  it("answers a known and an unknown address alike, in one round trip", async () => {
    const { email } = await account();
    const [known, unknown] = [await ask(email), await ask("nobody-at-all@example.edu")];
    for (const reply of [known, unknown]) {
      expect(reply.status).toBe(202);
      expect(reply.headers.get("server-timing")).toMatch(/db;desc="1 query"/);
    }
    expect(known.text).toBe(unknown.text);
  });

  it("stores nothing of addresses without an account, for any number of requests", async () => {
    const before = await rowsOfOutbox();
    const inactive = await make.person({ is_active: false });
    const addresses = Array.from({ length: 30 }, () => `${make.unique("nobody")}@example.edu`);
    await Promise.all([...addresses, inactive.email].map(ask));
    expect(await rowsOfOutbox()).toBe(before);
  });

  it("sends mail only to accounts, one a minute", async () => {
    const { email } = await account();
    for (let times = 0; times < 3; times += 1) await ask(email);
    await ask("stranger@example.edu");
    const before = mailbox.mails.length;
    await mailbox.send();
    const sent = mailbox.mails.slice(before).filter(({ subject }) => subject === "Set a new password");
    expect(sent.filter(({ to }) => to === email)).toHaveLength(1);
    expect(sent.filter(({ to }) => to === "stranger@example.edu")).toEqual([]);
    await ask(email);
    await mailbox.send();
    expect(
      mailbox.mails.filter(({ to, subject }) => to === email && subject === "Set a new password"),
    ).toHaveLength(1);
  });

  it("sends ten an hour at most, and continues then", async () => {
    const { email } = await account();
    const begin = world.deps.now();
    for (let minute = 0; minute < 60; minute += 1) {
      world.setNow(new Date(begin.getTime() + minute * 60_000));
      await ask(email);
      await mailbox.send();
    }
    const resets = () =>
      mailbox.mails.filter(({ to, subject }) => to === email && subject === "Set a new password");
    expect(resets()).toHaveLength(10);
    world.setNow(new Date(begin.getTime() + 60 * 60_000));
    await ask(email);
    await mailbox.send();
    expect(resets()).toHaveLength(11);
    world.setNow(begin);
  });

  it("sends one mail for many concurrent requests", async () => {
    const { email } = await account();
    await Promise.all(Array.from({ length: 10 }, () => ask(email)));
    const before = mailbox.mails.length;
    await mailbox.send();
    const sent = mailbox.mails
      .slice(before)
      .filter(({ to, subject }) => to === email && subject === "Set a new password");
    expect(sent).toHaveLength(1);
  });

  it("stores the hash of the token alone", async () => {
    const { email } = await account();
    await ask(email);
    const token = await mailbox.tokenFor(email);
    expect(token.length).toBeGreaterThanOrEqual(43);
    const { rows } = await world.deps.db.execute(
      sql`select count(*)::int as found from (
        select one::text from one_time_tokens as one union all select one::text from mail_outbox as one
        union all select one::text from audit_events as one) as stored (text) where text like ${`%${token}%`}`,
    );
    expect(rows).toEqual([{ found: 0 }]);
    expect(JSON.stringify(world.log)).not.toContain(token);
  });
});

describe("POST /auth/password-reset/confirm", () => {
  it("sets the password, ends every token, verifies the address, and is good for one use", async () => {
    const { email, bearer } = await account();
    await ask(email);
    const token = await mailbox.tokenFor(email);
    expect((await confirm(token, "new one")).status).toBe(204);
    expect((await world.as().get("/users/me", bearer)).status).toBe(401);
    expect([await signIn(email, old), await signIn(email, "new one")]).toEqual([401, 200]);
    expect(await confirm(token, "another one")).toMatchObject({ status: 400 });
    expect(await signIn(email, "new one")).toBe(200);
    const { rows } = await world.deps.db.execute(
      sql`select email_verified_at is not null as verified from users where email = ${email}`,
    );
    expect(rows).toEqual([{ verified: true }]);
  });

  it("accepts one of many concurrent uses", async () => {
    const { email } = await account();
    await ask(email);
    const token = await mailbox.tokenFor(email);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => confirm(token, `number ${i} of eight`)),
    );
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(7);
    const winner = replies.findIndex(({ status }) => status === 204);
    expect(await signIn(email, `number ${winner} of eight`)).toBe(200);
  });

  it("rejects a token after an hour, an unknown one, and one of another purpose", async () => {
    const { email } = await account();
    const verification = await mailbox.tokenFor(email);
    expect((await confirm(verification, "x")).status).toBe(400);
    expect((await confirm("never-made", "x")).status).toBe(400);
    await ask(email);
    const token = await mailbox.tokenFor(email);
    const now = world.deps.now();
    world.setNow(new Date(now.getTime() + 60 * 60_000));
    expect((await confirm(token, "x")).status).toBe(400);
    world.setNow(new Date(now.getTime() + 59 * 60_000));
    expect((await confirm(token, "x")).status).toBe(204);
    world.setNow(now);
  });

  it("rejects a token from before a change of password, and of an inactive account", async () => {
    const { email, bearer } = await account();
    await ask(email);
    const token = await mailbox.tokenFor(email);
    await world
      .as()
      .post("/users/me/password", { current_password: old, new_password: "changed since" }, bearer);
    expect((await confirm(token, "x")).status).toBe(400);

    const other = await account();
    await ask(other.email);
    const theirs = await mailbox.tokenFor(other.email);
    await world.deps.db.execute(sql`update users set is_active = false where email = ${other.email}`);
    expect((await confirm(theirs, "x")).status).toBe(400);
  });

  it("changes only the token's account", async () => {
    const [mine, theirs] = [await account(), await account()];
    await ask(mine.email);
    expect((await confirm(await mailbox.tokenFor(mine.email), "mine alone")).status).toBe(204);
    expect(await signIn(theirs.email, old)).toBe(200);
    expect((await world.as().get("/users/me", theirs.bearer)).status).toBe(200);
  });
});
