import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { markAttemptsForRegradeCtes } from "../../../../lib/assessment/regrade.ts";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

/** Ada and Ben are in the first offering, which has a lab of 20 points and an assignment of 80; Cyd grades. */
beforeEach(async () => {
  await is(1, "engineering_lab", { grading: { max_points: 20 } });
  await is(2, "assignment", { max_points: 80 });
  await rows("update course_offerings set capacity = null");
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1), (2, 1)");
});

const is = (item: number, type: string, data: object) =>
  rows(`update content_items set data_json = '${JSON.stringify(data)}',
    content_type_id = (select id from content_types where name = '${type}') where id = ${item}`);
const request = `'{"at": "2026-03-01T12:00:00Z"}'`;
const graded = (item: number, score: number, max: number, attempt = 1, status = "graded", person = 1) =>
  rows(`insert into lab_submissions
    (user_id, course_offering_id, content_item_id, attempt_number, status, score_obtained, max_score)
    values (${person}, 1, ${item}, ${attempt}, '${status}', ${status === "graded" ? score : null}, ${max})`);
const set = (entries: object[]) =>
  rows(`select from override_item_grades(
    1, '${JSON.stringify(entries)}', false, 3, 'Why', false, '2026-03-01 12:00Z', ${request})`);
const ofAda = (content_item_id: number, score: number | null, is_excused = false) => ({
  user_id: 1,
  ...{ content_item_id, score, is_excused },
});
const scheme = (given: object) =>
  value(`select missing from set_grading_scheme(1, '${JSON.stringify(given)}', 3, now(), ${request})`);
const finalize = (
  people = "null",
  finalizer = 3,
  { awaiting = true, grades = "null", dry = false, most = 500 } = {},
) =>
  rows(`select user_id, outcome, passed, awaited from finalize_course_grades(1, ${finalizer}, jsonb_build_object(
    'people', ${people}::int[], 'most', ${most}, 'with_awaiting', ${awaiting}, 'grades', ${grades}::jsonb, 'dry', ${dry},
    'why', 'End of term'), '2026-03-02 12:00Z', ${request})`);
const finals = () =>
  rows(`select user_id, final_score::float8 as score, letter_grade as letter, passed from course_grades
    where graded_at is not null order by user_id`);

const quizzed = (
  number: number,
  given: { submitted?: boolean; score?: number; due?: string; person?: number },
) =>
  rows(`insert into quiz_attempts (user_id, course_offering_id, content_item_id, attempt_number, started_at, due_at,
      submitted_at, awaits_grading, score_obtained, max_score)
    values (${given.person ?? 1}, 1, 1, ${number}, '2026-03-01', '${given.due ?? "2026-04-01"}',
      ${given.submitted ? "'2026-03-01'" : "null"}, ${given.submitted === true && given.score === undefined},
      ${given.score ?? "null"}, 4)`);
const awaited = () =>
  rows(
    "select item_id as item, is_gradable from items_awaiting_grade(1, '{1}', '2026-03-02 12:00Z') order by 1",
  );
const outdated = () =>
  column("select user_id from course_grades where outdated_at is not null order by user_id");

describe("set_event_feed_fields_of_grade", () => {
  const numbers = () =>
    rows(`select university_id is not null as is_listed, change_number = current_transaction_number() as is_own
      from course_grades where user_id = 1`);

  it("numbers a grade once it is final, and whenever it is reopened or outdated, but not earlier staff scores", async () => {
    await rows("insert into course_grades (course_offering_id, user_id, score_override) values (1, 1, 80)");
    expect(await numbers()).toEqual([{ is_listed: false, is_own: null }]);
    await finalize("'{1}'");
    expect(await numbers()).toEqual([{ is_listed: true, is_own: true }]);
    for (const change of ["outdated_at = now()", "graded_at = null, final_score = null, passed = null"]) {
      await rows("update course_grades set change_number = 0");
      expect(await numbers()).toEqual([{ is_listed: true, is_own: false }]);
      await rows(`update course_grades set ${change}`);
      expect(await numbers()).toEqual([{ is_listed: true, is_own: true }]);
    }
  });
});

