import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { closeOverdueAttemptsQuery } from "../../../../lib/assessment/grade-closed-attempts.ts";
import { markAttemptsForRegradeCtes } from "../../../../lib/assessment/regrade.ts";
import { quizStateForPersonQuery } from "../../../../lib/assessment/take-attempt.ts";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

/** Ada is enrolled in the first offering, whose quiz asks two questions of a pool. */
beforeEach(async () => {
  await rows(
    "insert into question_pools (id, university_id, title) overriding system value values (1, 1, 'Engines')",
  );
  await rows(`insert into questions (id, question_pool_id, kind, question_text, options_json, answer_json)
    overriding system value values
    (1, 1, 'single_choice', 'Which?', '[{"id": "A", "text": "a"}, {"id": "B", "text": "b"}]', '{"option_id": "A"}'),
    (2, 1, 'true_false', 'True?', null, '{"value": true}')`);
  await rows(`update content_items set content_type_id = (select id from content_types where name = 'quiz'),
    data_json = '{"question_pool_id": 1, "time_limit_seconds": 60}' where id = 1`);
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
});

const says = (data: object) =>
  rows(
    `update content_items set data_json = '${JSON.stringify({ question_pool_id: 1, ...data })}' where id = 1`,
  );
const started = (moment = "2026-03-01 12:00Z", person = 1) =>
  rows(`select refusal, is_new, (attempt ->> 'id')::int as id
        from start_or_continue_quiz_attempt(${person}, 1, 1, '${moment}', '2026-03-01')`);
const start = async (moment?: string) => Number((await started(moment))[0]?.["id"]);
const answered = (id: number, given: object, ends: boolean, moment = "2026-03-01 12:00:30Z") =>
  rows(`select refusal, question_id, attempt -> 'awaits_grading' as waits from save_or_submit_quiz_answers(
    ${id}, 1, '${JSON.stringify(given)}', ${ends}, '${moment}', '2026-03-01')`);

it("quiz_submission_grace_period is five seconds, and is_attempt_over is an attempt after them", async () => {
  const id = await start();
  const isOver = (moment: string) =>
    value(`select is_attempt_over(one, '2026-03-01 ${moment}Z') from quiz_attempts as one where id = ${id}`);
  expect(await value("select quiz_submission_grace_period()::text")).toBe("00:00:05");
  expect([await isOver("12:01:05"), await isOver("12:01:05.001")]).toEqual([false, true]);
  await answered(id, {}, true);
  expect(await isOver("12:00:31")).toBe(true);
});

it("set_missing_deadlines_and_queue_recompute gives an attempt that has no deadline that of its quiz or offering, not before its start", async () => {
  await says({ quiz_mode: "exam" });
  const id = await start();
  const due = () => value(`select due_at from quiz_attempts where id = ${id}`);
  const moves = (table: string, column: string, moment: string) =>
    rows(`update ${table} set ${column} = '2026-03-01 ${moment}Z' where id = 1`);
  expect(await due()).toBeNull();
  await moves("course_offerings", "ends_at", "13:00");
  expect(await due()).toEqual(new Date("2026-03-01T13:00:00Z"));
  await moves("content_items", "due_at", "14:00");
  expect(await due()).toEqual(new Date("2026-03-01T13:00:00Z"));
  await rows(`update quiz_attempts set due_at = null where id = ${id}`);
  await moves("content_items", "due_at", "11:00");
  expect(await due()).toEqual(new Date("2026-03-01T12:00:00Z"));
});

it("save_or_submit_quiz_answers accepts no answers without a seat in the offering", async () => {
  const id = await start();
  const refusal = async (ends: boolean) => (await answered(id, {}, ends))[0]?.["refusal"];
  for (const status of ["dropped", "pending", "waitlisted"]) {
    await rows(`update enrollments set status = '${status}'`);
    expect([await refusal(false), await refusal(true)]).toEqual(["not enrolled", "not enrolled"]);
  }
  await rows("update enrollments set status = 'active'");
  expect(await refusal(true)).toBeNull();
});

it("json_number is a number and nothing else, and clamp limits it to its bounds", async () => {
  const numbers = `select json_number(one)::float8 from jsonb_array_elements('[1.5, "2", null, true, [3]]') as one`;
  expect(await column(numbers)).toEqual([1.5, null, null, null, null]);
  const within = "select clamp(one, 1, 10)::int from unnest(array[0, 5, 11, null]::numeric[]) as one";
  expect(await column(within)).toEqual([1, 5, 10, null]);
});

