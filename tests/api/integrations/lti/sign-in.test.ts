import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pruneRefusedLaunches } from "../../../../lib/integrations/lti/retention.ts";
import { ltiBrowser } from "../../../support/lti-browser.ts";
import { type LtiPlatformStandIn, startLtiPlatform } from "../../../support/lti-platform-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { openWorld } from "../../../support/world.ts";

/* Launches that sign a person in: the account, the rights that the launch grants, and the session's scope. */

const world = openWorld();
const make = makersOf(world);

let platform: LtiPlatformStandIn;
let at: Awaited<ReturnType<typeof make.topic>>;
let university: number;
let path: string;
let admin: ReturnType<typeof world.as>;
let root: ReturnType<typeof world.as>;
let teacher: Awaited<ReturnType<typeof make.holder>>;

const browser = ltiBrowser(
  world,
  () => platform,
  () => university,
);

const claim = (name: string, value: unknown) => ({
  [`https://purl.imsglobal.org/spec/lti/claim/${name}`]: value,
});
const membership = "http://purl.imsglobal.org/vocab/lis/v2/membership";
const roles = {
  learner: claim("roles", [`${membership}#Learner`]),
  instructor: claim("roles", [`${membership}#Instructor`]),
  ta: claim("roles", [`${membership}#Instructor`, `${membership}/Instructor#TeachingAssistant`]),
  administrator: claim("roles", ["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Administrator"]),
};

beforeAll(async () => {
  platform = await startLtiPlatform();
  at = await make.topic({ access: "ENROLLED" });
  university = at.university.id;
  admin = world.as(await make.holder("university_admin", university));
  root = world.as(await make.holder("platform_admin", (await make.university()).id));
  teacher = await make.holder("instructor", university);
  const all = `/universities/${university}/lti-platforms`;
  path = `${all}/${(await admin.post(all, platform.registration)).body.id}`;
  await admin.post(`${path}/deployments`, { deployment_id: "1" });
});
afterAll(() => platform.close());

const rows = async (text: string) => (await world.deps.db.execute(sql.raw(text))).rows;

/** The code of an accepted launch, or its page. */
async function launched(changes: object = {}) {
  const page = await browser.launch(changes);
  const location = new URL(page.headers.get("location") ?? "http://localhost/");
  return { ...page, location, code: new URLSearchParams(location.hash.slice(1)).get("code") ?? "" };
}

async function session(changes: object = {}) {
  const { code, html } = await launched(changes);
  if (!code) throw new Error(html);
  const { body } = await world.as().post("/auth/launches", { code });
  const bearer = await world.deps.tokens.verify(body.access_token, "access");
  if (!bearer) throw new Error("no session");
  return { body, bearer, client: world.as(bearer) };
}

