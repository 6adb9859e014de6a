import * as z from "zod";
import { badRequest, type HttpError } from "../errors.ts";

/** What a score in an item is held against, as `score_bound` answers it. */
export const ScoreBound = z.object({ title: z.string(), points: z.number(), most: z.number() });

export type ScoreBound = z.output<typeof ScoreBound>;

/** Why a score is too many points: the item's, and those that may be given beyond them. */
export const overBound = ({ title, most }: ScoreBound): string => `'${title}' gives at most ${most} points`;

/** The 400 for that. */
export const tooManyPoints = (bound: ScoreBound | null): HttpError =>
  badRequest(bound ? overBound(bound) : "The score is over the points of the item");