describe("effective_quiz_rules_of_person", () => {
  const rules = async () =>
    (
      await rows(`select is_exam, is_random, draws, time_limit::text, closes_at, most_attempts,
        passing_percent::float8, correct_in_row from effective_quiz_rules_of_person(1, 1, 1)`)
    )[0];

  it("are the item's, within bounds, and else the defaults", async () => {
    await says({});
    expect(await rules()).toEqual({
      ...{ is_exam: false, is_random: null, draws: 100, time_limit: null, closes_at: null },
      ...{ most_attempts: null, passing_percent: 60, correct_in_row: null },
    });
    await says({
      ...{ quiz_mode: "exam", randomize_order: true, num_questions_per_attempt: 0, time_limit_seconds: 1e9 },
      ...{ passing_percent: 70, mastery: { threshold_correct_in_row: 2 } },
    });
    expect(await rules()).toEqual({
      ...{ is_exam: true, is_random: true, draws: 1, time_limit: "8760:00:00", closes_at: null },
      ...{ most_attempts: 1, passing_percent: 70, correct_in_row: 2 },
    });
  });

  it("are none for another type of item, or of another course", async () => {
    expect(await rows("select from effective_quiz_rules_of_person(2, 1, 1)")).toEqual([]);
    expect(await rows("select from effective_quiz_rules_of_person(1, 2, 1)")).toEqual([]);
  });

  it("are overridden by grant_item_override_and_update_work", async () => {
    const granted = `select user_id, max_attempts from grant_item_override_and_update_work(
      1, 1, 1, '{"max_attempts": 3, "time_limit_seconds": 600}', '2026-03-01')`;
    expect(await rows(granted)).toEqual([{ user_id: 1, max_attempts: 3 }]);
    expect(await rules()).toMatchObject({ most_attempts: 3, time_limit: "00:10:00" });
    expect(
      await rows("select from grant_item_override_and_update_work(2, 1, 1, '{}', '2026-03-01')"),
    ).toEqual([]);
  });
});

describe("start_or_continue_quiz_attempt", () => {
  it("says why it starts none", async () => {
    expect(await started(undefined, 2)).toMatchObject([{ refusal: "not enrolled" }]);
    await rows("update content_items set due_at = '2026-03-01 11:00Z' where id = 1");
    expect(await started()).toMatchObject([{ refusal: "closed" }]);
    await rows("update content_items set due_at = null where id = 1");
    await says({ question_pool_id: 9 });
    expect(await started()).toMatchObject([{ refusal: "no questions" }]);
    await rows("update content_items set is_active = false where id = 1");
    expect(await started()).toMatchObject([{ refusal: "hidden" }]);
  });

  it("answers the open one again, and the next once it is over", async () => {
    const id = await start();
    expect(await started("2026-03-01 12:01Z")).toEqual([{ refusal: null, is_new: false, id }]);
    expect(await started("2026-03-01 12:02Z")).toMatchObject([{ refusal: null, is_new: true }]);
    expect(await rows(`select timed_out, awaits_grading from quiz_attempts where id = ${id}`)).toEqual([
      { timed_out: true, awaits_grading: true },
    ]);
  });
});

it("save_or_submit_quiz_answers takes what a question of that kind can be answered with, and null", async () => {
  const id = await start();
  const can = async (kind: string, response: unknown) => {
    await rows(`update question_versions set kind = '${kind}', options_json = '[{"id": "A"}, {"id": "B"}]'
      where question_id = 1`);
    const [said] = await answered(id, { 1: response }, false);
    return said?.["refusal"] === null;
  };
  const all = ["A", "C", ["A", "B"], ["C"], true, 1, null];
  const taken = {
    single_choice: ["A", null],
    multiple_choice: [["A", "B"], null],
    true_false: [true, null],
    numeric: [1, null],
    short_answer: ["A", "C", null],
  };
  for (const [kind, some] of Object.entries(taken)) {
    const found: unknown[] = [];
    for (const response of all) if (await can(kind, response)) found.push(response);
    expect(found, kind).toEqual(some);
  }
});

