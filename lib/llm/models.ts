import type { Config } from "../config.ts";

/** The global inference profile can be called from every commercial region. */
const defaultModels = {
  direct_api: "claude-sonnet-5-5",
  cloud_managed: "global.anthropic.claude-sonnet-4-6",
  // Which models such a server has, nobody knows: the setting is required.
  openai_compatible: "",
};

type ModelSettings = Pick<Config, "LLM_PROVIDER" | "DIRECT_API_MODEL" | "CLOUD_MODEL_ID" | "OPENAI_MODEL">;

/** The model of requests that name none of their own. */
export function configuredModel(settings: ModelSettings): string {
  const named = {
    direct_api: settings.DIRECT_API_MODEL,
    cloud_managed: settings.CLOUD_MODEL_ID,
    openai_compatible: settings.OPENAI_MODEL,
  };
  return named[settings.LLM_PROVIDER] ?? defaultModels[settings.LLM_PROVIDER];
}

/** The models that a course may name; by default the configured one alone. */
export const allowedModels = (settings: ModelSettings & Pick<Config, "LLM_MODELS">): readonly string[] =>
  settings.LLM_MODELS ?? [configuredModel(settings)];
