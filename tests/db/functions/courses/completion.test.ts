import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { column, rows, value } = openSession();

/* Ada and Ben are in offering 1, which has room for one more after them; course 1 has two texts. */
beforeEach(async () => {
  await rows("update course_offerings set capacity = 2 where id = 1");
  await rows("select enroll(1, person, '2026-03-01') from generate_series(1, 3) as person");
});

const complete = (item: number, person = 1) =>
  rows(`insert into user_content_progress
      (user_id, course_offering_id, content_item_id, progress_percent, completed_at, last_interacted_at)
    values (${person}, 1, ${item}, 100, '2026-03-04', '2026-03-05')
    on conflict (user_id, course_offering_id, content_item_id) do update set completed_at = excluded.completed_at`);

const standing = (person = 1) =>
  rows(
    `select status, completion_source, completed_at::date::text from enrollments where user_id = ${person}`,
  );
const earned = { status: "completed", completion_source: "result", completed_at: "2026-03-05" };

it("user_content_progress_after_write completes an enrollment with the last published item, and admits the next in line", async () => {
  await complete(1);
  expect(await standing()).toMatchObject([{ status: "active" }]);
  await complete(2);
  expect(await standing()).toEqual([earned]);
  expect(await standing(3)).toMatchObject([{ status: "active" }]);
});

it("complete_enrollment_if_done ignores a self-reported completion, and overrides it", async () => {
  await complete(1);
  await rows("update enrollments set status = 'completed', completion_source = 'self' where user_id = 1");
  await rows("select complete_enrollment_if_done(1, 1, '2026-03-06')");
  expect(await standing()).toMatchObject([{ completion_source: "self" }]);
  expect(await standing(3)).toMatchObject([{ status: "waitlisted" }]);
  await complete(2);
  expect(await standing()).toEqual([earned]);
  expect(await standing(3)).toMatchObject([{ status: "active" }]);
  await rows("update enrollments set status = 'dropped' where user_id = 2");
  for (const item of [1, 2]) await complete(item, 2);
  expect(await standing(2)).toMatchObject([{ status: "dropped" }]);
});

it("complete_enrollment_if_done needs a rule of items, and items", async () => {
  const tryAgain = () => rows("select complete_enrollment_if_done(1, 1, '2026-03-05')");
  await rows("update course_offerings set completion_rule = 'manual'");
  for (const item of [1, 2]) await complete(item);
  expect(await standing()).toMatchObject([{ status: "active" }]);
  await rows("update course_offerings set completion_rule = 'all_items'");
  await rows("update content_items set is_active = false");
  await tryAgain();
  expect(await standing()).toMatchObject([{ status: "active" }]);
  await rows("update content_items set is_active = true");
  await tryAgain();
  expect(await standing()).toEqual([earned]);
});

it("course_grades_after_write waits for a final passing grade if the offering is graded", async () => {
  await rows("insert into course_grades (user_id, course_offering_id, passed) values (1, 1, true)");
  for (const item of [1, 2]) await complete(item);
  expect(await standing()).toMatchObject([{ status: "active" }]);
  await rows("update course_grades set passed = false, graded_at = '2026-03-06'");
  expect(await standing()).toMatchObject([{ status: "active" }]);
  await rows("update course_grades set passed = true");
  expect(await standing()).toEqual([{ ...earned, completed_at: "2026-03-06" }]);
});

describe("an item that takes a result", () => {
  const become = (type: string) =>
    rows(
      `update content_items set content_type_id = (select id from content_types where name = '${type}') where id = 2`,
    );
  const completed = () =>
    column(
      "select completed_at::date::text from user_content_progress where content_item_id = 2 and user_id = 1",
    );
  const moment = () => value("select item_completed_by_result_at(1, 1, 2)::date::text");

  it("user_content_progress_before_write takes what is posted for nothing", async () => {
    await become("quiz");
    for (const item of [1, 2]) await complete(item);
    expect([await completed(), await moment()]).toEqual([[null], null]);
    expect(
      await column("select content_item_id from user_content_progress where completed_at is not null"),
    ).toEqual([1]);
    expect(await standing()).toMatchObject([{ status: "active" }]);
  });

  it("sync_item_completion_with_result completes it with a quiz that is passed, and no other, and takes it back", async () => {
    await become("quiz");
    await complete(1);
    await rows(`insert into quiz_attempts (user_id, course_offering_id, content_item_id, submitted_at, passed)
      values (1, 1, 2, '2026-03-02', false)`);
    expect([await completed(), await moment()]).toEqual([[], null]);
    await rows("update quiz_attempts set passed = true");
    await rows("select sync_item_completion_with_result(1, 1, 2)");
    expect([await completed(), await moment()]).toEqual([["2026-03-02"], "2026-03-02"]);
    expect(await standing()).toMatchObject([{ completion_source: "result" }]);
    await rows("update quiz_attempts set passed = false");
    expect(await completed()).toEqual([null]);
  });

  it.each(["engineering_lab", "assignment"])(
    "sync_item_completion_with_result completes it with a graded %s",
    async (type) => {
      await become(type);
      await rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, submitted_at)
      values (1, 1, 2, '2026-03-02')`);
      expect(await completed()).toEqual([]);
      await rows("update lab_submissions set status = 'graded'");
      expect(await completed()).toEqual(["2026-03-02"]);
    },
  );

  it("completes the course when it is graded, and admits no one who waited until then", async () => {
    await become("engineering_lab");
    await rows("update course_offerings set enrollment_end = '2026-03-08' where id = 1");
    await rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, submitted_at)
      values (1, 1, 2, '2026-03-02')`);
    await complete(1);
    await rows("update lab_submissions set status = 'graded', graded_at = '2026-03-09'");
    expect([await completed(), await standing()]).toEqual([
      ["2026-03-02"],
      [{ ...earned, completed_at: "2026-03-09" }],
    ]);
    expect(await standing(3)).toMatchObject([{ status: "waitlisted" }]);
  });
});

it("a score that is set as passed, by item_completed_by_result_at, and an attempt by effective_quiz_rules_of_person, are passed with the same percent", async () => {
  expect(await value("select passing_percent_of_quiz('{}')::int")).toBe(60);
  const stated = ["null", '"50"', "-5", "0", "33.25", "60", "99.99", "100", "150"];
  for (const data of ["{}", ...stated.map((percent) => `{"passing_percent": ${percent}}`)]) {
    await rows(`update content_items set data_json = '${data}',
      content_type_id = (select id from content_types where name = 'quiz') where id = 1`);
    const isPassedWith = (below: number) =>
      rows(`with graded as (
          insert into item_grades (user_id, course_offering_id, content_item_id, score_override)
          select 1, 1, 1, greatest(rules.passing_percent - ${below}, -1) from effective_quiz_rules_of_person(1, 1, 1) as rules
          on conflict on constraint item_grades_person_unique do update set score_override = excluded.score_override
        ) select 1`).then(() => rows("select item_completed_by_result_at(1, 1, 1) is not null as passed"));
    expect([await isPassedWith(0), await isPassedWith(0.01)], data).toEqual([
      [{ passed: true }],
      [{ passed: false }],
    ]);
  }
});
