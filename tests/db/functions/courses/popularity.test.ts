import { beforeEach, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

const popularity = (course = 1) =>
  rows(
    `select subject_id, enrollments from course_popularity where course_id = ${course} order by subject_id nulls first`,
  );

/* Two take course 1 and one course 2; 1 teaches mathematics, 2 engineering. */
beforeEach(async () => {
  await rows("insert into course_subjects (course_id, subject_id) values (1, 1), (2, 2)");
  await rows(
    "insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'active'), (2, 1, 'completed'), (3, 2, 'active')",
  );
});

it("sync_course_popularity_subjects gives a new course a count, and its primary subject one", async () => {
  const made =
    "insert into courses (university_id, title, code, primary_subject_id) values (1, 'New', 'NEW', 3) returning id";
  expect(await popularity(Number(await value(made)))).toEqual([
    { subject_id: null, enrollments: 0 },
    { subject_id: 3, enrollments: 0 },
  ]);
});

it("sync_course_popularity_subjects follows the subjects that a course teaches", async () => {
  await rows("insert into course_subjects (course_id, subject_id) values (1, 3)");
  await rows("delete from course_subjects where course_id = 1 and subject_id = 1");
  expect(await popularity()).toEqual([
    { subject_id: null, enrollments: 2 },
    { subject_id: 3, enrollments: 2 },
  ]);
});

it("enrollments_after_write counts the active and the completed, in every subject of the course", async () => {
  await rows("update enrollments set status = 'dropped' where user_id = 1");
  expect(await popularity()).toEqual([
    { subject_id: null, enrollments: 1 },
    { subject_id: 1, enrollments: 1 },
  ]);
  await rows("delete from enrollments where user_id = 2");
  expect(await popularity()).toMatchObject([{ enrollments: 0 }, { enrollments: 0 }]);
});

it("sync_course_popularity_subjects gives each subject the count of the course, and removes former subjects", async () => {
  await rows("delete from course_popularity where course_id = 1 and subject_id = 1");
  await rows("insert into course_popularity (course_id, subject_id) values (1, 2)");
  await rows("update courses set primary_subject_id = primary_subject_id where id = 1");
  expect(await popularity()).toEqual([
    { subject_id: null, enrollments: 2 },
    { subject_id: 1, enrollments: 2 },
  ]);
});

it("sync_course_popularity_subjects counts nothing in a course whose count was removed with its university", async () => {
  await rows("insert into course_subjects (course_id, subject_id) values (1, 3)");
  await rows("delete from course_popularity where course_id = 1");
  await rows("delete from course_subjects where course_id = 1 and subject_id = 1");
  expect(await popularity()).toEqual([]);
});

it("recommended_courses begins with the person's preferences, then their subjects, then popular courses", async () => {
  const recommended = async () =>
    (await rows("select code from recommended_courses(3, 3)")).map(({ code }) => code);
  expect(await recommended()).toEqual(["DE", "LO"]);
  await rows("insert into course_subjects (course_id, subject_id) values (3, 2)");
  expect(await recommended()).toEqual(["LO", "DE"]);
  await rows("insert into user_subject_preferences (user_id, subject_id) values (3, 1)");
  expect(await recommended()).toEqual(["DE", "LO"]);
  expect(await column("select code from recommended_courses(3, 1)")).toEqual(["DE"]);
  await rows("update courses set is_published = false where code = 'DE'");
  expect(await recommended()).toEqual(["LO"]);
});
