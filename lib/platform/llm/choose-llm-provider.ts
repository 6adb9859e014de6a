import type { Config } from "../../config.ts";
import { anthropicProvider } from "./anthropic.ts";
import { type BatchSettings, batchLimits } from "./batches.ts";
import { type BedrockOptions, bedrockProvider, type CloudCredentials } from "./bedrock.ts";
import { bedrockEmbeddingsProvider, type EmbeddingsProvider } from "./embeddings.ts";
import { configuredModel } from "./models.ts";
import { openAiCompatibleProvider } from "./openai-compatible.ts";
import { type ProbeableProvider, refusingProvider } from "./provider.ts";
import { type TuningSettings, toModelTuning } from "./tuning.ts";

export type LlmSettings = Pick<
  Config,
  | "LLM_PROVIDER"
  | "LLM_MAX_TOKENS"
  | "LLM_FIRST_EVENT_TIMEOUT_SECONDS"
  | "LLM_EVENT_TIMEOUT_SECONDS"
  | "DIRECT_API_KEY"
  | "DIRECT_API_MODEL"
  | "DIRECT_API_BASE_URL"
  | "CLOUD_MODEL_ID"
  | "CLOUD_REGION"
  | "CLOUD_ACCESS_KEY_ID"
  | "CLOUD_SECRET_ACCESS_KEY"
  | "CLOUD_SESSION_TOKEN"
  | "CLOUD_ENDPOINT_URL"
  | "OPENAI_BASE_URL"
  | "OPENAI_API_KEY"
  | "OPENAI_MODEL"
  | "OPENAI_LIMIT_FIELD"
> &
  BatchSettings &
  TuningSettings;

/** An answer of 4096 tokens takes about a minute. */
const timeoutMs = 120_000;

/**
 * Connects with the first call. `credentials` (for `cloud_managed`) returns a university's keys (null: the
 * platform's). Default: the settings' keys, otherwise the default chain.
 */
export function chooseProvider(
  settings: LlmSettings,
  credentials: BedrockOptions["credentials"] = configuredCloudKeys(settings),
): ProbeableProvider {
  const model = configuredModel(settings);
  const silenceMs = {
    first: settings.LLM_FIRST_EVENT_TIMEOUT_SECONDS * 1000,
    between: settings.LLM_EVENT_TIMEOUT_SECONDS * 1000,
  };
  const limits = {
    tuning: toModelTuning(settings),
    maxTokens: settings.LLM_MAX_TOKENS,
    timeoutMs,
    silenceMs,
  };
  if (settings.LLM_PROVIDER === "cloud_managed")
    return bedrockProvider({
      ...limits,
      modelId: model,
      region: settings.CLOUD_REGION,
      endpoint: settings.CLOUD_ENDPOINT_URL,
      credentials,
      batches: jobStoreOf(settings),
    });
  if (settings.LLM_PROVIDER === "openai_compatible") {
    const baseURL = settings.OPENAI_BASE_URL;
    if (!baseURL || !model)
      return refusingProvider("openai_compatible: OPENAI_BASE_URL or OPENAI_MODEL is not set");
    const { OPENAI_API_KEY: apiKey, OPENAI_LIMIT_FIELD: limitField } = settings;
    return openAiCompatibleProvider({ ...limits, baseURL, apiKey, model, limitField });
  }
  if (!settings.DIRECT_API_KEY) return refusingProvider("direct_api: DIRECT_API_KEY is not set");
  return anthropicProvider({
    ...limits,
    apiKey: settings.DIRECT_API_KEY,
    model,
    baseURL: settings.DIRECT_API_BASE_URL,
    hasBatches: batchLimits(settings) !== undefined,
  });
}

function jobStoreOf(settings: LlmSettings): BedrockOptions["batches"] {
  const { CLOUD_BATCH_BUCKET: bucket, CLOUD_BATCH_ROLE_ARN: roleArn } = settings;
  return batchLimits(settings) && bucket?.kind === "s3" && roleArn ? { bucket, roleArn } : undefined;
}

/** With the provider's keys; undefined if not configured. */
export function chooseEmbeddingsProvider(
  {
    EMBEDDINGS_MODEL: model,
    CLOUD_REGION: region,
    CLOUD_ENDPOINT_URL: endpoint,
  }: Pick<Config, "EMBEDDINGS_MODEL" | "CLOUD_REGION" | "CLOUD_ENDPOINT_URL">,
  credentials: BedrockOptions["credentials"],
): EmbeddingsProvider | undefined {
  return model ? bedrockEmbeddingsProvider(model, { region, endpoint, credentials }) : undefined;
}

export function configuredCloudKeys(
  settings: Pick<LlmSettings, "CLOUD_ACCESS_KEY_ID" | "CLOUD_SECRET_ACCESS_KEY" | "CLOUD_SESSION_TOKEN">,
): CloudCredentials | undefined {
  const { CLOUD_ACCESS_KEY_ID, CLOUD_SECRET_ACCESS_KEY, CLOUD_SESSION_TOKEN } = settings;
  if (!CLOUD_ACCESS_KEY_ID || !CLOUD_SECRET_ACCESS_KEY) return undefined;
  return {
    accessKeyId: CLOUD_ACCESS_KEY_ID,
    secretAccessKey: CLOUD_SECRET_ACCESS_KEY,
    ...(CLOUD_SESSION_TOKEN && { sessionToken: CLOUD_SESSION_TOKEN }),
  };
}