describe("an unbound course of an LMS", () => {
  it("says so to learners, and leads teachers there to bind it", async () => {
    const learner = await launched({ sub: "early", ...roles.learner });
    expect(learner.html).toContain("A teacher of the course must connect it first");
    expect(learner.html).not.toContain("<form");
    expect(await rows("select from lti_people")).toEqual([]);
    const staff = await launched({ sub: "teacher", name: "Grace Hopper", ...roles.instructor });
    const { ticket, address, status } = await browser.openWindow(staff.html);
    expect({ status, address }).toEqual({
      status: 303,
      address: `http://localhost/app#/lti/connect/${ticket}`,
    });
    expect(ticket).toMatch(/^eyJ/);
  });

  it("is bound once by an author of the offering, also concurrently; the other gets the binding", async () => {
    const { html } = await launched({ sub: "teacher", name: "Grace Hopper", ...roles.instructor });
    const { ticket, headers } = await browser.openWindow(html);
    const facts = await world.as(teacher).post("/auth/launch-tickets", { ticket }, { headers });
    expect(facts.body).toEqual({
      university_id: university,
      platform_name: "LMS of the campus",
      context_title: "Computing <1>",
      full_name: "Grace Hopper",
    });
    const body = { ticket, course_offering_id: at.offering.id };
    const contexts = `/universities/${university}/lti-contexts`;
    const learner = world.as(await make.holder("student", university));
    expect((await learner.post(contexts, body, { headers })).status).toBe(403);
    const elsewhere = await make.topic();
    expect(
      (
        await world
          .as(teacher)
          .post(contexts, { ...body, course_offering_id: elsewhere.offering.id }, { headers })
      ).status,
    ).toBe(404);
    expect((await world.as(teacher).post(contexts, { ...body, ticket: "none" }, { headers })).status).toBe(
      400,
    );
    world.setNow("2026-03-10T13:00:01.000Z");
    expect((await world.as(teacher).post(contexts, body, { headers })).status).toBe(400);
    world.setNow("2026-03-10T12:00:00.000Z");
    const second = await make.offering(at.course);
    const answers = await Promise.all([
      world.as(teacher).post(contexts, body, { headers }),
      world.as(teacher).post(contexts, { ...body, course_offering_id: second.id }, { headers }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.detail).toContain(`already connected to ${at.course.code} ${at.course.title}`);
    const winner = answers.find(({ status }) => status === 201)?.body;
    if (winner.course_offering_id !== at.offering.id) {
      // Restores the first binding for the rest of the file.
      await world
        .as(teacher)
        .delete(`/courses/${at.course.id}/offerings/${second.id}/lti-contexts/${winner.id}`);
      expect((await world.as(teacher).post(contexts, body, { headers })).status).toBe(201);
    }
    expect(await rows("select user_id, linked_by from lti_people where subject = 'teacher'")).toEqual([
      { user_id: teacher.id, linked_by: "sign_in" },
    ]);
  });
});

describe("the ticket of a launch", () => {
  const refused = { status: 400, body: { detail: expect.stringContaining("from another browser") } };
  const unbound = { ...roles.instructor, ...claim("context", { id: "unbound", title: "Not bound" }) };

  it("links and binds nothing in a browser that did not launch, so a link from another person is harmless", async () => {
    const { html } = await launched({ sub: "stranger", name: "Mallory", ...unbound });
    const { ticket, headers } = await browser.openWindow(html);
    const other = await browser.openWindow((await launched({ sub: "victim", ...unbound })).html);
    const victim = world.as(teacher);
    const binding = { ticket, course_offering_id: at.offering.id };
    for (const cookie of ["", other.cookie, headers.cookie.replace(/=.*/, "=guessed")]) {
      const from = { headers: { cookie } };
      expect(await victim.post("/auth/launch-tickets", { ticket }, from)).toMatchObject(refused);
      expect(await victim.post(`/universities/${university}/lti-people`, { ticket }, from)).toMatchObject(
        refused,
      );
      expect(await victim.post(`/universities/${university}/lti-contexts`, binding, from)).toMatchObject(
        refused,
      );
    }
    expect(await rows("select from lti_people where subject = 'stranger' and user_id is not null")).toEqual(
      [],
    );
    expect((await victim.post("/auth/launch-tickets", { ticket }, { headers })).status).toBe(200);
  });

  it("is rejected at another university", async () => {
    const { html } = await launched({ sub: "foreign", name: "Ada", ...unbound });
    const { ticket, headers } = await browser.openWindow(html);
    const other = await make.topic();
    const foreign = ltiBrowser(
      world,
      () => platform,
      () => other.university.id,
    );
    expect(await foreign.openWindow(html)).toMatchObject({ status: 400, cookie: "" });
    const made = await world.app.request(`${foreign.root()}/account`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ ticket }).toString(),
    });
    expect(made.status).toBe(400);
    const there = world.as(await make.holder("instructor", other.university.id));
    const elsewhere = `/universities/${other.university.id}`;
    const binding = { ticket, course_offering_id: other.offering.id };
    expect(await there.post(`${elsewhere}/lti-people`, { ticket }, { headers })).toMatchObject(refused);
    expect(await there.post(`${elsewhere}/lti-contexts`, binding, { headers })).toMatchObject(refused);
    expect(await rows("select from lti_people where subject = 'foreign' and user_id is not null")).toEqual(
      [],
    );
  });

  it("is opened by the page of the launch only, with its key", async () => {
    const { html } = await launched({ sub: "stranger", name: "Mallory", ...unbound });
    const opened = async (...how: [Record<string, string>?, ("cross-site" | "same-origin")?]) => {
      const { status, cookie } = await browser.openWindow(html, ...how);
      return { status, hasCookie: cookie !== "" };
    };
    expect(await opened()).toEqual({ status: 303, hasCookie: true });
    expect(await opened({}, "cross-site")).toEqual({ status: 403, hasCookie: false });
    expect(await opened({ key: "another" })).toEqual({ status: 400, hasCookie: false });
    expect(await opened({ ticket: "none" })).toEqual({ status: 400, hasCookie: false });
    expect(await opened({ screen: "//elsewhere.example" })).toEqual({ status: 400, hasCookie: false });
  });
});

