import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { eraseAccountOf } from "../../../support/erase.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);

/** A course with a prerequisite, its staff, and an outsider with an offered exemption. */
async function offerExemption() {
  const university = await make.university();
  const [course, required] = [await make.course(university.id), await make.course(university.id)];
  const offering = await make.offering(course);
  const admin = world.as(await make.holder("university_admin", university.id));
  const staff = await make.holder("ta", university.id);
  const prerequisites = `/courses/${course.id}/prerequisites`;
  await admin.post(prerequisites, { prerequisite_course_id: required.id, prerequisite_type: "STRICT" });
  const outsider = await make.person({ email_verified_at: "2026-01-01T00:00:00Z" });
  const grant = (named: object) =>
    world.as(staff).post(`/courses/${course.id}/exemptions`, {
      ...named,
      prerequisite_course_id: required.id,
    });
  const { status, body } = await grant({ email: outsider.email });
  expect(status).toBe(202);
  return {
    ...{ university, course, required, offering, admin, staff, outsider, grant },
    offer: body.offer,
    accept: () => world.as(outsider).post(`/users/me/offers/${body.offer.id}/accept`),
    enroll: () => world.as(outsider).post("/enrollments/", { course_offering_id: offering.id }),
    removePrerequisite: () => admin.delete(`${prerequisites}/${required.id}`),
  };
}

const exempted = async (person: number) =>
  (
    await world.deps.db.execute(sql`
      select course_id, prerequisite_course_id, granted_by_user_id from course_exemptions where user_id = ${person}`)
  ).rows;

test("an outsider is exempted on acceptance, in the name of the staff who made the offer", async () => {
  const { course, required, staff, outsider, offer, accept, enroll } = await offerExemption();
  expect(offer).toEqual({
    id: offer.id,
    email: outsider.email,
    course_id: course.id,
    prerequisite_course_id: required.id,
    expires_at: "2026-03-17T12:00:00.000Z",
  });
  expect((await world.as(outsider).get("/users/me/offers")).body).toMatchObject([
    { course_id: course.id, course_title: course.title, prerequisite_title: required.title, role: null },
  ]);
  expect((await world.as(staff).get(`/courses/${course.id}/exemptions`)).body).toEqual([]);
  expect((await enroll()).body.detail).toMatch(/^Unmet prerequisites/);
  expect(await accept()).toMatchObject({ status: 200, body: { status: "ACCEPTED" } });
  expect(await exempted(outsider.id)).toEqual([
    { course_id: course.id, prerequisite_course_id: required.id, granted_by_user_id: staff.id },
  ]);
  expect((await enroll()).status).toBe(201);
  const { rows } = await world.deps.db.execute(sql`
    select actor_id, details ->> 'invitation_id' as offer from audit_events
    where action = 'exemption.granted' and subject_id = ${outsider.id}`);
  expect(rows).toEqual([{ actor_id: staff.id, offer: String(offer.id) }]);
});

test("a department's administrator makes the offer, and a declined one may be made again", async () => {
  const { university, outsider, grant, accept } = await offerExemption();
  const declined = await world.as(outsider).get("/users/me/offers");
  const path = `/users/me/offers/${declined.body[0].id}`;
  expect((await world.as(outsider).post(`${path}/decline`)).body).toMatchObject({ status: "DECLINED" });
  expect((await accept()).status).toBe(404);
  expect(await exempted(outsider.id)).toEqual([]);

  const department = await make.department(university.id);
  const head = await make.holder("department_admin", university.id, department.id);
  const course = await make.course(university.id, { department_id: department.id });
  const required = await make.course(university.id, { department_id: department.id });
  await world.as(head).post(`/courses/${course.id}/prerequisites`, { prerequisite_course_id: required.id });
  const excuse = { email: outsider.email, prerequisite_course_id: required.id };
  const offered = await world.as(head).post(`/courses/${course.id}/exemptions`, excuse);
  expect(offered.status, offered.text).toBe(202);
  expect((await grant({ email: outsider.email })).status).toBe(202);
  expect((await world.as(outsider).get("/users/me/offers")).body).toHaveLength(2);
  expect((await world.as(outsider).post(`/users/me/offers/${offered.body.offer.id}/accept`)).status).toBe(
    200,
  );
  expect(await exempted(outsider.id)).toMatchObject([{ course_id: course.id, granted_by_user_id: head.id }]);
});

test("an offer that ran out gives nothing, and is made again", async () => {
  const { outsider, grant, offer, accept } = await offerExemption();
  const now = world.deps.now();
  world.setNow(new Date(now.getTime() + 7 * 24 * 3600 * 1000));
  expect((await world.as(outsider).get("/users/me/offers")).body).toEqual([]);
  expect((await accept()).status).toBe(404);
  expect(await exempted(outsider.id)).toEqual([]);
  const again = await grant({ email: outsider.email });
  expect(again.status).toBe(202);
  expect(
    (await world.as(outsider).post(`/users/me/offers/${again.body.offer.id}/accept`)).body,
  ).toMatchObject({ status: "ACCEPTED" });
  expect(again.body.offer.expires_at > offer.expires_at).toBe(true);
  world.setNow(now);
});