describe("save_or_submit_quiz_answers", () => {
  it("saves, submits, and says why it takes nothing", async () => {
    const id = await start();
    expect(await answered(id, { 1: "C" }, false)).toMatchObject([
      { refusal: "no such answer", question_id: "1" },
    ]);
    expect(await answered(id, { 1: "A", 2: true }, false)).toMatchObject([{ refusal: null, waits: false }]);
    expect(await answered(id, { 2: null }, true)).toMatchObject([{ refusal: null, waits: true }]);
    expect(await value("select raw_response_json from quiz_attempts")).toEqual({ 1: "A" });
    expect(await answered(id, { 2: true }, false)).toMatchObject([{ refusal: "submitted" }]);
    expect(await answered(id + 1, {}, true)).toEqual([]);
  });

  it("closes an expired attempt", async () => {
    const id = await start();
    expect(await answered(id, { 1: "A" }, true, "2026-03-01 12:02Z")).toMatchObject([
      { refusal: "time is up" },
    ]);
    expect(await rows("select timed_out, raw_response_json from quiz_attempts")).toEqual([
      { timed_out: true, raw_response_json: null },
    ]);
  });
});

it("closes expired attempts like close_overdue_quiz_attempt, and no others", async () => {
  const id = await start();
  await rows(`select close_overdue_quiz_attempt(${id}, '2026-03-01 12:01:05Z')`);
  const closed = (moment: string) => value(closeOverdueAttemptsQuery(new Date(moment), 10));
  expect([await closed("2026-03-01 12:01:05Z"), await closed("2026-03-01 12:02Z")]).toEqual([0, 1]);
  expect(await value("select submitted_at = due_at and timed_out from quiz_attempts")).toBe(true);
});

it("quiz_attempt_json_with_answer_keys has the questions with their keys, in the order of the attempt", async () => {
  const id = await start();
  await answered(id, { 1: "B" }, false);
  const attempt = `select quiz_attempt_json_with_answer_keys(one, '2026-03-01 12:00:40Z') from quiz_attempts as one`;
  expect(await value(attempt)).toMatchObject({
    ...{ id, is_over: false, answers_shown: false },
    questions: [
      { question_id: 1, position: 1, kind: "SINGLE_CHOICE", response: "B", answer: { option_id: "A" } },
      { question_id: 2, position: 2, options: null, response: null },
    ],
  });
});

describe("store_quiz_grades", () => {
  const grade = (id: number, version: number) =>
    JSON.stringify([
      {
        ...{ attempt_id: id, score: 1, max_score: 2, passed: false },
        questions: [1, 2].map((question_id) => ({
          question_id,
          graded_version: version,
          points: 2 - question_id,
        })),
      },
    ]);
  const stored = (id: number, version = 1) => value(`select store_quiz_grades('${grade(id, version)}')`);

  it("stores a grade once, and none by other keys than count after a regrade", async () => {
    const id = await start();
    await answered(id, {}, true);
    expect([await stored(id), await stored(id)]).toEqual([1, 0]);
    await rows(`update questions set answer_json = '{"value": false}' where id = 2`);
    const marked = (regrader: number) =>
      value(sql`with permitted as (select 1 as item_id, 1 as offering_id), ${markAttemptsForRegradeCtes(regrader)}
        select count(*)::int from waiting`);
    expect(await marked(1), "one's own").toBe(0);
    expect(await marked(2)).toBe(1);
    expect(await stored(id)).toBe(0);
    expect(await column("select graded_version from quiz_attempt_questions order by question_id")).toEqual([
      1, 2,
    ]);
    expect(await rows("select score_obtained::float8 as score, awaits_grading from quiz_attempts")).toEqual([
      { score: 1, awaits_grading: true },
    ]);
  });
});

it("open_exams_blocking_tutor the tutor for the exam's course, and for each of the university if its tutor_scope says so", async () => {
  await rows(
    "insert into courses (id, university_id, title, code) overriding system value values (90, 1, 'Other', 'OTHER-1')",
  );
  const silenced = (person: number, course: number) =>
    value(
      `select exists (select from open_exams_blocking_tutor(${person}, ${course}, '2026-03-01 12:00:40Z'))`,
    );
  await says({ quiz_mode: "exam", time_limit_seconds: 60 });
  await start();
  expect([await silenced(1, 1), await silenced(1, 90), await silenced(2, 1)]).toEqual([true, false, false]);
  await says({ quiz_mode: "exam", time_limit_seconds: 60, tutor_scope: "university" });
  expect([await silenced(1, 1), await silenced(1, 90), await silenced(2, 1)]).toEqual([true, true, false]);
});

