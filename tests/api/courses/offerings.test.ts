import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import { mailboxOf } from "../../support/mailbox.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);

async function prepareUniversity(overrides: { is_published?: boolean } = {}) {
  const university = await make.university();
  const course = await make.course(university.id, overrides);
  const instructor = world.as(await make.holder("instructor", university.id));
  const student = world.as(await make.holder("student", university.id));
  return { university, course, instructor, student, path: `/courses/${course.id}/offerings` };
}

const ids = (rows: { id: number }[]) => rows.map((row) => row.id);

describe("listing and reading", () => {
  test("a private offering is listed for staff, its instructors and the enrolled; a public one for everyone", async () => {
    const { university, course, instructor, path } = await prepareUniversity();
    const open = await make.offering(course);
    const closed = await make.offering(course, { visibility: "PRIVATE" });
    const [teacher, learner, leaver] = [
      await make.ownPerson(university.id),
      await make.person(),
      await make.person(),
    ];
    await instructor.post(`${path}/${closed.id}/instructors`, { email: teacher.email });
    await make.enrollment(learner.id, closed.id, "WAITLISTED");
    await make.enrollment(leaver.id, closed.id, "DROPPED");
    const staff = await make.holder("ta", university.id);
    const elsewhere = await make.holder("university_admin", (await make.university()).id);

    for (const caller of [staff, teacher, learner])
      expect(ids((await world.as(caller).get(path)).body)).toEqual([open.id, closed.id]);
    for (const caller of [undefined, leaver, elsewhere])
      expect(ids((await world.as(caller).get(path)).body)).toEqual([open.id]);
  });

  test("a private offering can be read by its id", async () => {
    const { course, path } = await prepareUniversity();
    const closed = await make.offering(course, { visibility: "PRIVATE", capacity: 30 });
    const reply = await world.as().get(`${path}/${closed.id}`);
    expect(reply.body).toMatchObject({ id: closed.id, visibility: "PRIVATE", capacity: 30 });
  });

  test("an empty list is empty, and one of a course that cannot be seen is a 404", async () => {
    const { student, path } = await prepareUniversity();
    expect((await student.get(path)).body).toEqual([]);
    const hidden = await prepareUniversity({ is_published: false });
    const reply = await hidden.student.get(hidden.path);
    expect([reply.status, reply.body.detail]).toEqual([404, "Course not found"]);
  });

  test("a list is cut by skip and limit", async () => {
    const { course, path } = await prepareUniversity();
    const made = [await make.offering(course), await make.offering(course), await make.offering(course)];
    expect(ids((await world.as().get(`${path}?skip=1&limit=1`)).body)).toEqual([made[1]?.id]);
    expect((await world.as().get(`${path}?skip=9`)).body).toEqual([]);
  });

  test("an offering is found under its own course only", async () => {
    const { course, path } = await prepareUniversity();
    const other = await prepareUniversity();
    const offering = await make.offering(course);
    expect((await world.as().get(`${path}/${offering.id}`)).status).toBe(200);
    expect((await world.as().get(`${other.path}/${offering.id}`)).body.detail).toBe("Offering not found");
    expect((await world.as().get(`/courses/2000000/offerings/${offering.id}`)).body.detail).toBe(
      "Course not found",
    );
  });
});

