import { beforeEach, describe, expect, it } from "vitest";
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
const cells = (person = 1) =>
  rows(
    `select item_id as item, score::float8, state from gradebook_cells_of_people(1, array[${person}]) order by 1`,
  );
const totals = async (released = false) =>
  (
    await rows(`select current_percent::float8 as current, final_percent::float8 as final
      from current_and_final_course_percents(1, array[1], ${released}, false)`)
  )[0];
const set = (entries: object[], { asShown = false, dry = false, grader = 3 } = {}) =>
  rows(`select refusal, is_changed, former_score::float8 as score, former_state as state from override_item_grades(
    1, '${JSON.stringify(entries)}', ${asShown}, ${grader}, 'Why', ${dry}, '2026-03-01 12:00Z', ${request})`);
const ofAda = (content_item_id: number, score: number | null, is_excused = false) => ({
  user_id: 1,
  ...{ content_item_id, score, is_excused },
});
const scheme = (given: object) =>
  value(`select missing from set_grading_scheme(1, '${JSON.stringify(given)}', 3, now(), ${request})`);
const finalize = (people = "null") =>
  rows(
    `select from finalize_course_grades(1, 3, jsonb_build_object('people', ${people}::int[], 'most', 500, 'with_awaiting', true),
      '2026-03-02 12:00Z', ${request})`,
  );

it("max_points_of_item are the item's, within bounds, or 100", async () => {
  const points = (type: string, data: object) =>
    value(`select max_points_of_item('${type}', '${JSON.stringify(data)}')::float8`);
  expect(await points("quiz", { mastery: { points: 10 } })).toBe(10);
  expect(await points("quiz", { max_points: 10 })).toBe(100);
  expect(await points("assignment", { max_points: 1e9 })).toBe(9999.99);
  expect(await points("engineering_lab", { grading: { max_points: "many" } })).toBe(100);
});

it("max_score_with_extra_credit adds the extra credit, and score_bounds has both", async () => {
  const most = (type: string, data: object) =>
    value(`select max_score_with_extra_credit('${type}', '${JSON.stringify(data)}')::float8`);
  expect(await most("quiz", { mastery: { points: 10, extra_points: 2.5 } })).toBe(12.5);
  expect(await most("quiz", { extra_points: 5, grading: { extra_points: 9 } })).toBe(105);
  expect(await most("engineering_lab", { grading: { max_points: 20, extra_points: 1 } })).toBe(21);
  expect(await most("assignment", { max_points: 9000, extra_points: 9999 })).toBe(9999.99);
  expect(await most("assignment", { max_points: 20, extra_points: -5 })).toBe(20);
  expect(await value("select bound from score_bounds where content_item_id = 1")).toEqual({
    title: "How a carry ripples",
    points: 20,
    most: 20,
  });
});

it("apply_item_grading_settings_change locks only the type of an item, and start_or_continue_quiz_attempt takes it shared", async () => {
  // In addition to the locks of the enrollments.
  const held = async (mode: string) => {
    const found = await rows(`
      select count(*)::int as count from pg_locks
      where locktype = 'advisory' and pid = pg_backend_pid() and mode = '${mode}'`);
    return Number(found[0]?.["count"]);
  };
  const before = [await held("ShareLock"), await held("ExclusiveLock")];
  await rows("select start_or_continue_quiz_attempt(1, 999, 1, now(), current_date)");
  expect(await held("ShareLock")).toBe(Number(before[0]) + 2);
  await rows(`select apply_item_grading_settings_change(item, item.content_type_id + 1, '{"points": 100, "most": 100}', null, 3, now(), ${request})
    from content_items as item where id = 1`);
  expect(await held("ExclusiveLock")).toBeGreaterThan(Number(before[1]));
});