describe("the account of a launch", () => {
  it("is a new one without an address if no account matches, the same at each launch", async () => {
    const one = await session({ sub: "new-1", name: " Ada \n Lovelace ", email: "nobody@elsewhere.example" });
    const me = await one.client.get("/users/me");
    expect(me.body).toMatchObject({
      full_name: "Ada Lovelace",
      email: null,
      sign_in: { university_id: university, course_offering_id: at.offering.id, reaches_account: false },
    });
    expect((await session({ sub: "new-1" })).bearer.id).toBe(one.bearer.id);
    const bare = await session({ sub: "new-2" });
    expect((await bare.client.get("/users/me")).body.full_name).toBe(`Learner ${bare.bearer.id}`);
    expect(
      (
        await world
          .as(teacher)
          .get(`/courses/${at.course.id}/offerings/${at.offering.id}/enrollments?limit=50`)
      ).body,
    ).toEqual(expect.arrayContaining([expect.objectContaining({ email: null, full_name: "Ada Lovelace" })]));
    const listed = await admin.get(`/users/?university_id=${university}&sort=email&limit=2`);
    expect(listed.body[0].email).toBeNull();
    expect((await admin.get(`/users/?university_id=${university}&q=lovelace`)).body).toMatchObject([
      { email: null },
    ]);
    // A missing address cannot be registered.
    const register = { email: null, password: "correct horse battery staple", full_name: "None" };
    expect((await world.as().post("/auth/register", register)).status).toBe(422);
    for (const email of [null, ""])
      expect((await world.as().post("/auth/password-reset", { email })).status).toBe(422);
  });

  it("is the same for many concurrent first launches of one person, who is enrolled once", async () => {
    const codes = await Promise.all(Array.from({ length: 6 }, () => launched({ sub: "at-once" })));
    const people = await Promise.all(
      codes.map(async ({ code }) => (await world.as().post("/auth/launches", { code })).body.access_token),
    );
    const ids = await Promise.all(
      people.map(async (token) => (await world.deps.tokens.verify(token, "access"))?.id),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await rows(`select status from enrollments where user_id = ${ids[0]}`)).toEqual([
      { status: "active" },
    ]);
  });

  it("is found by a trusted id or address, and else requested", async () => {
    const student = await make.holder("student", university);
    await rows(`update users set email_verified_at = now() where id = ${student.id}`);
    const from = { sub: "known", email: student.email.toUpperCase() };
    const asked = await launched(from);
    expect(asked.html).toContain("Sign in once");
    expect((await admin.put(path, { trusts_email: true })).status).toBe(403);
    await root.put(path, { trusts_email: true });
    expect((await launched(from)).html).toContain("Sign in once");
    await root.post(`/universities/${university}/domains`, { domain: "example.edu" });
    expect((await session(from)).bearer.id).toBe(student.id);

    await admin.put(path, { trusts_sourced_id: true });
    const numbered = await make.holder("student", university);
    await admin.patch(`/universities/${university}/members/${numbered.id}`, { external_id: "n-17" });
    const lis = claim("lis", { person_sourcedid: "n-17" });
    expect((await session({ sub: "numbered", ...lis })).bearer.id).toBe(numbered.id);
    // Another LMS user with the same number must confirm.
    expect((await launched({ sub: "numbered-2", ...lis })).html).toContain("Sign in once");
  });

  it("is never silently one of staff, of another university's people, or with an open offer", async () => {
    const held = async (role: "ta" | "student") => {
      const person = await make.holder(role, university);
      await rows(`update users set email_verified_at = now() where id = ${person.id}`);
      return person;
    };
    const ta = await held("ta");
    const both = await held("student");
    const other = await make.university();
    await rows(
      `insert into user_university_roles (user_id, university_id, role) values (${both.id}, ${other.id}, 'student')`,
    );
    const offered = await held("student");
    await rows(`insert into invitations (university_id, email, role, invited_by_user_id, expires_at, created_at)
      values (${other.id}, '${offered.email}', 'student', ${ta.id}, '2027-01-01', now())`);
    for (const [n, { email }] of [ta, both, offered].entries())
      expect((await launched({ sub: `never-${n}`, email })).html).toContain("Sign in once");
    // Signing in with the ticket links the account.
    const { html } = await launched({ sub: "never-1", email: both.email });
    const link = `/universities/${university}/lti-people`;
    const { ticket, headers } = await browser.openWindow(html);
    expect((await world.as(both).post(link, { ticket }, { headers })).status).toBe(204);
    expect((await session({ sub: "never-1", email: both.email })).bearer.id).toBe(both.id);
    expect((await world.as(ta).post(link, { ticket }, { headers })).status).toBe(409);
    // A person who declines the account gets a new one.
    const asked = await launched({ sub: "never-2", email: offered.email });
    const made = await world.app.request(`${browser.root()}/account`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ ticket: (await browser.openWindow(asked.html)).ticket }).toString(),
    });
    expect(made.status).toBe(200);
    expect((await session({ sub: "never-2", email: offered.email })).bearer.id).not.toBe(offered.id);
  });

  it("may be known to two platforms", async () => {
    const all = `/universities/${university}/lti-platforms`;
    const second = await admin.post(all, { ...platform.registration, client_id: "second" });
    const { bearer } = await session({ sub: "new-1" });
    await rows(
      `insert into lti_people (platform_id, subject, user_id, linked_by) values (${second.body.id}, 'x', ${bearer.id}, 'sign_in')`,
    );
    expect((await session({ sub: "new-1" })).bearer.id).toBe(bearer.id);
    await admin.delete(`${all}/${second.body.id}`);
  });

  it("is unlinked by administrators, which revokes its tokens, and linked again only after a sign-in", async () => {
    const student = await make.holder("student", university);
    await rows(`update users set email_verified_at = now() where id = ${student.id}`);
    const from = { sub: "wrong", email: student.email };
    const { client } = await session(from);
    expect((await client.get("/users/me")).status).toBe(200);
    const { body } = await admin.get(`${path}/people?limit=50`);
    const known = body.find(({ subject }: { subject: string }) => subject === "wrong");
    expect(known).toMatchObject({ user_id: student.id, linked_by: "EMAIL" });
    expect((await world.as(teacher).delete(`${path}/people/${known.id}`)).status).toBe(403);
    expect((await admin.delete(`${path}/people/${known.id}`)).status).toBe(204);
    expect((await client.get("/users/me")).status).toBe(401);
    expect((await admin.delete(`${path}/people/${known.id}`)).status).toBe(404);
    expect(
      await rows(`select status, is_dropped_by_staff from enrollments where user_id = ${student.id}`),
    ).toEqual([{ status: "dropped", is_dropped_by_staff: false }]);
    expect((await launched(from)).html).toContain("Sign in once");
  });
});

