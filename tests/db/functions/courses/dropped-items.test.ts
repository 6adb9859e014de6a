import { describe, expect, it } from "vitest";
import { numbersFrom } from "../../../support/random-numbers.ts";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

type Item = { id: number; score: number; points: number };

/** Groups of up to seven items, some without points and some with extra credit. */
function generatedGroups(count: number): { items: Item[]; most: number }[] {
  const next = numbersFrom(55);
  return Array.from({ length: count }, () => ({
    most: next(4),
    items: Array.from({ length: 1 + next(6) }, (_, at) => {
      const points = next(3) === 0 ? 0 : 1 + next(99);
      return { id: at + 1, points, score: next(points + (next(2) === 0 ? 10 : 0)) };
    }),
  }));
}

const partOf = (items: Item[]) => {
  const points = items.reduce((sum, one) => sum + one.points, 0);
  return points > 0 ? items.reduce((sum, one) => sum + one.score, 0) / points : null;
};

/** The best score that any choice of drops leaves, by exhaustive search. */
function bestPart(items: Item[], most: number): number | null {
  const withPoints = items.filter(({ points }) => points > 0);
  const drops = Math.max(0, Math.min(most, withPoints.length - 1));
  let best = partOf(items);
  for (let choice = 0; choice < 2 ** withPoints.length; choice += 1) {
    const dropped = new Set(withPoints.filter((_, at) => choice & (1 << at)).map(({ id }) => id));
    if (dropped.size !== drops) continue;
    const part = partOf(items.filter(({ id }) => !dropped.has(id)));
    if (part !== null && (best === null || part > best)) best = part;
  }
  return best;
}

describe("lowest_items_to_drop", () => {
  it("are the best of all choices, as many as the scheme says, and none without points", async () => {
    const groups = generatedGroups(2000);
    const chosen = await rows(`
      select lowest_items_to_drop(array(select (one ->> 'id')::int from jsonb_array_elements(items) as one),
                           array(select (one ->> 'score')::numeric from jsonb_array_elements(items) as one),
                           array(select (one ->> 'points')::numeric from jsonb_array_elements(items) as one), most) as dropped
      from rows from (jsonb_to_recordset('${JSON.stringify(groups)}') as (items jsonb, most int)) with ordinality as one (items, most, place)
      order by place`);
    const faults = groups.filter(({ items, most }, at) => {
      const dropped = chosen[at]?.["dropped"] as number[];
      const withPoints = items.filter(({ points }) => points > 0);
      const part = partOf(items.filter(({ id }) => !dropped.includes(id)));
      const best = bestPart(items, most);
      return (
        dropped.some((id) => !withPoints.some((one) => one.id === id)) ||
        dropped.length !== Math.max(0, Math.min(most, withPoints.length - 1)) ||
        (part === null ? best !== null : best === null || Math.abs(part - best) > 1e-9)
      );
    });
    expect(chosen).toHaveLength(2000);
    expect(faults).toEqual([]);
  });
});

describe("extra credit", () => {
  const is = (item: number, data: object) =>
    rows(`update content_items set data_json = '${JSON.stringify(data)}',
      content_type_id = (select id from content_types where name = 'assignment') where id = ${item}`);
  const scores = (first: number, second: number) =>
    rows(`insert into lab_submissions
        (user_id, course_offering_id, content_item_id, attempt_number, status, score_obtained, max_score)
      values (1, 1, 1, 1, 'graded', ${first}, 100), (1, 1, 2, 1, 'graded', ${second}, 0)`);
  const scheme = (given: object) =>
    value(
      `select missing from set_grading_scheme(1, '${JSON.stringify(given)}', 3, now(), '{"at": "2026-03-01T12:00:00Z"}')`,
    );
  const totals = async () =>
    (
      await rows(`select current_percent::float8 as current, final_percent::float8 as final
        from current_and_final_course_percents(1, array[1], false, false)`)
    )[0];

  /** Item 1 has 100 points, item 2 only ten extra points. */
  async function prepare() {
    await rows("update course_offerings set capacity = null");
    await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
    await is(1, { max_points: 100 });
    await is(2, { max_points: 0, extra_points: 10 });
  }

  it("never replaces an item with points, and uses up no drop", async () => {
    await prepare();
    await scores(95, 1);
    await scheme({ drop_lowest: 1 });
    expect(await totals()).toEqual({ current: 96, final: 96 });
    await scheme({ groups: [{ name: "All", weight: 1, content_item_ids: [1, 2], drop_lowest: 2 }] });
    expect(await totals()).toEqual({ current: 96, final: 96 });
  });

  it("in a separate group adds its points, and changes no weight", async () => {
    await prepare();
    await scores(77, 1);
    const group = (name: string, weight: number, item: number) => ({
      name,
      weight,
      content_item_ids: [item],
    });
    for (const weight of [0, 10, 100]) {
      await scheme({ groups: [{ ...group("Extra", weight, 2), drop_lowest: 1 }, group("Work", 60, 1)] });
      expect(await totals()).toEqual({ current: 78, final: 78 });
    }
  });

  it("alone is no grade", async () => {
    await prepare();
    await scores(77, 1);
    await scheme({ groups: [{ name: "Extra", weight: 1, content_item_ids: [2], drop_lowest: 1 }] });
    expect(await totals()).toEqual({ current: null, final: null });
  });
});
