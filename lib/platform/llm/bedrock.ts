import type {
  BedrockRuntimeServiceException,
  ContentBlock,
  ConverseStreamCommandInput,
  ConverseStreamOutput,
  ToolInputSchema,
} from "@aws-sdk/client-bedrock-runtime";
import { memoizeLru } from "../caching/lru.ts";
import { type BedrockBatchBucketAndRole, bedrockBatches } from "./bedrock-batches.ts";
import { countCharacters } from "./content-text.ts";
import { classifyLlmProblem } from "./problems.ts";
import {
  type LlmErrorKind,
  type LlmEvent,
  type LlmMessage,
  type LlmRequest,
  type LlmTool,
  type LlmToolCallEvent,
  noUsage,
  type ProbeableProvider,
} from "./provider.ts";
import { errorKindAndRetryAfter } from "./retry-headers.ts";
import { createEndEvent } from "./stop-reasons.ts";
import {
  connectionErrorCode,
  type LlmFailure,
  llmErrorKindOfStatus,
  probeForFailure,
  streamAnswer,
} from "./stream-answer.ts";
import { bedrockUsage, tokenCountOrZero } from "./token-counts.ts";
import {
  type CallOptions,
  claudeThinkingAndEffortFields,
  lastCachedMessageIndex,
  temperatureField,
  toReasoningMarkOptions,
} from "./tuning.ts";

/** With an `expiration`, the client asks again from five minutes before it. */
export type CloudCredentials = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
};

export type BedrockConnectionOptions = {
  region: string;
  /**
   * Default: the platform's credential chain. A function returns a university's keys (null: the platform's).
   * Each client caches the keys until their expiration.
   */
  credentials?: CloudCredentials | ((university_id: number | null) => Promise<CloudCredentials>) | undefined;
  /** Another server with the same protocol; default the region's own. */
  endpoint?: string | undefined;
};

export type BedrockOptions = CallOptions &
  BedrockConnectionOptions & {
    modelId: string;
    batches?: BedrockBatchBucketAndRole | undefined;
  };

/** Bedrock's ConverseStream. The first call loads the SDK. */
export function bedrockProvider(options: BedrockOptions): ProbeableProvider {
  let connection: ReturnType<typeof createBedrockClientFactory> | undefined;
  const { batches: store, region, endpoint, credentials } = options;
  const reasoning = toReasoningMarkOptions(options.tuning);
  return {
    ...(store && {
      batches: bedrockBatches({
        ...{ region, endpoint, store, reasoning, explain: classifyBedrockError },
        keys: typeof credentials === "function" ? () => credentials(null) : credentials,
        // Batch jobs have no prompt cache.
        inputOf: (request) =>
          inputOf(request, { ...options, tuning: { ...options.tuning, promptCaching: false } }),
      }),
    }),
    ask: (signal) =>
      probeForFailure(async () => {
        connection ??= createBedrockClientFactory(options);
        await (await connection)(null).countTokens(options.modelId, signal);
      }, classifyBedrockError),
    name: "cloud_managed",
    defaultModel: options.modelId,
    stream: (asked) =>
      streamAnswer(asked, {
        provider: "cloud_managed",
        timeoutMs: options.timeoutMs,
        silenceMs: options.silenceMs,
        reasoning,
        async open(request, signal, alive) {
          connection ??= createBedrockClientFactory(options);
          const { converse } = (await connection)(request.university_id ?? null);
          return eventsOf(await converse(inputOf(request, options), signal), request, alive);
        },
        explain: classifyBedrockError,
      }),
  };
}

/** One client per university. A new client only reads its keys again. */
const clientsKept = 200;

/** Calls, each for a university or, with null, for the platform. */
export async function createBedrockClientFactory({
  region,
  endpoint,
  credentials,
}: BedrockConnectionOptions) {
  const { BedrockRuntimeClient, ConverseStreamCommand, CountTokensCommand, InvokeModelCommand } =
    await import("@aws-sdk/client-bedrock-runtime");
  const { NodeHttpHandler } = await import("@smithy/node-http-handler");
  // Shared, so a client holds no connections. The default, HTTP/2, ends a dropped stream without an error.
  const requestHandler = new NodeHttpHandler({ connectionTimeout: 5_000 });
  const clientFor = (university: number | null) => {
    const found = typeof credentials === "function" ? () => credentials(university) : credentials;
    return new BedrockRuntimeClient({
      region,
      // `streamAnswer` retries for all providers.
      maxAttempts: 1,
      requestHandler,
      ...(endpoint && { endpoint }),
      // A bearer token in the environment would override the given keys.
      ...(found && { credentials: found, authSchemePreference: ["sigv4"] }),
    });
  };
  const clients = memoizeLru(clientsKept, clientFor);
  return (university: number | null) => ({
    async converse(input: ConverseStreamCommandInput, abortSignal: AbortSignal) {
      const { stream } = await clients(university).send(new ConverseStreamCommand(input), { abortSignal });
      return stream ?? noEvents();
    },
    async countTokens(modelId: string, abortSignal: AbortSignal) {
      const converse = { messages: [{ role: "user" as const, content: [{ text: "Hello" }] }] };
      await clients(university).send(new CountTokensCommand({ modelId, input: { converse } }), {
        abortSignal,
      });
    },
    /** In the model's own format. Returns the response, and the tokens read if reported. */
    async invoke(modelId: string, input: object, abortSignal: AbortSignal) {
      const json = "application/json";
      const body = JSON.stringify(input);
      const command = new InvokeModelCommand({ modelId, body, contentType: json, accept: json });
      let tokens: string | undefined;
      command.middlewareStack.add(
        (next) => async (given) => {
          const answered = await next(given);
          const { headers } = answered.response as { headers?: Record<string, string> };
          tokens = headers?.["x-amzn-bedrock-input-token-count"];
          return answered;
        },
        { step: "deserialize" },
      );
      const answer = await clients(university).send(command, { abortSignal });
      return {
        answer: JSON.parse(answer.body.transformToString()) as unknown,
        tokens: tokenCountOrZero(Number(tokens)),
      };
    },
  });
}

