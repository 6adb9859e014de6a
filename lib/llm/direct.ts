import type Anthropic from "@anthropic-ai/sdk";
import type { APIError } from "@anthropic-ai/sdk";
import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages";
import { connectionCode, type Failure, kindOfStatus, streamAnswer } from "./answer.ts";
import {
  isNormalStop,
  type LlmErrorKind,
  type LlmEvent,
  type LlmProvider,
  type LlmRequest,
} from "./provider.ts";

export type DirectOptions = {
  apiKey: string;
  /** The model of requests that name none of their own. */
  model: string;
  /** Another server that speaks the Messages API; default Anthropic's own. */
  baseURL?: string | undefined;
  /** Upper limit of an answer's length, in tokens. */
  maxTokens: number;
  /** Upper limit of an answer's duration, in milliseconds. */
  timeoutMs: number;
};

/** Anthropic's Messages API. The client is loaded by the first call and kept. */
export function directProvider(options: DirectOptions): LlmProvider {
  let client: Promise<Anthropic> | undefined;
  return {
    name: "direct_api",
    defaultModel: options.model,
    stream: (request) =>
      streamAnswer(request, {
        provider: "direct_api",
        timeoutMs: options.timeoutMs,
        async open(signal) {
          client ??= connect(options);
          const { messages } = await client;
          return eventsOf(await messages.create(bodyOf(request, options.maxTokens), { signal }));
        },
        explain,
      }),
  };
}

async function connect(options: DirectOptions): Promise<Anthropic> {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  return new Anthropic({
    apiKey: options.apiKey,
    baseURL: options.baseURL ?? "https://api.anthropic.com",
    timeout: options.timeoutMs,
    maxRetries: 2,
    // The client's own log and traces can hold what people wrote.
    logLevel: "off",
    openTelemetry: false,
  });
}

function bodyOf({ model, system, messages }: LlmRequest, maxTokens: number): MessageCreateParamsStreaming {
  return { model, max_tokens: maxTokens, ...(system && { system }), messages, stream: true };
}

async function* eventsOf(stream: AsyncIterable<RawMessageStreamEvent>): AsyncGenerator<LlmEvent, void> {
  const usage = { input_tokens: 0, output_tokens: 0 };
  let stopReason = "unknown";
  let stopped = false;
  for await (const event of stream) {
    if (event.type === "content_block_delta" && event.delta.type === "text_delta")
      yield { type: "text", text: event.delta.text };
    else if (event.type === "message_start") usage.input_tokens = event.message.usage.input_tokens;
    else if (event.type === "message_delta") {
      stopReason = event.delta.stop_reason ?? stopReason;
      usage.output_tokens = event.usage.output_tokens;
    } else if (event.type === "message_stop") stopped = true;
  }
  if (stopped) yield { type: "end", complete: isNormalStop(stopReason), stop_reason: stopReason, ...usage };
}

/** Errors that arrive inside a stream have a type and no status. */
const kindOfType: Partial<Record<Anthropic.ErrorType, LlmErrorKind>> = {
  overloaded_error: "unavailable",
  rate_limit_error: "unavailable",
  invalid_request_error: "rejected",
  authentication_error: "rejected",
  permission_error: "rejected",
  billing_error: "rejected",
  not_found_error: "rejected",
};

function explain(error: unknown): Failure {
  const { status, type, requestID } = error as Partial<APIError>;
  const kind = status ? kindOfStatus(status) : type ? kindOfType[type] : undefined;
  const code = type ?? (status ? undefined : (connectionCode(error) ?? "the connection failed"));
  const reason = [status && `HTTP ${status}`, code, requestID && `request ${requestID}`];
  return { kind, reason: reason.filter(Boolean).join(", ") };
}
