import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { enrollments } from "../../../../schema/db/courses/enrollments.ts";
import { users } from "../../../../schema/db/identity/users.ts";
import { eraseAccountOf } from "../../../support/erase.ts";
import { openLab } from "../../../support/lab.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openQuiz } from "../../assessment/exam.ts";

const world = openWorld();
const make = makersOf(world);

it("the row of an erased account is a number, in no list, with no way in, and its address is free", async () => {
  const { university, course, offering, learner, teacher } = await openLab(world);
  const admin = world.as(await make.holder("platform_admin", university.id));
  const token = world.as(learner);
  expect((await token.get("/users/me")).status).toBe(200);
  expect(await eraseAccountOf(world, learner)).toBe(204);

  const [row] = await world.deps.db.select().from(users).where(eq(users.id, learner.id));
  expect(row).toMatchObject({
    ...{ email: null, full_name: "", password_hash: null, email_verified_at: null, search_text: null },
    ...{ is_active: false, erased_at: world.deps.now().toISOString() },
  });
  for (const reader of [admin, world.as(teacher)]) {
    expect((await reader.get(`/users/${learner.id}`)).status).toBe(404);
    for (const query of [
      "",
      "&is_active=false",
      `&q=${learner.full_name}`,
      `&university_id=${university.id}`,
    ]) {
      const listed = (await reader.get(`/users/?limit=100${query}`)).body as { id: number }[];
      expect(
        listed.map(({ id }) => id),
        query,
      ).not.toContain(learner.id);
    }
    expect((await reader.get(`/users/${learner.id}/enrollments`)).status).toBe(404);
  }
  expect((await admin.patch(`/users/${learner.id}`, { is_active: true })).status).toBe(404);
  const here = `/courses/${course.id}/offerings/${offering.id}`;
  expect((await world.as(teacher).get(`${here}/enrollments`)).body).toEqual([]);
  expect((await world.as(teacher).get(`${here}/outline?user_id=${learner.id}`)).status).toBe(404);
  expect((await token.get("/users/me")).status).toBe(401);
  expect((await token.get("/enrollments/my-enrollments")).status).toBe(401);
  // Also with the row's current version.
  expect(
    (await world.as({ id: learner.id, token_version: row?.token_version ?? 0 }).get("/users/me")).status,
  ).toBe(401);
  const again = { email: learner.email, password: "correct horse", full_name: "Someone" };
  expect((await world.as().post("/auth/register", again)).status).toBe(201);
});

it("graded work, attempts and grades stay in the gradebook and the lists of staff, under the number", async () => {
  const { submit, grade, gradebook, learner, lab, paper, here, assistant, teacher, finalize } =
    await openLab(world);
  const graded = (await submit({ body: "Graded" })).body.id;
  await grade(graded, 15);
  const open = (await submit({ body: "Not yet" }, learner, paper)).body.id;
  expect(await eraseAccountOf(world, learner)).toBe(204);

  const [row] = (await gradebook()).body.rows;
  expect(row).toMatchObject({
    ...{ user_id: learner.id, full_name: null, email: null, is_erased: true, status: "ACTIVE" },
    cells: [
      { score: 15, state: "GRADED" },
      { score: null, state: "NONE" },
    ],
  });
  expect((await gradebook("?format=csv")).text).toContain(`
${learner.id},,,15,,75,C,15,,,,,,true,`);
  expect((await gradebook(`?q=${learner.full_name}`)).body.rows).toEqual([]);
  for (const sort of ["submitted_at", "full_name", "-full_name"]) {
    const listed = (await world.as(assistant).get(`${here}/submissions?sort=${sort}`)).body;
    expect(listed).toMatchObject([{ id: graded, user_id: learner.id, full_name: null }]);
  }
  expect((await world.as(assistant).get(`/assessments/submissions/${graded}`)).body.body).toBe("Graded");
  expect((await world.as(assistant).get(`/assessments/submissions/${open}`)).status).toBe(404);
  const set = await world
    .as(teacher)
    .put(`${here}/grades/${learner.id}/items/${lab.id}`, { score: 16, reason: "x" });
  expect(set.status).toBe(200);
  expect((await finalize()).body).toMatchObject({ finalized: 1 });
  expect((await gradebook()).body.rows[0].final).toMatchObject({ final_score: 16, letter_grade: "F" });
});