describe("finalize_course_grades", () => {
  it("fixes the grade from the items, or from override_course_grade, and notifies", async () => {
    await graded(1, 20, 20);
    await graded(2, 70, 80);
    const set = (person: number, grader = 3) =>
      value(
        `select refusal from override_course_grade(1, ${person}, 61, ${grader}, 'Why', now(), ${request})`,
      );
    expect([await set(2), await set(3), await set(1, 1)]).toEqual([null, "not enrolled", "own"]);
    expect(await finalize()).toEqual([
      { user_id: 1, outcome: "final", passed: true, awaited: [] },
      { user_id: 2, outcome: "final", passed: true, awaited: [] },
    ]);
    expect(await finals()).toEqual([
      { user_id: 1, score: 90, letter: "A", passed: true },
      { user_id: 2, score: 61, letter: "D", passed: true },
    ]);
    expect(await finalize()).toEqual([]);
    expect(await value("select is_course_grade_final(1, 1)")).toBe(true);
    expect([await set(2)]).toEqual(["final"]);
    expect(await column("select kind from grade_changes order by id")).toEqual([
      "course_set",
      "finalized",
      "finalized",
    ]);
    expect(await value("select current_json from grade_changes where user_id = 1")).toEqual({
      ...{ score: 90, letter: "A", passed: true },
    });
  });

  it("completes a course that waited for it, and withdraws the completion if a later final grade fails", async () => {
    await scheme({ passing_percent: 60 });
    await graded(1, 20, 20);
    await graded(2, 80, 80);
    const standing = () =>
      rows("select status, completion_source as source from enrollments where user_id = 1");
    expect(await standing()).toMatchObject([{ status: "active" }]);
    await finalize("array[1]");
    expect(await standing()).toEqual([{ status: "completed", source: "result" }]);
    const reopen = () => column(`select reopen_final_course_grades(1, null, 3, 'Wrong', now(), ${request})`);
    expect([await reopen(), await reopen()]).toEqual([[1], []]);
    expect(await standing()).toMatchObject([{ status: "completed" }]);
    await set([ofAda(2, 0)]);
    await finalize("array[1]");
    expect(await finals()).toEqual([{ user_id: 1, score: 20, letter: "F", passed: false }]);
    expect(await standing()).toEqual([{ status: "active", source: null }]);
  });

  it("skips the caller's own grade, and people without a seat; lock_offering_grades and lock_offering_grades_shared are its locks", async () => {
    await rows("update enrollments set status = 'dropped' where user_id = 2");
    await rows("select lock_offering_grades(1), lock_offering_grades_shared(1)");
    expect(await finalize("null", 1)).toEqual([]);
    expect(await rows("select from course_grades")).toEqual([]);
  });
});

