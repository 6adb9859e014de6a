import type { Deps } from "../../deps.ts";
import type { ModelSettings } from "../../platform/llm/models.ts";

/** In seconds. */
export const answerTimeLimitSeconds = 120;

/** `signal` aborts at `deadline`, in milliseconds of `performance.now()`. */
export type TurnDeps = Pick<Deps, "db" | "signsOfLife" | "llm" | "embeddings" | "log" | "now" | "metrics"> & {
  config: Pick<
    Deps["config"],
    | "DATABASE_POOL_SIZE"
    | "TUTOR_PROMPT_NAME"
    | "TUTOR_MATERIAL_CHARACTERS"
    | "TUTOR_TURNS_PER_DAY"
    | "TUTOR_TURNS_AT_ONCE"
    | "TUTOR_TOKENS_PER_MONTH"
    | "LLM_MAX_TOKENS"
    | "LLM_QUESTION_TOOL"
    | "LLM_PRICES"
    | "EMBEDDINGS_TIMEOUT_MS"
    | keyof ModelSettings
  >;
  signal: AbortSignal;
  deadline: number;
};
