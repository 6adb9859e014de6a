import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { coursePrerequisites } from "../../../../schema/db/courses/courses.ts";
import { userUniversityRoles } from "../../../../schema/db/identity/roles.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const now = "2026-03-10T12:00:00.000Z";

const rolesOf = async (user_id: number) =>
  (
    await world.deps.db.select().from(userUniversityRoles).where(eq(userUniversityRoles.user_id, user_id))
  ).map(({ role, university_id }) => ({ role, university_id }));

const enroll = (person: { id: number }, offering: { id: number }) =>
  world.as(person).post("/enrollments/", { course_offering_id: offering.id });

describe("enrolling", () => {
  test("a person gets a seat, the offering's and course's names with it, and the student role", async () => {
    const { university, course, offering } = await make.topic();
    const person = await make.person();
    const reply = await enroll(person, offering);
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: reply.body.id,
      user_id: person.id,
      course_offering_id: offering.id,
      status: "ACTIVE",
      enrolled_at: now,
      completed_at: null,
      completion_source: null,
      progress_percent: 0,
      position: null,
      course_id: course.id,
      university_id: university.id,
      starts_at: null,
      ends_at: null,
      course_offering: { term_name: offering.term_name, course: { title: course.title, code: course.code } },
    });
    expect(await rolesOf(person.id)).toEqual([{ role: "STUDENT", university_id: university.id }]);
    expect((await world.as(person).get(`/enrollments/${reply.body.id}`)).body).toEqual(reply.body);
  });

  test("a person with a role in the university gets no other", async () => {
    const { university, offering } = await make.topic();
    const ta = await make.holder("ta", university.id);
    expect((await enroll(ta, offering)).status).toBe(201);
    expect(await rolesOf(ta.id)).toEqual([{ role: "TA", university_id: university.id }]);
  });

  test("a second enrollment is a 400, a dropped one is taken up again", async () => {
    const { offering } = await make.topic();
    const person = await make.person();
    const { body: first } = await enroll(person, offering);
    const again = await enroll(person, offering);
    expect([again.status, again.body.detail]).toEqual([400, "Already enrolled"]);
    await world.as(person).put(`/enrollments/${first.id}`, { status: "DROPPED" });
    const back = await enroll(person, offering);
    expect([back.status, back.body]).toEqual([201, first]);
  });

  test("an unknown offering, and one of a hidden course, is a 404; a private one is open", async () => {
    const { course } = await make.topic();
    const hidden = await make.topic({ is_published: false });
    const person = await make.person();
    for (const offering of [{ id: 2_000_000 }, hidden.offering])
      expect((await enroll(person, offering)).body.detail).toBe("Offering not found");
    expect(await rolesOf(person.id)).toEqual([]);
    expect((await enroll(person, await make.offering(course, { visibility: "PRIVATE" }))).status).toBe(201);
  });

  test("enrollment is open from the first moment of its window to the last", async () => {
    const { course } = await make.topic();
    const [before, after] = ["2026-03-10T11:59:59.999Z", "2026-03-10T12:00:00.001Z"];
    for (const { dates, status } of [
      { dates: { enrollment_start: now }, status: 201 },
      { dates: { enrollment_end: now }, status: 201 },
      { dates: { enrollment_start: before, enrollment_end: after }, status: 201 },
      { dates: { enrollment_start: after }, status: 400 },
      { dates: { enrollment_end: before }, status: 400 },
    ]) {
      const reply = await enroll(await make.person(), await make.offering(course, dates));
      expect(reply.status).toBe(status);
      if (status === 400) expect(reply.body.detail).toBe("Enrollment is not open");
    }
  });

  test("learners cannot enroll in an offering that is over, and no list names it as open; staff can enroll them", async () => {
    const [before, after] = ["2026-03-10T11:59:59.999Z", "2026-03-10T12:00:00.001Z"];
    const { university, course } = await make.topic();
    const staff = world.as(await make.holder("ta", university.id));
    const [over, lasting] = [
      await make.term(university.id, { starts_on: "2026-01-01", ends_on: "2026-03-09" }),
      await make.term(university.id, { starts_on: "2026-01-01", ends_on: "2026-03-10" }),
    ];
    const dates = [undefined, before, now, after];
    const cases = [undefined, over, lasting].flatMap((term) =>
      dates.flatMap((ends_at) => dates.map((enrollment_end) => ({ term, ends_at, enrollment_end }))),
    );
    for (const { term, ends_at, enrollment_end } of cases) {
      const run = await make.offering(course, { ends_at, enrollment_end, term_id: term?.id });
      const isOver = (ends_at ?? enrollment_end) ? [ends_at, enrollment_end].includes(before) : term === over;
      const [person, former] = [await make.person(), await make.person()];
      const { id } = await make.enrollment(former.id, run.id, "DROPPED");
      const reply = await enroll(person, run);
      const back = await world.as(former).put(`/enrollments/${id}`, { status: "ACTIVE" });
      const open = (await world.as().get(`/offerings/?course_id=${course.id}&open=true&limit=1000`)).body;
      const { body: list } = await world.as().get(`/offerings/?course_id=${course.id}&limit=1000`);
      expect(
        [
          reply.body.detail ?? reply.status,
          back.body.detail ?? back.status,
          list.find((one: { id: number }) => one.id === run.id).is_open,
          open.some((one: { id: number }) => one.id === run.id),
        ],
        JSON.stringify({ term: term?.ends_on, ends_at, enrollment_end }),
      ).toEqual(
        isOver ? ["Enrollment is not open", "Enrollment is not open", false, false] : [201, 200, true, true],
      );
      if (enrollment_end === before) continue;
      const named = await make.holder("student", university.id);
      const body = { course_offering_id: run.id, user_id: named.id };
      expect((await staff.post("/enrollments/", body)).status).toBe(201);
    }
  });

  test("strict prerequisites must be completed, in any offering; the others are advice", async () => {
    const { university, course, offering } = await make.topic();
    const strict = [await make.course(university.id), await make.course(university.id)] as const;
    const advised = await make.course(university.id);
    const links = [...strict, advised].map((required) => ({
      course_id: course.id,
      prerequisite_course_id: required.id,
      prerequisite_type: required === advised ? ("RECOMMENDED" as const) : ("STRICT" as const),
    }));
    await world.deps.db.insert(coursePrerequisites).values(links);
    const person = await make.person();
    const named = (courses: readonly { code: string; title: string }[]) =>
      `Unmet prerequisites: ${courses.map(({ code, title }) => `${code} ${title}`).join(", ")}`;

    expect((await enroll(person, offering)).body.detail).toBe(named(strict));
    await make.enrollment(person.id, (await make.offering(strict[0])).id, "COMPLETED");
    await make.enrollment(person.id, (await make.offering(strict[1])).id, "ACTIVE");
    const one = await enroll(person, offering);
    expect([one.status, one.body.detail]).toEqual([400, named([strict[1]])]);
    await make.enrollment(person.id, (await make.offering(strict[1])).id, "COMPLETED");
    expect((await enroll(person, offering)).status).toBe(201);
  });

  test("a strict prerequisite that the person cannot see is another course to them", async () => {
    const { university, course, offering } = await make.topic();
    const seen = await make.course(university.id);
    const hidden = await make.course(university.id, { is_published: false });
    const links = [hidden, seen].map(({ id }) => ({ course_id: course.id, prerequisite_course_id: id }));
    await world.deps.db.insert(coursePrerequisites).values(links);
    const names = `${seen.code} ${seen.title}`;
    const told = async (person: { id: number }) => (await enroll(person, offering)).body.detail;
    expect(await told(await make.person())).toBe(`Unmet prerequisites: ${names}, another course`);
    const assistant = await make.holder("ta", university.id);
    expect(await told(assistant)).toContain(`${hidden.code} ${hidden.title}`);
  });

  test("it takes a token, and a body with an id", async () => {
    const person = world.as(await make.person());
    expect((await world.as().post("/enrollments/", { course_offering_id: 1 })).status).toBe(401);
    expect((await person.post("/enrollments/", {})).body.detail[0]).toMatchObject({ type: "missing" });
    expect((await person.post("/enrollments/", { course_offering_id: 2 ** 31 })).status).toBe(422);
  });

  test("it takes one round trip to the database beyond the one that admits the caller", async () => {
    const { offering } = await make.topic();
    await enroll(await make.person(), offering);
    expect(world.log.at(-1)).toMatchObject({ method: "POST", status_code: 201, db_query_count: 2 });
  });
});

