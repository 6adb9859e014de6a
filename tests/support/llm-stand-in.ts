import type { IncomingMessage, ServerResponse } from "node:http";
// biome-ignore lint/plugin: it paces what the stand-in says, and no test waits for it
import { setTimeout as sleep } from "node:timers/promises";
import { type AnswerWriter, countTokens } from "../../scripts/dev/answer-writer.ts";
import {
  anthropicWriter,
  hasKey,
  type MessagesBody,
  type MessagesRequest,
  messagesPath,
  withPlainTexts,
} from "../../scripts/dev/anthropic-protocol.ts";
import { startStandInServer } from "../../scripts/dev/stand-in-server.ts";
import { anthropicBatches } from "./anthropic-batches.ts";
import { bedrockJobs } from "./bedrock-batches.ts";
import { bedrockWriter, type ConverseBody, modelOfPath } from "./bedrock-protocol.ts";
import { type CompletionsRequest, completionsPath, openAiWriter } from "./openai-protocol.ts";

/** How the stand-in answers one request. By default it sends the chunks and ends normally. */
export type ScriptedAnswer = {
  /**
   * Sent one by one. A promise delays the answer until it settles. A function of the call's number varies the
   * answer, as a real model does.
   */
  chunks?: Chunks | ((call: number) => Chunks);
  /** Input of a call of the tool `ask`, in parts, sent after the chunks. */
  call?: readonly string[];
  /** Pause before each chunk, in milliseconds. */
  pauseMs?: number;
  stop_reason?: string;
  input_tokens?: number;
  output_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  /** Reports input tokens only at the end, as some proxies do. */
  usageLast?: boolean;
  /** `Retry-After` of an HTTP error, in seconds. */
  retryAfter?: number;
  /** An HTTP error instead of a stream. */
  status?: number;
  /**
   * `silence`: no response. `headers alone`: only the response's head. Others replace the end of the stream;
   * `pings` go on until the client disconnects.
   */
  failure?:
    | "silence"
    | "headers alone"
    | "pings"
    | "hang"
    | "socket destroyed"
    | "end without stop"
    | "error event";
  /** For an HTTP error or an error event. Defaults to an overloaded provider. */
  error?: { type: string; message?: string };
  /** How many requests receive this answer; default 1. Clients retry a failed request twice. */
  times?: number;
};

type Chunks = readonly (string | Promise<unknown>)[];

/** A body sent to Bedrock, with the model from the path. */
type ConverseRequest = ConverseBody & { modelId: string };

export type LlmStandIn = {
  /** Base URL of the Messages API. */
  url: string;
  bedrockUrl: string;
  openAiUrl: string;
  /** Requests to the Messages API, oldest first: as texts, and as raw bodies. */
  requests: MessagesRequest[];
  bodies: MessagesBody[];
  converseRequests: ConverseRequest[];
  completionsRequests: CompletionsRequest[];
  /** Message Batches. Their calls are counted and recorded there. */
  batches: Omit<ReturnType<typeof anthropicBatches>, "answer" | "reset">;
  jobs: Omit<ReturnType<typeof bedrockJobs>, "answer" | "reset">;
  /** Number of answers started. */
  calls(): number;
  /** Queues answers for the next requests. Later requests get the default answer. */
  script(...answers: ScriptedAnswer[]): void;
  /** Sets the answer of Messages API requests without a scripted one, until reset. */
  improvise(answer: NonNullable<LlmStandInOptions["improvise"]>): void;
  /** Clears scripts and recordings. */
  reset(): void;
  close(): Promise<void>;
};

export type LlmStandInOptions = {
  port?: number;
  improvise?: (request: MessagesRequest, call: number) => ScriptedAnswer;
  /** Called when a response ends. `whole` is false if the connection broke. */
  onEnd?: (request: MessagesRequest, call: number, whole: boolean) => void;
};

