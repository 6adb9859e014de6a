import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashOfToken } from "../../../../lib/identity/accounts/one-time-tokens.ts";
import { userIdentities } from "../../../../schema/db/identity/identities.ts";
import { userUniversityRoles } from "../../../../schema/db/identity/roles.ts";
import type { Client } from "../../../support/client.ts";
import { type IdentityProvider, startIdentityProvider } from "../../../support/identity-provider.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { browserOf, callbackUri, cookiesOf } from "./oidc-support.ts";

// Ids start there: the provider must know its redirect URI before it starts.
const universityId = 7_002;
const loginName = `${universityId}.campus`;

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider({ redirectUri: callbackUri(loginName) });
});
afterAll(() => provider.close());

const world = openWorld({ BACKEND_CORS_ORIGINS: "" });
const make = makersOf(world);
const browser = browserOf(world, () => provider);

const reach = { university_id: universityId };
const unlimited = "This sign-in is limited to one university";

beforeAll(async () => {
  await world.deps.db.execute(sql`
    insert into universities (id, name, short_code, country_id) overriding system value
    select ${universityId}, 'Campus', 'CAMPUS', id from countries limit 1`);
  const { issuer, client_id, client_secret } = provider.setting;
  const platform = world.as(await make.holder("platform_admin", (await make.university()).id));
  const path = `/universities/${universityId}/identity-providers`;
  const setting = { name: "campus", label: "Campus account", issuer, client_id, client_secret };
  const { id } = (await platform.post(path, setting)).body;
  await platform.put(`${path}/${id}/email-domains`, { email_domains: ["campus.example.edu"] });
});

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function topicAt(university_id: number) {
  const course = await make.course(university_id);
  return { course, item: await make.contentItem(await make.module(course.id), university_id) };
}

/** A person with a password in both universities, with a course and a tutor conversation in each. */
async function ofBoth() {
  const other = await make.university();
  const topics = [await topicAt(universityId), await topicAt(other.id)];
  const person = await make.holder("student", universityId);
  await world.deps.db.execute(sql`update users set password_hash = 'set' where id = ${person.id}`);
  const whole = world.as(person);
  const here = world.as({ ...person, reach });
  const offerings = [];
  for (const { course, item } of topics) {
    const offering = await make.offering(course);
    await make.enrollment(person.id, offering.id);
    const session = await whole.post("/chat/sessions", { content_item_id: item.id });
    const note = await whole.post("/study/notes", { content_item_id: item.id, body: "Ask" });
    const card = await whole.post("/study/flashcards", { content_item_id: item.id, front: "f", back: "b" });
    offerings.push({ offering, item, course, session: session.body, note: note.body, card: card.body });
  }
  const [own, foreign] = offerings;
  if (!own || !foreign) throw new Error("two topics make two offerings");
  return { person, whole, here, own, foreign, other };
}

const idsOf = async (client: Client, path: string) =>
  (await client.get(path)).body.map(({ id }: { id: number }) => id);

