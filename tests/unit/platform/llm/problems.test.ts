import { expect, it } from "vitest";
import { classifyLlmProblem } from "../../../../lib/platform/llm/problems.ts";
import { errorKindAndRetryAfter } from "../../../../lib/platform/llm/retry-headers.ts";

it.each([
  [401, "authentication_error", "", "credentials"],
  [403, "AccessDeniedException", "", "credentials"],
  [400, "UnrecognizedClientException", "", "credentials"],
  [undefined, "CredentialsProviderError", "", "credentials"],
  [402, "", "", "credit"],
  [400, "invalid_request_error", "Your credit balance is too low", "credit"],
  [429, "insufficient_quota", "", "credit"],
  [404, "model_not_found", "", "model"],
  [410, "", "", "model"],
  [400, "ValidationException", "The provided model identifier is invalid.", "model"],
  [400, "invalid_request_error", "model: gpt-3 has been deprecated", "model"],
  [413, "", "", "prompt_too_long"],
  [400, "context_length_exceeded", "", "prompt_too_long"],
  [400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum", "prompt_too_long"],
  [400, "ValidationException", "Input is too long for requested model.", "prompt_too_long"],
  [400, "content_filter", "", "content_filter"],
  [400, "invalid_request_error", "triggering Azure OpenAI's content management policy", "content_filter"],
  [400, "invalid_request_error", "messages: at least one is required", undefined],
  [429, "rate_limit_error", "", undefined],
  [500, "api_error", "model not found", undefined],
  [undefined, undefined, undefined, undefined],

  // Failures that pass, whatever their messages speak of.
  [429, "ThrottlingException", "Too many tokens, please wait before trying again.", undefined],
  [undefined, "ThrottlingException", "Too many tokens, please wait before trying again.", undefined],
  [429, "token_quota_exceeded", "Tokens per minute limit exceeded - too many tokens processed.", undefined],
  [429, undefined, "Too many input tokens, please wait.", undefined],
  [429, "rate_limit_error", "Please reduce the prompt: the request is too long for this minute.", undefined],
  [undefined, "rate_limit_exceeded", "Too many tokens for the model; not found in this minute.", undefined],
  [429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan.", undefined],
  [429, undefined, "You exceeded your current quota, please check your plan.", undefined],
  [undefined, "ModelStreamErrorException", "Model produced invalid sequence as part of ToolUse.", undefined],
  [undefined, "server_error", "The model produced invalid content.", undefined],
  [undefined, undefined, "The model produced invalid content.", undefined],
  [400, "ValidationException", "The model returned the following errors: tools: invalid name", undefined],

  // Of a limit that no pause helps against.
  [
    429,
    "rate_limit_exceeded",
    "Request too large for gpt-4o: Limit 30000, Requested 61337.",
    "prompt_too_long",
  ],
  [429, undefined, "Insufficient balance. Please recharge.", "credit"],
  [429, "throttling_error", "OpenAIException - {'code': 'insufficient_quota'}", "credit"],
  [429, "exceeded_current_quota_error", "", "credit"],
  [400, "Arrearage", "Access denied, please make sure your account is in good standing.", "credit"],
  [400, "invalid_request_error", "You have reached your specified API usage limits.", "credit"],
  [400, "invalid_request_error", "You have reached your specified workspace API usage limits.", "credit"],

  [400, "data_inspection_failed", "Input data may contain inappropriate content.", "content_filter"],
  [undefined, "data_inspection_failed", "Output data may contain inappropriate content.", "content_filter"],
  [
    400,
    "invalid_prompt",
    "Your prompt was flagged as potentially violating our usage policy.",
    "content_filter",
  ],
  [
    undefined,
    "invalid_prompt",
    "It was flagged as potentially violating our usage policy.",
    "content_filter",
  ],
  [400, "invalid_prompt", "messages must not be empty", undefined],
  [403, undefined, "Your chosen model requires moderation and your input was flagged", "content_filter"],
  [403, undefined, "<html>Blocked by the content filter of this network</html>", "credentials"],

  ...[
    "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000",
    "the request exceeds the available context size, try increasing it",
    "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
    "Number of input tokens exceeds maximum length.",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
    "Prompt has 256468 tokens, but the configured context size is 256000 tokens",
    "Invalid request: Your request exceeded model token limit: 131072",
    "Prompt exceeds max length",
  ].map((message) => [400, "invalid_request_error", message, "prompt_too_long"] as const),
  [400, "exceed_context_size_error", "", "prompt_too_long"],
  [400, "invalid_request_error", "max_tokens: 300000 > 128000, the maximum of output tokens", undefined],

  [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "credentials"],
  [
    400,
    "ValidationException",
    "Invocation of model ID x with on-demand throughput isn’t supported.",
    "model",
  ],
] as const)(
  "an error with status %s, name %j and message %j is the problem %s",
  (status, name, message, problem) => {
    expect(classifyLlmProblem({ status, name, message })).toBe(problem);
  },
);

const now = Date.parse("2026-03-10T12:00:00Z");
const reset = (seconds: number) => new Date(now + seconds * 1000).toISOString();

it.each<[Record<string, string>, number, string, number | undefined]>([
  [{ "retry-after-ms": "45000" }, 429, "unavailable", 45],
  [{ "retry-after-ms": "300", "retry-after": "60" }, 429, "unavailable", 1],
  [{ "retry-after-ms": "soon", "retry-after": "60" }, 429, "unavailable", 60],
  [{ "x-should-retry": "true" }, 400, "unavailable", undefined],
  [{ "x-should-retry": "false" }, 529, "unavailable", 5],
  [{ "x-should-retry": "false", "retry-after": "9" }, 529, "unavailable", 9],
  [{ "x-should-retry": "false" }, 400, "rejected", undefined],
  [{ "anthropic-ratelimit-tokens-reset": reset(30) }, 429, "unavailable", 30],
  [{ "anthropic-ratelimit-tokens-reset": reset(30) }, 529, "unavailable", undefined],
  [
    {
      "anthropic-ratelimit-requests-reset": reset(50),
      "anthropic-ratelimit-requests-remaining": "7",
      "anthropic-ratelimit-input-tokens-reset": reset(20),
      "anthropic-ratelimit-input-tokens-remaining": "0",
    },
    429,
    "unavailable",
    20,
  ],
  [{ "anthropic-ratelimit-tokens-reset": reset(-5) }, 429, "unavailable", undefined],
  [{ "anthropic-ratelimit-tokens-reset": "later" }, 429, "unavailable", undefined],
])(
  "by the headers %j, a failure of %i is %s, and may be repeated after %s seconds",
  (headers, status, kind, seconds) => {
    const failed = { kind: status === 400 ? ("rejected" as const) : ("unavailable" as const), status };
    expect(errorKindAndRetryAfter((name) => headers[name], failed, now)).toEqual({
      kind,
      retryAfter: seconds,
    });
  },
);

it.each([
  ["* Quota exceeded for metric: requests, limit: 10\nPlease retry in 34.07s.", 429, {}, 35],
  ["Please try again in 6m0s. Visit the page about rate limits", 429, {}, 360],
  ["Please try again in 1h2m3.5s", 429, {}, 3600],
  ["Please try again in 250ms.", 429, {}, 1],
  ["Please retry after 22 seconds.", 429, {}, 22],
  ["Please try again in a minute", 429, {}, undefined],
  ["Please retry in 34s", 500, {}, undefined],
  ["Please retry in 34s", 429, { "retry-after": "9" }, 9],
  [undefined, 429, {}, undefined],
])("by the message %j, a failure of %i with the headers %j may be repeated after %s seconds", (...given) => {
  const [message, status, headers, seconds] = given as [string, number, Record<string, string>, number];
  const failed = { kind: "unavailable" as const, status, message };
  expect(errorKindAndRetryAfter((name) => headers[name], failed, now).retryAfter).toBe(seconds);
});
