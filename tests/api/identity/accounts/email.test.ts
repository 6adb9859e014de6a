import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);

const password = "correct horse";

async function account() {
  const email = `${make.unique("owner")}@example.edu`;
  const reply = await world.as().post("/auth/register", { email, password, full_name: "Ada" });
  return { email, bearer: { headers: { authorization: `Bearer ${reply.body.access_token}` } } };
}

type Bearer = Awaited<ReturnType<typeof account>>["bearer"];
const me = async (bearer: Bearer) => (await world.as().get("/users/me", bearer)).body;
const change = (bearer: Bearer, email: string, current_password = password) =>
  world.as().post("/users/me/email", { email, current_password }, bearer);
/** Runs `work` with the clock so many minutes ahead. */
async function later<T>(minutes: number, work: () => Promise<T>): Promise<T> {
  const now = world.deps.now();
  world.setNow(new Date(now.getTime() + minutes * 60_000));
  try {
    return await work();
  } finally {
    world.setNow(now);
  }
}
const verify = (token: string, bearer?: Bearer) => world.as().post("/auth/verify-email", { token }, bearer);

describe("an address", () => {
  it("is confirmed by a user who is signed in to the account, or by a takeover, and accepts no offers", async () => {
    const { email, bearer } = await account();
    const other = await account();
    const token = await mailbox.tokenFor(email);
    expect((await verify(token)).status).toBe(401);
    expect((await verify(token, other.bearer)).status).toBe(400);
    expect((await me(bearer)).email_verified_at).toBeNull();
    const owner = { token, password: "of the owner" };
    expect((await world.as().post("/auth/verify-email", owner, other.bearer)).status).toBe(400);
    expect((await world.as().post("/auth/verify-email", owner)).status).toBe(204);
    expect((await world.as().get("/users/me", bearer)).status).toBe(401);
    expect((await world.as().post("/auth/login", { email, password })).status).toBe(401);
    expect((await world.as().post("/auth/login", { email, password: "of the owner" })).status).toBe(200);
    expect((await world.as().post("/auth/verify-email", owner)).status).toBe(400);
  });

  it("that an account requests is confirmed by its sign-in only: the mail's reader gets no account by it", async () => {
    const { email, bearer } = await account();
    const wanted = `${make.unique("victim")}@example.edu`;
    await change(bearer, wanted);
    const token = await mailbox.tokenFor(wanted);
    expect((await verify(token)).status).toBe(401);
    expect((await world.as().post("/auth/verify-email", { token, password: "a new one" })).status).toBe(400);
    expect((await me(bearer)).email).toBe(email);
    expect((await verify(token, bearer)).status).toBe(204);
  });

  it("is sent the account, its age, and the origin of the request", async () => {
    const { email, bearer } = await account();
    const wanted = `${make.unique("told")}@example.edu`;
    await change(bearer, wanted);
    await world.deps.db.execute(sql`
      update mail_outbox set from_address = '203.0.113.7' where address in (${email}, ${wanted})`);
    await mailbox.send();
    const [first, second] = [email, wanted].map(
      (address) => mailbox.mails.findLast(({ to }) => to === address)?.text,
    );
    for (const text of [first, second])
      expect(text).toMatch(
        new RegExp(`^The account ${email} was created on \\d+ \\w+ \\d{4}, \\d\\d:\\d\\d UTC\\.`),
      );
    const asked = "On 10 March 2026, 12:00 UTC, from the network address 203.0.113.7, its user asked";
    expect(first).toContain(`${asked} to confirm this address`);
    expect(second).toContain(`${asked} to change its address to this one`);
  });

  it("is verified by the mail that registering sends, once", async () => {
    const { email, bearer } = await account();
    expect((await me(bearer)).email_verified_at).toBeNull();
    const token = await mailbox.tokenFor(email);
    expect((await verify(token, bearer)).status).toBe(204);
    expect((await me(bearer)).email_verified_at).toBe(world.deps.now().toISOString());
    expect((await verify(token, bearer)).status).toBe(400);
  });

  it("is verified by another mail on request", async () => {
    const { email, bearer } = await account();
    const first = await mailbox.tokenFor(email);
    expect((await change(bearer, email)).status).toBe(202);
    expect(await mailbox.tokenFor(email)).toBe(first);
    const second = await later(1, () => mailbox.tokenFor(email));
    expect((await verify(first, bearer)).status).toBe(400);
    expect((await verify(second, bearer)).status).toBe(204);
    expect((await me(bearer)).email_verified_at).not.toBeNull();
  });

  it("changes once the new one is confirmed, and the former one is notified", async () => {
    const { email, bearer } = await account();
    const wanted = `${make.unique("new")}@example.edu`;
    expect((await change(bearer, wanted)).status).toBe(202);
    const token = await mailbox.tokenFor(wanted);
    expect((await me(bearer)).email).toBe(email);
    expect((await verify(token, bearer)).status).toBe(204);
    expect(await me(bearer)).toMatchObject({
      email: wanted,
      email_verified_at: world.deps.now().toISOString(),
    });
    await mailbox.send();
    expect(mailbox.mails.findLast(({ to }) => to === email)?.subject).toBe("Your e-mail address was changed");
    expect((await world.as().post("/auth/login", { email: wanted, password })).status).toBe(200);
    expect((await world.as().post("/auth/login", { email, password })).status).toBe(401);
  });

  it("does not change without the password, nor to a taken one", async () => {
    const [mine, theirs] = [await account(), await account()];
    expect((await change(mine.bearer, "x@example.edu", "guess")).status).toBe(400);
    expect(await change(mine.bearer, theirs.email)).toMatchObject({
      status: 400,
      body: { detail: "Email already registered" },
    });
  });

  it("that another user registers before the confirmation stays theirs", async () => {
    const { email, bearer } = await account();
    const wanted = `${make.unique("raced")}@example.edu`;
    await change(bearer, wanted);
    const token = await mailbox.tokenFor(wanted);
    await world.as().post("/auth/register", { email: wanted, password, full_name: "Quick" });
    expect((await verify(token, bearer)).status).toBe(400);
    expect((await me(bearer)).email).toBe(email);
  });

  it("is not changed by a link from before the tokens were ended", async () => {
    const { email, bearer } = await account();
    const [sent, waiting] = [`${make.unique("sent")}@example.edu`, `${make.unique("waiting")}@example.edu`];
    await change(bearer, sent);
    const token = await mailbox.tokenFor(sent);
    await change(bearer, waiting);
    await world.as().post("/auth/logout-everywhere", undefined, bearer);
    const { body } = await world.as().post("/auth/login", { email, password });
    const anew = { headers: { authorization: `Bearer ${body.access_token}` } };
    expect((await verify(token, anew)).status).toBe(400);
    expect(await mailbox.tokenFor(waiting)).toBe("");
  });

  it("gets one mail a minute and ten an hour at most, from all callers", async () => {
    const stranger = `${make.unique("stranger")}@example.edu`;
    const asking = await Promise.all([account(), account()]);
    const sent = () => mailbox.mails.filter(({ to }) => to === stranger).length;
    for (let second = 0; second < 60 * 60; second += 30)
      await later(second / 60, async () => {
        for (const { bearer } of asking) await change(bearer, stranger);
        await mailbox.send();
        if (second === 30) expect(sent()).toBe(1);
        if (second === 60) expect(sent()).toBe(2);
      });
    expect(sent()).toBe(10);
  });

  it("is one of few that a person can have mail sent to", async () => {
    const { bearer } = await account();
    const addresses = Array.from({ length: 12 }, () => `${make.unique("stranger")}@example.edu`);
    const sent = () => mailbox.mails.filter(({ to }) => addresses.includes(to)).length;
    await Promise.all(addresses.map((address) => change(bearer, address)));
    await mailbox.send();
    expect(sent()).toBe(1);
    const last = addresses[11] ?? "";
    await change(bearer, last);
    await later(1, () => mailbox.send());
    expect(sent()).toBe(2);
    expect(mailbox.mails.at(-1)?.to).toBe(last);
  });
});