describe("the rights of a launch", () => {
  const status = (user: number) =>
    rows(`select status from enrollments where user_id = ${user} and course_offering_id = ${at.offering.id}`);

  it("enroll learners past the window, the prerequisites and the seats, which is recorded", async () => {
    await rows(
      `update course_offerings set enrollment_mode = 'staff', enrollment_end = '2026-01-01', capacity = 1 where id = ${at.offering.id}`,
    );
    const { bearer, client } = await session({ sub: "late" });
    expect(await status(bearer.id)).toEqual([{ status: "active" }]);
    expect(
      await rows(
        `select details ->> 'passed' as passed from audit_events where action = 'enrollment.created' and subject_id = ${bearer.id}`,
      ),
    ).toEqual([{ passed: "not_open, full" }]);
    expect((await client.get(`/content/${at.item.id}`)).status).toBe(200);
    await rows(
      `update course_offerings set enrollment_end = null, capacity = null where id = ${at.offering.id}`,
    );
  });

  it("do not enroll learners again whom staff dropped, and say so; they do if learners dropped themselves", async () => {
    const { bearer } = await session({ sub: "dropped" });
    const [{ id }] = (await rows(`select id from enrollments where user_id = ${bearer.id}`)) as [
      { id: number },
    ];
    await world.as({ id: bearer.id }).put(`/enrollments/${id}`, { status: "DROPPED" });
    await session({ sub: "dropped" });
    expect(await status(bearer.id)).toEqual([{ status: "active" }]);
    await world.as(teacher).put(`/enrollments/${id}`, { status: "DROPPED" });
    const page = await launched({ sub: "dropped" });
    expect(page).toMatchObject({
      status: 403,
      html: expect.stringContaining("Staff have removed you from this course"),
    });
  });

  it("make staff of one offering, with its people and work, but without writing the course", async () => {
    const { bearer, client, body } = await session({ sub: "staff", name: "Mary Shaw", ...roles.instructor });
    expect(body.launch.role).toBe("INSTRUCTOR");
    const offering = `/courses/${at.course.id}/offerings/${at.offering.id}`;
    const learner = await session({ sub: "learns-there" });
    const reads = [
      `${offering}/enrollments`,
      `${offering}/outline?user_id=${learner.bearer.id}`,
      `/assessments/offerings/${at.offering.id}/gradebook`,
      `/community/offerings/${at.offering.id}/threads`,
    ];
    for (const read of reads) expect([read, (await client.get(read)).status]).toEqual([read, 200]);
    const elsewhere = await make.person();
    expect((await client.get(`${offering}/outline?user_id=${elsewhere.id}`)).status).toBe(404);
    expect((await client.put(`/courses/${at.course.id}`, { title: "Mine" })).status).toBe(403);
    expect((await client.put(offering, { capacity: 3 })).status).toBe(403);
    expect((await client.get(`/universities/${university}/lti-platforms`)).status).toBe(403);
    expect((await client.get(`/content/${at.item.id}`)).status).toBe(200);
    expect(await rows(`select from user_university_roles where user_id = ${bearer.id}`)).toEqual([]);
    const other = await make.offering(at.course);
    expect((await client.get(`/courses/${at.course.id}/offerings/${other.id}/enrollments`)).status).toBe(403);

    // An assistant becomes a learner and loses the granted role.
    await session({ sub: "staff", ...roles.ta });
    expect(await rows(`select role from offering_staff where user_id = ${bearer.id}`)).toEqual([
      { role: "ta" },
    ]);
    await session({ sub: "staff", ...roles.learner });
    expect((await client.get(`${offering}/enrollments`)).status).toBe(403);
    expect(await status(bearer.id)).toEqual([{ status: "active" }]);
    await session({ sub: "staff", ...roles.instructor });
    expect(await status(bearer.id)).toEqual([{ status: "dropped" }]);
    expect((await launched({ sub: "staff", ...roles.administrator })).html).toContain(
      "does not say that you learn",
    );
    expect(await rows(`select from offering_staff where user_id = ${bearer.id}`)).toEqual([]);
  });

  it("do not restore staff whom staff removed, and say so, until staff allow it", async () => {
    const { bearer, client } = await session({ sub: "removed", name: "Kurt Gödel", ...roles.ta });
    const own = await session({ sub: "removes", ...roles.instructor });
    const all = `/offerings/${at.offering.id}/staff`;
    const roster = `/courses/${at.course.id}/offerings/${at.offering.id}/enrollments`;
    const ofThem = async () => {
      const { body } = await world.as(teacher).get(`${all}?limit=100`);
      return body.find(({ user_id }: { user_id: number }) => user_id === bearer.id);
    };
    const shown = await ofThem();
    expect(shown).toMatchObject({
      ...{ full_name: "Kurt Gödel", role: "TA", source: "LAUNCH", removed_at: null },
      ...{ context_title: "Computing <1>", platform_name: "LMS of the campus" },
    });
    const set = (of: ReturnType<typeof world.as>, is_removed: boolean, id = shown.id) =>
      of.put(`${all}/${id}`, { is_removed });
    for (const of of [client, own.client, world.as(await make.holder("student", university))]) {
      expect((await of.get(all)).status).toBe(403);
      expect((await set(of, true)).status).toBe(403);
    }
    expect(await set(world.as(teacher), true, 999_999)).toMatchObject({
      status: 404,
      body: { detail: "Staff of the offering not found" },
    });
    const removals = await Promise.all([1, 2].map(() => set(world.as(teacher), true)));
    for (const { status, body } of removals)
      expect([status, body]).toEqual([200, { ...shown, removed_at: "2026-03-10T12:00:00.000Z" }]);
    expect(await ofThem()).toEqual(removals[0]?.body);
    expect((await client.get(roster)).status).toBe(403);
    expect((await client.get(`/content/${at.item.id}`)).status).toBe(403);
    for (const role of [roles.ta, roles.instructor])
      expect(await launched({ sub: "removed", ...role })).toMatchObject({
        status: 403,
        html: expect.stringContaining("Staff have removed you from this course"),
      });
    // Enrolled as a learner, which does not restore the role either.
    await session({ sub: "removed", ...roles.learner });
    expect((await launched({ sub: "removed", ...roles.ta })).status).toBe(403);
    expect(await set(world.as(teacher), false)).toMatchObject({ status: 200, body: shown });
    expect((await client.get(roster)).status).toBe(200);
    expect((await session({ sub: "removed", ...roles.ta })).bearer.id).toBe(bearer.id);
    const acts = await rows(`select action, actor_id from audit_events
      where subject_id = ${bearer.id} and action like 'offering_staff.%' order by id`);
    expect(acts).toEqual([
      { action: "offering_staff.named", actor_id: null },
      { action: "offering_staff.removed", actor_id: teacher.id },
      { action: "offering_staff.readmitted", actor_id: teacher.id },
    ]);
  });

  it("are none for an administrator of the LMS, and without a role, not even an account", async () => {
    for (const role of [
      roles.administrator,
      ...[undefined, [], "Learner", [7]].map((one) => claim("roles", one)),
    ])
      expect(await launched({ sub: "boss", ...role })).toMatchObject({
        status: 403,
        html: expect.stringContaining("does not say that you learn or teach"),
      });
    expect(await rows("select from lti_people where subject = 'boss'")).toEqual([]);
  });

  it("takes nothing that staff gave", async () => {
    const { bearer } = await session({ sub: "seated" });
    await rows(
      `delete from lti_enrollments where enrollment_id in (select id from enrollments where user_id = ${bearer.id})`,
    );
    await session({ sub: "seated", ...roles.instructor });
    expect(await status(bearer.id)).toEqual([{ status: "active" }]);
  });
});

