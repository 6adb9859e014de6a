import { describe, expect, test } from "vitest";
import { subjects } from "../../../schema/db/courses/subjects.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function subject() {
  const code = make.unique("S");
  const [row] = await world.deps.db.insert(subjects).values({ name: code, code }).returning();
  return row?.id ?? 0;
}

async function prepareUniversity() {
  const { id: university_id } = await make.university();
  const instructor = world.as(await make.holder("instructor", university_id));
  const student = world.as(await make.holder("student", university_id));
  return { university_id, instructor, student, course: await make.course(university_id) };
}

const courseIds = (count: number, university_id: number) =>
  Promise.all(Array.from({ length: count }, async () => (await make.course(university_id)).id));

describe("the subjects of a course", () => {
  test("a set takes the place of the one before, and its primary one is the course's", async () => {
    const { instructor, course } = await prepareUniversity();
    const [first, second, third] = [await subject(), await subject(), await subject()];
    const path = `/courses/${course.id}/subjects`;
    await instructor.put(path, [{ subject_id: first }, { subject_id: second, is_primary: true }]);
    const reply = await instructor.put(path, [
      { subject_id: third, is_primary: true },
      { subject_id: second },
    ]);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject([
      { id: second, is_primary: false },
      { id: third, is_primary: true },
    ]);
    const read = await instructor.get(`/courses/${course.id}`);
    expect(read.body).toMatchObject({ primary_subject_id: third, subjects: reply.body });
  });

  test("an empty set leaves the course without subjects", async () => {
    const { instructor, course } = await prepareUniversity();
    const path = `/courses/${course.id}/subjects`;
    await instructor.put(path, [{ subject_id: await subject(), is_primary: true }]);
    expect((await instructor.put(path, [])).body).toEqual([]);
    const read = await instructor.get(`/courses/${course.id}`);
    expect(read.body).toMatchObject({ primary_subject_id: null, subjects: [] });
  });

  test("an unknown subject is a 400 and the old set stays", async () => {
    const { instructor, course } = await prepareUniversity();
    const path = `/courses/${course.id}/subjects`;
    const [kept] = (await instructor.put(path, [{ subject_id: await subject() }])).body;
    const reply = await instructor.put(path, [{ subject_id: 2_000_000 }]);
    expect([reply.status, reply.body.detail]).toEqual([
      400,
      "Course subject subject_id '2000000' does not exist",
    ]);
    expect((await instructor.get(`/courses/${course.id}`)).body.subjects).toEqual([kept]);
  });

  test("a subject twice, or two primary ones, is a 422; a student gets a 403; an unknown course is a 404", async () => {
    const { instructor, student, course } = await prepareUniversity();
    const [one, two] = [await subject(), await subject()];
    const path = `/courses/${course.id}/subjects`;
    expect((await instructor.put(path, [{ subject_id: one }, { subject_id: one }])).status).toBe(422);
    const bothPrimary = [one, two].map((subject_id) => ({ subject_id, is_primary: true }));
    expect((await instructor.put(path, bothPrimary)).status).toBe(422);
    expect((await student.put(path, [])).status).toBe(403);
    expect((await instructor.put("/courses/2000000/subjects", [])).status).toBe(404);
  });

  test("of two sets that race, one stays whole", async () => {
    const { instructor, course } = await prepareUniversity();
    const [one, two, three, four] = [await subject(), await subject(), await subject(), await subject()];
    const sets = [
      [{ subject_id: one }, { subject_id: two }],
      [{ subject_id: three }, { subject_id: four }],
    ];
    const path = `/courses/${course.id}/subjects`;
    await Promise.all([...sets, ...sets, ...sets].map((set) => instructor.put(path, set)));
    const ids = (await instructor.get(`/courses/${course.id}`)).body.subjects.map(
      (row: { id: number }) => row.id,
    );
    expect([
      [one, two],
      [three, four],
    ]).toContainEqual(ids);
  });
});

describe("prerequisites", () => {
  test("one is added, listed, shown with its course, and removed", async () => {
    const { university_id, instructor, course } = await prepareUniversity();
    const required = await make.course(university_id);
    const path = `/courses/${course.id}/prerequisites`;
    const added = await instructor.post(path, { prerequisite_course_id: required.id });
    expect(added.status).toBe(201);
    const { title, code } = required;
    expect(added.body).toMatchObject({
      prerequisite_course_id: required.id,
      title,
      code,
      prerequisite_type: "STRICT",
    });
    expect((await world.as().get(path)).body).toEqual([added.body]);
    expect((await world.as().get(`${path}?skip=1`)).body).toEqual([]);
    expect((await world.as().get(`/courses/${course.id}`)).body.prerequisites).toEqual([added.body]);

    expect((await instructor.delete(`${path}/${required.id}`)).status).toBe(204);
    expect((await instructor.delete(`${path}/${required.id}`)).body.detail).toBe("Prerequisite not found");
  });

  test("a course of another university, an unknown one and a repeated one are 400s", async () => {
    const { university_id, instructor, course } = await prepareUniversity();
    const required = await make.course(university_id);
    const foreign = await make.course((await make.university()).id);
    const path = `/courses/${course.id}/prerequisites`;
    await instructor.post(path, { prerequisite_course_id: required.id });
    for (const id of [foreign.id, 2_000_000]) {
      const reply = await instructor.post(path, { prerequisite_course_id: id });
      const detail = `Prerequisite prerequisite_course_id '${id}' does not exist in this university`;
      expect([reply.status, reply.body.detail]).toEqual([400, detail]);
    }
    const repeated = await instructor.post(path, { prerequisite_course_id: required.id });
    const detail = `Prerequisite prerequisite_course_id '${required.id}' is already taken`;
    expect([repeated.status, repeated.body.detail]).toEqual([400, detail]);
  });

  test("a student gets a 403 for a visible course and a 404 for a hidden one", async () => {
    const { university_id, student, course } = await prepareUniversity();
    const hidden = await make.course(university_id, { is_published: false });
    const body = { prerequisite_course_id: course.id };
    expect((await student.get(`/courses/${hidden.id}/prerequisites`)).status).toBe(404);
    expect((await student.post(`/courses/${hidden.id}/prerequisites`, body)).status).toBe(404);
    expect((await student.post(`/courses/${course.id}/prerequisites`, body)).status).toBe(403);
    expect((await student.delete(`/courses/${course.id}/prerequisites/1`)).status).toBe(403);
  });

  test("a course that requires itself is a 400, directly or through others", async () => {
    const { university_id, instructor } = await prepareUniversity();
    const [first, second, third] = await courseIds(3, university_id);
    const add = (course?: number, prerequisite_course_id?: number) =>
      instructor.post(`/courses/${course}/prerequisites`, { prerequisite_course_id });
    expect((await add(first, second)).status).toBe(201);
    expect((await add(second, third)).status).toBe(201);
    for (const reply of [await add(first, first), await add(third, first), await add(second, first)])
      expect([reply.status, reply.body.detail]).toEqual([400, "The prerequisites would form a cycle"]);
  });

  test("of concurrent prerequisites that would close a cycle, the last is rejected", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { university_id, instructor } = await prepareUniversity();
      const ring = await courseIds(3, university_id);
      const replies = await Promise.all(
        ring.map((id, index) =>
          instructor.post(`/courses/${id}/prerequisites`, { prerequisite_course_id: ring[(index + 1) % 3] }),
        ),
      );
      expect(replies.map((reply) => reply.status).sort()).toEqual([201, 201, 400]);
    }
  });
});