describe("creating and changing", () => {
  test("a stored time is returned unchanged, in every supported year", async () => {
    const { instructor, path } = await prepareUniversity();
    const given = {
      starts_at: "0001-01-01T00:00Z",
      ends_at: "0050-06-01T12:00+14:00",
      enrollment_start: "0099-12-31T23:59:59.9999Z",
      enrollment_end: "9999-12-31T23:59:59.999Z",
    };
    const { body } = await instructor.post(path, given);
    const stored = {
      starts_at: "0001-01-01T00:00:00.000Z",
      ends_at: "0050-05-31T22:00:00.000Z",
      enrollment_start: "0099-12-31T23:59:59.999Z",
      enrollment_end: "9999-12-31T23:59:59.999Z",
    };
    expect(body).toMatchObject(stored);
    expect((await instructor.get(`${path}/${body.id}`)).body).toMatchObject(stored);
  });

  test("an instructor creates one with dates in any offset, and it is private by default", async () => {
    const { university, course, instructor, path } = await prepareUniversity();
    const reply = await instructor.post(path, {
      term_name: "Autumn",
      starts_at: "2026-09-01T10:00:00+02:00",
    });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      course_id: course.id,
      university_id: university.id,
      term_name: "Autumn",
      starts_at: "2026-09-01T08:00:00.000Z",
      ends_at: null,
      visibility: "PRIVATE",
      capacity: null,
    });
    expect((await instructor.get(`${path}/${reply.body.id}`)).body).toEqual(reply.body);
  });

  test("absent fields keep their values, null clears, an empty change changes nothing", async () => {
    const { course, instructor, path } = await prepareUniversity();
    const offering = await make.offering(course, { capacity: 3 });
    const changed = await instructor.put(`${path}/${offering.id}`, { capacity: null, visibility: "private" });
    const { term_name } = offering;
    expect(changed.body).toMatchObject({ capacity: null, visibility: "PRIVATE", term_name });
    expect((await instructor.put(`${path}/${offering.id}`, {})).body).toEqual(changed.body);
    expect((await instructor.put(`${path}/${offering.id}`, { visibility: null })).status).toBe(422);
  });

  test("a period that ends before it starts is a 422 at its end, also when only one of the two is sent", async () => {
    const { instructor, path } = await prepareUniversity();
    const [early, late] = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"];
    const both = await instructor.post(path, {
      starts_at: late,
      ends_at: early,
      enrollment_start: late,
      enrollment_end: late,
    });
    expect(both.status).toBe(422);
    expect(both.body.detail).toMatchObject([
      { loc: ["body", "ends_at"] },
      { loc: ["body", "enrollment_end"] },
    ]);

    const { body: offering } = await instructor.post(path, { starts_at: late, enrollment_start: late });
    for (const end of ["ends_at", "enrollment_end"]) {
      const reply = await instructor.put(`${path}/${offering.id}`, { [end]: early });
      expect([reply.status, reply.body.detail[0].loc]).toEqual([422, ["body", end]]);
    }
  });

  test("dates without an offset, a capacity of 0 and an unknown visibility are a 422", async () => {
    const { instructor, path } = await prepareUniversity();
    const reply = await instructor.post(path, {
      starts_at: "2026-01-01T00:00:00",
      capacity: 0,
      visibility: "open",
    });
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toHaveLength(3);
  });

  test("callers without write access get a 403 for a visible course, and a 404 for a hidden one", async () => {
    const open = await prepareUniversity();
    const hidden = await prepareUniversity({ is_published: false });
    const elsewhere = world.as(await make.holder("university_admin", (await make.university()).id));
    for (const caller of [open.student, elsewhere]) {
      for (const { course, path, status } of [
        { ...open, status: 403 },
        { ...hidden, status: 404 },
      ]) {
        const offering = await make.offering(course);
        expect((await caller.post(path, {})).status).toBe(status);
        expect((await caller.put(`${path}/${offering.id}`, {})).status).toBe(status);
        expect((await caller.delete(`${path}/${offering.id}`)).status).toBe(status);
      }
    }
    expect((await world.as().post(open.path, {})).status).toBe(401);
  });
});

describe("deleting", () => {
  test("a department admin deletes an offering, an instructor cannot", async () => {
    const { university, course, instructor, path } = await prepareUniversity();
    const offering = await make.offering(course);
    const admin = world.as(await make.holder("department_admin", university.id));
    expect((await instructor.delete(`${path}/${offering.id}`)).status).toBe(403);
    expect((await admin.delete(`${path}/${offering.id}`)).status).toBe(204);
    expect((await admin.delete(`${path}/${offering.id}`)).body.detail).toBe("Offering not found");
  });

  test("an offering with enrollments cannot be deleted", async () => {
    const { university, course, path } = await prepareUniversity();
    const offering = await make.offering(course);
    await make.enrollment((await make.person()).id, offering.id);
    const admin = world.as(await make.holder("department_admin", university.id));
    const reply = await admin.delete(`${path}/${offering.id}`);
    expect([reply.status, reply.body.detail]).toEqual([400, "Offering has enrollments"]);
  });

  test("an enrollment that races a deletion finds the offering, or a 404", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { university, course, path } = await prepareUniversity();
      const offering = await make.offering(course);
      const admin = world.as(await make.holder("department_admin", university.id));
      const [enrolled, deleted] = await Promise.all([
        world.as(await make.person()).post("/enrollments/", { course_offering_id: offering.id }),
        admin.delete(`${path}/${offering.id}`),
      ]);
      expect([
        [201, 400],
        [404, 204],
      ]).toContainEqual([enrolled.status, deleted.status]);
    }
  });
});

