import type { Config } from "../../config.ts";
import { badRequest } from "../../errors.ts";
import { allowedModels, type ModelSettings } from "../../platform/llm/models.ts";

/** Limits on a version's `config`. */
export type ConfigBounds = {
  models: readonly string[];
  highestTemperature: number;
  /** In tokens. */
  longestAnswer: number;
};

/** Anthropic models accept temperatures up to 1, on Bedrock too; OpenAI's protocol up to 2. */
export const configBounds = (settings: ModelSettings & Pick<Config, "LLM_MAX_TOKENS">): ConfigBounds => ({
  models: allowedModels(settings),
  highestTemperature: settings.LLM_PROVIDER === "openai_compatible" ? 2 : 1,
  longestAnswer: settings.LLM_MAX_TOKENS,
});

type StoredConfig = Readonly<Record<string, unknown>>;

/** Without the model, which `effective_tutor_model` (prompts.sql) decides. */
export type EffectiveConfig = { temperature?: number; max_tokens?: number };

const isTemperature = (value: unknown, { highestTemperature }: ConfigBounds): value is number =>
  typeof value === "number" && value >= 0 && value <= highestTemperature;

const isLength = (value: unknown, { longestAnswer }: ConfigBounds): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= longestAnswer;

/** 400 if effective settings exceed the bounds. Other keys are the author's own. */
export function ensureConfigWithinBounds(config: StoredConfig, bounds: ConfigBounds): void {
  const { model, temperature, max_tokens } = config;
  if (model !== undefined && !bounds.models.some((allowed) => allowed === model))
    throw badRequest("not_one_of", { field: "config.model", choices: bounds.models.join(", ") });
  if (temperature !== undefined && !isTemperature(temperature, bounds))
    throw badRequest("temperature_out_of_range", { highest: bounds.highestTemperature });
  if (max_tokens !== undefined && !isLength(max_tokens, bounds))
    throw badRequest("max_tokens_out_of_range", { most: bounds.longestAnswer });
}

/** Within the current bounds, as older versions may exceed them. */
export const dropConfigOutsideBounds = (
  { temperature, max_tokens }: StoredConfig,
  bounds: ConfigBounds,
): EffectiveConfig => ({
  ...(isTemperature(temperature, bounds) && { temperature }),
  ...(isLength(max_tokens, bounds) && { max_tokens }),
});
