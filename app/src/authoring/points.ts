import { type ContentData, valueAt } from "./at-path.ts";

/** The points of an item, wherever its kind stores them. Pure. */
const pointsIn = (kind: string, data: ContentData): unknown =>
  kind === "quiz"
    ? valueAt(data, "mastery.points")
    : (valueAt(data, "grading.max_points") ?? valueAt(data, "max_points"));

/** Whether the edit changes an item's points, so existing scores may need rescaling. Pure. */
export const changesPoints = (kind: string, before: ContentData, after: ContentData): boolean =>
  pointsIn(kind, before) !== pointsIn(kind, after);