describe("reading", () => {
  test("the caller's enrollments are listed newest first, with every status", async () => {
    const [one, two] = [await make.topic(), await make.topic()];
    const person = await make.person();
    world.setNow("2026-03-09T12:00:00Z");
    const { body: older } = await enroll(person, one.offering);
    world.setNow(now);
    const { body: newer } = await enroll(person, two.offering);
    const { body: dropped } = await world.as(person).put(`/enrollments/${older.id}`, { status: "dropped" });
    expect((await world.as(person).get("/enrollments/my-enrollments")).body).toEqual([newer, dropped]);
    expect((await world.as(person).get("/enrollments/my-enrollments?skip=1&limit=1")).body).toEqual([
      dropped,
    ]);
    expect((await world.as(await make.person()).get("/enrollments/my-enrollments")).body).toEqual([]);
  });

  test("another's enrollment is a 403, to staff too; an unknown one a 404", async () => {
    const { university, offering } = await make.topic();
    const { id } = await make.enrollment((await make.person()).id, offering.id);
    for (const caller of [await make.person(), await make.holder("university_admin", university.id)]) {
      const reply = await world.as(caller).get(`/enrollments/${id}`);
      expect([reply.status, reply.body.detail]).toEqual([403, "Not your enrollment"]);
    }
    const unknown = await world.as(await make.person()).get("/enrollments/2000000");
    expect([unknown.status, unknown.body.detail]).toEqual([404, "Enrollment not found"]);
  });
});

