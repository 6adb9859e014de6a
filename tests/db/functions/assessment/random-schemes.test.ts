import { beforeEach, expect, it } from "vitest";
import { numbersFrom } from "../../../support/random-numbers.ts";
import { openSession } from "../session.ts";

const { rows } = openSession();

/** `group` is null outside all groups. A null score is missing work. */
type Cell = { id: number; points: number; score: number | null; is_excused: boolean; group: string | null };
type Group = { name: string; weight: number; drops: number };
type Case = { cells: Cell[]; groups: Group[]; hasGroups: boolean };

const maxItems = 8;

beforeEach(async () => {
  await rows("update course_offerings set capacity = null");
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
  await rows(`insert into content_items (id, module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
    overriding system value
    select rank, 2, 1, 1, content_type_id, 'Item ' || rank, rank, '{}' from content_items, generate_series(3, ${maxItems}) as rank
    where id = 1`);
});

/** Schemes with and without groups, with extra credit, drops, excused and missing work, and items of zero points. */
function generateCases(seed: number, count: number): Case[] {
  const next = numbersFrom(seed);
  const oneOf = <Value>(values: readonly Value[]) => values[next(values.length - 1)] as Value;
  return Array.from({ length: count }, () => {
    const hasGroups = next(3) > 0;
    const groups = hasGroups
      ? ["One", "Two", "Three"]
          .slice(0, 1 + next(2))
          .map((name) => ({ name, weight: oneOf([0, 10, 40, 60, 100]), drops: next(3) }))
      : [{ name: "", weight: 1, drops: next(3) }];
    const cells = Array.from({ length: 2 + next(maxItems - 2) }, (_, at) => {
      const points = next(3) === 0 ? 0 : oneOf([1, 10, 20, 50, 100]);
      return {
        id: at + 1,
        points,
        is_excused: next(7) === 0,
        score: next(4) === 0 ? null : next(points + 10),
        group: next(9) === 0 && hasGroups ? null : oneOf(groups).name,
      };
    });
    return { cells, groups, hasGroups };
  });
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

/** The percentage that one choice of drops gives; `-1` if there is none. */
function percentOf({ cells, groups }: Case, dropped: ReadonlySet<number>, isFinal: boolean): number {
  const parts = groups.map(({ name, weight }) => {
    const all = cells.filter(({ group, is_excused }) => group === name && !is_excused);
    const kept = all.filter(({ id, score }) => !dropped.has(id) && (isFinal || score !== null));
    const [points, score] = [sum(kept.map((one) => one.points)), sum(kept.map((one) => one.score ?? 0))];
    const isExtra = cells.every(({ group, points }) => group !== name || points === 0);
    return { weight, ratio: points > 0 ? score / points : null, extra: isExtra ? score / 100 : 0 };
  });
  const counted = parts.filter(({ ratio }) => ratio !== null);
  const weights = sum(counted.map(({ weight }) => weight));
  if (weights === 0) return -1;
  const base = sum(counted.map(({ weight, ratio }) => weight * (ratio ?? 0))) / weights;
  return 100 * (base + sum(parts.map(({ extra }) => extra)));
}

/** The best percentage of all choices of drops; null if no choice gives one. */
function bestPercent(one: Case, isFinal: boolean): number | null {
  const candidates = one.cells.filter(
    ({ points, is_excused, score }) => points > 0 && !is_excused && (isFinal || score !== null),
  );
  let best = -1;
  for (let choice = 0; choice < 2 ** candidates.length; choice += 1) {
    const dropped = candidates.filter((_, at) => choice & (1 << at));
    const isAllowed = one.groups.every(({ name, drops }) => {
      const [left, gone] = [candidates, dropped].map(
        (cells) => cells.filter(({ group }) => group === name).length,
      ) as [number, number];
      return gone <= Math.max(0, Math.min(drops, left - 1));
    });
    if (isAllowed) best = Math.max(best, percentOf(one, new Set(dropped.map(({ id }) => id)), isFinal));
  }
  return best < 0 ? null : best;
}

async function gradeInDatabase({ cells, groups, hasGroups }: Case) {
  const own = JSON.stringify(cells);
  const listed = groups.map(({ name, weight, drops }) => ({
    ...{ name, weight, drop_lowest: drops },
    content_item_ids: cells.filter(({ group }) => group === name).map(({ id }) => id),
  }));
  await rows(`
    delete from item_grades;
    update content_items as item set is_active = one.id is not null, content_type_id = type.id,
      data_json = jsonb_build_object('max_points', coalesce(one.points, 1), 'extra_points', 10)
    from content_types as type, content_items as listed
    left join jsonb_to_recordset('${own}') as one (id int, points numeric) on one.id = listed.id
    where type.name = 'assignment' and item.id = listed.id and item.course_id = 1;
    insert into item_grades (user_id, course_offering_id, content_item_id, score_override, is_excused)
    select 1, 1, one.id, one.score, one.is_excused
    from jsonb_to_recordset('${own}') as one (id int, score numeric, is_excused boolean)
    where one.score is not null or one.is_excused;
    insert into grading_schemes (course_offering_id, letter_scale, passing_percent, groups, release_mode, drop_lowest)
    values (1, '[]', 50, '${JSON.stringify(hasGroups ? listed : [])}', 'manual', ${hasGroups ? 3 : groups[0]?.drops})
    on conflict (course_offering_id) do update set groups = excluded.groups, drop_lowest = excluded.drop_lowest`);
  const [found] = await rows(`select current_percent::float8 as current, final_percent::float8 as final
    from current_and_final_course_percents(1, array[1], false, false)`);
  return found as { current: number | null; final: number | null } | undefined;
}

const isNear = (percent: number | null, best: number | null) =>
  percent === null || best === null ? percent === best : Math.abs(percent - best) < 0.00501;

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  "the gradebook equals the best of all choices in a hundred random schemes (seed %i)",
  async (seed) => {
    const faults: unknown[] = [];
    const cases = generateCases(seed, 100);
    for (const one of cases) {
      const present = await gradeInDatabase(one);
      const [current, final] = [bestPercent(one, false), bestPercent(one, true)];
      if (!present || !isNear(present.current, current) || !isNear(present.final, final))
        faults.push({ one, present, current, final });
    }
    expect(cases).toHaveLength(100);
    expect(faults).toEqual([]);
  },
);

it("extra credit adds to the weighted groups, and takes no drop from them", async () => {
  const cell = (id: number, group: string, score: number, points: number) => ({
    ...{ id, group, score, points },
    is_excused: false,
  });
  const groups = [
    { name: "Exams", weight: 60, drops: 1 },
    { name: "Labs", weight: 40, drops: 1 },
  ];
  const regular = [cell(1, "Exams", 95, 100), cell(2, "Labs", 25, 50)];
  const grade = (cells: Cell[]) => gradeInDatabase({ cells, groups, hasGroups: true });
  expect(await grade(regular)).toEqual({ current: 77, final: 77 });
  expect(await grade([...regular, cell(3, "Exams", 1, 0)])).toEqual({ current: 77.6, final: 77.6 });
});