describe("a sign-in by a university's identity provider", () => {
  it("stores its reach and time in both tokens, and refreshing keeps both", async () => {
    const { address, cookie } = await browser.begin(undefined, loginName);
    const subject = {
      sub: make.unique("s"),
      email: "ada@campus.example.edu",
      email_verified: true,
      name: "Ada",
    };
    const reply = await browser.comeBack(await provider.visit(address.href, subject), cookie);
    const { app_access_token = "", app_refresh_token = "" } = cookiesOf(reply.headers);
    const auth_time = world.deps.now().getTime() / 1000;
    for (const token of [app_access_token, app_refresh_token])
      expect(claimsOf(token)).toMatchObject({ reach, auth_time });
    world.setNow(new Date(world.deps.now().getTime() + 900_000));
    const { body } = await world.as().post("/auth/refresh", undefined, bearing(app_refresh_token));
    for (const token of [body.access_token, body.refresh_token])
      expect(claimsOf(token)).toMatchObject({ reach, auth_time });
    expect((await world.as().get("/users/me", bearing(body.access_token))).status).toBe(200);
  });

  it("is rejected with an unknown reach", async () => {
    const person = await make.person();
    const unknown = { ...person, reach: { planet_id: 1 } as unknown as typeof reach };
    expect((await world.as(unknown).get("/users/me")).status).toBe(401);
  });

  it("has its reach in the profile, and shows no other university", async () => {
    const { person, whole, here, other } = await ofBoth();
    const signIn = async (client: Client) => (await client.get("/users/me")).body.sign_in;
    expect(await signIn(whole)).toEqual({
      ...{ university_id: null, course_offering_id: null },
      ...{ reaches_account: true, withheld: [] },
    });
    const limited = {
      ...{ university_id: universityId, course_offering_id: null },
      ...{ reaches_account: false, withheld: [] },
    };
    expect(await signIn(here)).toEqual(limited);
    expect((await here.put("/users/me", { full_name: "Ada" })).body.sign_in).toEqual(limited);

    await world.deps.db.execute(sql`
      update university_members set is_active = false where university_id = ${other.id} and user_id = ${person.id}`);
    const suspended = {
      university_id: other.id,
      university_name: other.name,
      is_suspended: true,
      provider: null,
    };
    expect(await signIn(here)).toEqual(limited);
    expect((await signIn(whole)).withheld).toEqual([suspended]);
  });

  it("lists rows of its university, and finds nothing else", async () => {
    const { here, whole, own, foreign } = await ofBoth();
    for (const [path, kind] of [
      ["/chat/sessions", "session"],
      ["/study/notes", "note"],
      ["/study/flashcards", "card"],
      ["/study/flashcards/due", "card"],
    ] as const) {
      expect(await idsOf(here, path), path).toEqual([own[kind].id]);
      expect(await idsOf(whole, path), path).toHaveLength(2);
    }
    const enrolled = (await here.get("/enrollments/my-enrollments")).body;
    expect(enrolled.map((one: { university_id: number }) => one.university_id)).toEqual([universityId]);
    const home = (await here.get("/users/me/home")).body;
    expect(home.courses.map((one: { course: { id: number } }) => one.course.id)).toEqual([own.course.id]);
    const overview = (await here.get("/users/me/overview")).body;
    expect(overview.active_enrollments).toHaveLength(1);
    const answers = [
      await here.get(`/chat/sessions/${foreign.session.id}`),
      await here.post(`/chat/sessions/${foreign.session.id}/messages`, { content: "Start." }),
      await here.delete(`/chat/sessions/${foreign.session.id}`),
      await here.post(`/chat/sessions/${foreign.session.id}/share`),
      await here.post(`/chat/sessions/${foreign.session.id}/stop`),
      await here.get(`/chat/sessions/${foreign.session.id}/stream`),
      await here.get(`/study/notes/${foreign.note.id}`),
      await here.put(`/study/notes/${foreign.note.id}`, { body: "Mine" }),
      await here.delete(`/study/flashcards/${foreign.card.id}`),
      await here.post("/chat/sessions", { content_item_id: foreign.item.id }),
      await here.post("/study/notes", { content_item_id: foreign.item.id, body: "Mine" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      403, 403, 403, 403, 403, 403, 404, 404, 404, 403, 404,
    ]);
    const reply = await here.post(`/chat/sessions/${own.session.id}/greeting`);
    expect(reply.status).toBe(200);
  });

  it("neither enrolls elsewhere, nor learns there, nor leaves", async () => {
    const { here, foreign, own, other, person } = await ofBoth();
    const open = await make.offering(await make.course(other.id));
    expect(await here.post("/enrollments/", { course_offering_id: open.id })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("limited to the university") },
    });
    const progress = (at: typeof own) =>
      here.post("/progress/content", {
        content_item_id: at.item.id,
        course_offering_id: at.offering.id,
        progress_percent: 10,
      });
    expect((await progress(own)).status).toBe(200);
    expect((await progress(foreign)).status).toBe(403);
    const { rows } = await world.deps.db.execute(sql`
      select id from enrollments where user_id = ${person.id} and course_offering_id = ${foreign.offering.id}`);
    const left = await here.put(`/enrollments/${rows[0]?.["id"]}`, { status: "DROPPED" });
    expect(left.status).toBe(403);
  });

  it("reads content for enrolled learners only within its university", async () => {
    const { here, whole, own, foreign } = await ofBoth();
    for (const { course } of [own, foreign])
      await world.deps.db.execute(sql`update courses set access = 'enrolled' where id = ${course.id}`);
    const dataOf = async (client: Client, { item }: typeof own) => [
      (await client.get(`/content/${item.id}`)).status,
      typeof (await client.get(`/content/modules/${item.module_id}/content`)).body[0].data_json,
    ];
    expect(await dataOf(here, own)).toEqual(await dataOf(whole, own));
    expect(await dataOf(whole, foreign)).toEqual([200, "object"]);
    expect(await dataOf(here, foreign)).toEqual([403, "undefined"]);
    const { body } = await here.get(`/courses/${foreign.course.id}/offerings/${foreign.offering.id}/outline`);
    expect(body).toMatchObject({
      enrollment: null,
      modules: [{ items: [{ lock: { reason: "ENROLLMENT_REQUIRED" } }] }],
    });
  });

  it("accepts only invitations of its own university", async () => {
    const { here, other, person } = await ofBoth();
    const giver = await make.holder("platform_admin", other.id);
    const tokens = [other.id, universityId].map((university_id) => ({
      university_id,
      token: make.unique("token"),
    }));
    for (const { university_id, token } of tokens)
      await world.deps.db.execute(sql`
        insert into invitations (university_id, email, role, token_hash, created_at, expires_at, invited_by_user_id)
        select ${university_id}, email, 'ta', ${hashOfToken(token)}, now(), '2026-03-12', ${giver.id} from users where id = ${person.id}`);
    const statuses = [];
    for (const { token } of tokens)
      statuses.push((await here.post("/users/me/invitations/accept", { token })).status);
    expect(statuses).toEqual([400, 200]);
  });

  it("counts and marks only notifications of its university as read", async () => {
    const { here, whole, own, foreign, person } = await ofBoth();
    for (const { offering } of [own, foreign])
      await world.deps.db.execute(sql`
        insert into notifications (user_id, kind, cause, course_offering_id, created_at)
        values (${person.id}, 'grade_released', ${make.unique("grade")}, ${offering.id}, now())`);
    const listed = (await here.get("/users/me/notifications")).body;
    expect(listed).toMatchObject({ unread_count: 1, notifications: [{ university_id: universityId }] });
    expect((await here.get("/users/me/home")).body.unread_notifications).toBe(1);
    const newest = Math.max(
      ...(await whole.get("/users/me/notifications")).body.notifications.map((one: { id: number }) => one.id),
    );
    expect((await here.post("/users/me/notifications/read", { up_to: newest })).body).toEqual({
      unread_count: 0,
    });
    expect((await whole.get("/users/me/notifications")).body).toMatchObject({ unread_count: 1 });
  });

  it("has no role elsewhere, and never that of the platform", async () => {
    const { here, whole, person, other, foreign } = await ofBoth();
    await world.deps.db.insert(userUniversityRoles).values([
      { user_id: person.id, university_id: other.id, role: "UNIVERSITY_ADMIN" },
      { user_id: person.id, university_id: universityId, role: "PLATFORM_ADMIN" },
    ]);
    const held = (await here.get("/users/me/roles")).body.map(({ role }: { role: string }) => role);
    expect(held).toEqual(["STUDENT"]);
    expect((await whole.get("/users/me/roles")).body).toHaveLength(3);
    expect((await here.get("/admin/audit")).status).toBe(403);
    expect((await here.put(`/courses/${foreign.course.id}`, { title: "Mine" })).status).toBe(403);
    // A cached caller with all roles must not serve a narrower token.
    expect((await whole.get("/admin/audit")).status).toBe(200);
    expect((await here.get("/admin/audit")).status).toBe(403);
  });

  it("changes the profile, and nothing else of an account that has another way in", async () => {
    const { here } = await ofBoth();
    expect((await here.put("/users/me", { full_name: "Ada" })).body).toMatchObject({ full_name: "Ada" });
    for (const [method, path, body] of [
      ["POST", "/users/me/password", { new_password: "mine", current_password: "x" }],
      ["POST", "/users/me/email", { email: "mine@example.com", current_password: "x" }],
      ["GET", "/users/me/export", undefined],
      ["DELETE", "/users/me", { password: "x" }],
      ["POST", "/auth/logout-everywhere", undefined],
      ["GET", "/users/me/calendar", undefined],
      ["PUT", "/users/me/notification-preferences", {}],
      ["POST", "/study/decks", { title: "Mine" }],
      ["POST", "/study/flashcards", { front: "f", back: "b" }],
      ["POST", "/feature-requests/", { title: "T", description: "D" }],
    ] as const)
      expect(await here.request(method, path, body), path).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining(unlimited) },
      });
  });

  it("is revoked permanently when its university suspends the person; a restored person gets their rights back", async () => {
    const { person, own, whole } = await ofBoth();
    const admin = await make.holder("university_admin", universityId);
    const { key } = (
      await world.as(admin).post(`/universities/${universityId}/api-keys`, {
        name: "Registrar",
        scopes: ["people:read"],
        expires_at: "2027-01-01T00:00:00Z",
      })
    ).body;
    const overseer = world.as(await make.holder("university_admin", universityId));
    const turn = (whom: { id: number }, is_active: boolean) =>
      overseer.patch(`/universities/${universityId}/members/${whom.id}`, { is_active });
    const began = Math.floor(world.deps.now().getTime() / 1000);
    const signedInBy = (signed_in_at: number, launch = {}) => {
      const bearer = { ...person, reach: { ...reach, ...launch }, signed_in_at };
      return { client: world.as(bearer), bearer };
    };
    const launch = { offering_id: own.offering.id, course_id: own.course.id };
    const [former, launched] = [signedInBy(began - 60), signedInBy(began - 60, launch)];
    const later = [signedInBy(began + 1), signedInBy(began + 1, launch)];
    const statuses = async ({ client, bearer }: typeof former) => {
      const pair = await world.deps.tokens.issue(bearer);
      return [
        (await client.get("/users/me")).status,
        (await client.post(`/chat/sessions/${own.session.id}/greeting`)).status,
        (await client.get("/users/me/export")).status,
        (await world.as().post("/auth/refresh", undefined, bearing(pair.refresh_token))).status,
      ];
    };
    const byKey = async () => (await world.as().get("/users?limit=1", bearing(key))).status;
    const alive = [200, 200, 403, 200];
    const ended = [401, 401, 401, 401];
    expect([await statuses(former), await statuses(launched), await byKey()]).toEqual([alive, alive, 200]);

    for (const whom of [person, admin]) expect((await turn(whom, false)).status).toBe(200);
    // The database uses the machine's clock.
    await world.deps.db.execute(
      sql`update university_members set tokens_ended_at = ${world.deps.now().toISOString()} where tokens_ended_at is not null`,
    );
    for (const one of [former, launched, ...later]) expect(await statuses(one)).toEqual(ended);
    expect(await byKey()).toBe(401);
    expect((await whole.get("/users/me")).status).toBe(200);
    expect((await whole.post(`/chat/sessions/${own.session.id}/greeting`)).status).toBe(403);

    for (const whom of [person, admin]) expect((await turn(whom, true)).status).toBe(200);
    for (const one of [former, launched]) expect(await statuses(one)).toEqual(ended);
    for (const one of later) expect(await statuses(one)).toEqual(alive);
    expect(await byKey()).toBe(200);
    expect((await later[0]?.client.get("/users/me/roles"))?.body).toMatchObject([{ role: "STUDENT" }]);
    const [seat] = (await whole.get("/enrollments/my-enrollments")).body;
    expect(seat.status).toBe("ACTIVE");
    expect((await whole.post(`/chat/sessions/${own.session.id}/greeting`)).status).toBe(200);
  });

  it("takes along and erases an account that has no other way in and belongs nowhere else", async () => {
    const signed_in_at = world.deps.now().getTime() / 1000;
    const person = await make.holder("student", universityId);
    await world.deps.db
      .insert(userIdentities)
      .values({ user_id: person.id, provider: loginName, subject: make.unique("s") });
    const here = world.as({ ...person, reach, signed_in_at });
    const whole = world.as(person);
    for (const client of [whole, here]) await client.get("/users/me");
    // Each kind of token has its own cached person, so neither read is repeated.
    for (const [client, university_id] of [
      [whole, null],
      [here, universityId],
    ] as const) {
      await client.get("/enrollments/my-enrollments");
      expect(world.log.at(-1)).toMatchObject({ db_query_count: 1 });
      const { sign_in } = (await client.get("/users/me")).body;
      expect(sign_in).toMatchObject({ university_id, reaches_account: true });
    }
    expect((await here.get("/users/me/export")).status).toBe(200);
    expect((await here.post("/study/decks", { title: "Mine" })).status).toBe(201);
    expect((await here.post("/users/me/password", { new_password: "mine" })).status).toBe(403);
    expect((await here.post("/users/me/email", { email: "mine@example.com" })).status).toBe(403);
    const other = await make.university();
    const elsewhere = { user_id: person.id, university_id: other.id, role: "STUDENT" as const };
    await world.deps.db.insert(userUniversityRoles).values(elsewhere);
    expect((await here.get("/users/me/export")).status).toBe(403);
    expect((await here.request("DELETE", "/users/me", {})).status).toBe(403);
    await world.deps.db.execute(sql`delete from user_university_roles where university_id = ${other.id}`);
    expect((await here.request("DELETE", "/users/me", {})).status).toBe(204);
  });
});
