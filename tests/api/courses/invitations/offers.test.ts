import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { addresseeOf, addressees, grantDomain } from "../../../support/own-people.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);

const verifiedAt = "2026-01-01T00:00:00.000Z";

async function college() {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  const course = await make.course(university.id);
  const offering = await make.offering(course);
  const next = await make.course(university.id);
  await admin.post(`/courses/${next.id}/prerequisites`, {
    prerequisite_course_id: course.id,
    prerequisite_type: "STRICT",
  });
  const at = `/universities/${university.id}`;
  const instructors = `/courses/${course.id}/offerings/${offering.id}/instructors`;
  const give = {
    role: (named: object) => admin.post(`${at}/roles`, { ...named, role: "INSTRUCTOR" }),
    instructorship: (named: object) => admin.post(instructors, named),
    seat: (named: object) => admin.post("/enrollments/", { ...named, course_offering_id: offering.id }),
    exemption: (named: object) =>
      admin.post(`/courses/${next.id}/exemptions`, { ...named, prerequisite_course_id: course.id }),
  };
  return { university, admin, course, offering, at, give };
}

const kinds = ["role", "instructorship", "seat", "exemption"] as const;

/** A person from elsewhere with a verified address. */
const stranger = () => make.person({ password_hash: "theirs", email_verified_at: verifiedAt });

const heldBy = async (person: number) =>
  (
    await world.deps.db.execute(sql`
      select role from user_university_roles where user_id = ${person}
      union all select status from enrollments where user_id = ${person}
      union all select 'excused' from course_exemptions where user_id = ${person}
      union all select 'teaches' from course_offering_instructors where user_id = ${person} order by 1`)
  ).rows.map(({ role }) => role);

describe("a grant to an address", () => {
  it.each(kinds)("makes the same offer for every address, and grants nothing yet: %s", async (kind) => {
    const { give, admin, at } = await college();
    const shapes: unknown[] = [];
    for (const behind of addressees) {
      const { email, id } = await addresseeOf(make, behind);
      const { status, body } = await give[kind]({ email });
      expect(status, behind).toBe(202);
      expect(body.offer.email).toBe(email);
      shapes.push({ ...body.offer, id: 0, email: "" });
      if (id !== undefined) {
        expect(
          await heldBy(id).then((held) => held.filter((one) => one !== "active" && one !== "student")),
          behind,
        ).toEqual([]);
        expect((await admin.get(`/users/${id}`)).status, behind).toBe(404);
      }
    }
    expect(new Set(shapes.map((shape) => JSON.stringify(shape))).size).toBe(1);
    expect((await admin.get(`${at}/invitations?status=open`)).body).toHaveLength(addressees.length);
  });

  it("shows its content and expiry, and no more", async () => {
    const { give, offering } = await college();
    const { email } = await stranger();
    expect((await give.role({ email })).body).toEqual({
      offer: { id: expect.any(Number), email, role: "INSTRUCTOR", expires_at: "2026-03-17T12:00:00.000Z" },
    });
    expect((await give.seat({ email })).body.offer).toMatchObject({ course_offering_id: offering.id });
  });

  it("applies immediately to the university's own people", async () => {
    const { give, university, offering } = await college();
    const member = await stranger();
    await make.enrollment(member.id, offering.id);
    const made = await make.person({ made_by_university_id: university.id });
    await grantDomain(world, university.id, "own.example.org");
    const inDomain = await make.person({
      email: `${make.unique("prof")}@own.example.org`,
      email_verified_at: verifiedAt,
    });
    for (const { email } of [member, made, inDomain]) expect((await give.role({ email })).status).toBe(201);
    const typed = await make.person({
      email: `${make.unique("typed")}@own.example.org`,
      password_hash: "anyone's",
    });
    expect((await give.role({ email: typed.email })).status).toBe(202);
  });

  it("does not reach a member by an address that they typed and never verified", async () => {
    const { give, offering } = await college();
    const typed = await make.person({ password_hash: "anyone's" });
    await make.enrollment(typed.id, offering.id);
    expect((await give.role({ email: typed.email })).status).toBe(202);
    expect(await heldBy(typed.id)).toEqual(["active"]);
    expect((await give.role({ user_id: typed.id })).status).toBe(201);
  });

  it("by id applies immediately if a platform_admin makes it", async () => {
    const { at, university } = await college();
    const platform = world.as(await make.holder("platform_admin", (await make.university()).id));
    const [first, second] = [await stranger(), await stranger()];
    const role = { role: "TA" };
    expect((await platform.post(`${at}/roles`, { user_id: first.id, ...role })).status).toBe(201);
    expect((await platform.post(`${at}/roles`, { email: second.email, ...role })).status).toBe(202);
    expect(university.id).toBeGreaterThan(0);
  });
});

