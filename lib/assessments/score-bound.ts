import * as z from "zod";
import { badRequest, type HttpError } from "../errors.ts";

/** What a score in an item is held against, as `score_bound` answers it. */
export const ScoreBound = z.object({ title: z.string(), points: z.number(), most: z.number() });

export type ScoreBound = z.output<typeof ScoreBound>;

/** The 400 for a score of too many points: the item's, and those that may be given beyond them. */
export const tooManyPoints = (bound: ScoreBound | null): HttpError =>
  bound
    ? badRequest("too_many_points", { title: bound.title, most: bound.most })
    : badRequest("over_the_points");
