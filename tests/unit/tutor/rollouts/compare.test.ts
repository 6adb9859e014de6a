import { expect, it } from "vitest";
import { type ArmStatisticsRow, compareArms, exceededLimit } from "../../../../lib/tutor/rollouts/compare.ts";
import { createSeededRandom } from "../../../../proof/chaos/rng.ts";
import { RolloutCreate } from "../../../../schema/api/tutor/rollouts.ts";

const { stop: standard } = RolloutCreate.parse({ candidate_version: 2, share: 10 });

const same = (count: number) => ({ count, mean: 0, variance: 0 });

const arm = (turns: number, more: Partial<ArmStatisticsRow> = {}): ArmStatisticsRow => ({
  ...{ conversations: turns, turns, made: turns, calls: turns, calls_estimated: 0, ups: 0, downs: 0 },
  ...{ malformed: 0, refusals: 0, cut_offs: 0, total_cost_micros: 0 },
  ...{ length: same(turns), cost: same(turns), first_word: same(turns) },
  ...more,
});

it("a limit is relative to the base's value", () => {
  const compared = compareArms(
    { base: arm(1000, { malformed: 10 }), candidate: arm(200, { malformed: 20 }) },
    standard,
  );
  expect(compared[0]).toEqual({
    ...{ limit: "MALFORMED", base: 0.01, candidate: 0.1, base_answers: 1000, candidate_answers: 200 },
    ...{ most: 0.03, is_exceeded: true },
  });
  expect(exceededLimit(compared)).toBe("malformed");
});

it("of nothing there is no share, and nothing is exceeded", () => {
  const compared = compareArms({ base: arm(0), candidate: arm(0) }, standard);
  expect(compared.map(({ base, candidate, most }) => [base, candidate, most])).toEqual(
    Array(7).fill([null, null, null]),
  );
  expect(exceededLimit(compared)).toBeUndefined();
});

it("a version compared with itself is not stopped, after any number of checks", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const rng = createSeededRandom(seed);
    const counts = {
      base: { turns: 0, bad: 0, costs: [] as number[] },
      candidate: { turns: 0, bad: 0, costs: [] as number[] },
    };
    for (let turn = 1; turn <= 4000; turn += 1) {
      const one = rng.next() < 0.2 ? counts.candidate : counts.base;
      one.turns += 1;
      // Five of a hundred are bad, and costs have a realistic long tail.
      if (rng.next() < 0.05) one.bad += 1;
      one.costs.push(-Math.log(1 - rng.next()) * 1000);
      if (turn % 50 !== 0) continue;
      const row = ({ turns, bad, costs }: typeof one) => {
        const mean = costs.reduce((sum, cost) => sum + cost, 0) / Math.max(costs.length, 1);
        const variance =
          costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / Math.max(costs.length - 1, 1);
        const measured = { count: costs.length, mean, variance };
        return arm(turns, {
          ...{ malformed: bad, refusals: bad, cut_offs: bad, downs: bad },
          ...{ length: measured, cost: measured, first_word: measured },
        });
      };
      const compared = compareArms({ base: row(counts.base), candidate: row(counts.candidate) }, standard);
      expect(exceededLimit(compared), `seed ${seed}, after ${turn} turns`).toBeUndefined();
    }
  }
});