describe("an offer", () => {
  it("is listed for the verified address that it was made to, accepted once, and then it is theirs", async () => {
    const { give, university, course, offering, admin, at } = await college();
    const person = await stranger();
    await give.seat({ email: person.email });
    const listed = await world.as(person).get("/users/me/offers");
    expect(listed.body).toMatchObject([
      {
        university_id: university.id,
        university_name: university.name,
        course_offering_id: offering.id,
        course_title: course.title,
        teaches: false,
        role: null,
        status: "OPEN",
      },
    ]);
    const [{ id }] = listed.body;
    expect((await world.as(await stranger()).post(`/users/me/offers/${id}/accept`)).status).toBe(404);
    expect(await world.as(person).post(`/users/me/offers/${id}/accept`)).toMatchObject({
      status: 200,
      body: { id, status: "ACCEPTED" },
    });
    expect((await world.as(person).post(`/users/me/offers/${id}/accept`)).status).toBe(404);
    expect(await heldBy(person.id)).toEqual(["active", "student"]);
    expect((await world.as(person).get("/users/me/offers")).body).toEqual([]);
    expect((await admin.get(`${at}/invitations`)).body).toMatchObject([
      { id, status: "ACCEPTED", accepted_by_user_id: person.id },
    ]);
  });

  it("is neither listed nor accepted for an unverified address, except by its link, which takes the account over", async () => {
    const { give } = await college();
    const email = `${make.unique("new.prof")}@example.org`;
    const thief = await world
      .as()
      .post("/auth/register", { email, password: "of the thief", full_name: "Thief" });
    const headers = { authorization: `Bearer ${thief.body.access_token}` };
    const { body } = await give.role({ email });
    expect((await world.as().get("/users/me/offers", { headers })).body).toEqual([]);
    expect((await world.as().post(`/users/me/offers/${body.offer.id}/accept`, {}, { headers })).status).toBe(
      404,
    );
    await mailbox.send();
    const invitation = mailbox.mails.findLast(
      ({ to, text }) => to === email && text.includes("/accept-invitation"),
    );
    const token = /token=([\w-]+)/.exec(invitation?.text ?? "")?.[1];
    const joined = { token, full_name: "Professor", password: "of the owner" };
    expect((await world.as().post("/auth/invitations/accept", joined)).status).toBe(201);
    expect((await world.as().get("/users/me", { headers })).status).toBe(401);
    expect((await world.as().post("/auth/login", { email, password: "of the thief" })).status).toBe(401);
    const { id } = (await world.deps.db.execute(sql`select id from users where email = ${email}`))
      .rows[0] as {
      id: number;
    };
    expect(await heldBy(id)).toEqual(["instructor"]);
  });

  it("that is declined grants nothing, neither later nor by its link, and can be made again", async () => {
    const { give, admin, at } = await college();
    const person = await stranger();
    const { body } = await give.role({ email: person.email });
    const token = await mailbox.tokenFor(person.email);
    const path = `/users/me/offers/${body.offer.id}`;
    expect(await world.as(person).post(`${path}/decline`)).toMatchObject({
      status: 200,
      body: { status: "DECLINED" },
    });
    expect((await world.as(person).post(`${path}/accept`)).status).toBe(404);
    expect((await world.as(person).post(`${path}/decline`)).status).toBe(400);
    expect((await world.as(person).post("/users/me/invitations/accept", { token })).status).toBe(400);
    expect((await admin.get(`${at}/invitations`)).body).toMatchObject([{ status: "DECLINED" }]);
    expect(await heldBy(person.id)).toEqual([]);
    expect((await give.role({ email: person.email })).body.offer.id).not.toBe(body.offer.id);
  });

  it("runs out after seven days, and gives nothing once its maker may not give it any more", async () => {
    const university = await make.university();
    const maker = await make.holder("university_admin", university.id);
    const person = await stranger();
    const offer = async (role: string) =>
      (await world.as(maker).post(`/universities/${university.id}/roles`, { email: person.email, role })).body
        .offer.id as number;
    const [old, withdrawn] = [await offer("TA"), await offer("INSTRUCTOR")];
    const now = world.deps.now();
    world.setNow(new Date(now.getTime() + 7 * 24 * 3600 * 1000));
    expect((await world.as(person).post(`/users/me/offers/${old}/accept`)).status).toBe(404);
    expect((await world.as(person).get("/users/me/offers")).body).toEqual([]);
    world.setNow(now);
    await world.deps.db.execute(
      sql`update user_university_roles set role = 'instructor' where user_id = ${maker.id}`,
    );
    expect((await world.as(person).post(`/users/me/offers/${withdrawn}/accept`)).status).toBe(400);
    expect(await heldBy(person.id)).toEqual([]);
  });

  it("of a seat keeps the staff's override, and takes no seat until it is accepted", async () => {
    const { admin, offering, course } = await college();
    await admin.put(`/courses/${course.id}/offerings/${offering.id}`, {
      capacity: 1,
      enrollment_end: "2020-01-01T00:00:00Z",
    });
    const [first, second] = [await stranger(), await stranger()];
    const offered = (email: string, override: boolean) =>
      admin.post("/enrollments/", { course_offering_id: offering.id, email, override });
    const past = (await offered(first.email, false)).body.offer.id;
    const over = (await offered(second.email, true)).body.offer.id;
    expect(
      await world.deps.db.execute(sql`select from enrollments where course_offering_id = ${offering.id}`),
    ).toMatchObject({ rows: [] });
    expect((await world.as(first).post(`/users/me/offers/${past}/accept`)).body.detail).toBe(
      "Enrollment is not open",
    );
    expect((await world.as(second).post(`/users/me/offers/${over}/accept`)).status).toBe(200);
    expect(await heldBy(second.id)).toContain("active");
  });

  it("of a university is accepted by enrolling there oneself, and by no sign-in with a password", async () => {
    const { give, offering } = await college();
    const elsewhere = await college();
    const email = `${make.unique("comes")}@example.org`;
    const credentials = { email, password: "correct horse" };
    const { body } = await world.as().post("/auth/register", { ...credentials, full_name: "Comes" });
    const headers = { authorization: `Bearer ${body.access_token}` };
    const token = await mailbox.tokenFor(email);
    await give.role({ email });
    await elsewhere.give.role({ email });
    expect((await world.as().post("/auth/verify-email", { token }, { headers })).status).toBe(204);
    expect((await world.as().post("/auth/login", credentials)).status).toBe(200);
    const { id } = (await world.as().get("/users/me", { headers })).body;
    expect(await heldBy(id)).toEqual([]);
    expect((await world.as().get("/users/me/offers", { headers })).body).toHaveLength(2);
    await world.as().post("/enrollments/", { course_offering_id: offering.id }, { headers });
    expect(await heldBy(id)).toEqual(["active", "instructor", "student"]);
    expect((await world.as().get("/users/me/offers", { headers })).body).toHaveLength(1);
  });
});