describe("the session of a launch", () => {
  it("is got by its code once, within a minute, and sets no cookie", async () => {
    const { code, location, status } = await launched({ sub: "new-1" });
    expect(status).toBe(303);
    expect(location.pathname).toMatch(/^\/app\/embed\/\d+$/);
    expect(location.search).toBe("");
    const all = await Promise.all(
      Array.from({ length: 5 }, () => world.as().post("/auth/launches", { code })),
    );
    expect(all.map((reply) => reply.status).toSorted()).toEqual([200, 400, 400, 400, 400]);
    for (const { headers } of all) expect(headers.getSetCookie()).toEqual([]);
    const late = await launched({ sub: "new-1" });
    world.setNow("2026-03-10T12:01:01.000Z");
    expect((await world.as().post("/auth/launches", { code: late.code })).status).toBe(400);
    world.setNow("2026-03-10T12:00:00.000Z");
    expect((await world.as().post("/auth/launches", { code: "x" })).status).toBe(422);
  });

  it("needs the key whose hash its page sent", async () => {
    const begun = await browser.begin();
    const verifier = "v".repeat(43);
    const challenge = createHash("sha256").update(verifier).digest("hex");
    const fields = {
      state: begun.state,
      id_token: await browser.answerOf(begun, { sub: "new-1" }),
      challenge,
    };
    const { headers } = await browser.comeBack(fields, begun.cookie);
    const code = new URLSearchParams(new URL(headers.get("location") ?? "").hash.slice(1)).get("code");
    expect((await world.as().post("/auth/launches", { code })).status).toBe(400);
    expect((await world.as().post("/auth/launches", { code, code_verifier: "w".repeat(43) })).status).toBe(
      400,
    );
    expect((await world.as().post("/auth/launches", { code, code_verifier: verifier })).status).toBe(200);
  });

  it("reaches only its offering, whatever the person has elsewhere, and so do its refreshed tokens", async () => {
    const { bearer, client, body } = await session({ sub: "new-1" });
    const other = await make.topic();
    const beside = await make.course(university);
    const second = await make.offering(beside);
    await rows(`insert into user_university_roles (user_id, university_id, role)
      values (${bearer.id}, ${university}, 'university_admin'), (${bearer.id}, ${other.university.id}, 'platform_admin')`);
    await make.enrollment(bearer.id, second.id);
    expect((await client.get(`/universities/${university}/lti-platforms`)).status).toBe(403);
    expect((await client.get("/enrollments/my-enrollments")).body).toMatchObject([
      { course_offering_id: at.offering.id },
    ]);
    expect((await client.get("/users/me/export")).status).toBe(403);
    expect((await client.put("/users/me", { locale: "de" })).status).toBe(200);
    const topic = await make.contentItem(await make.module(beside.id), university);
    expect((await client.post("/chat/sessions", { content_item_id: topic.id })).status).toBe(403);
    const whole = world.as({ id: bearer.id });
    const elsewhere = (await whole.post("/chat/sessions", { content_item_id: topic.id })).body.id;
    expect((await client.post(`/chat/sessions/${elsewhere}/messages`, { content: "Start." })).status).toBe(
      403,
    );
    const own = await client.post("/chat/sessions", { content_item_id: at.item.id });
    expect(own.status).toBe(201);
    const refreshed = await world.app.request("http://localhost/api/v1/auth/refresh", {
      method: "POST",
      headers: { authorization: `Bearer ${body.refresh_token}` },
    });
    expect(refreshed.headers.getSetCookie()).toEqual([]);
    const { access_token } = (await refreshed.json()) as { access_token: string };
    expect((await world.deps.tokens.verify(access_token, "access"))?.reach).toEqual(bearer.reach);
    await rows(`delete from user_university_roles where user_id = ${bearer.id} and role <> 'student'`);
  });

  it("ends when the university suspends the person, and launches are rejected until their restoration", async () => {
    const { bearer, client, body } = await session({ sub: "suspended" });
    const refresh = () =>
      world
        .as()
        .post("/auth/refresh", undefined, { headers: { authorization: `Bearer ${body.refresh_token}` } });
    const turn = (is_active: boolean) =>
      admin.patch(`/universities/${university}/members/${bearer.id}`, { is_active });
    expect((await turn(false)).status).toBe(200);
    // The database uses the machine's clock.
    await rows(
      `update university_members set tokens_ended_at = '2026-03-10T12:00:00Z' where user_id = ${bearer.id}`,
    );
    expect([(await client.get("/users/me")).status, (await refresh()).status]).toEqual([401, 401]);
    expect(await launched({ sub: "suspended" })).toMatchObject({
      status: 403,
      html: expect.stringContaining("The university has suspended you here"),
    });
    expect((await turn(true)).status).toBe(200);
    expect([(await client.get("/users/me")).status, (await refresh()).status]).toEqual([401, 401]);
    world.setNow("2026-03-10T12:00:02.000Z");
    const anew = await session({ sub: "suspended" });
    world.setNow("2026-03-10T12:00:00.000Z");
    expect(anew.bearer.id).toBe(bearer.id);
    expect((await anew.client.get(`/content/${at.item.id}`)).status).toBe(200);
  });

  it("leads to the item, the module or the course of the link, while it is in the course", async () => {
    const to = async (id: string, custom?: object) =>
      (
        await session({
          sub: "new-1",
          ...claim("resource_link", { id }),
          ...(custom && claim("custom", custom)),
        })
      ).body.launch;
    expect(await to("a", { content_item_id: String(at.item.id) })).toMatchObject({
      content_item_id: at.item.id,
    });
    expect(await to("a")).toMatchObject({ content_item_id: at.item.id, module_id: null });
    expect(await to("b", { module_id: at.module.id })).toMatchObject({
      content_item_id: null,
      module_id: at.module.id,
    });
    const other = await make.topic();
    expect(await to("c", { content_item_id: other.item.id })).toMatchObject({
      content_item_id: null,
      module_id: null,
    });
    expect(await to("d", { content_item_id: "nonsense" })).toMatchObject({ content_item_id: null });
  });

  it("is of a page that the platform's pages alone may frame", async () => {
    const id = path.split("/").at(-1);
    const page = await world.app.request(`http://localhost/app/embed/${id}`);
    expect(page.headers.get("content-security-policy")).toContain(`frame-ancestors ${platform.issuer};`);
    expect((await world.app.request("http://localhost/app/embed/999999")).status).toBe(404);
    expect(
      (await world.app.request("http://localhost/app")).headers.get("content-security-policy"),
    ).toContain("frame-ancestors 'none'");
  });
});

