import type Anthropic from "@anthropic-ai/sdk";
import type { APIError } from "@anthropic-ai/sdk";
import type {
  ContentBlockParam,
  MessageCreateParamsNonStreaming,
  MessageDeltaUsage,
  RawMessageStreamEvent,
  Usage,
} from "@anthropic-ai/sdk/resources/messages";
import { anthropicBatches } from "./anthropic-batches.ts";
import { contentText, countCharacters } from "./content-text.ts";
import { classifyLlmProblem, loggableErrorName } from "./problems.ts";
import {
  type LlmErrorKind,
  type LlmEvent,
  type LlmMessage,
  type LlmRequest,
  type LlmToolCallEvent,
  type LlmUsage,
  noUsage,
  type ProbeableProvider,
} from "./provider.ts";
import { errorKindAndRetryAfter } from "./retry-headers.ts";
import { createEndEvent } from "./stop-reasons.ts";
import {
  describeUnnamedFailure,
  type LlmFailure,
  llmErrorKindOfStatus,
  probeForFailure,
  streamAnswer,
} from "./stream-answer.ts";
import { anthropicUsage } from "./token-counts.ts";
import {
  type CallOptions,
  claudeThinkingAndEffortFields,
  lastCachedMessageIndex,
  temperatureField,
  toReasoningMarkOptions,
} from "./tuning.ts";

export type AnthropicOptions = CallOptions & {
  apiKey: string;
  model: string;
  /** Default: Anthropic's own. */
  baseURL?: string | undefined;
  hasBatches?: boolean;
};

/** Anthropic's Messages API. The first call loads the client. */
export function anthropicProvider(options: AnthropicOptions): ProbeableProvider {
  let client: Promise<Anthropic> | undefined;
  const connected = () => {
    client ??= connect(options);
    return client;
  };
  const reasoning = toReasoningMarkOptions(options.tuning);
  return {
    ...(options.hasBatches && {
      batches: anthropicBatches({
        connect: connected,
        bodyOf: (request) => bodyOf(request, options),
        reasoning,
        explain,
      }),
    }),
    ask: (signal) =>
      probeForFailure(async () => {
        const { messages } = await connected();
        await messages.countTokens(
          { model: options.model, messages: [{ role: "user", content: "Hello" }] },
          { signal },
        );
      }, explain),
    name: "direct_api",
    defaultModel: options.model,
    stream: (asked) =>
      streamAnswer(asked, {
        provider: "direct_api",
        timeoutMs: options.timeoutMs,
        silenceMs: options.silenceMs,
        reasoning,
        async open(request, signal, alive) {
          const { messages } = await connected();
          // The client swallows the provider's pings.
          const fetchOptions: object = { alive };
          const stream = await messages.create(
            { ...bodyOf(request, options), stream: true },
            { signal, fetchOptions },
          );
          return eventsOf(stream, request);
        },
        explain,
      }),
  };
}

async function connect(options: AnthropicOptions): Promise<Anthropic> {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  const { createSocketFetch } = await import("./socket-fetch.ts");
  return new Anthropic({
    apiKey: options.apiKey,
    baseURL: options.baseURL ?? "https://api.anthropic.com",
    timeout: options.timeoutMs,
    // `streamAnswer` retries for all providers.
    maxRetries: 0,
    // The client's log and traces may contain users' messages.
    logLevel: "off",
    openTelemetry: false,
    fetch: createSocketFetch(),
  });
}

function bodyOf(
  { model, system, messages, tool, max_tokens, ...request }: LlmRequest,
  { maxTokens, tuning }: AnthropicOptions,
): MessageCreateParamsNonStreaming {
  const { promptCaching } = tuning;
  const last = lastCachedMessageIndex(messages, tuning);
  return {
    model,
    max_tokens: max_tokens ?? maxTokens,
    ...(system && { system: promptCaching ? [marked({ type: "text" as const, text: system })] : system }),
    messages: messages.map((message, index) => ({
      role: message.role,
      content: contentOf(message, index === last),
    })),
    ...(tool && {
      tools: [{ name: tool.name, description: tool.description, input_schema: tool.input, strict: true }],
      tool_choice: { type: "auto" as const, disable_parallel_tool_use: true },
    }),
    ...claudeThinkingAndEffortFields(model, tuning),
    ...temperatureField(request, tuning),
  };
}

const marked = <Block extends object>(block: Block) => ({
  ...block,
  cache_control: { type: "ephemeral" as const },
});

/** As text if possible. `isMarked` ends the prefix that the provider caches. */
function contentOf(message: LlmMessage, isMarked: boolean): string | ContentBlockParam[] {
  const blocks = blocksOf(message);
  if (!isMarked && blocks.every(({ type }) => type === "text")) return message.content;
  return blocks.map((block, at) => (isMarked && at === blocks.length - 1 ? marked(block) : block));
}

