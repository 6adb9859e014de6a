import type { Config } from "../../config.ts";
import { bedrockGeography } from "../validation/bedrock-region.ts";

export type ModelSettings = Pick<
  Config,
  "LLM_PROVIDER" | "LLM_MODELS" | "DIRECT_API_MODEL" | "CLOUD_MODEL_ID" | "CLOUD_REGION" | "OPENAI_MODEL"
>;

export function configuredModel(settings: Omit<ModelSettings, "LLM_MODELS">): string {
  const named = {
    direct_api: settings.DIRECT_API_MODEL,
    cloud_managed: settings.CLOUD_MODEL_ID,
    openai_compatible: settings.OPENAI_MODEL,
  };
  return named[settings.LLM_PROVIDER] ?? defaultModel(settings);
}

/** Empty if the setting is required. By default, requests stay in the region's geography. */
function defaultModel({ LLM_PROVIDER, CLOUD_REGION }: Pick<Config, "LLM_PROVIDER" | "CLOUD_REGION">): string {
  if (LLM_PROVIDER === "direct_api") return "claude-sonnet-5-5";
  const geography = LLM_PROVIDER === "cloud_managed" && bedrockGeography(CLOUD_REGION);
  return geography ? `${geography}.anthropic.claude-sonnet-4-6` : "";
}

/** Choices of a course or prompt version; by default only the configured one. */
export const allowedModels = (settings: ModelSettings): readonly string[] =>
  settings.LLM_MODELS ?? [configuredModel(settings)];
