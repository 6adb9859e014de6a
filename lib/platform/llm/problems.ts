/** Failures of a provider that only its operator can fix. */
export const llmProblems = ["credentials", "credit", "model", "prompt_too_long"] as const;
export type LlmProblem = (typeof llmProblems)[number];

type Said = { status: number | undefined; name: string | undefined; message: string | undefined };

type Signs = { statuses?: readonly number[]; name: RegExp; message: RegExp };

/** The first match counts. Messages are only compared, and never logged. */
const signs: readonly (readonly [LlmProblem | "content_filter", Signs])[] = [
  [
    "content_filter",
    {
      name: /content_?(filter|policy)|responsibleai|guardrail|moderation/i,
      message: /content (management policy|filter)|blocked by (our |the )?(content|safety)|responsible ai/i,
    },
  ],
  [
    "credit",
    {
      statuses: [402],
      name: /billing|insufficient_(quota|credits?|balance|funds)|credit_balance|payment/i,
      message: /credit balance|insufficient (quota|credits?|balance|funds)|exceeded your current quota/i,
    },
  ],
  [
    "prompt_too_long",
    {
      statuses: [413],
      name: /request_too_large|context_length|string_above_max|prompt_too_long/i,
      message:
        /(prompt|input|request) (is )?too (long|large)|maximum context length|context (window|length)|too many (input )?tokens/i,
    },
  ],
  [
    "model",
    {
      statuses: [404, 410],
      name: /not_found|model_not_|model_deprecated|ResourceNotFound|DeploymentNotFound|ModelNotFound/i,
      message:
        /model.{0,80}(retired|deprecated|end of (its )?life|does not exist|not found|decommissioned|invalid)/i,
    },
  ],
  [
    "credentials",
    {
      statuses: [401, 403],
      name: /authentication|permission|invalid_api_key|AccessDenied|UnrecognizedClient|Signature|ExpiredToken|CredentialsProvider|InvalidClientTokenId/i,
      message: /(invalid|incorrect|missing|expired) (api[ -]?key|security token|credentials)/i,
    },
  ],
];

export function classifyLlmProblem({
  status,
  name = "",
  message = "",
}: Said): LlmProblem | "content_filter" | undefined {
  if (status !== undefined && status >= 500) return undefined;
  const isRequestError = status === 400 || status === 422 || status === undefined;
  return signs.find(
    ([, one]) =>
      one.name.test(name) ||
      (status !== undefined && one.statuses?.includes(status)) ||
      ((isRequestError || status === 429) && one.message.test(message)),
  )?.[0];
}

/** Undefined for other values and for sentences, which may quote the request. */
export const loggableErrorName = (said: unknown): string | undefined =>
  ["string", "number"].includes(typeof said) && /^[\w.:/-]{1,60}$/.test(String(said))
    ? String(said)
    : undefined;

/** The remedy of each problem, for operators. */
export const problemRemedies: Record<LlmProblem, string> = {
  credentials: "check the provider's key and its permissions",
  credit: "add credit at the provider, or raise its quota",
  model: "choose a model that the provider still has",
  prompt_too_long: "lower TUTOR_MATERIAL_CHARACTERS, or choose a model with a longer context",
};

/** In `rate_limits`: a problem is counted once an hour. */
export const llmProblemAlertName = (problem: LlmProblem): string => `LLM problem ${problem}`;