it("apply_item_grading_settings_change scales scores, or leaves them unchanged, and records each", async () => {
  const change = (data: object, rescales: boolean | null) =>
    rows(`with changed as (
        update content_items set data_json = '${JSON.stringify(data)}' where id = 1 returning content_items)
      select apply_item_grading_settings_change(content_items, (content_items).content_type_id, (select bound from score_bounds where content_item_id = 1), ${rescales}, 3, now(),
        ${request}) from changed`);
  await graded(1, 15, 20);
  await set([{ user_id: 2, content_item_id: 1, score: 18, is_excused: false }]);
  await change({ grading: { max_points: 40 } }, true);
  const stored = () =>
    rows(`select score_obtained::float8 as work, max_score::float8 as max, score_override::float8 as set
      from lab_submissions, item_grades`);
  expect(await stored()).toEqual([{ work: 30, max: 40, set: 36 }]);
  await change({ grading: { max_points: 50 } }, false);
  expect(await stored()).toEqual([{ work: 30, max: 50, set: 36 }]);
  expect(
    await rows(
      "select user_id, current_json ->> 'score' as score from grade_changes where kind = 'points_changed' order by id",
    ),
  ).toEqual([
    { user_id: 1, score: "30.00" },
    { user_id: 2, score: "36.00" },
    { user_id: 1, score: "30.00" },
  ]);
});

it("gradebook_items_of_offering are the published ones that take a result, in the order of the course", async () => {
  const items = () => column("select item_id from gradebook_items_of_offering(1) order by place");
  await rows("update content_items set sequence_index = 9 where id = 1");
  expect(await items()).toEqual([2, 1]);
  await is(1, "text", {});
  expect(await items()).toEqual([2]);
});

it("increment_grade_version counts changed results, and a new deadline is none", async () => {
  await graded(1, 10, 20);
  const version = () => value("select grade_version from lab_submissions");
  await rows("update lab_submissions set score_obtained = 10, max_score = 20");
  expect(await version()).toBe(0);
  await rows("update lab_submissions set score_obtained = 11");
  await rows("update lab_submissions set score_obtained = null, max_score = null");
  expect(await version()).toBe(2);
  await rows("update lab_submissions set max_score = 20, due_at = now()");
  expect(await version()).toBe(2);
  expect(await value("select version from gradebook_cells_of_people(1, array[1]) where item_id = 1")).toBe(2);
});

