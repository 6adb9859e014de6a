import { beforeEach, expect, it } from "vitest";
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
const chosen = (levels: [string, string, string?][]) =>
  rows(
    `select missing, is_whole as whole, points::float8, levels from chosen_levels(1, '${JSON.stringify(
      levels.map(([criterion_id, level_id, comment]) => ({ criterion_id, level_id, comment })),
    )}')`,
  );

it("chosen_levels have the order of the rubric, with their texts and points", async () => {
  const argument = {
    ...{ criterion_id: "argument", title: "The argument", level_id: "poor", level: "Poor" },
    ...{ description: null, points: 3, most: 12, comment: "Why?" },
  };
  const units = {
    ...{ criterion_id: "units", title: "Units", level_id: "named", level: "Named" },
    ...{ description: null, points: 8, most: 8, comment: null },
  };
  const all = await chosen([
    ["units", "named"],
    ["argument", "poor", "Why?"],
  ]);
  expect(all).toEqual([{ missing: null, whole: true, points: 11, levels: [argument, units] }]);
  expect(await chosen([["units", "named"]])).toMatchObject([{ missing: null, whole: false, points: 8 }]);
  expect(await chosen([])).toEqual([{ missing: null, whole: false, points: null, levels: null }]);
  expect(
    await chosen([
      ["units", "named"],
      ["argument", "named"],
    ]),
  ).toMatchObject([{ missing: 1, whole: false }]);
  await says({ rubric: "none" });
  expect(await chosen([["units", "named"]])).toMatchObject([{ missing: 0 }]);
});

it("scaled_levels multiply the points, and are null without any", async () => {
  expect(await value(`select scaled_levels('[{"points": 3, "most": 9, "title": "x"}]', 0.5)`)).toEqual([
    { points: 1.5, most: 4.5, title: "x" },
  ]);
  expect(await value("select scaled_levels(null, 2)")).toBeNull();
});

it("with_scaled_rubric scales a rubric with the points, unless it was rewritten", async () => {
  const scaled = (data: object, former: object) =>
    value(`select with_scaled_rubric('${JSON.stringify(data)}', '${JSON.stringify(former)}', 'assignment')`);
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