/** Starts a server for every provider's streaming protocol. Answers `defaultChunks` by default. */
export async function startLlmStandIn(options: LlmStandInOptions = {}): Promise<LlmStandIn> {
  const requests: MessagesRequest[] = [];
  const bodies: MessagesBody[] = [];
  const converseRequests: ConverseRequest[] = [];
  const completionsRequests: CompletionsRequest[] = [];
  const scripted: ScriptedAnswer[] = [];
  const batches = anthropicBatches(() => server.url);
  const jobs = bedrockJobs();
  let calls = 0;
  let { improvise } = options;

  async function answer(request: IncomingMessage, body: unknown, response: ServerResponse) {
    if (batches.answer(request, body, response) || jobs.answer(request, body, response)) return;
    const call = callOf(request, body, response);
    if (!call) return void response.writeHead(404).end();
    if (!call.hasKey) return call.writer.refuse(401, call.errorTypes.noKey, "no key");
    if (call.protocol === "converse") converseRequests.push(call.received);
    else if (call.protocol === "completions") completionsRequests.push(call.received);
    else {
      requests.push(call.received);
      bodies.push(body as MessagesBody);
    }
    calls += 1;
    const { chunks = [], ...answer } = scripted.shift() ?? unscripted(call, response);
    const said = typeof chunks === "function" ? chunks(calls) : chunks;
    await perform({ ...answer, chunks: said }, call, response);
  }

  function unscripted(one: Call, response: ServerResponse): ScriptedAnswer {
    const { onEnd } = options;
    if (!improvise || one.protocol !== "messages") return { chunks: defaultChunks(one.lastMessage, calls) };
    const { received } = one;
    const call = calls;
    response.once("close", () => onEnd?.(received, call, response.writableFinished));
    return improvise(received, call);
  }

  const server = await startStandInServer(answer, options.port);
  return {
    url: server.url,
    bedrockUrl: server.url,
    openAiUrl: `${server.url}/v1`,
    requests,
    bodies,
    converseRequests,
    completionsRequests,
    batches,
    jobs,
    calls: () => calls,
    script: (...answers) => {
      for (const { times = 1, ...one } of answers) scripted.push(...Array<ScriptedAnswer>(times).fill(one));
    },
    improvise: (answer) => {
      improvise = answer;
    },
    reset: () => {
      improvise = options.improvise;
      batches.reset();
      jobs.reset();
      for (const list of [requests, bodies, converseRequests, completionsRequests, scripted]) list.length = 0;
    },
    close: server.close,
  };
}

/** The default answer. Never the same twice, as with a real model. */
export function defaultChunks(message: string, call: number): string[] {
  return [`(${call}) You wrote `, `“${message}”. `, "Let us think about it ", "step by step."];
}

type Call = {
  writer: AnswerWriter;
  lastMessage: string;
  hasKey: boolean;
  errorTypes: { noKey: string; overloaded: string };
} & (
  | { protocol: "messages"; received: MessagesRequest }
  | { protocol: "converse"; received: ConverseRequest }
  | { protocol: "completions"; received: CompletionsRequest }
);

function callOf(request: IncomingMessage, body: unknown, response: ServerResponse): Call | undefined {
  const modelId = modelOfPath(request.url ?? "");
  if (modelId) {
    const received = { modelId, ...(body as ConverseBody) };
    return {
      protocol: "converse",
      writer: bedrockWriter(response),
      received,
      lastMessage: received.messages.at(-1)?.content[0]?.text ?? "",
      hasKey: request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 ") ?? false,
      errorTypes: { noKey: "UnrecognizedClientException", overloaded: "ThrottlingException" },
    };
  }
  if (request.url === completionsPath) {
    const received = body as CompletionsRequest;
    return {
      protocol: "completions",
      writer: openAiWriter(response, received),
      received,
      lastMessage: received.messages.at(-1)?.content ?? "",
      hasKey: request.headers.authorization?.startsWith("Bearer ") ?? false,
      errorTypes: { noKey: "invalid_api_key", overloaded: "rate_limit_exceeded" },
    };
  }
  if (request.url !== messagesPath) return undefined;
  const received = withPlainTexts(body as MessagesBody);
  return {
    protocol: "messages",
    writer: anthropicWriter(response, received.model),
    received,
    lastMessage: received.messages.at(-1)?.content ?? "",
    hasKey: hasKey(request),
    errorTypes: { noKey: "authentication_error", overloaded: "overloaded_error" },
  };
}

async function perform(
  answer: ScriptedAnswer & { chunks: Chunks },
  { writer, errorTypes }: Call,
  response: ServerResponse,
): Promise<void> {
  const { chunks, pauseMs = 0, failure, error = { type: errorTypes.overloaded } } = answer;
  const { type, message = "scripted by the test" } = error;
  if (failure === "silence") return;
  if (failure === "headers alone") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    return response.flushHeaders();
  }
  if (answer.status) return writer.refuse(answer.status, type, message, answer.retryAfter);

  const said = chunks.filter((chunk) => typeof chunk === "string").join("");
  const { input_tokens = 10, output_tokens = countTokens(said), usageLast = false } = answer;
  const { cache_read_tokens = 0, cache_write_tokens = 0 } = answer;
  const usage = { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens };
  writer.begin(usageLast ? { input_tokens: 0, output_tokens: 0 } : usage);
  for (const chunk of chunks) {
    if (pauseMs > 0) await sleep(pauseMs);
    if (typeof chunk === "string") writer.text(chunk);
    else await chunk;
  }
  if (answer.call) writer.call("ask", answer.call);
  if (failure === "hang") return;
  if (failure === "pings") {
    for (; !response.destroyed; await sleep(20)) writer.ping?.();
    return;
  }
  if (failure === "end without stop") return void response.end();
  if (failure === "error event") return writer.breakOff(type, message);
  if (failure === "socket destroyed") {
    // A half-closed connection delivers what was written. Without the last chunk the answer is incomplete.
    return void response.socket?.end();
  }
  writer.end(answer.stop_reason ?? (answer.call ? "tool_use" : "end_turn"), usage);
}
