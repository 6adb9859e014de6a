import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { auditEvents } from "../../../../schema/db/identity/audit.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);
const past = "2026-03-09T12:00:00Z";
const refused = "Already enrolled in this course";

type Row = { id: number };

/** A course with two concurrent offerings, its staff, and enrollment actions. */
async function runs(one: Parameters<typeof make.offering>[1] = {}, two = one) {
  const { university, course } = await make.topic();
  const [first, second] = [await make.offering(course, one), await make.offering(course, two)];
  const staff = await make.holder("instructor", university.id);
  const enroll = (person: Row, { id }: Row, more: object = {}) =>
    world.as(person).post("/enrollments/", { course_offering_id: id, ...more });
  const put = (caller: Row, { id }: Row, status: string) =>
    world.as(caller).put(`/enrollments/${id}`, { status });
  const statusOf = async (person: Row, offering: Row): Promise<[string, number | null]> => {
    const { body } = await world.as(person).get("/enrollments/my-enrollments");
    const mine = body.find((each: { course_offering_id: number }) => each.course_offering_id === offering.id);
    return [mine.status, mine.position];
  };
  const resize = ({ id }: Row, capacity: number) =>
    world.as(staff).put(`/courses/${course.id}/offerings/${id}`, { capacity });
  return { university, course, first, second, staff, enroll, put, statusOf, resize };
}

const auditOf = async (person: Row) =>
  (await world.deps.db.select().from(auditEvents).where(eq(auditEvents.subject_id, person.id))).map(
    ({ action, actor_id, details }) => ({ action, actor_id, details }),
  );