describe("items_awaiting_grade", () => {
  it("has the items of a person whose work is all excused, until staff set the grade", async () => {
    await set([ofAda(1, null, true), ofAda(2, null, true)]);
    const both = [
      { item: 1, is_gradable: false },
      { item: 2, is_gradable: false },
    ];
    expect(await awaited()).toEqual(both);
    expect(await finalize("'{1}'", 3, { awaiting: false })).toEqual([
      { user_id: 1, outcome: "awaiting", passed: false, awaited: [1, 2] },
    ]);
    expect(await finals()).toEqual([]);
    await is(2, "assignment", { max_points: 0, extra_points: 5 });
    expect((await awaited()).map(({ item }) => item)).toContain(1);
    await is(2, "assignment", { max_points: 80 });
    await value(`select refusal from override_course_grade(1, 1, 88, 3, 'Why', now(), ${request})`);
    expect(await awaited()).toEqual([]);
    expect(await finalize("'{1}'", 3, { awaiting: false })).toMatchObject([
      { outcome: "final", passed: true },
    ]);
  });

  it("has no excused items of a person with other work, also if it is missing", async () => {
    await set([ofAda(1, null, true)]);
    expect(await awaited()).toEqual([]);
  });

  it("are those with an attempt that is open or not graded, or work that is newer than any grade", async () => {
    await is(1, "quiz", {});
    expect(await awaited()).toEqual([]);
    await quizzed(1, { submitted: true, score: 3 });
    await graded(2, 10, 80);
    expect(await awaited()).toEqual([]);
    await quizzed(2, {});
    await graded(2, 0, 80, 2, "submitted");
    expect(await awaited()).toEqual([
      { item: 1, is_gradable: false },
      { item: 2, is_gradable: false },
    ]);
    await rows("update quiz_attempts set due_at = '2026-03-02' where submitted_at is null");
    expect((await awaited())[0]).toEqual({ item: 1, is_gradable: true });
    await rows(
      "update quiz_attempts set submitted_at = due_at, score_obtained = 1 where submitted_at is null",
    );
    await graded(2, 40, 80, 3);
    expect(await awaited()).toEqual([]);
    await rows(
      sql`with permitted as (select 1 as item_id, 1 as offering_id), ${markAttemptsForRegradeCtes(3)} select from waiting`,
    );
    await rows("update quiz_attempts set awaits_grading = true where attempt_number = 1");
    expect(await awaited()).toEqual([{ item: 1, is_gradable: true }]);
  });

  it("leave out items without weight, with a staff score, and excused ones", async () => {
    await graded(1, 0, 20, 1, "submitted");
    await graded(2, 0, 80, 1, "submitted");
    expect(await awaited()).toHaveLength(2);
    await set([ofAda(1, 5), ofAda(2, null, true)]);
    expect(await awaited()).toEqual([]);
    await set([ofAda(1, null), ofAda(2, null)]);
    await scheme({
      groups: [
        { name: "Papers", weight: 1, content_item_ids: [2] },
        { name: "Practice", weight: 0, content_item_ids: [1] },
      ],
    });
    expect(await awaited()).toMatchObject([{ item: 2 }]);
  });
});

describe("finalize_course_grades for people who await a grade", () => {
  it("leaves them out, unless they are included", async () => {
    await graded(2, 0, 80, 1, "submitted");
    expect(await finalize("null", 3, { awaiting: false })).toEqual([
      { user_id: 1, outcome: "awaiting", passed: false, awaited: [2] },
      { user_id: 2, outcome: "final", passed: false, awaited: [] },
    ]);
    expect(await finals()).toMatchObject([{ user_id: 2 }]);
    expect(await finalize()).toEqual([{ user_id: 1, outcome: "final", passed: false, awaited: [2] }]);
  });

  it("closes expired attempts, which a second call grades first", async () => {
    await is(1, "quiz", {});
    await quizzed(1, { due: "2026-03-02" });
    expect(await finalize()).toMatchObject([
      { user_id: 1, outcome: "gradable", awaited: [1] },
      { user_id: 2, outcome: "final" },
    ]);
    expect(await rows("select timed_out, awaits_grading from quiz_attempts")).toEqual([
      { timed_out: true, awaits_grading: true },
    ]);
    const grades = `(select jsonb_build_array(jsonb_build_object('attempt_id', id, 'score', 4, 'max_score', 4, 'passed', true,
      'questions', '[]'::jsonb)) from quiz_attempts)`;
    const one = "array[1]";
    expect(await finalize(one, 3, { awaiting: false, grades: "'[]'" })).toMatchObject([
      { outcome: "awaiting" },
    ]);
    expect(await finalize(one, 3, { grades, dry: true })).toMatchObject([{ outcome: "final", awaited: [] }]);
    expect(await value("select awaits_grading from quiz_attempts")).toBe(true);
    expect(await finalize(one, 3, { awaiting: false, grades })).toMatchObject([
      { outcome: "final", awaited: [] },
    ]);
  });

  it("writes nothing in a dry run, and answers the same", async () => {
    await is(1, "quiz", {});
    await quizzed(1, { due: "2026-03-02" });
    await graded(2, 80, 80, 1, "graded", 2);
    const dry = await finalize("null", 3, { dry: true });
    expect(await rows("select submitted_at from quiz_attempts")).toEqual([{ submitted_at: null }]);
    expect([await finals(), await column("select id from grade_changes")]).toEqual([[], []]);
    expect(await finalize()).toEqual(dry);
  });

  it("takes people by id, so many together and after the last", async () => {
    const first = await finalize("null", 3, { most: 1, dry: true });
    expect(first).toMatchObject([{ user_id: 1 }]);
    expect(
      await rows(
        `select user_id from finalize_course_grades(
          1, 3, '{"after": 1, "most": 1, "with_awaiting": true, "dry": true}', now(), ${request})`,
      ),
    ).toEqual([{ user_id: 2 }]);
  });
});

