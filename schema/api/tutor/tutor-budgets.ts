import * as z from "zod";
import { integer } from "../platform/fields.ts";

const maxBudgetTokensPerMonth = 1_000_000_000_000;

const turnsPerDay = integer(0, 1_000_000).nullable();
const turnsAtOnce = integer(0, 10_000).nullable();
const tokensPerMonth = integer(0, maxBudgetTokensPerMonth).nullable();

const limits = {
  turns_per_day: turnsPerDay.meta({
    description: "LLM answers for one person in a UTC day",
    example: 200,
  }),
  turns_at_once: turnsAtOnce.meta({ description: "Concurrent LLM answers for one person", example: 4 }),
  tokens_per_month: tokensPerMonth.meta({
    description: "Tokens of all people in a UTC calendar month",
    example: 50_000_000,
  }),
};

/** Limits of the tutor; null for none. */
export const TutorLimits = z.object(limits).meta({ id: "TutorLimits" });

export const TutorBudget = z
  .object({
    granted: TutorLimits,
    own: TutorLimits,
    in_force: TutorLimits,
    tokens_this_month: z.int().min(0).meta({
      description: "Tokens used so far, including the maximum of running calls",
    }),
  })
  .meta({ id: "TutorBudget" });

export type TutorLimits = z.output<typeof TutorLimits>;
export type TutorBudget = z.output<typeof TutorBudget>;