describe("a second seat in a course and term", () => {
  test("is a 400 for an enrollment, a resumed enrollment and a change of status", async () => {
    const { first, second, enroll, put } = await runs();
    const person = await make.person();
    const { body: dropped } = await enroll(person, first);
    await put(person, dropped, "DROPPED");
    const { body: active } = await enroll(person, second);
    expect(active.status).toBe("ACTIVE");
    for (const reply of [await enroll(person, first), await put(person, dropped, "ACTIVE")])
      expect([reply.status, reply.body.detail]).toEqual([400, refused]);
    expect((await enroll(person, second)).body.detail).toBe("Already enrolled");
    await put(person, active, "DROPPED");
    expect((await put(person, dropped, "ACTIVE")).status).toBe(200);
  });

  test("is one in another term, in another course, or after the other has ended or was completed", async () => {
    const { university, course, first, enroll, put } = await runs({ ends_at: "2026-06-01T00:00:00Z" });
    const person = await make.person();
    const { body: enrollment } = await enroll(person, first);
    const next = await make.offering(course, { starts_at: "2026-06-01T00:00:00Z" });
    expect((await enroll(person, next)).status).toBe(201);
    expect((await enroll(person, await make.offering(await make.course(university.id)))).status).toBe(201);

    const term = await make.term(university.id);
    const [here, there] = [
      await make.offering(course, { term_id: term.id }),
      await make.offering(course, { term_id: term.id }),
    ];
    const other = await make.person();
    const { body: taken } = await enroll(other, here);
    expect((await enroll(other, there)).body.detail).toBe(refused);
    await put(other, taken, "COMPLETED");
    expect((await enroll(other, there)).status).toBe(201);
    // A learner cannot return to it.
    expect((await put(other, taken, "ACTIVE")).body.detail).toBe(refused);

    world.setNow("2026-06-01T00:00:00.001Z");
    const late = await make.offering(course);
    expect(enrollment.status).toBe("ACTIVE");
    const [only] = [await make.person()];
    await make.enrollment(only.id, first.id);
    expect((await enroll(only, late)).status).toBe(201);
    world.setNow("2026-03-10T12:00:00Z");
  });

  test("is given by an override of staff, by a change of status, and by an import, each recorded", async () => {
    const { university, first, second, staff, enroll, put } = await runs();
    const person = await make.holder("student", university.id);
    await enroll(person, first);
    const named = await enroll(staff, second, { user_id: person.id });
    expect([named.status, named.body.detail]).toEqual([400, refused]);
    const enrolled = await enroll(staff, second, { user_id: person.id, override: true });
    expect(enrolled.body.status).toBe("ACTIVE");
    await put(person, enrolled.body, "DROPPED");
    expect((await put(staff, enrolled.body, "ACTIVE")).body.status).toBe("ACTIVE");
    const at = { course_offering_id: second.id, passed: "enrolled_in_course" };
    expect(await auditOf(person)).toEqual([
      { action: "enrollment.created", actor_id: staff.id, details: { ...at, override: true } },
      { action: "enrollment.changed", actor_id: staff.id, details: { ...at, status: "active" } },
    ]);

    const imported = await make.holder("student", university.id);
    await enroll(imported, first);
    const admin = await make.holder("university_admin", university.id);
    const files = { "enrollments.csv": `email,course_offering_id\r\n${imported.email},${second.id}` };
    const done = await world
      .as(admin)
      .post(`/universities/${university.id}/imports`, { format: "CSV", files });
    expect(done.body).toMatchObject({ created: 1, refused: 0 });
    expect(await auditOf(imported)).toMatchObject([{ actor_id: admin.id, details: at }]);
  });

  test("is offered by no invitation, which stays open until the other is given up", async () => {
    const { university, first, second, staff, enroll, put } = await runs();
    const person = await make.person();
    const { body: active } = await enroll(person, first);
    await world.as(staff).post(`/universities/${university.id}/invitations`, {
      email: person.email,
      course_offering_id: second.id,
    });
    const token = await mailbox.tokenFor(person.email);
    const accept = () => world.as(person).post("/users/me/invitations/accept", { token });
    const early = await accept();
    expect([early.status, early.body.detail]).toEqual([400, refused]);
    await put(person, active, "DROPPED");
    expect((await accept()).body.status).toBe("ACCEPTED");
  });

  test("is never assigned from a waiting list, where the person keeps their position", async () => {
    const { first, second, enroll, put, statusOf, resize } = await runs({}, { capacity: 1 });
    const [holder, person, next, last] = [
      await make.person(),
      await make.person(),
      await make.person(),
      await make.person(),
    ] as const;
    const { body: seat } = await enroll(person, first);
    const { body: held } = await enroll(holder, second);
    expect((await enroll(person, second)).body).toMatchObject({ status: "WAITLISTED", position: 1 });
    for (const each of [next, last]) await enroll(each, second);
    await put(holder, held, "DROPPED");
    expect(await statusOf(next, second)).toEqual(["ACTIVE", null]);
    expect(await statusOf(person, second)).toEqual(["WAITLISTED", 1]);
    expect(await statusOf(last, second)).toEqual(["WAITLISTED", 2]);
    await resize(second, 3);
    expect(await statusOf(last, second)).toEqual(["ACTIVE", null]);
    // Leaving the other offering gives them the free seat immediately.
    await put(person, seat, "DROPPED");
    expect(await statusOf(person, second)).toEqual(["ACTIVE", null]);
  });

  test("stays if it exists, and after a change of dates", async () => {
    const { course, first, second, staff, enroll, statusOf } = await runs(
      { ends_at: "2026-04-01T00:00:00Z" },
      { starts_at: "2026-04-01T00:00:00Z" },
    );
    const person = await make.person();
    for (const run of [first, second]) expect((await enroll(person, run)).status).toBe(201);
    const path = `/courses/${course.id}/offerings/${first.id}`;
    expect((await world.as(staff).put(path, { ends_at: "2026-05-01T00:00:00Z" })).status).toBe(200);
    for (const run of [first, second]) expect(await statusOf(person, run)).toEqual(["ACTIVE", null]);
    expect((await enroll(await make.person(), first)).status).toBe(201);
    expect((await world.as(staff).put(path, { enrollment_end: past })).status).toBe(200);
  });
});