it("are_correct_quiz_answers_shown waits for a person with an open exam of that course", async () => {
  const areShown = (moment: string) =>
    value(
      `select are_correct_quiz_answers_shown(one, '2026-03-01 ${moment}Z') from quiz_attempts as one where not is_exam`,
    );
  const practice = await start();
  await answered(practice, {}, true);
  expect(await areShown("12:00:40")).toBe(true);
  await says({
    quiz_mode: "exam",
    time_limit_seconds: 60,
    show_answers: "after_submit",
    mastery: { max_attempts: 2 },
  });
  await start("2026-03-01 12:01Z");
  expect([await areShown("12:01:10"), await areShown("12:02:06")]).toEqual([false, true]);
});

/** A second run of the first course, in which Ada is enrolled too. */
const runAgain = async (dates = "") => {
  const columns = dates ? ", starts_at" : "";
  const id = await value(`insert into course_offerings (course_id, university_id${columns})
    values (1, 1${dates ? `, '${dates}'` : ""}) returning id`);
  await rows(`insert into enrollments (user_id, course_offering_id) values (1, ${id})`);
  return Number(id);
};

it("pool_of_quiz is the pool that an item names, and none for anything else", async () => {
  const named = (pool: unknown) =>
    value(`select pool_of_quiz('${JSON.stringify({ question_pool_id: pool })}')`);
  expect(await named(7)).toBe(7);
  for (const other of [0, 2 ** 31, 1e300, "7", [7], null]) expect(await named(other)).toBeNull();
  expect(await value("select pool_of_quiz('[]')")).toBeNull();
});

it("is_quiz_counted_for_grade for an exam, and for weight in a grade of the offering", async () => {
  const counts = () => value("select is_quiz_counted_for_grade(1, 1)");
  const groups = (...ofGroups: { weight: number; content_item_ids: number[] }[]) =>
    rows(`insert into grading_schemes (course_offering_id, letter_scale, passing_percent, groups, release_mode)
      values (1, '[]', 60, '${JSON.stringify(ofGroups)}', 'manual')
      on conflict (course_offering_id) do update set groups = excluded.groups`);
  expect(await counts()).toBe(false);
  await groups();
  expect(await counts()).toBe(true);
  await groups({ weight: 1, content_item_ids: [2] });
  expect(await counts()).toBe(false);
  await groups({ weight: 1, content_item_ids: [2] }, { weight: 0, content_item_ids: [1] });
  expect(await counts()).toBe(false);
  await groups({ weight: 1, content_item_ids: [2, 1] });
  expect([await counts(), await value("select is_quiz_counted_for_grade(1, 2)")]).toEqual([true, false]);
  await groups({ weight: 1, content_item_ids: [2] });
  await says({ quiz_mode: "exam" });
  expect(await counts()).toBe(true);
});

it("attempts_taken counts those of the term if the quiz counts, and else those of the offering", async () => {
  const other = await runAgain();
  const taken = (offering = 1) => value(`select count_quiz_attempts_taken(1, 1, ${offering})`);
  await start();
  expect([await taken(), await taken(other)]).toEqual([1, 0]);
  await says({ quiz_mode: "exam" });
  expect([await taken(), await taken(other)]).toEqual([1, 1]);
  await rows("update enrollments set status = 'dropped' where course_offering_id = 1");
  expect(await taken(other)).toBe(1);
  await rows("update course_offerings set ends_at = '2026-06-01' where id = 1");
  await rows(`update course_offerings set starts_at = '2026-06-01' where id = ${other}`);
  expect([await taken(), await taken(other)]).toEqual([1, 0]);
});

it("has_attempt_left_before_closing, newest_attempt_per_item_of_person and the shown answers count attempts elsewhere in the term", async () => {
  const other = await runAgain();
  await says({ quiz_mode: "exam", time_limit_seconds: 60 });
  const tried = (offering: number, moment = "2026-03-01 12:00:30Z") =>
    value(`select has_attempt_left_before_closing(1, ${offering}, 1, '${moment}')`);
  const stands = (offering: number) =>
    rows(sql`select refusal, attempts_taken, max_attempts, open_attempt_id
      from (${quizStateForPersonQuery(sql`1`, { offering_id: offering, content_item_id: 1 }, new Date("2026-03-01T12:00:30Z"))}) as one`);
  expect([await tried(1), await tried(other)]).toEqual([true, true]);
  const id = await start();
  expect([await tried(1), await tried(other)]).toEqual([true, false]);
  expect(await tried(1, "2026-03-01 12:01:06Z")).toBe(false);
  const counted = { attempts_taken: 1, max_attempts: 1 };
  expect(await stands(1)).toEqual([{ refusal: null, open_attempt_id: id, ...counted }]);
  expect(await stands(other)).toEqual([{ refusal: "no attempt left", open_attempt_id: null, ...counted }]);
  await rows(
    `select grant_item_override_and_update_work(1, ${other}, 1, '{"max_attempts": 2}', '2026-03-01')`,
  );
  await rows(`select start_or_continue_quiz_attempt(1, ${other}, 1, '2026-03-01 12:00:30Z', '2026-03-01')`);
  const shown = `select number, most, state from newest_attempt_per_item_of_person(${other}, 1, '2026-03-01 12:00:30Z')`;
  expect(await rows(shown)).toEqual([{ number: 2, most: 2, state: "open" }]);
});

