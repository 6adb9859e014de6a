import { type ContentData, valueAtPath } from "./at-path.ts";

/** The points of an item, wherever its kind stores them. Pure. */
const pointsIn = (kind: string, data: ContentData): unknown =>
  kind === "quiz"
    ? valueAtPath(data, "mastery.points")
    : (valueAtPath(data, "grading.max_points") ?? valueAtPath(data, "max_points"));

/** Whether the edit changes an item's points, so existing scores may need rescaling. Pure. */
export const doesEditChangePoints = (kind: string, before: ContentData, after: ContentData): boolean =>
  pointsIn(kind, before) !== pointsIn(kind, after);