function blocksOf(message: LlmMessage) {
  const { content: text } = message;
  const result = message.role === "user" ? message.result : undefined;
  const call = message.role === "assistant" ? message.call : undefined;
  return [
    ...(result ? [{ type: "tool_result" as const, tool_use_id: result.id, content: result.content }] : []),
    ...(text || !(result || call) ? [{ type: "text" as const, text }] : []),
    ...(call ? [{ type: "tool_use" as const, ...call }] : []),
  ];
}

/** Counts only grow. Some servers send all at the beginning, proxies only at the end. */
const grown = (usage: LlmUsage, said: LlmUsage): LlmUsage => ({
  input_tokens: Math.max(usage.input_tokens, said.input_tokens),
  output_tokens: Math.max(usage.output_tokens, said.output_tokens),
  cache_read_tokens: Math.max(usage.cache_read_tokens, said.cache_read_tokens),
  cache_write_tokens: Math.max(usage.cache_write_tokens, said.cache_write_tokens),
});

async function* eventsOf(
  stream: AsyncIterable<RawMessageStreamEvent>,
  { onUsage, onReceived }: LlmRequest,
): AsyncGenerator<LlmEvent, void> {
  let usage = noUsage;
  const add = (said: Partial<Usage | MessageDeltaUsage>) => {
    usage = grown(usage, anthropicUsage(said));
    onUsage?.(usage);
  };
  let stopReason: unknown;
  let stopped = false;
  let call: LlmToolCallEvent | undefined;
  for await (const event of stream as AsyncIterable<SaidEvent>) {
    if (event.type === "content_block_start") {
      call = callOf(event.content_block);
      onReceived?.(countCharacters(event.content_block));
      const text = contentText(event.content_block);
      if (text) yield { type: "text", text };
    } else if (event.type === "content_block_delta") {
      const { type, text, partial_json } = event.delta ?? {};
      onReceived?.(countCharacters([event.delta, partial_json]));
      if (type === "text_delta") yield { type: "text", text: contentText(text) };
      else if (type === "input_json_delta" && call) call.input += contentText(partial_json);
    } else if (event.type === "content_block_stop" && call) {
      yield call;
      call = undefined;
    } else if (event.type === "message_start") add(event.message?.usage ?? {});
    else if (event.type === "message_delta") {
      stopReason = event.delta?.stop_reason ?? stopReason;
      add(event.usage ?? {});
    } else if (event.type === "message_stop") stopped = true;
    // A whole answer instead of a stream.
    else if (event.type === "message") {
      add(event.usage ?? {});
      for (const block of event.content ?? []) {
        onReceived?.(countCharacters(block));
        const text = contentText(block);
        const called = callOf(block);
        if (text) yield { type: "text", text };
        if (called) yield called;
      }
      stopReason = event.stop_reason;
      stopped = true;
    }
  }
  if (call) yield call;
  if (stopped) yield createEndEvent(stopReason, usage);
}

/** Servers omit fields that the client's types promise, and send others. */
type SaidEvent = {
  type: RawMessageStreamEvent["type"] | "message";
  content?: SaidEvent["content_block"][] | null;
  stop_reason?: unknown;
  message?: { usage?: object | null };
  content_block?: { type?: unknown; name?: unknown; input?: unknown } | null;
  delta?: { type?: unknown; text?: unknown; partial_json?: unknown; stop_reason?: unknown } | null;
  usage?: object | null;
};

function callOf(block: SaidEvent["content_block"]): LlmToolCallEvent | undefined {
  if (block?.type !== "tool_use") return undefined;
  const input = Object.keys(Object(block.input)).length > 0 ? JSON.stringify(block.input) : "";
  return { type: "call", name: contentText(block.name), input };
}

/** Errors inside a stream have a type and no status. */
const kindOfType: Partial<Record<Anthropic.ErrorType, LlmErrorKind>> = {
  overloaded_error: "unavailable",
  rate_limit_error: "unavailable",
  invalid_request_error: "rejected",
  authentication_error: "rejected",
  permission_error: "rejected",
  billing_error: "rejected",
  not_found_error: "rejected",
};

function explain(error: unknown): LlmFailure {
  const { status, type, requestID, headers, message } = error as Partial<APIError>;
  const name = loggableErrorName(type);
  const problem = classifyLlmProblem({ status, name, message });
  const named = status ? llmErrorKindOfStatus(status) : type ? kindOfType[type] : undefined;
  const code = name ?? (status ? undefined : describeUnnamedFailure(error));
  const reason = [status && `HTTP ${status}`, code, requestID && `request ${requestID}`];
  const retry = errorKindAndRetryAfter((name) => headers?.get(name), {
    kind: problem ? "rejected" : named,
    status,
  });
  return { ...retry, status, reason: reason.filter(Boolean).join(", "), problem };
}