describe("gradebook_cells_of_people", () => {
  it("count the newest graded work and the best attempt at a quiz, in the points of the item", async () => {
    expect(await cells()).toMatchObject([{ state: "none" }, { state: "none" }]);
    await graded(1, 10, 20);
    await graded(1, 4, 10, 2);
    await graded(1, 0, 20, 3, "submitted");
    await graded(2, 0, 80, 1, "returned");
    expect(await cells()).toEqual([
      { item: 1, score: 8, state: "graded" },
      { item: 2, score: null, state: "returned" },
    ]);
    await is(2, "quiz", {});
    await rows(`insert into quiz_attempts
      (user_id, course_offering_id, content_item_id, attempt_number, submitted_at, score_obtained, max_score)
      values (1, 1, 2, 1, now(), 3, 4), (1, 1, 2, 2, now(), 1, 4), (2, 1, 2, 1, now(), null, 4)`);
    expect((await cells())[1]).toEqual({ item: 2, score: 75, state: "graded" });
    expect((await cells(2))[1]).toEqual({ item: 2, score: null, state: "submitted" });
  });

  it("read the modules above their items and hidden ones, with any number of others", async () => {
    const read = () =>
      value(`select seq_tup_read::int from pg_stat_xact_user_tables where relname = 'modules'`);
    await rows(`insert into modules (course_id, module_type, title, sequence_index, is_published)
      select 1, 'unit', 'Other', 10 + n, true from generate_series(1, 5000) as n`);
    await rows("analyze modules");
    const before = await read();
    expect(await cells()).toHaveLength(2);
    expect(await read()).toBe(before);
  });

  it("are overridden by override_item_grades, which returns its result and records the change", async () => {
    await graded(1, 10, 20);
    expect(await set([ofAda(1, 12), ofAda(2, null, true)])).toEqual([
      { refusal: null, is_changed: true, score: 10, state: "graded" },
      { refusal: null, is_changed: true, score: null, state: "none" },
    ]);
    expect(await cells()).toEqual([
      { item: 1, score: 12, state: "overridden" },
      { item: 2, score: null, state: "excused" },
    ]);
    expect(await set([ofAda(1, 12)])).toMatchObject([{ is_changed: false }]);
    await set([ofAda(1, null), ofAda(2, null)]);
    expect(await cells()).toMatchObject([{ score: 10, state: "graded" }, { state: "none" }]);
    const changes =
      "select former_json, current_json, reason, changed_by_user_id as by from grade_changes where content_item_id = 1 order by id";
    const twelve = { score: 12, is_excused: false };
    expect(await rows(changes)).toEqual([
      { former_json: null, current_json: twelve, reason: "Why", by: 3 },
      { former_json: twelve, current_json: null, reason: "Why", by: 3 },
    ]);
  });

  it("are unchanged by a dry run, by equal values, and without permission", async () => {
    await graded(1, 10, 20);
    expect(await set([ofAda(1, 10), ofAda(2, 5)], { asShown: true, dry: true })).toMatchObject([
      { is_changed: false },
      { is_changed: true },
    ]);
    expect(await value("select count(*)::int from item_grades")).toBe(0);
    const others = [{ ...ofAda(1, 5), user_id: 3 }, ofAda(9, 5)];
    expect(await set(others)).toMatchObject([{ refusal: "not enrolled" }, { refusal: "no item" }]);
    expect(await set([ofAda(1, 5)], { grader: 1 })).toMatchObject([{ refusal: "own" }]);
  });
});

it("a staff score is a result, for a quiz only if it passes, and its changes are recorded", async () => {
  const completed = () =>
    column("select content_item_id from user_content_progress where completed_at is not null order by 1");
  await is(2, "quiz", { passing_percent: 50 });
  await set([ofAda(1, 0), ofAda(2, 49)]);
  expect(await completed()).toEqual([1]);
  await set([ofAda(2, 50)]);
  expect(await completed()).toEqual([1, 2]);
  await set([ofAda(1, null)]);
  expect(await completed()).toEqual([2]);
  const changes = await rows(
    "select former_json as former, current_json as present from grade_changes order by id",
  );
  expect(changes.slice(-2)).toEqual([
    { former: { score: 49, is_excused: false }, present: { score: 50, is_excused: false } },
    { former: { score: 0, is_excused: false }, present: null },
  ]);
});

