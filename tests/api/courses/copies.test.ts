import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { questionPools } from "../../../schema/db/assessment/questions.ts";
import { coursePrerequisites, courseSubjects, courses } from "../../../schema/db/courses/courses.ts";
import { subjects } from "../../../schema/db/courses/subjects.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function prepareUniversity() {
  const { university, course, offering, module, item } = await make.topic();
  const instructor = world.as(await make.holder("instructor", university.id));
  return { university, course, offering, module, item, instructor };
}

test("the response of a copied course equals a read, with its subjects and prerequisites, for callers who may create it", async () => {
  const { university, course, instructor } = await prepareUniversity();
  const [subject] = await world.deps.db
    .insert(subjects)
    .values({ name: "Copied", code: "COPIED" })
    .returning();
  await world.deps.db.insert(courseSubjects).values({ course_id: course.id, subject_id: subject?.id ?? 0 });
  const required = await make.course(university.id);
  await world.deps.db
    .insert(coursePrerequisites)
    .values({ course_id: course.id, prerequisite_course_id: required.id });
  const copy = await instructor.post(`/courses/${course.id}/copy`, {
    title: "Once more",
    is_published: false,
  });
  expect(copy.status).toBe(201);
  expect(copy.body).toMatchObject({ code: `${course.code}-2`, title: "Once more", is_published: false });
  expect(copy.body.prerequisites).toMatchObject([
    { course_id: copy.body.id, prerequisite_course_id: required.id },
  ]);
  expect((await instructor.get(`/courses/${copy.body.id}`)).body).toEqual(copy.body);
  expect((await instructor.get(`/courses/${copy.body.id}/offerings`)).body).toEqual([]);

  const taken = await instructor.post(`/courses/${course.id}/copy`, { code: required.code });
  expect([taken.status, taken.body.detail]).toEqual([400, `Course code '${required.code}' is already taken`]);
  expect(taken.headers.get("X-Error-Field")).toBe("code");
  const both = await instructor.post(`/courses/${course.id}/copy`, {
    shift_days: 1,
    starts_on: "2027-02-01",
  });
  expect([both.status, both.body.detail[0].loc]).toEqual([422, ["body", "starts_on"]]);
  const dateless = await instructor.post(`/courses/${course.id}/copy`, { starts_on: "2027-02-01" });
  expect(dateless).toMatchObject({ status: 400, body: { detail: expect.stringContaining("shift_days") } });
});

test("a teacher of one course copies its offerings within it, but no course", async () => {
  const { university, course, offering } = await prepareUniversity();
  const teacher = await make.holder("ta", university.id);
  const admin = world.as(await make.holder("university_admin", university.id));
  const path = `/courses/${course.id}/offerings/${offering.id}`;
  await admin.post(`${path}/instructors`, { user_id: teacher.id });
  const api = world.as(teacher);
  for (const [address, body] of [
    [`/courses/${course.id}/copy`, {}],
    [`${path}/copy`, {}],
  ] as const)
    expect((await api.post(address, body)).status, address).toBe(403);
  const run = await api.post(`${path}/copy`, { same_course: true, term_name: "Spring 2027" });
  expect(run.body).toMatchObject({ course_id: course.id, term_name: "Spring 2027", visibility: "PUBLIC" });
  expect((await api.get(`/courses/${course.id}/offerings/${run.body.id}`)).body).toEqual(run.body);
  expect((await api.get(`/courses/${course.id}/offerings/${run.body.id}/instructors`)).body).toMatchObject([
    { user_id: teacher.id },
  ]);
});

test("a copy names no pool that the copier may not read, even if the original does", async () => {
  const { university, course, offering, module, instructor } = await prepareUniversity();
  const department = await make.department(university.id);
  await world.deps.db.update(courses).set({ department_id: department.id }).where(eq(courses.id, course.id));
  const { pool } = await make.questionPool(course);
  const quiz = (question_pool_id: number) =>
    make.contentItem(module, university.id, { type: "quiz", data_json: { question_pool_id } });
  await quiz(pool.id);
  const theirs = world.as(await make.holder("instructor", university.id, department.id));
  expect((await theirs.post(`/courses/${course.id}/copy`, {})).status).toBe(201);
  const [shared] = await world.deps.db
    .insert(questionPools)
    .values({ university_id: university.id, title: "Finals" })
    .returning();
  await quiz(shared?.id ?? 0);
  const run = `/courses/${course.id}/offerings/${offering.id}/copy`;
  const missing = `Content item question_pool_id '${shared?.id}' does not exist`;
  for (const reply of [await theirs.post(`/courses/${course.id}/copy`, {}), await theirs.post(run, {})])
    expect([reply.status, reply.body.detail]).toEqual([400, missing]);
  expect((await theirs.post(run, { same_course: true })).status).toBe(201);
  for (const path of [`/courses/${course.id}/copy`, run])
    expect((await instructor.post(path, {})).status).toBe(201);
  // Without the right to copy, the course is not found.
  const stranger = world.as(await make.holder("instructor", (await make.university()).id));
  expect((await stranger.post(`/courses/${course.id}/copy`, {})).status).toBe(403);
});

test("a copy of an offering has a separate course, with the dates of the new term", async () => {
  const { university, course, offering, module, instructor } = await prepareUniversity();
  const path = `/courses/${course.id}/offerings/${offering.id}`;
  await instructor.put(path, { starts_at: "2026-09-07T09:00:00Z", ends_at: "2026-12-18T20:00:00Z" });
  await instructor.put(`/modules/${module.id}`, { due_at: "2026-10-01T12:00:00Z" });
  const term = await make.term(university.id);
  const run = await instructor.post(`${path}/copy`, {
    code: "NEXT",
    term_id: term.id,
    starts_on: "2027-02-01",
  });
  expect(run.body).toMatchObject({
    term_id: term.id,
    term_name: term.name,
    starts_at: "2027-02-01T09:00:00.000Z",
    ends_at: "2027-05-14T20:00:00.000Z",
  });
  const outline = await instructor.get(`/courses/${run.body.course_id}/offerings/${run.body.id}/outline`);
  expect(outline.body.course.code).toBe("NEXT");
  expect(outline.body.modules).toMatchObject([{ title: module.title, due_at: "2027-02-25T12:00:00.000Z" }]);
});