function inputOf(
  { model, system, messages, tool, max_tokens, ...request }: LlmRequest,
  { maxTokens, tuning }: BedrockOptions,
): ConverseStreamCommandInput {
  const isClaude = /anthropic\./.test(model);
  // Other models reject a cache point.
  const marks = tuning.promptCaching && (isClaude || /amazon\.nova/.test(model));
  const mark = marks ? [{ cachePoint: { type: "default" as const } }] : [];
  const last = lastCachedMessageIndex(messages, tuning);
  const fields = isClaude ? claudeThinkingAndEffortFields(model, tuning) : {};
  return {
    modelId: model,
    ...(system && { system: [{ text: system }, ...mark] }),
    messages: messages.map((message, index) => ({
      role: message.role,
      content: [...blocksOf(message), ...(index === last ? mark : [])],
    })),
    ...(tool && { toolConfig: { tools: [toolOf(tool)], toolChoice: { auto: {} } } }),
    inferenceConfig: { maxTokens: max_tokens ?? maxTokens, ...temperatureField(request, tuning) },
    ...(Object.keys(fields).length > 0 && { additionalModelRequestFields: fields }),
  };
}

function blocksOf(message: LlmMessage): ContentBlock[] {
  const { content: text } = message;
  const result = message.role === "user" ? message.result : undefined;
  const call = message.role === "assistant" ? message.call : undefined;
  return [
    ...(result ? [{ toolResult: { toolUseId: result.id, content: [{ text: result.content }] } }] : []),
    ...(text || !(result || call) ? [{ text }] : []),
    ...(call ? [{ toolUse: { toolUseId: call.id, name: call.name, input: call.input as ToolInput } }] : []),
  ];
}

type ToolInput = NonNullable<ToolInputSchema.JsonMember["json"]>;

const toolOf = ({ name, description, input }: LlmTool) => ({
  toolSpec: { name, description, inputSchema: { json: input as ToolInput }, strict: true },
});

async function* eventsOf(
  stream: AsyncIterable<ConverseStreamOutput>,
  { onUsage, onReceived }: LlmRequest,
  alive: () => void,
): AsyncGenerator<LlmEvent, void> {
  let usage = noUsage;
  let stop: { reason: unknown } | undefined;
  let call: LlmToolCallEvent | undefined;
  for await (const event of stream) {
    const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = event;
    alive();
    const { delta } = contentBlockDelta ?? {};
    onReceived?.(countCharacters([delta?.text, delta?.reasoningContent, delta?.toolUse?.input]));
    if (contentBlockDelta?.delta?.text) yield { type: "text", text: contentBlockDelta.delta.text };
    const { toolUse } = contentBlockStart?.start ?? {};
    if (toolUse) call = { type: "call", name: toolUse.name ?? "", input: "" };
    if (call) call.input += contentBlockDelta?.delta?.toolUse?.input ?? "";
    if (call && contentBlockStop) {
      yield call;
      call = undefined;
    }
    if (messageStop) stop = { reason: messageStop.stopReason };
    if (metadata?.usage) {
      usage = bedrockUsage(metadata.usage);
      onUsage?.(usage);
    }
  }
  if (call) yield call;
  if (stop) yield createEndEvent(stop.reason, usage);
}

async function* noEvents(): AsyncGenerator<ConverseStreamOutput, void> {}

/** Exceptions inside a stream have a name and no status. */
const kindOfName: Record<string, LlmErrorKind> = {
  ThrottlingException: "unavailable",
  ServiceUnavailableException: "unavailable",
  ModelNotReadyException: "unavailable",
  ModelTimeoutException: "unavailable",
  ValidationException: "rejected",
  CredentialsProviderError: "rejected",
};

export function classifyBedrockError(error: unknown): LlmFailure {
  const { name, message, $metadata, $response } = error as Partial<BedrockRuntimeServiceException>;
  const status = $metadata?.httpStatusCode;
  const refused = status !== undefined && status >= 400;
  const problem = classifyLlmProblem({ status: refused ? status : undefined, name, message });
  const named = kindOfName[name ?? ""] ?? (refused ? llmErrorKindOfStatus(status) : undefined);
  const code = connectionErrorCode(error) ?? name ?? "the connection failed";
  const reason = [
    refused && `HTTP ${status}`,
    code,
    $metadata?.requestId && `request ${$metadata.requestId}`,
  ];
  const headers: Record<string, string | undefined> = $response?.headers ?? {};
  const retry = errorKindAndRetryAfter((header) => headers[header], {
    kind: problem ? "rejected" : named,
    status,
  });
  return {
    ...retry,
    status: refused ? status : undefined,
    reason: reason.filter(Boolean).join(", "),
    problem,
  };
}
