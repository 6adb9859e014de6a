import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld({
  INVITATIONS_PER_HOUR: "3",
  UNIVERSITY_INVITATIONS_PER_HOUR: "5",
  ACCOUNT_MAILS_PER_HOUR: "4",
  PASSWORD_MIN_LENGTH: "1",
});
const make = makersOf(world);
const now = "2026-03-10T12:00:00.000Z";

const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();
const times = <Result>(count: number, work: (turn: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, turn) => work(turn)));

async function waitingFor(address: string): Promise<number> {
  const { rows } = await world.deps.db.execute(
    sql`select count(*)::int as waiting from mail_outbox where address = ${address} and ended_at is null`,
  );
  return Number(rows[0]?.["waiting"]);
}

/** Hours until the mails to these addresses are due, ascending. */
async function dueInHours(addresses: string[]): Promise<number[]> {
  const { rows } = await world.deps.db.execute(sql`
    select (extract(epoch from due_at - ${now}::timestamptz) / 3600)::int as hours
    from mail_outbox where address = any (${sql.param(addresses)}) order by due_at`);
  return rows.map((row) => Number(row["hours"]));
}

async function atTheNextHour(work: () => Promise<void>): Promise<void> {
  world.setNow("2026-03-10T13:00:00.000Z");
  await work().finally(() => world.setNow(now));
}

describe("the invitations of an hour", () => {
  const address = () => `${make.unique("invited")}@example.edu`;

  it("are limited per person, for concurrent requests and all ways of inviting", async () => {
    const university = await make.university();
    const person = await make.holder("university_admin", university.id);
    let admin = world.as(person);
    const invitations = `/universities/${university.id}/invitations`;
    const replies = await times(9, () => admin.post(invitations, { email: address(), role: "TA" }));
    expect(statusesOf(replies)).toEqual([201, 201, 201, 429, 429, 429, 429, 429, 429]);
    const refused = replies.find(({ status }) => status === 429);
    expect([refused?.body.detail, refused?.headers.get("retry-after")]).toEqual([
      "Too many requests within an hour. Try again later",
      "3600",
    ]);
    const { rows } = await world.deps.db.execute(
      sql`select count(*)::int as made from invitations where university_id = ${university.id}`,
    );
    expect(rows).toEqual([{ made: 3 }]);

    const made = replies.find(({ status }) => status === 201);
    const again = () => admin.post(`${invitations}/${made?.body.id}/send`);
    const role = { email: address(), role: "TA" };
    expect((await again()).status).toBe(429);
    expect((await admin.post(`/universities/${university.id}/roles`, role)).status).toBe(429);
    const course = await make.course(university.id);
    const offering = await make.offering(course);
    const instructors = `/courses/${course.id}/offerings/${offering.id}/instructors`;
    expect((await admin.post(instructors, { email: address() })).status).toBe(429);
    expect(await waitingFor(role.email)).toBe(0);
    await atTheNextHour(async () => {
      admin = world.as(person);
      expect((await again()).status).toBe(200);
      expect((await admin.post(invitations, role)).status).toBe(201);
    });
  });

  it("are limited per university, for all its people together", async () => {
    const university = await make.university();
    const people = await times(4, () => make.holder("university_admin", university.id));
    const replies = await Promise.all(
      people.flatMap((one) =>
        [1, 2].map(() =>
          world.as(one).post(`/universities/${university.id}/invitations`, { email: address(), role: "TA" }),
        ),
      ),
    );
    expect(statusesOf(replies)).toEqual([201, 201, 201, 201, 201, 429, 429, 429]);
    const elsewhere = await make.university();
    const other = world.as(await make.holder("university_admin", elsewhere.id));
    expect(
      (await other.post(`/universities/${elsewhere.id}/invitations`, { email: address(), role: "TA" }))
        .status,
    ).toBe(201);
  });
});

describe("the mails about accounts of an hour", () => {
  /** Connects from that address. */
  const send = async (from: string, path: string, body: object, token?: string): Promise<Response> =>
    world.app.request(
      `/api/v1${path}`,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      },
      { incoming: { socket: { remoteAddress: from } } },
    );
  const registration = () => ({
    email: `${make.unique("new")}@example.edu`,
    password: "p",
    full_name: "Ada",
  });

  it("are those of a network: above them everyone registers, and the mail waits for an hour with room", async () => {
    const wanted = Array.from({ length: 10 }, registration);
    // An IPv6 network counts as one, for any device.
    const replies = await Promise.all(
      wanted.map((one, turn) => send(`2001:db8:1:2::${turn + 1}`, "/auth/register", one)),
    );
    expect(new Set(statusesOf(replies))).toEqual(new Set([201]));
    expect(await dueInHours(wanted.map(({ email }) => email))).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
    const [onboarded, elsewhere] = [registration(), registration()];
    expect((await send("2001:db8:1:2::99", "/auth/register-with-onboarding", onboarded)).status).toBe(201);
    expect((await send("2001:db8:1:3::1", "/auth/register", elsewhere)).status).toBe(201);
    expect(await dueInHours([onboarded.email, elsewhere.email])).toEqual([0, 2]);
  });

  it("are counted for an account that is made alone: a taken address is a 400 and no mail", async () => {
    const taken = registration();
    const first = await send("203.0.113.20", "/auth/register", taken);
    const again = await times(6, () => send("203.0.113.20", "/auth/register", taken));
    expect([first.status, new Set(statusesOf(again))]).toEqual([201, new Set([400])]);
    const wanted = [registration(), registration(), registration()];
    for (const one of wanted) await send("203.0.113.20", "/auth/register", one);
    expect(await dueInHours(wanted.map(({ email }) => email))).toEqual([0, 0, 0]);
  });

  it("also count links to set a password, without any sign to the caller", async () => {
    const people = await times(6, () => make.person());
    const asked = await Promise.all(
      people.map(({ email }) => send("203.0.113.7", "/auth/password-reset", { email })),
    );
    expect(statusesOf(asked)).toEqual([202, 202, 202, 202, 202, 202]);
    expect(await dueInHours(people.map(({ email }) => email))).toEqual([0, 0, 0, 0, 1, 1]);
    const bodies = new Set(await Promise.all(asked.map((reply) => reply.text())));
    expect(bodies.size).toBe(1);
    // Unknown addresses are counted like known ones.
    await times(4, (turn) =>
      send("203.0.113.8", "/auth/password-reset", { email: `nobody${turn}@example.edu` }),
    );
    const person = await make.person();
    await send("203.0.113.8", "/auth/password-reset", { email: person.email });
    expect(await dueInHours([person.email])).toEqual([1]);
  });

  it("are used up by links to confirm an address too", async () => {
    const addresses: string[] = [];
    const replies = await times(6, async () => {
      const person = await make.person({ password_hash: null });
      addresses.push(person.email);
      const { access_token } = await world.deps.tokens.issue(person);
      return send("203.0.113.9", "/users/me/email", { email: person.email }, access_token);
    });
    expect(statusesOf(replies)).toEqual([202, 202, 202, 202, 202, 202]);
    expect(await dueInHours(addresses)).toEqual([0, 0, 0, 0, 1, 1]);
  });
});
