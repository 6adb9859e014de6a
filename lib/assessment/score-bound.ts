import * as z from "zod";
import { badRequest, type HttpError } from "../errors.ts";

export const ItemScoreLimit = z.object({ title: z.string(), points: z.number(), most: z.number() });

export type ItemScoreLimit = z.output<typeof ItemScoreLimit>;

/** A score above the item's points plus its extra credit. */
export const scoreAboveLimitError = (bound: ItemScoreLimit | null): HttpError =>
  bound
    ? badRequest("too_many_points", { title: bound.title, most: bound.most })
    : badRequest("over_the_points");