describe("current_and_final_course_percents", () => {
  it("count points, with zero for ungraded work, and without excused work", async () => {
    expect(await totals()).toEqual({ current: null, final: 0 });
    await graded(1, 15, 20);
    await graded(2, 0, 80, 1, "submitted");
    expect(await totals()).toEqual({ current: 75, final: 15 });
    await set([ofAda(2, null, true)]);
    expect(await totals()).toMatchObject({ current: 75, final: 75 });
  });

  it("leave out a group whose only item with points is excused, or not released, although it has extra credit", async () => {
    await rows(`insert into content_items (id, module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
      overriding system value
      select 3, module_id, 1, 1, content_type_id, 'Bonus', 3, '{"max_points": 0, "extra_points": 10}' from content_items where id = 2`);
    await is(1, "engineering_lab", { grading: { max_points: 100 } });
    await is(2, "assignment", { max_points: 100 });
    const groups = [
      { name: "Labs", weight: 10, content_item_ids: [1, 3] },
      { name: "Papers", weight: 90, content_item_ids: [2] },
    ];
    await scheme({ groups });
    await set([ofAda(1, 50), ofAda(3, 10), ofAda(2, 80)]);
    expect(await totals()).toEqual({ current: 78, final: 78 });
    await scheme({ groups, release_mode: "manual" });
    await rows(`select release_or_hide_item_grades(1, array[2, 3], true, 3, now(), ${request})`);
    expect(await totals(true)).toEqual({ current: 80, final: 80 });
    await set([ofAda(1, null, true)]);
    expect(await totals()).toEqual({ current: 80, final: 80 });
    await scheme({ groups: [{ ...groups[0], content_item_ids: [3] }, groups[1]] });
    expect(await totals()).toEqual({ current: 90, final: 90 });
  });

  it("count groups by their weights, those in which something counts, and no item outside of them", async () => {
    const groups = [
      { name: "Labs", weight: 30, content_item_ids: [1] },
      { name: "Papers", weight: 10, content_item_ids: [2] },
    ];
    expect(await scheme({ groups })).toBeNull();
    await graded(1, 10, 20);
    expect(await totals()).toMatchObject({ current: 50, final: 37.5 });
    await graded(2, 80, 80);
    expect(await totals()).toMatchObject({ current: 62.5, final: 62.5 });
    await scheme({ groups: groups.slice(1) });
    expect(await totals()).toMatchObject({ current: 100, final: 100 });
  });

  it("count for learners by are_item_grades_released, after release_or_hide_item_grades or immediately", async () => {
    await graded(1, 10, 20);
    await graded(2, 80, 80);
    expect(await totals(true)).toMatchObject({ current: null });
    const release = (items: string, shows: boolean) =>
      value(`select release_or_hide_item_grades(1, ${items}, ${shows}, 3, now(), ${request})`);
    expect([await release("array[1]", true), await release("null", true)]).toEqual([1, 1]);
    expect(await totals(true)).toMatchObject({ current: 90 });
    expect(await release("array[2, 9]", false)).toBe(1);
    expect(await totals(true)).toMatchObject({ current: 50 });
    await scheme({ release_mode: "automatic" });
    expect(await value("select are_item_grades_released(1, 2)")).toBe(true);
    expect(await totals(true)).toMatchObject({ current: 90 });
  });
});

