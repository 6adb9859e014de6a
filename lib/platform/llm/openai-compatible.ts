import type OpenAI from "openai";
import type { APIError } from "openai";
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { contentText, countCharacters } from "./content-text.ts";
import { classifyLlmProblem, loggableErrorName } from "./problems.ts";
import {
  type LlmErrorKind,
  type LlmEvent,
  type LlmMessage,
  type LlmRequest,
  type LlmTool,
  type LlmUsage,
  noUsage,
  type ProbeableProvider,
} from "./provider.ts";
import { errorKindAndRetryAfter } from "./retry-headers.ts";
import { createEndEvent, isPendingStopReason } from "./stop-reasons.ts";
import {
  describeUnnamedFailure,
  type LlmFailure,
  llmErrorKindOfStatus,
  probeForFailure,
  streamAnswer,
} from "./stream-answer.ts";
import { tokenCountOrZero } from "./token-counts.ts";
import { ToolCallCollector, type ToolCallPart } from "./tool-calls.ts";
import { type CallOptions, temperatureField, toReasoningMarkOptions } from "./tuning.ts";

export type OpenAiCompatibleOptions = CallOptions & {
  /** Including the version, such as `http://127.0.0.1:11434/v1`. */
  baseURL: string;
  /** Many local servers need none. */
  apiKey?: string | undefined;
  model: string;
  limitField: "max_tokens" | "max_completion_tokens";
};

/**
 * Chat Completions API: vLLM, Ollama, LiteLLM, Azure. They cache shared prefixes automatically. The first
 * call loads the client.
 */
export function openAiCompatibleProvider(options: OpenAiCompatibleOptions): ProbeableProvider {
  let client: Promise<OpenAI> | undefined;
  return {
    ask: (signal) =>
      probeForFailure(async () => {
        client ??= connect(options);
        const { models } = await client;
        await models.list({ signal });
      }, explain),
    name: "openai_compatible",
    defaultModel: options.model,
    stream: (asked) =>
      streamAnswer(asked, {
        provider: "openai_compatible",
        timeoutMs: options.timeoutMs,
        silenceMs: options.silenceMs,
        reasoning: toReasoningMarkOptions(options.tuning),
        async open(request, signal, alive) {
          client ??= connect(options);
          const { chat } = await client;
          // The client swallows a stream's comments.
          const fetchOptions: object = { alive };
          const stream = await chat.completions.create(bodyOf(request, options), { signal, fetchOptions });
          return eventsOf(stream, request);
        },
        explain,
      }),
  };
}

async function connect({ baseURL, apiKey = "none", timeoutMs }: OpenAiCompatibleOptions): Promise<OpenAI> {
  const { default: OpenAI } = await import("openai");
  const { createSocketFetch } = await import("./socket-fetch.ts");
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
    fetch: createSocketFetch(),
  });
}