it("rejected launches are listed by day and reason", async () => {
  await browser.launch({ nonce: "another" });
  await browser.launch({ nonce: "another" });
  const { body } = await admin.get(`${path}/refused-launches`);
  expect(body).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        day: "2026-03-10",
        reason: "nonce",
        launches: 2,
        words: expect.stringContaining("another launch"),
      }),
    ]),
  );
  expect((await world.as(teacher).get(`${path}/refused-launches`)).status).toBe(403);
});

it("statistics of rejected launches are deleted 90 days later", async () => {
  const counts = () =>
    rows("select day::text, launches from lti_refused_launches where reason = 'old' order by day");
  const [{ id }] = (await rows("select id from lti_platforms limit 1")) as [{ id: number }];
  await rows(`insert into lti_refused_launches (platform_id, day, reason, launches, last_at)
    values (${id}, '2025-12-09', 'old', 1, now()), (${id}, '2025-12-10', 'old', 2, now())`);
  expect(await pruneRefusedLaunches(world.deps, noDeadline())).toBe(1);
  expect(await counts()).toEqual([{ day: "2025-12-10", launches: 2 }]);
});

it("unbinding keeps people and their work, and launches are then rejected", async () => {
  const { bearer } = await session({ sub: "new-1" });
  const all = `/courses/${at.course.id}/offerings/${at.offering.id}/lti-contexts`;
  const { body } = await world.as(teacher).get(all);
  expect(body).toMatchObject([{ title: "Computing <1>", platform_name: "LMS of the campus" }]);
  expect((await world.as(await make.holder("student", university)).get(all)).status).toBe(403);
  expect((await world.as(teacher).delete(`${all}/${body[0].id}`)).status).toBe(204);
  expect((await world.as(teacher).delete(`${all}/${body[0].id}`)).status).toBe(404);
  expect((await launched({ sub: "new-1" })).html).toContain("is not connected to a course here");
  expect(
    await rows(
      `select status from enrollments where user_id = ${bearer.id} and course_offering_id = ${at.offering.id}`,
    ),
  ).toEqual([{ status: "active" }]);
});

