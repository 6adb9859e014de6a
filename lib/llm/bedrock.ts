import type {
  BedrockRuntimeServiceException,
  ConverseStreamCommandInput,
  ConverseStreamOutput,
} from "@aws-sdk/client-bedrock-runtime";
import { connectionCode, type Failure, kindOfStatus, streamAnswer } from "./answer.ts";
import {
  isNormalStop,
  type LlmErrorKind,
  type LlmEvent,
  type LlmProvider,
  type LlmRequest,
} from "./provider.ts";

/** Keys of the cloud account. With an `expiration`, the client asks again from five minutes before it. */
export type CloudCredentials = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
};

export type BedrockOptions = {
  /** The model or inference profile of requests that name none of their own. */
  modelId: string;
  region: string;
  /**
   * Keys, or a function that finds them; default the platform's own chain.
   * The client keeps what a function gave: for good, unless it has an expiration.
   */
  credentials?: CloudCredentials | (() => Promise<CloudCredentials>) | undefined;
  /** Another server that speaks the protocol; default the region's own. */
  endpoint?: string | undefined;
  /** Upper limit of an answer's length, in tokens. */
  maxTokens: number;
  /** Upper limit of an answer's duration, in milliseconds. */
  timeoutMs: number;
};

/** Amazon Bedrock's ConverseStream. The client is loaded by the first call and kept. */
export function bedrockProvider(options: BedrockOptions): LlmProvider {
  let converse: ReturnType<typeof connect> | undefined;
  return {
    name: "cloud_managed",
    defaultModel: options.modelId,
    stream: (request) =>
      streamAnswer(request, {
        provider: "cloud_managed",
        timeoutMs: options.timeoutMs,
        async open(signal) {
          converse ??= connect(options);
          return eventsOf(await (await converse)(inputOf(request, options.maxTokens), signal));
        },
        explain,
      }),
  };
}

async function connect({ region, endpoint, credentials }: BedrockOptions) {
  const { BedrockRuntimeClient, ConverseStreamCommand } = await import("@aws-sdk/client-bedrock-runtime");
  const { NodeHttpHandler } = await import("@smithy/node-http-handler");
  const client = new BedrockRuntimeClient({
    region,
    maxAttempts: 3,
    // The default, HTTP/2, ends a dropped stream without an error.
    requestHandler: new NodeHttpHandler({ connectionTimeout: 5_000 }),
    ...(endpoint && { endpoint }),
    // A bearer token in the environment would otherwise win over keys that were given.
    ...(credentials && { credentials, authSchemePreference: ["sigv4"] }),
  });
  return async (input: ConverseStreamCommandInput, abortSignal: AbortSignal) => {
    const { stream } = await client.send(new ConverseStreamCommand(input), { abortSignal });
    return stream ?? noEvents();
  };
}

function inputOf({ model, system, messages }: LlmRequest, maxTokens: number): ConverseStreamCommandInput {
  return {
    modelId: model,
    ...(system && { system: [{ text: system }] }),
    messages: messages.map(({ role, content }) => ({ role, content: [{ text: content }] })),
    inferenceConfig: { maxTokens },
  };
}

async function* eventsOf(stream: AsyncIterable<ConverseStreamOutput>): AsyncGenerator<LlmEvent, void> {
  const usage = { input_tokens: 0, output_tokens: 0 };
  let stopReason: string | undefined;
  for await (const { contentBlockDelta, messageStop, metadata } of stream) {
    if (contentBlockDelta?.delta?.text) yield { type: "text", text: contentBlockDelta.delta.text };
    if (messageStop) stopReason = messageStop.stopReason ?? "unknown";
    if (metadata?.usage) {
      usage.input_tokens = metadata.usage.inputTokens ?? 0;
      usage.output_tokens = metadata.usage.outputTokens ?? 0;
    }
  }
  if (stopReason)
    yield { type: "end", complete: isNormalStop(stopReason), stop_reason: stopReason, ...usage };
}

async function* noEvents(): AsyncGenerator<ConverseStreamOutput, void> {}

/** Exceptions whose name tells; those that arrive inside a stream have no status. */
const kindOfName: Record<string, LlmErrorKind> = {
  ThrottlingException: "unavailable",
  ServiceUnavailableException: "unavailable",
  ModelNotReadyException: "unavailable",
  ModelTimeoutException: "unavailable",
  ValidationException: "rejected",
  CredentialsProviderError: "rejected",
};

function explain(error: unknown): Failure {
  const { name, $metadata } = error as Partial<BedrockRuntimeServiceException>;
  const status = $metadata?.httpStatusCode;
  const refused = status !== undefined && status >= 400;
  const kind = kindOfName[name ?? ""] ?? (refused ? kindOfStatus(status) : undefined);
  const code = connectionCode(error) ?? name ?? "the connection failed";
  const reason = [
    refused && `HTTP ${status}`,
    code,
    $metadata?.requestId && `request ${$metadata.requestId}`,
  ];
  return { kind, reason: reason.filter(Boolean).join(", ") };
}