function bodyOf(
  { model, system, messages, tool, max_tokens, ...request }: LlmRequest,
  { limitField, maxTokens, tuning }: OpenAiCompatibleOptions,
): ChatCompletionCreateParamsStreaming {
  return {
    model,
    messages: [
      ...(system ? [{ role: "system" as const, content: system }] : []),
      ...messages.flatMap(messagesOf),
    ],
    [limitField]: max_tokens ?? maxTokens,
    ...(tool && { tools: [toolOf(tool)], parallel_tool_calls: false }),
    ...(tuning.effort && { reasoning_effort: tuning.effort }),
    ...temperatureField(request, tuning),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** The result of a call is a message of its own. */
function messagesOf(message: LlmMessage): ChatCompletionMessageParam[] {
  const { role, content } = message;
  if (role === "user") {
    const { result } = message;
    return [
      ...(result ? [{ role: "tool" as const, tool_call_id: result.id, content: result.content }] : []),
      ...(content || !result ? [{ role, content }] : []),
    ];
  }
  if (!message.call) return [{ role, content }];
  const { id, name, input } = message.call;
  const call = { id, type: "function" as const, function: { name, arguments: JSON.stringify(input) } };
  return [{ role, content: content || null, tool_calls: [call] }];
}

const toolOf = ({ name, description, input }: LlmTool) => ({
  type: "function" as const,
  function: { name, description, parameters: input, strict: true },
});

async function* eventsOf(
  stream: AsyncIterable<ChatCompletionChunk>,
  { onUsage, onReceived }: LlmRequest,
): AsyncGenerator<LlmEvent, void> {
  let usage = noUsage;
  let stopReason: string | undefined;
  const calls = new ToolCallCollector();
  let isFirst = true;
  for await (const chunk of stream as AsyncIterable<SaidChunk>) {
    if (chunk.object === "error") throw new SentError(chunk);
    const [choice] = chunk.choices ?? [];
    // Some servers send usage with each chunk, most in a last chunk without choices.
    const said = chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage;
    if (said) {
      usage = usageOf(said);
      onUsage?.(usage);
    }
    // A whole answer has a message. Some servers repeat it in the last chunk.
    const delta = choice?.delta ?? (isFirst ? choice?.message : undefined) ?? {};
    isFirst = false;
    const { content, refusal, tool_calls, function_call } = delta;
    onReceived?.(charactersIn(delta));
    const text = contentText(content) || contentText(refusal);
    if (text) yield { type: "text", text };
    for (const part of tool_calls ?? []) calls.add(part);
    // The older form of a call.
    if (function_call && !tool_calls) calls.add({ function: function_call });
    if (contentText(refusal)) stopReason = "refusal";
    // Some servers send an empty reason with each chunk.
    else if (typeof choice?.finish_reason === "string" && !isPendingStopReason(choice.finish_reason))
      stopReason = stopReason || choice.finish_reason;
  }
  if (stopReason === undefined) return;
  yield* calls.all;
  yield createEndEvent(stopReason, usage);
}

/** Servers send the same thoughts in one or several of three fields. */
const charactersIn = (delta: SaidDelta): number =>
  countCharacters([delta.content, delta.refusal]) +
  (countCharacters(delta.reasoning_content) ||
    countCharacters(delta.reasoning) ||
    countCharacters(delta.reasoning_details)) +
  countCharacters(
    [delta.function_call, ...(delta.tool_calls ?? []).map((part) => part?.function)].map(
      (call) => call?.arguments,
    ),
  );

/** An error as a chunk, as vLLM and SGLang send it. The client knows only the field `error`. */
class SentError extends Error {
  readonly error: SaidChunk;
  readonly code: unknown;
  readonly type: unknown;

  constructor(chunk: SaidChunk) {
    super(contentText(chunk.message));
    this.error = chunk;
    this.code = chunk.code;
    this.type = chunk.type;
  }
}

/** Servers omit fields that the client's types promise, and send others. */
type SaidChunk = {
  object?: unknown;
  message?: unknown;
  code?: unknown;
  type?: unknown;
  usage?: SaidUsage | null;
  x_groq?: { usage?: SaidUsage | null } | null;
  choices?:
    | ({
        delta?: SaidDelta | null;
        message?: SaidDelta | null;
        finish_reason?: unknown;
        usage?: SaidUsage | null;
      } | null)[]
    | null;
};

type SaidDelta = {
  content?: unknown;
  refusal?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  reasoning_details?: unknown;
  tool_calls?: ToolCallPart[] | null;
  function_call?: NonNullable<ToolCallPart>["function"];
};

/**
 * `prompt_tokens` includes cache reads. Cache writes are not reported. Some totals include the tokens of reasoning
 * that `completion_tokens` omits.
 */
function usageOf(said: SaidUsage): LlmUsage {
  const read = tokenCountOrZero(said.prompt_tokens) || tokenCountOrZero(said.input_tokens);
  const written = tokenCountOrZero(said.completion_tokens) || tokenCountOrZero(said.output_tokens);
  const cached =
    tokenCountOrZero(said.prompt_tokens_details?.cached_tokens) ||
    tokenCountOrZero(said.prompt_cache_hit_tokens);
  return {
    ...noUsage,
    input_tokens: Math.max(read - cached, 0),
    output_tokens: read > 0 ? Math.max(written, tokenCountOrZero(said.total_tokens) - read) : written,
    cache_read_tokens: cached,
  };
}

type SaidUsage = {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  input_tokens?: unknown;
  output_tokens?: unknown;
  total_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | null;
  prompt_cache_hit_tokens?: unknown;
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

/** Gateways send an upstream server's status as the code of an error in a stream. */
const statusOf = (code: unknown): number | undefined =>
  /^[45]\d\d$/.test(String(code)) ? Number(code) : undefined;

/** Gemini sends a list of one error, whose `status` is its name. A number is often the HTTP status again. */
function nameOf({ code, type, error }: Partial<APIError>): string | undefined {
  const body = Array.isArray(error) ? error[0]?.error : error;
  const name = [code, type, body?.status].map(loggableErrorName).find((said) => said && !/^\d+$/.test(said));
  return name ?? (statusOf(code) ? undefined : loggableErrorName(code));
}

function explain(error: unknown): LlmFailure {
  const { status: sent, code, headers, requestID, message } = error as Partial<APIError>;
  const status = sent ?? statusOf(code);
  const name = nameOf(error as Partial<APIError>);
  const problem = classifyLlmProblem({ status, name, message });
  const kind = status ? llmErrorKindOfStatus(status) : kindOfName.get(name ?? "");
  const said = name ?? (status ? undefined : describeUnnamedFailure(error));
  const reason = [status && `HTTP ${status}`, said, requestID && `request ${requestID}`];
  const retry = errorKindAndRetryAfter((header) => headers?.get(header), {
    kind: problem ? "rejected" : kind,
    status,
    message,
  });
  return { ...retry, status, reason: reason.filter(Boolean).join(", "), problem };
}