describe("are_correct_quiz_answers_shown hides what helps another attempt, which", () => {
  const serves = async (moment = "2026-03-01 13:00Z") =>
    !(await value(
      `select are_correct_quiz_answers_shown(one, '${moment}') from quiz_attempts as one order by id limit 1`,
    ));
  const taken = async () => answered(await start(), {}, true);

  it("is the same quiz in another offering, until a final grade there", async () => {
    const other = await runAgain();
    await taken();
    expect(await serves()).toBe(false);
    await says({ quiz_mode: "exam", mastery: { max_attempts: 2 } });
    expect(await serves()).toBe(true);
    await rows("insert into course_grades (course_offering_id, user_id, graded_at) values (1, 1, now())");
    expect(await serves()).toBe(true);
    await rows(
      `insert into course_grades (course_offering_id, user_id, graded_at) values (${other}, 1, now())`,
    );
    expect(await serves()).toBe(false);
  });

  it("is a seat that was given up only while it may be taken up again, and nothing that is no quiz", async () => {
    const other = await runAgain();
    await taken();
    await says({ quiz_mode: "exam", mastery: { max_attempts: 2 } });
    await rows("insert into course_grades (course_offering_id, user_id, graded_at) values (1, 1, now())");
    await rows(`update enrollments set status = 'dropped' where course_offering_id = ${other}`);
    expect(await serves()).toBe(true);
    await rows(`update course_offerings set enrollment_end = '2026-02-01' where id = ${other}`);
    expect(await serves()).toBe(false);
    await rows(`update content_items set data_json = '{"question_pool_id": 1}',
      content_type_id = (select id from content_types where name = 'assignment') where id = 2`);
    await rows(`insert into grading_schemes (course_offering_id, letter_scale, passing_percent, groups, release_mode)
      values (1, '[]', 60, '[]', 'manual')`);
    await rows("delete from course_grades");
    expect(await serves()).toBe(true);
    await rows("update content_items set due_at = '2026-03-01 12:30Z' where id = 1");
    expect(await serves()).toBe(false);
  });

  it("for another quiz of the pool once it opens, in any course of the person", async () => {
    await taken();
    await rows(`insert into modules (id, course_id, module_type, title, sequence_index, is_published, available_from)
      overriding system value values (90, 2, 'unit', 'Mill', 1, true, '2026-03-02')`);
    await rows(`insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json)
      select 90, 2, 1, id, 'Exam', '{"question_pool_id": 1, "quiz_mode": "exam"}' from content_types where name = 'quiz'`);
    expect(await serves("2026-03-03")).toBe(false);
    await rows("insert into enrollments (user_id, course_offering_id) values (1, 2)");
    expect([await serves("2026-03-01 13:00Z"), await serves("2026-03-02")]).toEqual([false, true]);
    await rows("update modules set is_published = false where id = 90");
    expect(await serves("2026-03-03")).toBe(false);
  });
});

it("refusal_to_start_quiz_attempt returns the first reason why none can be started", async () => {
  const because = (taken: number, most: string, closes: string, pool = 1) =>
    value(`select refusal_to_start_quiz_attempt(${taken}, ${most}, ${closes}, ${pool}, '2026-03-01 12:00Z')`);
  expect(await because(1, "null", "null")).toBeNull();
  expect(await because(1, "2", "'2026-03-01 12:01Z'")).toBeNull();
  expect(await because(2, "2", "'2026-03-01 12:00Z'")).toBe("closed");
  expect(await because(2, "2", "null")).toBe("no attempt left");
  expect(await because(0, "2", "null", 99)).toBe("no questions");
});
