import type OpenAI from "openai";
import type { APIError } from "openai";
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
} from "openai/resources/chat/completions";
import { connectionCode, type Failure, kindOfStatus, refusalOf, secondsOf, streamAnswer } from "./answer.ts";
import {
  type AskableProvider,
  isNormalStop,
  type LlmErrorKind,
  type LlmEvent,
  type LlmRequest,
  type LlmTool,
  type LlmUsage,
  noUsage,
} from "./provider.ts";
import { tokenCount } from "./token-counts.ts";
import { type CallOptions, temperatureOf } from "./tuning.ts";

export type OpenAiCompatibleOptions = CallOptions & {
  /** Including the version, such as `http://127.0.0.1:11434/v1`. */
  baseURL: string;
  /** Many local servers need none. */
  apiKey?: string | undefined;
  model: string;
  limitField: "max_tokens" | "max_completion_tokens";
};

/**
 * Servers with OpenAI's Chat Completions API: vLLM, Ollama, LiteLLM, Azure. They cache shared prefixes
 * automatically. The client is loaded by the first call.
 */
export function openAiCompatibleProvider(options: OpenAiCompatibleOptions): AskableProvider {
  let client: Promise<OpenAI> | undefined;
  return {
    ask: (signal) =>
      refusalOf(async () => {
        client ??= connect(options);
        const { models } = await client;
        await models.list({ signal });
      }, explain),
    name: "openai_compatible",
    defaultModel: options.model,
    stream: (request) =>
      streamAnswer(request, {
        provider: "openai_compatible",
        timeoutMs: options.timeoutMs,
        silenceMs: options.silenceMs,
        thinksUnopened: options.tuning.thinksUnopened ?? false,
        async open(signal, alive) {
          client ??= connect(options);
          const { chat } = await client;
          // The client swallows a stream's comments.
          const fetchOptions: object = { alive };
          const stream = await chat.completions.create(bodyOf(request, options), { signal, fetchOptions });
          return eventsOf(stream, request.onUsage);
        },
        explain,
      }),
  };
}

async function connect({ baseURL, apiKey = "none", timeoutMs }: OpenAiCompatibleOptions): Promise<OpenAI> {
  const { default: OpenAI } = await import("openai");
  const { socketFetch } = await import("./socket-fetch.ts");
  return new OpenAI({
    baseURL,
    apiKey,
    // Otherwise the client reads them from the environment.
    organization: null,
    project: null,
    timeout: timeoutMs,
    // `streamAnswer` retries for all providers.
    maxRetries: 0,
    // The client's log may contain users' messages.
    logLevel: "off",
    fetch: socketFetch(),
  });
}

function bodyOf(
  { model, system, messages, tool, max_tokens, ...request }: LlmRequest,
  { limitField, maxTokens, tuning }: OpenAiCompatibleOptions,
): ChatCompletionCreateParamsStreaming {
  return {
    model,
    messages: [...(system ? [{ role: "system" as const, content: system }] : []), ...messages],
    [limitField]: max_tokens ?? maxTokens,
    ...(tool && { tools: [toolOf(tool)], parallel_tool_calls: false }),
    ...(tuning.effort && { reasoning_effort: tuning.effort }),
    ...temperatureOf(request, tuning),
    stream: true,
    stream_options: { include_usage: true },
  };
}

const toolOf = ({ name, description, input }: LlmTool) => ({
  type: "function" as const,
  function: { name, description, parameters: input, strict: true },
});

async function* eventsOf(
  stream: AsyncIterable<ChatCompletionChunk>,
  onUsage: LlmRequest["onUsage"],
): AsyncGenerator<LlmEvent, void> {
  let usage = noUsage;
  let stopReason: string | undefined;
  let input: string | undefined;
  for await (const { choices, usage: said } of stream) {
    // Some servers send usage with each chunk, most in a last chunk without choices.
    if (said) {
      usage = usageOf(said);
      onUsage?.(usage);
    }
    const [choice] = choices ?? [];
    const text = choice?.delta?.content || choice?.delta?.refusal;
    if (text) yield { type: "text", text };
    // At most one tool call is expected. If a server sends more, the first counts.
    for (const { index = 0, function: called } of choice?.delta?.tool_calls ?? [])
      if (index === 0) input = `${input ?? ""}${called?.arguments ?? ""}`;
    if (choice?.delta?.refusal) stopReason = "refusal";
    else stopReason ??= choice?.finish_reason ?? undefined;
  }
  if (stopReason && input !== undefined) yield { type: "call", input };
  if (stopReason)
    yield { type: "end", complete: isNormalStop(stopReason), stop_reason: stopReason, ...usage };
}

/** `prompt_tokens` includes cache reads. Cache writes are not reported. */
function usageOf({ prompt_tokens, completion_tokens, prompt_tokens_details }: SaidUsage): LlmUsage {
  const cached = tokenCount(prompt_tokens_details?.cached_tokens);
  return {
    ...noUsage,
    input_tokens: Math.max(tokenCount(prompt_tokens) - cached, 0),
    output_tokens: tokenCount(completion_tokens),
    cache_read_tokens: cached,
  };
}

/** Servers omit fields that the client's types promise. */
type SaidUsage = {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | null;
};

/** Errors inside a stream have a code or type, but no status. */
const kindOfName = new Map<string, LlmErrorKind>(
  Object.entries({
    rate_limit_exceeded: "unavailable",
    overloaded_error: "unavailable",
    context_length_exceeded: "rejected",
    invalid_api_key: "rejected",
    invalid_request_error: "rejected",
    BadRequestError: "rejected",
  }),
);

function explain(error: unknown): Failure {
  const { status, code, type, headers, requestID } = error as Partial<APIError>;
  const name = code ?? type ?? undefined;
  const kind = status ? kindOfStatus(status) : kindOfName.get(String(name));
  const said = name ?? (status ? undefined : (connectionCode(error) ?? "the connection failed"));
  const reason = [status && `HTTP ${status}`, said, requestID && `request ${requestID}`];
  return {
    kind,
    status,
    reason: reason.filter(Boolean).join(", "),
    retryAfter: secondsOf(headers?.get("retry-after")),
  };
}
