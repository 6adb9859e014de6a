import type { SeededRandom } from "../chaos/rng.ts";

/** Points of each criterion by level. */
const points = { argument: [2, 6, 10], method: [4, 7, 10] };

export const simulationRubric = {
  criteria: Object.entries(points).map(([id, levels]) => ({
    id,
    title: `The ${id}`,
    levels: levels.map((worth) => ({ id: `${worth}`, title: `Worth ${worth}`, points: worth })),
  })),
};

/** A level per criterion, and their sum. */
export function pickRubricLevels(rng: SeededRandom) {
  const chosen = Object.entries(points).map(([criterion, levels]) => {
    const worth = levels[Math.floor(rng.between(0, levels.length))] ?? 0;
    return { criterion, worth };
  });
  return {
    score: chosen.reduce((sum, { worth }) => sum + worth, 0),
    rubric: chosen.map(({ criterion, worth }) => ({ criterion_id: criterion, level_id: `${worth}` })),
  };
}
