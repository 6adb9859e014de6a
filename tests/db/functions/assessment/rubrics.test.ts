import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { itemDataWithScaledRubricSql } from "../../../../lib/courses/content/scaled-rubric.ts";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

const rubric = {
  criteria: [
    {
      id: "argument",
      title: "The argument",
      levels: [
        { id: "good", title: "Good", points: 12, description: "Each step follows" },
        { id: "poor", title: "Poor", points: 3 },
      ],
    },
    { id: "units", title: "Units", levels: [{ id: "named", title: "Named", points: 8 }] },
  ],
};

beforeEach(() => says({ grading: { max_points: 20 }, rubric }));

const says = (data: object) =>
  rows(`update content_items set content_type_id = (select id from content_types where name = 'engineering_lab'),
    data_json = '${JSON.stringify(data)}' where id = 1`);
/** What grading by these levels gives, the sum of their points without any `points`. */
const chosen = async (levels: [string, string, string?][], points?: number) => {
  const given = {
    points,
    chosen: levels.map(([criterion_id, level_id, comment]) => ({ criterion_id, level_id, comment })),
  };
  const [graded] = await rows(
    `select refusal, (submission).score_obtained::float8 as points, (submission).rubric as levels
     from grade_submission_with_group(1, 2, '${JSON.stringify(given)}', now(), '{"at": "2026-03-01T12:00:00Z"}')`,
  );
  return graded;
};

it("grade_submission_with_group keeps chosen levels in the order of the rubric, with their words and points", async () => {
  await rows(`insert into lab_submissions (id, user_id, course_offering_id, content_item_id)
    overriding system value values (1, 1, 1, 1)`);
  const argument = {
    ...{ criterion_id: "argument", title: "The argument", level_id: "poor", level: "Poor" },
    ...{ description: null, points: 3, most: 12, comment: "Why?" },
  };
  const units = {
    ...{ criterion_id: "units", title: "Units", level_id: "named", level: "Named" },
    ...{ description: null, points: 8, most: 8, comment: null },
  };
  expect(
    await chosen([
      ["units", "named"],
      ["argument", "poor", "Why?"],
    ]),
  ).toEqual({ refusal: null, points: 11, levels: [argument, units] });
  expect(await chosen([["units", "named"]])).toMatchObject({ refusal: "not each criterion" });
  expect(await chosen([["units", "named"]], 9)).toEqual({ refusal: null, points: 9, levels: [units] });
  expect(await chosen([])).toMatchObject({ refusal: "not each criterion" });
  expect(await chosen([], 5)).toEqual({ refusal: null, points: 5, levels: null });
  expect(
    await chosen([
      ["units", "named"],
      ["argument", "named"],
    ]),
  ).toMatchObject({ refusal: "no level 1" });
  await says({ rubric: "none" });
  expect(await chosen([["units", "named"]])).toMatchObject({ refusal: "no level 0" });
});

it("rescaled_rubric_level_choices multiply the points, and are null without any", async () => {
  expect(
    await value(`select rescaled_rubric_level_choices('[{"points": 3, "most": 9, "title": "x"}]', 0.5)`),
  ).toEqual([{ points: 1.5, most: 4.5, title: "x" }]);
  expect(await value("select rescaled_rubric_level_choices(null, 2)")).toBeNull();
});

it("itemDataWithScaledRubricSql keeps a rubric in step with the points, unless it was written anew", async () => {
  const scaled = (data: object, former: object) =>
    value(
      sql`select ${itemDataWithScaledRubricSql(data, sql`${JSON.stringify(former)}::jsonb`, "assignment")}`,
    );
  const now = await scaled({ max_points: 10, rubric }, { max_points: 20, rubric });
  expect(now).toMatchObject({
    max_points: 10,
    rubric: {
      criteria: [{ id: "argument", levels: [{ points: 6 }, { points: 1.5 }] }, { levels: [{ points: 4 }] }],
    },
  });
  const other = { criteria: rubric.criteria.slice(1) };
  expect(await scaled({ max_points: 10, rubric: other }, { max_points: 20, rubric })).toMatchObject({
    rubric: other,
  });
  expect(await scaled({ max_points: 20, rubric }, { max_points: 20, rubric })).toMatchObject({ rubric });
  expect(await scaled({ max_points: 10 }, { max_points: 20 })).toEqual({ max_points: 10 });
});
