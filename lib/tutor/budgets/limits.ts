import type { TutorLimits } from "../../../schema/api/tutor/tutor-budgets.ts";
import type { Config } from "../../config.ts";

export type TutorLimitSettings = Pick<
  Config,
  "TUTOR_TURNS_PER_DAY" | "TUTOR_TURNS_AT_ONCE" | "TUTOR_TOKENS_PER_MONTH"
>;

export const platformTutorLimits = (settings: TutorLimitSettings): TutorLimits => ({
  turns_per_day: settings.TUTOR_TURNS_PER_DAY,
  turns_at_once: settings.TUTOR_TURNS_AT_ONCE,
  tokens_per_month: settings.TUTOR_TOKENS_PER_MONTH ?? null,
});