describe("mark_final_grade_outdated_and_notify", () => {
  const grade = (score: number) =>
    rows(`select store_quiz_grades(jsonb_build_array(jsonb_build_object('attempt_id', id, 'score', ${score}, 'max_score', 4,
      'passed', true, 'questions', '[]'::jsonb))) from quiz_attempts where awaits_grading`);
  const told = () =>
    rows(
      "select user_id, course_offering_id as offering from notifications where kind = 'grade_outdated' order by 1",
    );

  beforeEach(async () => {
    await is(1, "quiz", {});
    await rows(
      "insert into user_university_roles (user_id, university_id, role) values (3, 1, 'instructor')",
    );
    await quizzed(1, { submitted: true });
  });

  it("sets it if another score counts than before, and notifies the finalizer, once a day", async () => {
    await quizzed(1, { submitted: true, person: 2 });
    await finalize("null", 3, { grades: "'[]'" });
    expect(await value("select lock_final_grade_and_read_item_score(1, 1, 1)::float8")).toBe(0);
    await grade(3);
    expect(await outdated()).toEqual([1, 2]);
    expect(await told()).toEqual([{ user_id: 3, offering: 1 }]);
    await column(`select reopen_final_course_grades(1, '{1}', 3, 'Late', now(), ${request})`);
    expect(await outdated()).toEqual([2]);
    await finalize();
    expect(await outdated()).toEqual([2]);
    expect(await value("select final_score::float8 from course_grades where user_id = 1")).toBeGreaterThan(0);
  });

  it("leaves it if the same score counts, if staff have set it, and if the grade is open", async () => {
    expect(await value("select lock_final_grade_and_read_item_score(1, 1, 1)")).toBeNull();
    await quizzed(2, { submitted: true, score: 4 });
    await finalize();
    await grade(3);
    expect(await outdated()).toEqual([]);
    await rows("update quiz_attempts set awaits_grading = true");
    await rows("update course_grades set score_override = 50");
    await grade(1);
    expect(await outdated()).toEqual([]);
    expect(await value("select mark_final_grade_outdated_and_notify(1, 1, 1, null)")).toBe("");
    expect(await told()).toEqual([]);
  });

  it("says so of work that was left open, and of a lower score by a regrade", async () => {
    await grade(3);
    await graded(2, 0, 80, 1, "submitted");
    await finalize();
    await rows("update quiz_attempts set awaits_grading = true");
    await grade(3);
    expect(await outdated()).toEqual([]);
    const refusal = `select refusal from grade_submission_with_group((select id from lab_submissions), 3, '{"points": 5, "feedback": "", "why": ""}', now(), ${request})`;
    expect(await value(refusal)).toBeNull();
    expect(await outdated()).toEqual([1]);
    await rows("update course_grades set outdated_at = null");
    await rows("update quiz_attempts set awaits_grading = true");
    await grade(2);
    expect(await outdated()).toEqual([1]);
  });
});