describe("gradebook_cells_with_weights_and_drops", () => {
  const counted = () =>
    rows(`select item_id as item, score::float8, late_days as days, late_deduction::float8 as off, dropped_so_far as so_far,
      dropped_in_all as in_all from gradebook_cells_with_weights_and_drops(1, array[1], false, false) order by 1`);
  const dropped = (scores: string, points: string, most: number) =>
    value(
      `select lowest_items_to_drop(array[1, 2, 3]::int[], array[${scores}]::numeric[], array[${points}]::numeric[], ${most})`,
    );

  it("leave out the lowest_items_to_drop without which the others are worth most, and never all", async () => {
    expect(await dropped("10, 5, 8", "10, 10, 10", 1)).toEqual([2]);
    // The first has the lowest percentage, and without the second the others weigh more.
    expect(await dropped("2, 40, 90", "10, 100, 100", 1)).toEqual([2]);
    expect(await dropped("2, 40, 90", "10, 100, 100", 2)).toEqual([2, 1]);
    expect(await dropped("2, 40, 90", "10, 100, 100", 9)).toEqual([2, 1]);
    expect(await dropped("3, 1, 2", "0, 0, 0", 1)).toEqual([]);
    expect(await dropped("95, 1, 90", "100, 0, 100", 1)).toEqual([3]);
    expect(await dropped("95, 1, 2", "100, 0, 0", 2)).toEqual([]);
    expect(await dropped("0, 0, 0", "5, 5, 5", 0)).toEqual([]);
    expect(await value("select lowest_items_to_drop(null, null, null, 1)")).toEqual([]);
  });

  it("drop missing work once it counts as zero, and never excused work", async () => {
    await scheme({ drop_lowest: 1 });
    await graded(1, 10, 20);
    expect(await counted()).toMatchObject([
      { so_far: false, in_all: false },
      { so_far: false, in_all: true },
    ]);
    expect(await totals()).toEqual({ current: 50, final: 50 });
    await graded(2, 80, 80);
    expect(await counted()).toMatchObject([{ so_far: true, in_all: true }, { so_far: false }]);
    expect(await totals()).toEqual({ current: 100, final: 100 });
    await set([ofAda(2, null, true)]);
    expect(await counted()).toMatchObject([{ so_far: false, in_all: false }, { in_all: false }]);
    expect(await totals()).toEqual({ current: 50, final: 50 });
    await scheme({ groups: [{ name: "x", weight: 1, content_item_ids: [1, 2] }] });
    await set([ofAda(2, 80)]);
    expect(await totals()).toEqual({ current: 90, final: 90 });
  });

  it("have late_days_of_submission work reduce the score by the late_deduction of effective_late_penalty_rule", async () => {
    await graded(1, 15, 20);
    const late = (hours: number) =>
      rows(`update lab_submissions set submitted_at = '2026-03-02 12:00Z', is_late = true,
        due_at = timestamptz '2026-03-02 12:00Z' - interval '${hours} hours'`);
    await late(25);
    expect(await counted()).toMatchObject([
      { score: 15, days: 2, off: 0 },
      { days: 0, off: 0 },
    ]);
    await scheme({ late_percent_per_day: 10, max_late_days: 3 });
    expect(await counted()).toMatchObject([{ score: 11, days: 2, off: 4 }, {}]);
    expect(
      await rows(
        "select late_days_of_submission(one) as days, late_deduction_of_submission(one)::float8 as off from lab_submissions as one",
      ),
    ).toEqual([{ days: 2, off: 4 }]);
    await late(24);
    expect(await counted()).toMatchObject([{ score: 13, days: 1, off: 2 }, {}]);
    await late(24 * 30);
    expect(await counted()).toMatchObject([{ score: 0, days: 30, off: 15 }, {}]);
    await is(1, "engineering_lab", {
      grading: { max_points: 40 },
      late_percent_per_day: 0.5,
      max_late_days: 500,
    });
    expect(await counted()).toMatchObject([{ score: 24, off: 6 }, {}]);
    expect(
      await rows(
        "select percent_per_day::float8 as percent, most_days as days from effective_late_penalty_rule(1, '{}')",
      ),
    ).toEqual([{ percent: 10, days: 3 }]);
    expect(await value("select late_deduction(5, 20, null, 3)")).toBe("0");
    await set([ofAda(1, 39)]);
    expect(await counted()).toMatchObject([{ score: 39, days: 0, off: 0 }, {}]);
  });

  it("count the score beyond an item without points", async () => {
    await is(2, "assignment", { max_points: 0, extra_points: 5 });
    await graded(1, 10, 20);
    await graded(2, 4, 0);
    expect(await counted()).toMatchObject([{ score: 10 }, { score: 4 }]);
    expect(await totals()).toEqual({ current: 70, final: 70 });
  });
});

it("increment_grade_versions_of_late_work and apply_item_grading_settings_change have late cells be others than were exported", async () => {
  await graded(1, 10, 20);
  await rows("update lab_submissions set is_late = true, due_at = submitted_at - interval '1 hour'");
  const version = () => value("select grade_version from lab_submissions");
  const before = Number(await version());
  await scheme({ late_percent_per_day: 5 });
  await scheme({ late_percent_per_day: 5, drop_lowest: 0 });
  expect(await version()).toBe(before + 1);
  await value("select increment_grade_versions_of_late_work('{1}', 2)");
  expect(await version()).toBe(before + 1);
  const become = (data: object, former: object) =>
    rows(`select apply_item_grading_settings_change(jsonb_populate_record(one, '${JSON.stringify({ data_json: data })}'), one.content_type_id,
      '${JSON.stringify({ points: 100, most: 100, ...former })}', null, 3, now(), ${request})
      from content_items as one where id = 1`);
  await become({ late_percent_per_day: 5 }, { late_percent_per_day: 5 });
  expect(await version()).toBe(before + 1);
  await become({ late_percent_per_day: 5 }, {});
  expect(await version()).toBe(before + 2);
});

