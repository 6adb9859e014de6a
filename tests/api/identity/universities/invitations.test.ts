import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);

async function college() {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  const path = `/universities/${university.id}/invitations`;
  const email = `${make.unique("invited")}@example.edu`;
  return { university, admin, path, email };
}

const rolesOf = async (email: string) =>
  (
    await world.deps.db.execute(sql`
      select role, department_id from user_university_roles join users on users.id = user_id where email = ${email}`)
  ).rows;

const actionsAt = async (university: number) =>
  (
    await world.deps.db.execute(
      sql`select action from audit_events where university_id = ${university} order by id`,
    )
  ).rows.map(({ action }) => action);

const anew = (token: string) =>
  world.as().post("/auth/invitations/accept", { token, full_name: "Ada", password: "correct horse" });

describe("an invitation", () => {
  it("grants the role and the seat to a new account from its link, once, with a verified address", async () => {
    const { university, admin, path, email } = await college();
    const offering = await make.offering(await make.course(university.id));
    const offer = { email, role: "INSTRUCTOR", course_offering_id: offering.id };
    const invitation = await admin.post(path, offer);
    expect(invitation).toMatchObject({ status: 201, body: { ...offer, status: "OPEN" } });
    const token = await mailbox.tokenFor(email);
    const joined = await anew(token);
    expect(joined.status).toBe(201);
    const headers = { authorization: `Bearer ${joined.body.access_token}` };
    const me = await world.as().get("/users/me", { headers });
    expect(me.body).toMatchObject({ email, email_verified_at: world.deps.now().toISOString() });
    const enrolled = await world.as().get("/enrollments/my-enrollments", { headers });
    expect(enrolled.body).toMatchObject([{ course_offering_id: offering.id, status: "ACTIVE" }]);
    expect(await rolesOf(email)).toContainEqual({ role: "instructor", department_id: null });
    expect((await anew(token)).status).toBe(400);
    expect((await admin.get(`${path}?status=accepted`)).body).toMatchObject([
      { id: invitation.body.id, accepted_by_user_id: me.body.id },
    ]);
    expect(await actionsAt(university.id)).toEqual(["invitation.sent", "enrollment.created", "role.granted"]);
  });

  it("is stored without its token, and its mail describes it in the service's texts only", async () => {
    const { university, admin, path, email } = await college();
    const course = await make.course(university.id, { title: "Call 0190 at once: https://evil.example.com" });
    const offering = await make.offering(course);
    const department = await make.department(university.id, { name: "Win at www.evil.example.com" });
    await admin.put(`/universities/${university.id}`, {
      name: `${university.name}\r\n\r\nof\tArts at https://evil.example.com/${"x".repeat(100)}`,
    });
    await admin.post(path, {
      email,
      role: "TA",
      department_id: department.id,
      course_offering_id: offering.id,
    });
    const token = await mailbox.tokenFor(email);
    const { rows } = await world.deps.db.execute(
      sql`select count(*)::int as count from invitations as one where position(${token} in one::text) > 0`,
    );
    expect(rows).toEqual([{ count: 0 }]);
    const { subject, text = "" } = mailbox.mails.at(-1) ?? {};
    expect(subject).toBe("You are invited");
    const [offered, link, _about, inviter, ...more] = text.split("\n\n");
    expect(offered).toBe(
      "You are offered the role of ta at a university and a seat in a course. Accept it here:",
    );
    expect(link).toMatch(/^http:\/\/localhost:3000\/app#\/accept-invitation\?token=[\w-]+$/);
    expect(more).toEqual([]);
    const name = `${university.name} of Arts at https evil example com `;
    expect(inviter).toBe(`Invited by: ${name}${"x".repeat(80 - name.length)}`);
  });

  it("is accepted by a signed-in person with the address, and by no one else", async () => {
    const { admin, path } = await college();
    const [person, stranger] = [await make.person(), await make.person()];
    await admin.post(path, { email: person.email, role: "STUDENT" });
    const token = await mailbox.tokenFor(person.email);
    expect((await anew(token)).status).toBe(201); // The address was unverified: the mail's recipient takes it over.
    const again = await admin.post(path, { email: person.email, role: "TA" });
    world.setNow("2026-03-10T12:02:00.000Z");
    const next = await mailbox.tokenFor(person.email);
    for (const token of [next, "of nobody"])
      expect((await world.as(stranger).post("/users/me/invitations/accept", { token })).status).toBe(400);
    expect((await anew(next)).body.detail).toContain("Sign in");
    const owner = world.as({ id: person.id, token_version: 1 });
    expect(await owner.post("/users/me/invitations/accept", { token: next })).toMatchObject({
      status: 200,
      body: { id: again.body.id, status: "ACCEPTED", accepted_by_user_id: person.id },
    });
    expect(await rolesOf(person.email)).toHaveLength(2);
  });

  it("is accepted neither by a sign-in nor by a confirmed address: the person must accept it", async () => {
    const { admin, path } = await college();
    const email = `${make.unique("late")}@example.edu`;
    const credentials = { email, password: "correct horse" };
    const { body } = await world.as().post("/auth/register", { ...credentials, full_name: "Late" });
    const bearer = { headers: { authorization: `Bearer ${body.access_token}` } };
    const verification = await mailbox.tokenFor(email);
    await admin.post(path, { email, role: "TA" });
    await world.as().post("/auth/login", credentials);
    await world.as().post("/auth/verify-email", { token: verification }, bearer);
    await world.as().post("/auth/login", credentials);
    expect(await rolesOf(email)).toEqual([]);
    expect((await world.as().get("/users/me/offers", bearer)).body).toMatchObject([{ role: "TA" }]);
    expect((await world.as().get("/users/me/home", bearer)).body.open_offers).toBe(1);
  });

  it("acts for its creator: after they lost the right it grants nothing", async () => {
    const { university, path, email } = await college();
    const maker = await make.holder("university_admin", university.id);
    await world.as(maker).post(path, { email, role: "UNIVERSITY_ADMIN" });
    const token = await mailbox.tokenFor(email);
    await world.deps.db.execute(
      sql`update user_university_roles set role = 'instructor' where user_id = ${maker.id}`,
    );
    expect(await anew(token)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("no longer") },
    });
    expect((await world.as().post("/auth/check-email", { email })).body).toEqual({ available: true });
  });

  it("offers no more than its creator may grant, and no seat where they are not staff", async () => {
    const { university, email, path } = await college();
    const department = await make.department(university.id);
    const elsewhere = await make.offering(await make.course((await make.university()).id));
    const here = await make.offering(await make.course(university.id));
    const inDepartment = world.as(await make.holder("department_admin", university.id, department.id));
    const ofDepartment = { email, role: "INSTRUCTOR", department_id: department.id };
    expect((await inDepartment.post(path, ofDepartment)).status).toBe(201);
    expect((await inDepartment.post(path, { email, role: "INSTRUCTOR" })).status).toBe(403);
    expect((await inDepartment.post(path, { email, course_offering_id: here.id })).status).toBe(403);
    expect((await inDepartment.post(path, { email, course_offering_id: elsewhere.id })).status).toBe(404);
    expect((await inDepartment.get(path)).body).toHaveLength(1);
    const ta = world.as(await make.holder("ta", university.id));
    expect((await ta.post(path, { email, course_offering_id: here.id })).status).toBe(201);
    expect((await ta.get(path)).body).toMatchObject([{ course_offering_id: here.id }]);
    const admin = world.as(await make.holder("university_admin", university.id));
    expect((await admin.post(path, { email, role: "PLATFORM_ADMIN" })).status).toBe(403);
    expect((await admin.post(path, { email, department_id: department.id })).status).toBe(422);
  });

  it("that is made twice is renewed, and one that is sent again has a new link and seven days more", async () => {
    const university = await make.university();
    const holder = await make.holder("university_admin", university.id);
    const path = `/universities/${university.id}/invitations`;
    const email = `${make.unique("again")}@example.edu`;
    const invite = () => world.as(holder).post(path, { email, role: "TA" });
    world.setNow("2026-04-01T08:00:00.000Z");
    const { body: first } = await invite();
    const former = await mailbox.tokenFor(email);
    world.setNow("2026-04-06T08:00:00.000Z");
    expect(await invite()).toMatchObject({
      status: 200,
      body: { id: first.id, expires_at: "2026-04-13T08:00:00.000Z" },
    });
    world.setNow("2026-04-13T08:00:00.000Z");
    expect((await world.as(holder).get(path)).body).toMatchObject([{ status: "EXPIRED" }]);
    expect((await anew(await mailbox.tokenFor(email))).status).toBe(400);
    const sent = await world.as(holder).post(`${path}/${first.id}/send`);
    expect(sent).toMatchObject({ status: 200, body: { status: "OPEN" } });
    const token = await mailbox.tokenFor(email);
    expect((await anew(former)).status).toBe(400);
    expect((await anew(token)).status).toBe(201);
    expect((await world.as(holder).delete(`${path}/${first.id}`)).status).toBe(400);
  });

  it("that was revoked is void, and no mail mentions it", async () => {
    const { admin, path, email } = await college();
    const { body } = await admin.post(path, { email, role: "TA" });
    expect((await admin.delete(`${path}/${body.id}`)).status).toBe(204);
    expect(await mailbox.tokenFor(email)).toBe("");
    expect((await admin.get(`${path}?email=${email}`)).body).toMatchObject([{ status: "REVOKED" }]);
    expect((await admin.post(path, { email, role: "TA" })).status).toBe(201);
  });

  it("is not accepted by halves: without the place there is no role either", async () => {
    const { university, admin, path, email } = await college();
    const offering = await make.offering(await make.course(university.id), {
      enrollment_end: "2020-01-01T00:00:00Z",
    });
    await admin.post(path, { email, role: "TA", course_offering_id: offering.id });
    const token = await mailbox.tokenFor(email);
    expect(await anew(token)).toMatchObject({ status: 400, body: { detail: "Enrollment is not open" } });
    expect(await rolesOf(email)).toEqual([]);
  });

  it("is accepted once by concurrent requests, and either revoked or accepted", async () => {
    const { university, admin, path, email } = await college();
    await admin.post(path, { email, role: "TA" });
    const token = await mailbox.tokenFor(email);
    const replies = await Promise.all([anew(token), anew(token), anew(token)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
    for (let round = 0; round < 3; round++) {
      const racing = `${make.unique("racing")}@example.edu`;
      const { body } = await admin.post(path, { email: racing, role: "TA" });
      const link = await mailbox.tokenFor(racing);
      const [joined, revoked] = await Promise.all([anew(link), admin.delete(`${path}/${body.id}`)]);
      expect([joined.status, revoked.status]).toSatisfy(
        ([a, b]) => (a === 201 && b === 400) || (a === 400 && b === 204),
      );
      expect(await rolesOf(racing)).toHaveLength(joined.status === 201 ? 1 : 0);
    }
    const same = await Promise.all(
      [1, 2, 3].map(() => admin.post(path, { email: `same-${university.id}@example.edu`, role: "TA" })),
    );
    expect(new Set(same.map(({ body }) => body.id)).size).toBe(1);
    expect(same.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
  });

  it("that is revoked during a resend stays revoked, and is not replaced", async () => {
    const { admin, path, email } = await college();
    const { body } = await admin.post(path, { email, role: "TA" });
    const waiting = sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%invitations%'`;
    let sending: ReturnType<typeof admin.post> | undefined;
    await world.deps.db.transaction(async (tx) => {
      await tx.execute(sql`update invitations set revoked_at = now() where id = ${body.id}`);
      sending = admin.post(`${path}/${body.id}/send`);
      await expect.poll(async () => (await world.deps.signsOfLife.execute(waiting)).rows).toHaveLength(1);
    });
    expect((await sending)?.status).toBe(400);
    expect((await admin.get(path)).body).toMatchObject([{ id: body.id, status: "REVOKED" }]);
  });
});