describe("changing the status", () => {
  test("the owner sets any status; COMPLETED sets and clears completed_at", async () => {
    const { offering } = await make.topic();
    const person = await make.person();
    const { body: enrollment } = await enroll(person, offering);
    const put = (status?: string) => world.as(person).put(`/enrollments/${enrollment.id}`, { status });
    for (const status of ["COMPLETED", "completed", "PENDING", "WAITLISTED", "DROPPED", "ACTIVE"]) {
      const reply = await put(status);
      const completed_at = status.toUpperCase() === "COMPLETED" ? now : null;
      expect([reply.status, reply.body]).toMatchObject([200, { status: status.toUpperCase(), completed_at }]);
    }
    expect((await put()).body).toMatchObject({ id: enrollment.id, status: "ACTIVE" });
    for (const status of ["finished", null]) {
      const reply = await world.as(person).put(`/enrollments/${enrollment.id}`, { status });
      expect(reply.status).toBe(422);
    }
  });

  test("staff of the university change it too; anyone else gets a 403 `Not your enrollment`", async () => {
    const { university, offering } = await make.topic();
    const department = await make.department(university.id);
    const { id } = await make.enrollment((await make.person()).id, offering.id);
    const refused = [
      await make.person(),
      await make.holder("student", university.id),
      await make.holder("university_admin", (await make.university()).id),
      await make.holder("department_admin", university.id, department.id),
    ];
    for (const caller of refused) {
      const reply = await world.as(caller).put(`/enrollments/${id}`, { status: "DROPPED" });
      expect([reply.status, reply.body.detail]).toEqual([403, "Not your enrollment"]);
    }
    const ta = world.as(await make.holder("ta", university.id));
    expect((await ta.put(`/enrollments/${id}`, { status: "COMPLETED" })).body.status).toBe("COMPLETED");
    expect((await ta.put("/enrollments/2000000", { status: "ACTIVE" })).body.detail).toBe(
      "Enrollment not found",
    );
  });

  test("the window and the prerequisites hold for an owner's move to ACTIVE, not for staff", async () => {
    const { university, course } = await make.topic();
    const ta = world.as(await make.holder("ta", university.id));
    const person = await make.person();
    const over = await make.offering(course, { enrollment_end: "2026-03-01T00:00:00Z" });
    const { id } = await make.enrollment(person.id, over.id, "DROPPED");
    const late = await world.as(person).put(`/enrollments/${id}`, { status: "ACTIVE" });
    expect([late.status, late.body.detail]).toEqual([400, "Enrollment is not open"]);
    expect((await ta.put(`/enrollments/${id}`, { status: "ACTIVE" })).status).toBe(200);

    const required = await make.course(university.id);
    const link = { course_id: course.id, prerequisite_course_id: required.id };
    await world.deps.db.insert(coursePrerequisites).values(link);
    const open = await make.offering(course);
    const pending = await make.enrollment(person.id, open.id, "PENDING");
    const unmet = await world.as(person).put(`/enrollments/${pending.id}`, { status: "ACTIVE" });
    expect([unmet.status, unmet.body.detail]).toEqual([
      400,
      `Unmet prerequisites: ${required.code} ${required.title}`,
    ]);
  });
});
