import type { Config } from "../config.ts";
import { bedrockGeography } from "../validation/bedrock-region.ts";

/** The settings that say which models there are. */
export type ModelSettings = Pick<
  Config,
  "LLM_PROVIDER" | "LLM_MODELS" | "DIRECT_API_MODEL" | "CLOUD_MODEL_ID" | "CLOUD_REGION" | "OPENAI_MODEL"
>;

/** The model of requests that name none of their own. */
export function configuredModel(settings: Omit<ModelSettings, "LLM_MODELS">): string {
  const named = {
    direct_api: settings.DIRECT_API_MODEL,
    cloud_managed: settings.CLOUD_MODEL_ID,
    openai_compatible: settings.OPENAI_MODEL,
  };
  return named[settings.LLM_PROVIDER] ?? defaultModel(settings);
}

/** Where none is known the setting is required. A request stays in the region's geography unless someone says otherwise. */
function defaultModel({ LLM_PROVIDER, CLOUD_REGION }: Pick<Config, "LLM_PROVIDER" | "CLOUD_REGION">): string {
  if (LLM_PROVIDER === "direct_api") return "claude-sonnet-5-5";
  const geography = LLM_PROVIDER === "cloud_managed" && bedrockGeography(CLOUD_REGION);
  return geography ? `${geography}.anthropic.claude-sonnet-4-6` : "";
}

/** The models that a course or a version of a prompt may name; by default the configured one alone. */
export const allowedModels = (settings: ModelSettings): readonly string[] =>
  settings.LLM_MODELS ?? [configuredModel(settings)];
