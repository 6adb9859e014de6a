import { beforeEach, expect, it } from "vitest";
import { openSession } from "./session.ts";

const { rows, value, column, refusal } = openSession();

beforeEach(async () => {
  await says({ second_mark: true });
  await rows(`insert into lab_submissions (id, user_id, course_offering_id, content_item_id)
    overriding system value values (1, 1, 1, 1)`);
});

const says = (data: object) =>
  rows(`update content_items set content_type_id = (select id from content_types where name = 'assignment'),
    data_json = '${JSON.stringify(data)}' where id = 1`);
const mark = (grader: number, score: number, words = "null") =>
  value(`select give_mark(1, ${grader}, ${score}, null, ${words}, now())`);
const given = () =>
  rows("select place, grader_id as grader, score::float8 from submission_marks order by place");

it("takes_two_marks( and is_marked_twice( of what had no grade without any", async () => {
  expect(await column("select takes_two_marks(id) from content_items order by id")).toEqual([true, false]);
  const twice = () => value("select is_marked_twice(one) from lab_submissions as one");
  expect(await twice()).toBe(true);
  await rows("update lab_submissions set status = 'graded'");
  expect(await twice()).toBe(false);
  await mark(2, 5);
  expect(await twice()).toBe(true);
  await says({});
  expect(await twice()).toBe(false);
});

it("give_mark( takes two of two people, and another of the first while it is the only one", async () => {
  expect(await mark(2, 5)).toBeNull();
  expect(await mark(2, 6)).toBeNull();
  expect(await given()).toEqual([{ place: 1, grader: 2, score: 6 }]);
  expect(await mark(3, 7)).toBeNull();
  expect([await mark(2, 8), await mark(1, 8)]).toEqual(["two marks", "two marks"]);
  expect(await given()).toEqual([
    { place: 1, grader: 2, score: 6 },
    { place: 2, grader: 3, score: 7 },
  ]);
});

it("the table takes nobody's two marks, and no third one", async () => {
  await mark(2, 5);
  const another = (place: number, grader: number) =>
    `insert into submission_marks (submission_id, place, grader_id, score, marked_at) values (1, ${place}, ${grader}, 1, now())`;
  expect((await refusal(another(2, 2))).constraint).toBe("submission_marks_grader_unique");
});

it("marks_of( shows one's own, and both once both are in", async () => {
  const marks = (reader: number) => value(`select marks_of(one, ${reader}) from lab_submissions as one`);
  const none = { given: 0, is_own_given: false, shown: [] };
  expect(await marks(2)).toEqual(none);
  await mark(2, 5, "'Why?'");
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

it("equal_marks( are two with one score, refusal_to_agree( is of who gave neither, scale_marks( keeps them in step", async () => {
  const equal = () => rows("select score::float8, feedback from equal_marks(1)");
  const refused = (person: number, without = false) =>
    value(`select refusal_to_agree(1, ${person}, ${without})`);
  await mark(2, 5, "'One'");
  expect([await equal(), await refused(2), await refused(2, true)]).toEqual([
    [{ score: null, feedback: null }],
    "marks missing",
    "marks missing",
  ]);
  await mark(3, 7, "'Two'");
  expect((await equal())[0]?.["score"]).toBeNull();
  expect([await refused(2), await refused(3), await refused(1), await refused(1, true)]).toEqual([
    null,
    null,
    "not theirs",
    null,
  ]);
  await rows("update submission_marks set score = 5");
  expect(await equal()).toEqual([{ score: 5, feedback: "One\n\nTwo" }]);
  await rows("select scale_marks(1, 2)");
  expect((await equal())[0]?.["score"]).toBe(10);
});

it("refuse_release_before_agreement( waits for what is marked in those items", async () => {
  const refuses = (items: string) => `select refuse_release_before_agreement(1, ${items})`;
  await rows(refuses("null"));
  await mark(2, 5);
  await rows(refuses("'{2}'"));
  await rows("update lab_submissions set status = 'graded'");
  await rows(refuses("null"));
  await rows("update lab_submissions set status = 'submitted'");
  expect((await refusal(refuses("'{1}'"))).constraint).toBe("grade_releases_after_agreement");
});
