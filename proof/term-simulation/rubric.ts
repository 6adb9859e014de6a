import type { Rng } from "../chaos/rng.ts";

/** What each criterion gives at its levels. */
const points = { argument: [2, 6, 10], method: [4, 7, 10] };

/** By what the labs of groups are judged. */
export const rubric = {
  criteria: Object.entries(points).map(([id, levels]) => ({
    id,
    title: `The ${id}`,
    levels: levels.map((worth) => ({ id: `${worth}`, title: `Worth ${worth}`, points: worth })),
  })),
};

/** A level of each criterion, and what these give together. */
export function judge(rng: Rng) {
  const chosen = Object.entries(points).map(([criterion, levels]) => {
    const worth = levels[Math.floor(rng.between(0, levels.length))] ?? 0;
    return { criterion, worth };
  });
  return {
    score: chosen.reduce((sum, { worth }) => sum + worth, 0),
    rubric: chosen.map(({ criterion, worth }) => ({ criterion_id: criterion, level_id: `${worth}` })),
  };
}