test("an offer is for the owner of the address: no other account sees or accepts it, nor an unconfirmed one", async () => {
  const { grant, offer } = await offerExemption();
  const other = await make.person({ email_verified_at: "2026-01-01T00:00:00Z" });
  const unconfirmed = await make.person({ email_verified_at: null });
  const { body } = await grant({ email: unconfirmed.email });
  for (const [person, id] of [
    [other, offer.id],
    [unconfirmed, body.offer.id],
  ] as const) {
    expect((await world.as(person).get("/users/me/offers")).body).toEqual([]);
    expect((await world.as(person).post(`/users/me/offers/${id}/accept`)).status).toBe(404);
    expect(await exempted(person.id)).toEqual([]);
  }
});

test("an offered seat and a later exemption from its prerequisite are accepted together on joining the university", async () => {
  const { offering, required, admin, grant } = await offerExemption();
  const person = await make.person({ email_verified_at: "2026-01-01T00:00:00Z" });
  const place = { course_offering_id: offering.id, email: person.email };
  expect((await admin.post("/enrollments/", place)).status).toBe(202);
  expect((await grant({ email: person.email })).status).toBe(202);
  const free = await make.offering(required);
  expect((await world.as(person).post("/enrollments/", { course_offering_id: free.id })).status).toBe(201);
  expect((await world.as(person).get("/users/me/offers")).body).toEqual([]);
  expect((await world.as(person).get("/enrollments/my-enrollments")).body).toHaveLength(2);
});

test("the mail describes the offer, and names no course", async () => {
  const { outsider, course, required } = await offerExemption();
  await mailbox.send();
  const mail = mailbox.mails.findLast(({ to }) => to === outsider.email);
  expect(mail?.text).toContain("You are offered an exemption from a prerequisite.");
  for (const { title } of [course, required]) expect(mail?.text).not.toContain(title);
});

test("an offer grants nothing once its creator is no staff of the course, or the prerequisite was removed", async () => {
  const left = await offerExemption();
  await world.deps.db.execute(
    sql`delete from user_university_roles where user_id = ${left.staff.id} and role = 'ta'`,
  );
  expect((await left.accept()).status).toBe(400);
  expect(await exempted(left.outsider.id)).toEqual([]);
  const gone = await offerExemption();
  expect((await gone.removePrerequisite()).status).toBe(204);
  expect((await gone.accept()).status).toBe(404);
});

test("no one is exempted by an offer that they made", async () => {
  const { staff, grant, offer } = await offerExemption();
  await world.deps.db.execute(sql`update invitations set email = ${staff.email} where id = ${offer.id}`);
  await world.deps.db.execute(
    sql`update users set email_verified_at = '2026-01-01T00:00:00Z' where id = ${staff.id}`,
  );
  expect((await world.as(staff).post(`/users/me/offers/${offer.id}/accept`)).status).toBe(400);
  expect((await grant({ email: staff.email })).status).toBe(403);
  expect(await exempted(staff.id)).toEqual([]);
});

test("staff list the offer, send it again and withdraw it; other courses' staff do not see it", async () => {
  const { university, staff, grant, outsider, offer, accept } = await offerExemption();
  const path = `/universities/${university.id}/invitations`;
  const department = await make.department(university.id);
  const elsewhere = await make.holder("ta", university.id, department.id);
  expect((await world.as(staff).get(path)).body).toMatchObject([{ id: offer.id, status: "OPEN" }]);
  expect((await world.as(elsewhere).get(path)).body).toEqual([]);
  expect((await world.as(elsewhere).delete(`${path}/${offer.id}`)).status).toBe(404);
  expect((await world.as(staff).post(`${path}/${offer.id}/send`)).body).toMatchObject({ id: offer.id });
  expect((await grant({ email: outsider.email })).body.offer.id).toBe(offer.id);
  expect((await world.as(staff).delete(`${path}/${offer.id}`)).status).toBe(204);
  expect((await accept()).status).toBe(404);
});

test("the export of the outsider has the offer, and their erasure deletes it", async () => {
  const { outsider, course, required, offer } = await offerExemption();
  expect((await world.as(outsider).get("/users/me/export")).body.invitations).toMatchObject([
    { id: offer.id, course_id: course.id, prerequisite_course_id: required.id },
  ]);
  expect(await eraseAccountOf(world, outsider)).toBe(204);
  const { rows } = await world.deps.db.execute(sql`select from invitations where id = ${offer.id}`);
  expect(rows).toEqual([]);
});

test("an acceptance during the removal of the prerequisite leaves no exemption, and neither waits for the other", async () => {
  for (let round = 0; round < 3; round++) {
    const { accept, removePrerequisite, outsider } = await offerExemption();
    const [accepted, removed] = await Promise.all([accept(), removePrerequisite()]);
    expect([200, 400, 404]).toContain(accepted.status);
    expect(removed.status).toBe(204);
    expect(await exempted(outsider.id)).toEqual([]);
  }
});
