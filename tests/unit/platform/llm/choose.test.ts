import { afterAll, beforeAll, expect, it } from "vitest";
import { chooseProvider, type LlmSettings } from "../../../../lib/platform/llm/choose-llm-provider.ts";
import type { LlmProvider } from "../../../../lib/platform/llm/provider.ts";
import { type LlmStandIn, startLlmStandIn } from "../../../support/llm-stand-in.ts";

let llm: LlmStandIn;
beforeAll(async () => {
  llm = await startLlmStandIn();
});
afterAll(() => llm.close());

const direct: LlmSettings = {
  LLM_PROVIDER: "direct_api",
  LLM_MAX_TOKENS: 77,
  LLM_FIRST_EVENT_TIMEOUT_SECONDS: 20,
  LLM_EVENT_TIMEOUT_SECONDS: 30,
  LLM_THINKING: "off",
  LLM_THINKING_UNOPENED: false,
  LLM_REASONING_TAGS: [],
  LLM_PROMPT_CACHING: true,
  DIRECT_API_KEY: "key",
  CLOUD_REGION: "eu-west-2",
  OPENAI_LIMIT_FIELD: "max_tokens",
};
const cloud: LlmSettings = {
  ...direct,
  LLM_PROVIDER: "cloud_managed",
  CLOUD_ACCESS_KEY_ID: "AKIDEXAMPLE",
  CLOUD_SECRET_ACCESS_KEY: "secret",
  CLOUD_SESSION_TOKEN: "session",
};

async function ask(provider: LlmProvider): Promise<void> {
  const messages = [{ role: "user" as const, content: "Start." }];
  for await (const _ of provider.stream({ model: provider.defaultModel, system: "", messages }));
}

it("direct_api takes its model, address and token limit from the settings", async () => {
  const provider = chooseProvider({ ...direct, DIRECT_API_MODEL: "my-model", DIRECT_API_BASE_URL: llm.url });
  await ask(provider);
  expect(provider.name).toBe("direct_api");
  expect(llm.requests.at(-1)).toMatchObject({ model: "my-model", max_tokens: 77 });
});

it("cloud_managed takes its model, keys, address and token limit from the settings", async () => {
  const provider = chooseProvider({
    ...cloud,
    CLOUD_MODEL_ID: "my-profile",
    CLOUD_ENDPOINT_URL: llm.bedrockUrl,
  });
  await ask(provider);
  expect(provider.name).toBe("cloud_managed");
  expect(llm.converseRequests.at(-1)).toMatchObject({
    modelId: "my-profile",
    inferenceConfig: { maxTokens: 77 },
  });
});

it("openai_compatible takes its model, address, key and token limit from the settings", async () => {
  const provider = chooseProvider({
    ...direct,
    LLM_PROVIDER: "openai_compatible",
    LLM_EFFORT: "none",
    OPENAI_BASE_URL: llm.openAiUrl,
    OPENAI_MODEL: "qwen3",
    OPENAI_LIMIT_FIELD: "max_completion_tokens",
  });
  await ask(provider);
  expect(provider).toMatchObject({ name: "openai_compatible", defaultModel: "qwen3" });
  expect(llm.completionsRequests.at(-1)).toMatchObject({
    model: "qwen3",
    max_completion_tokens: 77,
    reasoning_effort: "none",
  });
});

it("openai_compatible without an address or a model fails with a message that says so", async () => {
  const provider = chooseProvider({ ...direct, LLM_PROVIDER: "openai_compatible" });
  await expect(ask(provider)).rejects.toMatchObject({
    kind: "unavailable",
    message: "openai_compatible: OPENAI_BASE_URL or OPENAI_MODEL is not set",
  });
});

it("each provider with fixed models has a default one", () => {
  expect(chooseProvider(direct).defaultModel).toMatch(/^claude-/);
  expect(chooseProvider(cloud).defaultModel).toMatch(/anthropic\.claude-/);
});

it("direct_api without a key fails with a message that says so", async () => {
  const { DIRECT_API_KEY: _, ...keyless } = direct;
  await expect(ask(chooseProvider(keyless))).rejects.toMatchObject({
    kind: "unavailable",
    message: "direct_api: DIRECT_API_KEY is not set",
  });
});

it("cloud_managed keeps requests in the geography of its region unless a model is named", () => {
  const modelIn = (CLOUD_REGION: string) => chooseProvider({ ...cloud, CLOUD_REGION }).defaultModel;
  expect(
    ["eu-west-2", "us-east-1", "us-gov-west-1", "ap-northeast-1", "ap-southeast-2"].map(modelIn),
  ).toEqual([
    "eu.anthropic.claude-sonnet-4-6",
    "us.anthropic.claude-sonnet-4-6",
    "us-gov.anthropic.claude-sonnet-4-6",
    "jp.anthropic.claude-sonnet-4-6",
    "au.anthropic.claude-sonnet-4-6",
  ]);
});
