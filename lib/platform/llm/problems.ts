/** Failures of a provider that only its operator can fix. */
export const llmProblems = ["credentials", "credit", "model", "prompt_too_long"] as const;
export type LlmProblem = (typeof llmProblems)[number];

type Said = { status: number | undefined; name: string | undefined; message: string | undefined };

/** `at`: the messages that count at a status with a meaning of its own. */
type Signs = {
  statuses?: readonly number[];
  name: RegExp;
  message: RegExp;
  at?: Readonly<Record<number, RegExp>>;
};

/** "Exceeded your current quota" is not among them: Gemini says so at each rate limit. */
const missingCredit =
  /credit balance|insufficient[ _](quota|credits?|balance|funds)|reached your specified .{0,20}usage limit|credits are depleted|used all available credits/i;

/** The first match counts. Messages are only compared, and never logged. */
const signs: readonly (readonly [LlmProblem | "content_filter", Signs])[] = [
  [
    "content_filter",
    {
      name: /content_?(filter|policy)|responsibleai|guardrail|moderation|data_?inspection/i,
      message:
        /content (management policy|filter)|blocked by (our |the )?(content|safety)|responsible ai|inappropriate content|flagged as (potentially )?violating/i,
      at: { 403: /input was flagged|violates usage guidelines/i },
    },
  ],
  [
    "credit",
    {
      statuses: [402],
      name: /billing|insufficient_(quota|credits?|balance|funds)|exceeded_current_quota|credit_balance|payment|arrearage/i,
      message: missingCredit,
      at: { 429: missingCredit },
    },
  ],
  [
    "prompt_too_long",
    {
      statuses: [413],
      name: /request_too_large|context_(length|size|window)|context_exceeded|string_above_max|prompt_too_long/i,
      message:
        /(prompt|input|request) (is )?too (long|large)|context (window|length|size|limit)|maximum prompt length|(token count|input (tokens|length)|prompt) .{0,60}exceeds?\b|exceeded model token limit|too many (input )?tokens/i,
      // OpenAI: longer than the limit of a whole minute.
      at: { 429: /request too large/i },
    },
  ],
  [
    "model",
    {
      statuses: [404, 410],
      name: /not_found|model_not_|model_deprecated|ResourceNotFound|DeploymentNotFound|ModelNotFound/i,
      message:
        /model(?! (produced|generated|returned)).{0,80}(retired|deprecated|end of (its )?life|not exist|not found|decommissioned|invalid)|on-demand throughput/i,
    },
  ],
  [
    "credentials",
    {
      statuses: [401, 403],
      name: /authentication|permission|invalid_api_key|AccessDenied|UnrecognizedClient|Signature|ExpiredToken|CredentialsProvider|InvalidClientTokenId/i,
      message:
        /(invalid|incorrect|missing|expired) (api[ -]?key|security token|credentials)|api[ -]?key (is )?(not valid|not found|invalid|expired)/i,
    },
  ],
];

/** Names of failures that pass. Their messages speak of tokens and models too. */
const passing =
  /throttl|rate_?limit|too_?many_requests|(token|request)_quota|resource_?exhausted|overloaded|unavailable|time_?out|server_?error|api_error|internal|ModelStreamError|ModelNotReady/i;

/** A name that is known counts more than a message. */
export function classifyLlmProblem({
  status,
  name = "",
  message = "",
}: Said): LlmProblem | "content_filter" | undefined {
  if (status !== undefined && status >= 500) return undefined;
  const isRequestError = status === 400 || status === 422 || status === undefined;
  const named = signs.find(([, one]) => one.name.test(name));
  const found = signs.find(
    ([, one]) =>
      (status !== undefined && (one.statuses?.includes(status) || one.at?.[status]?.test(message))) ||
      (isRequestError && !passing.test(name) && one.message.test(message)),
  );
  return (named ?? found)?.[0];
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