it("release_or_hide_item_grades notifies people with a grade of each release once, and record_grade_change_and_notify of later grades", async () => {
  const told = () =>
    rows(
      "select user_id, content_item_id as item from notifications where kind = 'grade_released' order by id",
    );
  const release = (shows: boolean) =>
    value(`select release_or_hide_item_grades(1, null, ${shows}, 3, now(), ${request})`);
  await graded(1, 10, 20);
  expect(await told()).toEqual([]);
  for (const shows of [true, false, true]) await release(shows);
  expect(await told()).toEqual([{ user_id: 1, item: null }]);
  await set([{ user_id: 2, content_item_id: 2, score: 40, is_excused: false }]);
  await set([{ user_id: 2, content_item_id: 2, score: 60, is_excused: false }]);
  expect(await told()).toEqual([
    { user_id: 1, item: null },
    { user_id: 2, item: 2 },
  ]);
  await finalize("'{2}'");
  expect(await told()).toHaveLength(3);
});

it("set_grading_scheme keeps what it leaves out, refuses items of other courses, and effective_schemes say what holds", async () => {
  const says = async () =>
    (
      await rows(
        "select is_graded, passing_percent::float8 as passing, release_mode as mode from effective_schemes where course_offering_id = 1",
      )
    )[0];
  expect(await says()).toEqual({ is_graded: false, passing: 60, mode: "manual" });
  expect(await scheme({ groups: [{ name: "x", weight: 1, content_item_ids: [1, 9] }] })).toBe(9);
  expect(await says()).toMatchObject({ is_graded: false });
  await scheme({ passing_percent: 50 });
  await scheme({ release_mode: "automatic" });
  expect(await says()).toEqual({ is_graded: true, passing: 50, mode: "automatic" });
});

it("remove_grading_scheme takes it back, but not from under a final grade", async () => {
  const remove = () => value(`select remove_grading_scheme(1, 3, ${request})`);
  expect(await remove()).toBe("none");
  await scheme({ passing_percent: 50 });
  expect(await remove()).toBeNull();
  expect(await value("select is_graded from effective_schemes where course_offering_id = 1")).toBe(false);
  await scheme({});
  await finalize();
  expect(await remove()).toBe("final");
});

it("letter_grade is the highest that a percentage earns", async () => {
  const letters = `select letter_grade(scheme.letter_scale, one) from effective_schemes as scheme, unnest(array[89.99, 90, 0, null]) as one
    where course_offering_id = 1`;
  expect(await column(letters)).toEqual(["B", "A", "F", null]);
});

it("refuse_change_of_grade_changes allows no change of record_grade_change_and_notify's rows, except removing the actor", async () => {
  await rows(
    `select record_grade_change_and_notify('item_set', 1, 1, 1, '{"present": {"score": 5}, "why": "Why"}', 3, now(), ${request})`,
  );
  await rows("delete from users where id = 3");
  expect(await value("select changed_by_user_id from grade_changes")).toBeNull();
  await expect(rows("update grade_changes set reason = 'Other'")).rejects.toThrow("are not changed");
});

it("quiz_attempts_after_write notes a score that another one takes the place of", async () => {
  await rows(
    `insert into quiz_attempts (user_id, course_offering_id, content_item_id, submitted_at) values (1, 1, 2, now())`,
  );
  for (const score of [3, 3, 4])
    await rows(`update quiz_attempts set score_obtained = ${score}, max_score = 5`);
  expect(
    await rows(
      "select kind, former_json -> 'score' as former, current_json -> 'score' as current from grade_changes",
    ),
  ).toEqual([{ kind: "quiz_regraded", former: 3, current: 4 }]);
});
