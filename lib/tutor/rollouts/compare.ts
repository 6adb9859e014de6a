import * as z from "zod";
import type { RolloutReport } from "../../../schema/api/tutor/rollouts.ts";
import { type RolloutLimit, rolloutLimits } from "../../../schema/enums.ts";
import { differenceLowerBound, type SuccessCounts } from "../../platform/statistics/newcombe.ts";
import { exceedsRatio, type SampleMoments } from "../../platform/statistics/ratio-of-means.ts";

const Measured = z.object({ count: z.int(), mean: z.number(), variance: z.number() });

/** Statistics of one arm: `armOf` (arm-statistics.ts). */
export const ArmStatisticsRow = z.object({
  conversations: z.int(),
  turns: z.int(),
  ups: z.int(),
  downs: z.int(),
  made: z.int(),
  calls: z.int(),
  calls_estimated: z.int(),
  malformed: z.int(),
  refusals: z.int(),
  cut_offs: z.int(),
  total_cost_micros: z.number(),
  length: Measured,
  cost: Measured,
  first_word: Measured,
});

export type ArmStatisticsRow = z.output<typeof ArmStatisticsRow>;

/**
 * The standard normal distribution's 99.9th percentile. Rollouts are tested repeatedly, so 95 % would stop
 * too many.
 */
const z999 = 3.090232306167813;

/** Arms with fewer answers are not compared. */
export const minAnswersPerComparedArm = 100;

type Comparison = RolloutReport["compared"][number];

/** A limit is some points above the base's share, or a multiple of its mean. */
const measures: Record<
  RolloutLimit,
  | { kind: "share"; of: (arm: ArmStatisticsRow) => SuccessCounts }
  | { kind: "mean"; of: (arm: ArmStatisticsRow) => SampleMoments }
> = {
  malformed: { kind: "share", of: ({ malformed, made }) => ({ successes: malformed, trials: made }) },
  refusals: { kind: "share", of: ({ refusals, made }) => ({ successes: refusals, trials: made }) },
  cut_offs: { kind: "share", of: ({ cut_offs, made }) => ({ successes: cut_offs, trials: made }) },
  downs: { kind: "share", of: ({ downs, turns }) => ({ successes: downs, trials: turns }) },
  length: { kind: "mean", of: ({ length }) => length },
  cost: { kind: "mean", of: ({ cost }) => cost },
  first_word: { kind: "mean", of: ({ first_word }) => first_word },
};

/** In order of checking. Pure. */
export const compareArms = (
  { base, candidate }: { base: ArmStatisticsRow; candidate: ArmStatisticsRow },
  limits: Readonly<Record<RolloutLimit, number | null>>,
): Comparison[] => rolloutLimits.map((limit) => compare(limit, base, candidate, limits[limit] ?? null));

export const exceededLimit = (compared: readonly Comparison[]): RolloutLimit | undefined => {
  const exceeded = compared.find(({ is_exceeded }) => is_exceeded);
  return rolloutLimits.find((limit) => limit.toUpperCase() === exceeded?.limit);
};

function compare(
  limit: RolloutLimit,
  base: ArmStatisticsRow,
  candidate: ArmStatisticsRow,
  most: number | null,
): Comparison {
  const measure = measures[limit];
  const told = { limit: limit.toUpperCase() as Uppercase<RolloutLimit> };
  if (measure.kind === "share") {
    const [before, after] = [measure.of(base), measure.of(candidate)];
    const share = shareOf(before);
    return {
      ...told,
      base: share,
      candidate: shareOf(after),
      base_answers: before.trials,
      candidate_answers: after.trials,
      most: most === null || share === null ? null : share + most,
      is_exceeded:
        most !== null &&
        Math.min(before.trials, after.trials) >= minAnswersPerComparedArm &&
        differenceLowerBound(after, before, z999) > most,
    };
  }
  const [before, after] = [measure.of(base), measure.of(candidate)];
  const mean = meanOrNull(before);
  return {
    ...told,
    base: mean,
    candidate: meanOrNull(after),
    base_answers: before.count,
    candidate_answers: after.count,
    most: most === null || mean === null ? null : mean * most,
    is_exceeded:
      most !== null &&
      Math.min(before.count, after.count) >= minAnswersPerComparedArm &&
      exceedsRatio(after, before, most, z999),
  };
}

const shareOf = ({ successes, trials }: SuccessCounts): number | null =>
  trials === 0 ? null : successes / trials;

export const meanOrNull = ({ count, mean }: SampleMoments): number | null => (count === 0 ? null : mean);
