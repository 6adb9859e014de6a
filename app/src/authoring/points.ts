import { type Data, valueAt } from "./at-path.ts";

/** What an item of that kind is worth, as its data says it. Pure. */
const pointsIn = (kind: string, data: Data): unknown =>
  kind === "quiz"
    ? valueAt(data, "mastery.points")
    : (valueAt(data, "grading.max_points") ?? valueAt(data, "max_points"));

/** Whether an item gives other points than before: scores that stand are scaled then, or stay. Pure. */
export const givesOtherPoints = (kind: string, before: Data, after: Data): boolean =>
  pointsIn(kind, before) !== pointsIn(kind, after);