it("an open exam is submitted as saved, and graded", async () => {
  const { start, save, learner, assistant, right, quiz } = await openQuiz(world, { quiz_mode: "exam" });
  const { id } = (await start()).body;
  await save(id, right.slice(0, 2));
  expect(await eraseAccountOf(world, learner)).toBe(204);
  const listed = await world.as(assistant).get(`${quiz}/attempts`);
  expect(listed.body).toMatchObject([{ id, user_id: learner.id, full_name: null, timed_out: false }]);
  expect(listed.body[0].submitted_at).toBe(world.deps.now().toISOString());
  expect((await world.as(assistant).get(`/assessments/attempts/${id}`)).body.score_obtained).toBe(2);
});

it("a practice quiz without an attempt limit is not kept open", async () => {
  const { start, learner, assistant, quiz } = await openQuiz(world);
  await start();
  expect(await eraseAccountOf(world, learner)).toBe(204);
  expect((await world.as(assistant).get(`${quiz}/attempts`)).body).toEqual([]);
});

it("an erased person has no seat and no position in line, and their enrollments stay unchanged", async () => {
  const { offering } = await make.topic();
  await world.deps.db.execute(`update course_offerings set capacity = 1 where id = ${offering.id}`);
  const [first, second, third] = [await make.person(), await make.person(), await make.person()];
  const enroll = async (person: { id: number }) =>
    (await world.as(person).post("/enrollments/", { course_offering_id: offering.id })).body;
  await enroll(first);
  await enroll(second);
  const { id } = await enroll(third);
  expect((await world.as(third).get(`/enrollments/${id}`)).body).toMatchObject({
    status: "WAITLISTED",
    position: 2,
  });
  expect(await eraseAccountOf(world, second)).toBe(204);
  expect((await world.as(third).get(`/enrollments/${id}`)).body).toMatchObject({
    status: "WAITLISTED",
    position: 1,
  });
  expect(await eraseAccountOf(world, first)).toBe(204);
  expect((await world.as(third).get(`/enrollments/${id}`)).body).toMatchObject({ status: "ACTIVE" });
  const found = await world.deps.db
    .select({ user_id: enrollments.user_id, status: enrollments.status })
    .from(enrollments)
    .where(eq(enrollments.course_offering_id, offering.id))
    .orderBy(enrollments.id);
  expect(found.map(({ status }) => status)).toEqual(["ACTIVE", "WAITLISTED", "ACTIVE"]);
});

it("staff cannot change an erased person's enrollment, and issue them no certificate", async () => {
  const { offering, learner, teacher } = await openLab(world);
  const [mine] = (await world.as(learner).get("/enrollments/my-enrollments")).body;
  expect(await eraseAccountOf(world, learner)).toBe(204);
  expect((await world.as(teacher).put(`/enrollments/${mine.id}`, { status: "COMPLETED" })).status).toBe(403);
  await world.deps.db.update(enrollments).set({ status: "COMPLETED" }).where(eq(enrollments.id, mine.id));
  const { rows } = await world.deps.db.execute(
    `select from certificates where course_offering_id = ${offering.id}`,
  );
  expect(rows).toEqual([]);
});

it("a star stays in the course's average, without words and without a name", async () => {
  const { course, offering, learner, teacher } = await openLab(world);
  await world.deps.db.execute(
    `insert into course_reviews (user_id, course_offering_id, rating, review_text) values (${learner.id}, ${offering.id}, 2, 'Dull')`,
  );
  expect(await eraseAccountOf(world, learner)).toBe(204);
  for (const reader of [world.as(), world.as(teacher)]) {
    const { body } = await reader.get(`/community/courses/${course.id}/reviews`);
    expect(body).toMatchObject({ average_rating: 2, review_count: 1 });
    expect(body.reviews).toMatchObject([{ rating: 2, review_text: null, user_id: null, user_name: null }]);
  }
});