it("courses of an LMS that are bound to runs of one course share its tree, but not their columns", async () => {
  const column = `${platform.issuer}/lineitems/of-the-first`;
  const endpoint = { scope: [], lineitem: column };
  const launchIn = async (course: string) => {
    const said = {
      ...claim("context", { id: course, title: course }),
      ...claim("resource_link", { id: "with a column" }),
      "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint": endpoint,
    };
    const { html } = await launched({ sub: "teacher", ...roles.instructor, ...said });
    const { ticket, headers } = await browser.openWindow(html);
    const bound = await world
      .as(teacher)
      .post(
        `/universities/${university}/lti-contexts`,
        { ticket, course_offering_id: (await make.offering(at.course)).id },
        { headers },
      );
    expect(bound.status).toBe(201);
    const learner = await session({ sub: `of ${course}`, ...roles.learner, ...said });
    const chat = await learner.client.post("/chat/sessions", { content_item_id: at.item.id });
    const talk = `/chat/sessions/${chat.body.id}`;
    expect((await learner.client.post(`${talk}/messages`, { content: "Start." })).status).toBe(200);
    const { messages } = (await learner.client.get(talk)).body;
    return [learner.body.launch.course_offering_id, messages.at(-1).meta.source];
  };
  const asked = world.llm.requests.length;
  const [first, source] = await launchIn("the first");
  const [second, again] = await launchIn("the second");
  expect(second).not.toBe(first);
  expect([source, again, world.llm.requests.length - asked]).toEqual(["llm", "cache", 1]);
  expect(
    await rows(`
      select context.context_id, link.line_item_url
      from lti_links as link join lti_contexts as context on context.id = link.context_id
      where link.resource_link_id = 'with a column' order by 1`),
  ).toEqual([
    { context_id: "the first", line_item_url: column },
    { context_id: "the second", line_item_url: null },
  ]);
});
