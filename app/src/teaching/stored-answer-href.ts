import { screenHref } from "../routes.ts";

/** The address of a stored answer in the class's tree, opened for editing. */
export const storedAnswerHref = (
  course: string | number,
  offering: string | number,
  item: number,
  node: number,
): string => `${screenHref("teaching", course, offering, "topics", item)}?node=${node}`;