describe("instructors", () => {
  test("a person is added, listed by name, and taken off", async () => {
    const { course, instructor, path } = await prepareUniversity();
    const offering = await make.offering(course);
    const teacher = await make.person();
    const instructors = `${path}/${offering.id}/instructors`;
    await make.enrollment(teacher.id, offering.id);
    const added = await instructor.post(instructors, { user_id: teacher.id });
    expect(added.status).toBe(201);
    const { full_name } = teacher;
    expect(added.body).toMatchObject({ course_offering_id: offering.id, user_id: teacher.id, full_name });
    expect((await world.as().get(instructors)).body).toEqual([added.body]);
    expect((await world.as().get(`${instructors}?skip=1`)).body).toEqual([]);
    expect((await instructor.delete(`${instructors}/${teacher.id}`)).status).toBe(204);
    expect((await instructor.delete(`${instructors}/${teacher.id}`)).body.detail).toBe(
      "Instructor not found",
    );
  });

  test("the university's own person is named by email, and keeps their name", async () => {
    const { university, course, instructor, path } = await prepareUniversity();
    const { id } = await make.offering(course);
    const teacher = await make.ownPerson(university.id);
    const added = await instructor.post(`${path}/${id}/instructors`, { email: teacher.email });
    expect([added.status, added.body]).toEqual([
      201,
      { id: expect.any(Number), course_offering_id: id, user_id: teacher.id, full_name: null },
    ]);
    expect(world.log.at(-1)?.["db_query_count"]).toBe(2);
    const again = await instructor.post(`${path}/${id}/instructors`, { email: teacher.email });
    expect([again.status, again.body.detail]).toEqual([
      400,
      `Instructor user_id '${teacher.id}' is already taken`,
    ]);
  });

  test("a stranger's id is a 404, just as an unused id", async () => {
    const { course, instructor, path } = await prepareUniversity();
    const { id } = await make.offering(course);
    const stranger = await make.holder("instructor", (await make.university()).id);
    for (const [named, detail] of [
      [{ user_id: stranger.id }, "User not found"],
      [{ user_id: 2_000_000 }, "User not found"],
    ] as const) {
      const reply = await instructor.post(`${path}/${id}/instructors`, named);
      expect([reply.status, reply.body.detail]).toEqual([404, detail]);
    }
    expect((await instructor.post(`${path}/${id}/instructors`, {})).body.detail).toMatchObject([
      { loc: ["body", "user_id"], type: "missing" },
    ]);
  });

  test("an address outside of the university is offered to teach, once, only by callers who could appoint it", async () => {
    const { university, course, instructor, student, path } = await prepareUniversity();
    const { id } = await make.offering(course);
    const email = `${make.unique("new")}@example.edu`;
    const ta = world.as(await make.holder("ta", university.id));
    for (const other of [student, ta])
      expect((await other.post(`${path}/${id}/instructors`, { email })).status).toBe(403);
    const name = () => instructor.post(`${path}/${id}/instructors`, { email });
    const answers = await Promise.all([name(), name(), name()]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    const invited = await name();
    expect(world.log.at(-1)?.["db_query_count"]).toBe(2);
    expect(invited.body.offer).toMatchObject({ email, course_offering_id: id });
    const invitations = `/universities/${university.id}/invitations`;
    expect((await instructor.get(invitations)).body).toMatchObject([
      { ...invited.body.offer, teaches: true },
    ]);
    expect((await ta.get(invitations)).body).toEqual([]);

    const token = await mailbox.tokenFor(email);
    expect(mailbox.mails.at(-1)?.text).toContain("the role of instructor in a course");
    const anew = { token, full_name: "New", password: "correct horse" };
    expect((await world.as().post("/auth/invitations/accept", anew)).status).toBe(201);
    expect((await instructor.get(`${path}/${id}/instructors`)).body).toMatchObject([{ full_name: "New" }]);
    expect((await instructor.get(`${path}/${id}/enrollments`)).body).toEqual([]);
  });

  /** A department's assistant who teaches a private offering of an unpublished course. */
  async function teachingAssistant() {
    const { university, course, instructor } = await prepareUniversity({ is_published: false });
    const offering = await make.offering(course, { visibility: "PRIVATE" });
    const department = await make.department(university.id);
    const person = await make.holder("ta", university.id, department.id);
    const teacher = world.as(person);
    const own = `/courses/${course.id}`;
    expect((await teacher.get(own)).status).toBe(404);
    const { body } = await instructor.post(`${own}/offerings/${offering.id}/instructors`, {
      user_id: person.id,
    });
    expect(body.user_id).toBe(person.id);
    const unit = { course_id: course.id, module_type: "UNIT", title: "Week" };
    return { university, offering, person, teacher, own, unit };
  }

  test("an assistant who teaches an offering is an instructor in its course", async () => {
    const { university, offering, teacher, own, unit } = await teachingAssistant();
    expect((await teacher.put(own, { title: "Taught" })).body.title).toBe("Taught");
    expect((await teacher.put(own, { title: "Mine", department_id: null })).status).toBe(200);
    expect(
      (await teacher.put(own, { department_id: (await make.department(university.id)).id })).status,
    ).toBe(403);
    const module = await teacher.post("/modules/", unit);
    expect(module.status).toBe(201);
    expect((await teacher.put(`/modules/${module.body.id}`, { title: "Other" })).status).toBe(200);
    expect((await teacher.get(`${own}/offerings/${offering.id}/enrollments`)).status).toBe(200);
    expect((await teacher.put(`${own}/offerings/${offering.id}`, { capacity: 9 })).status).toBe(200);
    expect((await teacher.delete(`${own}/offerings/${offering.id}`)).status).toBe(403);
  });

  test("an assistant who teaches an offering is an instructor nowhere else, and of nothing without a role", async () => {
    const { university, person, teacher, own, unit } = await teachingAssistant();
    const other = await make.course(university.id);
    expect((await teacher.put(`/courses/${other.id}`, { title: "Not mine" })).status).toBe(403);
    expect((await teacher.post("/modules/", { ...unit, course_id: other.id })).status).toBe(403);
    expect((await teacher.get("/prompts/")).status).toBe(403);

    await world.deps.db.delete(userUniversityRoles).where(eq(userUniversityRoles.user_id, person.id));
    expect((await teacher.get(own)).status).toBe(404);
    expect((await teacher.put(own, { title: "Still mine" })).status).toBe(404);
  });

  test("a student gets a 403, and an unknown offering is a 404", async () => {
    const { course, student, instructor, path } = await prepareUniversity();
    const { id } = await make.offering(course);
    const body = { user_id: (await make.person()).id };
    expect((await student.post(`${path}/${id}/instructors`, body)).status).toBe(403);
    expect((await student.delete(`${path}/${id}/instructors/${body.user_id}`)).status).toBe(403);
    expect((await instructor.get(`${path}/2000000/instructors`)).body.detail).toBe("Offering not found");
    expect((await instructor.post(`${path}/2000000/instructors`, body)).status).toBe(404);
  });
});

describe("the roster", () => {
  test("staff read enrolled people, by status and then by time", async () => {
    const { university, course, path } = await prepareUniversity();
    const offering = await make.offering(course);
    const people = [await make.person(), await make.person(), await make.person()];
    const statuses = ["WAITLISTED", "ACTIVE", "ACTIVE"] as const;
    for (const [index, one] of people.entries()) await make.enrollment(one.id, offering.id, statuses[index]);
    const ta = world.as(await make.holder("ta", university.id));

    const reply = await ta.get(`${path}/${offering.id}/enrollments`);
    const [waiting, first, second] = people.map(({ id, email, full_name }) => ({
      user_id: id,
      email,
      full_name,
    }));
    expect(reply.body).toMatchObject([first, second, waiting]);
    const queue = await ta.get(`${path}/${offering.id}/enrollments?status=waitlisted`);
    expect(queue.body).toMatchObject([{ ...waiting, status: "WAITLISTED" }]);
    expect((await ta.get(`${path}/${offering.id}/enrollments?skip=3`)).body).toEqual([]);
  });

  test("it is a 403 for everyone else, and a 404 if the course is hidden", async () => {
    const { course, student, path } = await prepareUniversity();
    const offering = await make.offering(course);
    expect((await student.get(`${path}/${offering.id}/enrollments`)).status).toBe(403);
    expect((await world.as().get(`${path}/${offering.id}/enrollments`)).status).toBe(401);
    const hidden = await prepareUniversity({ is_published: false });
    const there = await make.offering(hidden.course);
    expect((await hidden.student.get(`${hidden.path}/${there.id}/enrollments`)).status).toBe(404);
  });

  test("staff of a department read the rosters of its courses only", async () => {
    const { university, course, path } = await prepareUniversity();
    const department = await make.department(university.id);
    const own = await make.course(university.id, { department_id: department.id });
    const ta = world.as(await make.holder("ta", university.id, department.id));
    const [there, elsewhere] = [await make.offering(own), await make.offering(course)];
    expect((await ta.get(`/courses/${own.id}/offerings/${there.id}/enrollments`)).status).toBe(200);
    expect((await ta.get(`${path}/${elsewhere.id}/enrollments`)).status).toBe(403);
  });
});
