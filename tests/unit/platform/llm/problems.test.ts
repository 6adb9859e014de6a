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