describe("of concurrent requests", () => {
  it.each([
    ["role", "instructor"],
    ["exemption", "excused"],
  ] as const)(
    "two acceptances grant once, and an acceptance during a revocation or refusal is one of the two: %s",
    async (kind, held) => {
      const { give, admin, at } = await college();
      for (let round = 0; round < 3; round++) {
        const person = await stranger();
        const { id } = (await give[kind]({ email: person.email })).body.offer;
        const accept = () => world.as(person).post(`/users/me/offers/${id}/accept`);
        const both = await Promise.all([accept(), accept()]);
        expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(await heldBy(person.id)).toEqual([held]);
      }
      for (const end of ["revoke", "decline"] as const)
        for (let round = 0; round < 3; round++) {
          const person = await stranger();
          const { id } = (await give[kind]({ email: person.email })).body.offer;
          const [accepted, ended] = await Promise.all([
            world.as(person).post(`/users/me/offers/${id}/accept`),
            end === "revoke"
              ? admin.delete(`${at}/invitations/${id}`)
              : world.as(person).post(`/users/me/offers/${id}/decline`),
          ]);
          expect(Number(accepted.status === 200) + Number(ended.status < 300)).toBe(1);
          expect(await heldBy(person.id)).toEqual(accepted.status === 200 ? [held] : []);
        }
    },
  );

  it("grants of the same to one address are one offer, and one mail", async () => {
    const { give } = await college();
    const { email } = await stranger();
    const answers = await Promise.all([1, 2, 3, 4].map(() => give.role({ email })));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.offer.id)).size).toBe(1);
    const before = mailbox.mails.length;
    await mailbox.send();
    expect(mailbox.mails.slice(before).filter(({ to }) => to === email)).toHaveLength(1);
  });

  it("a takeover during a sign-in to the account leaves one user in it", async () => {
    const { give } = await college();
    for (let round = 0; round < 3; round++) {
      const email = `${make.unique("contested")}@example.org`;
      const thief = { email, password: "of the thief" };
      await world.as().post("/auth/register", { ...thief, full_name: "Thief" });
      await mailbox.send();
      await give.role({ email });
      const token = await mailbox.tokenFor(email);
      const [signedIn, joined] = await Promise.all([
        world.as().post("/auth/login", thief),
        world.as().post("/auth/invitations/accept", { token, full_name: "Owner", password: "of the owner" }),
      ]);
      expect(joined.status).toBe(201);
      const headers = { authorization: `Bearer ${signedIn.body.access_token}` };
      expect((await world.as().get("/users/me", { headers })).status).toBe(401);
    }
  });
});
