import { beforeEach, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value, refusal } = openSession();

beforeEach(async () => {
  await says({ second_mark: true });
  await rows(`insert into lab_submissions (id, user_id, course_offering_id, content_item_id)
    overriding system value values (1, 1, 1, 1)`);
});

const request = `'{"at": "2026-03-01T12:00:00Z"}'::jsonb`;
const says = (data: object) =>
  rows(`update content_items set content_type_id = (select id from content_types where name = 'assignment'),
    data_json = '${JSON.stringify(data)}' where id = 1`);
const mark = (grader: number, points: number, feedback: string | null = null) =>
  value(`select refusal from grade_submission_with_group(
    1, ${grader}, '${JSON.stringify({ points, feedback })}', now(), ${request})`);
const given = () =>
  rows("select place, grader_id as grader, score::float8 from submission_marks order by place");

it("is_marked_twice( of what had no grade without any", async () => {
  const twice = () => value("select is_subject_to_double_marking(one) from lab_submissions as one");
  expect(await twice()).toBe(true);
  await rows("update lab_submissions set status = 'graded'");
  expect(await twice()).toBe(false);
  await rows(
    "insert into submission_marks (submission_id, place, grader_id, score, marked_at) values (1, 1, 2, 5, now())",
  );
  expect(await twice()).toBe(true);
  await says({});
  expect(await twice()).toBe(false);
});

it("grade_submission_with_group takes two marks of two people, and another of the first while it is the only one", async () => {
  expect(await mark(2, 5)).toBeNull();
  expect(await mark(2, 6)).toBeNull();
  expect(await given()).toEqual([{ place: 1, grader: 2, score: 6 }]);
  expect(await mark(3, 7)).toBeNull();
  expect(await mark(2, 8)).toBe("two marks");
  expect(await given()).toEqual([
    { place: 1, grader: 2, score: 6 },
    { place: 2, grader: 3, score: 7 },
  ]);
});

it("grade_submission_with_group keeps the levels and feedback of a mark if they are absent", async () => {
  await says({
    second_mark: true,
    rubric: { criteria: [{ id: "c", title: "C", levels: [{ id: "1", title: "1", points: 5 }] }] },
  });
  const marked = async (mark: object) => {
    await rows(`select from grade_submission_with_group(1, 2, '${JSON.stringify(mark)}', now(), ${request})`);
    return (
      await rows("select score::int, jsonb_array_length(rubric) as levels, feedback from submission_marks")
    )[0];
  };
  const chosen = [{ criterion_id: "c", level_id: "1" }];
  expect(await marked({ chosen, feedback: "One" })).toEqual({ score: 5, levels: 1, feedback: "One" });
  expect(await marked({ points: 4 })).toEqual({ score: 4, levels: 1, feedback: "One" });
  expect(await marked({ points: 4, feedback: null })).toEqual({ score: 4, levels: 1, feedback: null });
  expect(await marked({ points: 4, chosen: null })).toEqual({ score: 4, levels: null, feedback: null });
});

it("the table rejects two marks of one person, and a third one", async () => {
  await mark(2, 5);
  const another = (place: number, grader: number) =>
    `insert into submission_marks (submission_id, place, grader_id, score, marked_at) values (1, ${place}, ${grader}, 1, now())`;
  expect((await refusal(another(2, 2))).constraint).toBe("submission_marks_grader_unique");
});

it("visible_marks_of_submission( shows the caller's mark, and both once both exist", async () => {
  const marks = (reader: number) =>
    value(`select visible_marks_of_submission(one, ${reader}) from lab_submissions as one`);
  const none = { given: 0, is_own_given: false, shown: [] };
  expect(await marks(2)).toEqual(none);
  await mark(2, 5, "Why?");
  expect(await marks(3)).toEqual({ ...none, given: 1 });
  expect(await marks(2)).toMatchObject({
    given: 1,
    is_own_given: true,
    shown: [{ grader_id: 2, feedback: "Why?" }],
  });
  await mark(3, 7);
  expect(await marks(1)).toMatchObject({
    given: 2,
    is_own_given: false,
    shown: [{ score: 5 }, { score: 7 }],
  });
  await rows("delete from submission_marks");
  await says({});
  expect(await marks(2)).toBeNull();
});

it("grade_submission_with_group accepts two equal marks, with both texts, and one marker's agreed grade", async () => {
  const say = (grader: number, points: number, feedback: string, agrees: boolean | null = null) =>
    value(`select refusal from grade_submission_with_group(
      1, ${grader}, '${JSON.stringify({ points, feedback, agrees })}', now(), ${request})`);
  const grade = async () =>
    (
      await rows(
        "select status, score_obtained::float8 as score, instructor_feedback as words from lab_submissions",
      )
    )[0];
  await mark(2, 5, "One");
  expect([await say(2, 5, "Both", false), await say(2, 5, "Both", true)]).toEqual([
    "marks missing",
    "marks missing",
  ]);
  await rows("savepoint marked");
  expect(await say(3, 7, "Two")).toBeNull();
  expect(await grade()).toMatchObject({ status: "submitted", score: null });
  expect(await say(3, 6, "Six", false)).toBeNull();
  expect(await grade()).toEqual({ status: "graded", score: 6, words: "Six" });
  await rows("rollback to savepoint marked");
  expect(await say(3, 5, "Two")).toBeNull();
  expect(await grade()).toEqual({ status: "graded", score: 5, words: "One\n\nTwo" });
});

it("grade_submission_with_group takes no score that came of different levels", async () => {
  const level = (id: string) => ({ id, title: id, points: 5 });
  await says({
    second_mark: true,
    rubric: { criteria: [{ id: "c", title: "C", levels: [level("1"), level("2")] }] },
  });
  const say = (grader: number, level_id: string) =>
    value(`select (submission).status from grade_submission_with_group(1, ${grader},
      '{"chosen": [{"criterion_id": "c", "level_id": "${level_id}"}]}', now(), ${request})`);
  expect(await say(2, "1")).toBe("submitted");
  await rows("savepoint marked");
  expect(await say(3, "2")).toBe("submitted");
  await rows("rollback to savepoint marked");
  expect(await say(3, "1")).toBe("graded");
});

it("apply_item_grading_settings_change scales marks with the points", async () => {
  await mark(2, 5);
  await rows(`select apply_item_grading_settings_change(item, item.content_type_id, '{"points": 50, "most": 50}', true, 3, now(), ${request})
    from content_items as item where id = 1`);
  expect(await given()).toEqual([{ place: 1, grader: 2, score: 10 }]);
});

it("release_or_hide_item_grades waits for marks in those items", async () => {
  const releases = (items: string) =>
    `select release_or_hide_item_grades(1, ${items}, true, 3, now(), ${request})`;
  await rows(releases("null"));
  await mark(2, 5);
  await rows(releases("'{2}'"));
  await rows("update lab_submissions set status = 'graded'");
  await rows(releases("null"));
  await rows("update lab_submissions set status = 'submitted'");
  expect((await refusal(releases("'{1}'"))).constraint).toBe("grade_releases_after_agreement");
});
