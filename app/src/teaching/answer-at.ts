import { to } from "../routes.ts";

/** Where a stored answer stands in the map of its class, open to be edited. */
export const answerAt = (
  course: string | number,
  offering: string | number,
  item: number,
  node: number,
): string => `${to("teaching", course, offering, "topics", item)}?node=${node}`;
