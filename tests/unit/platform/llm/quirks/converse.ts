import { converseFrames } from "../../../../support/raw-llm.ts";
import { type Quirk, stopReasons } from "./quirk.ts";

type Frame = readonly [name: string, content: object];

const start: Frame = ["messageStart", { role: "assistant" }];
const text = (said: string): Frame => ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: said } }];
const blockStop: Frame = ["contentBlockStop", { contentBlockIndex: 0 }];
const stop = (stopReason: string): Frame => ["messageStop", { stopReason }];
const metadata = (usage: unknown): Frame => ["metadata", { usage, metrics: { latencyMs: 1 } }];
const counted = metadata({ inputTokens: 7, outputTokens: 3, totalTokens: 10 });
const whole = [start, text("Hel"), text("lo."), blockStop];
const normal = [...whole, stop("end_turn"), counted];

const answered = (name: string, frames: readonly Frame[], more: Partial<Quirk> = {}): Quirk => ({
  name,
  response: {
    body: converseFrames(frames),
    headers: { "content-type": "application/vnd.amazon.eventstream" },
  },
  text: "Hello.",
  ends: "shared",
  bill: [7, 3, 0, 0],
  ...more,
});

const billed = (name: string, usage: unknown, bill: NonNullable<Quirk["bill"]>) =>
  answered(name, [...whole, stop("end_turn"), metadata(usage)], { bill });

const tool = (name: string, ...inputs: string[]): Frame[] => [
  ["contentBlockStart", { contentBlockIndex: 1, start: { toolUse: { toolUseId: "t", name } } }],
  ...inputs.map(
    (input): Frame => ["contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input } } }],
  ),
];
const withTool = (name: string, calls: Quirk["calls"], ...frames: Frame[]) =>
  answered(name, [...whole, ...frames, stop("tool_use"), counted], { calls: calls ?? [] });

const failed = (type: string, status: number, ends: Quirk["ends"], requests = 1): Quirk => ({
  name: `${status} ${type}`,
  response: {
    status,
    headers: { "content-type": "application/json", "x-amzn-errortype": type },
    body: JSON.stringify({ message: "no" }),
  },
  ends,
  requests,
});

const broken = (type: string, ends: Quirk["ends"]) =>
  answered(`${type} in the stream`, [...whole.slice(0, 3), [`!${type}`, { message: "no" }]], { ends });

/** Responses of Bedrock's ConverseStream. */
export const converseQuirks: readonly Quirk[] = [
  answered("as documented", normal),
  answered("letters of several bytes", [start, text("lö 😀"), blockStop, stop("end_turn"), counted], {
    text: "lö 😀",
  }),
  answered("no start", normal.slice(1)),
  answered(
    "no end of the block",
    normal.filter((frame) => frame !== blockStop),
  ),
  answered("its counts before the stop", [...whole, counted, stop("end_turn")]),
  answered("two blocks of text", [
    start,
    text("Hel"),
    blockStop,
    text("lo."),
    blockStop,
    stop("end_turn"),
    counted,
  ]),
  answered("reasoning", [
    start,
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "secret" } } }],
    ...normal,
  ]),
  answered("hidden reasoning and its signature", [
    start,
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { signature: "secret" } } }],
    [
      "contentBlockDelta",
      { contentBlockIndex: 0, delta: { reasoningContent: { redactedContent: "c2VjcmV0" } } },
    ],
    ...normal,
  ]),
  answered("a citation", [
    start,
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { citation: { title: "secret" } } }],
    ...normal.slice(1),
  ]),
  answered(
    "a guardrail's text",
    [
      start,
      text("I cannot answer this."),
      blockStop,
      stop("guardrail_intervened"),
      [
        "metadata",
        { usage: { inputTokens: 7, outputTokens: 3 }, trace: { guardrail: { modelOutput: ["secret"] } } },
      ],
    ],
    { text: "I cannot answer this.", ends: "refusal" },
  ),
  answered("a malformed call of a tool", [...whole, stop("malformed_tool_use"), counted], {
    ends: "interrupted",
  }),
  answered("an unknown event", [["newsEvent", { a: 1 }], ...normal]),
  answered("a delta without a delta", [
    start,
    ["contentBlockDelta", { contentBlockIndex: 0 }],
    ...normal.slice(1),
  ]),
  answered("an empty text", [start, text(""), ...normal.slice(1)]),
  answered("no stop reason", [...whole, ["messageStop", {}], counted]),
  ...stopReasons
    .filter(([reason]) => reason !== "")
    .map(([reason, ends]) =>
      answered(`the stop reason "${reason}"`, [...whole, stop(reason), counted], { ends }),
    ),
  answered("a guardrail", [...whole, stop("guardrail_intervened"), counted], { ends: "refusal" }),
  answered("an empty answer", [start, stop("end_turn"), counted], { text: "", ends: "empty" }),
  answered("no metadata", [...whole, stop("end_turn")], { bill: "unknown" }),
  billed("no usage", undefined, "unknown"),
  billed("usage without fields", {}, "unknown"),
  billed("a fractional count", { inputTokens: 7.5, outputTokens: 3 }, [0, 3, 0, 0]),
  billed("a negative count", { inputTokens: 7, outputTokens: -3 }, [7, 0, 0, 0]),
  billed(
    "cached tokens",
    { inputTokens: 7, outputTokens: 3, cacheReadInputTokens: 50, cacheWriteInputTokens: 4 },
    [7, 3, 50, 4],
  ),
  withTool("a call", [["ask", '{"a":1}']], ...tool("ask", '{"a"', ":1}"), [
    "contentBlockStop",
    { contentBlockIndex: 1 },
  ]),
  withTool("a call without an end of its block", [["ask", '{"a":1}']], ...tool("ask", '{"a":1}')),
  withTool("a call without input", [["ask", ""]], ...tool("ask")),
  withTool(
    "a call of another tool first",
    [
      ["look", "{}"],
      ["ask", '{"a":1}'],
    ],
    ...tool("look", "{}"),
    ["contentBlockStop", { contentBlockIndex: 1 }],
    ...tool("ask", '{"a":1}'),
  ),
  answered("no stop", whole, { ends: "interrupted" }),
  answered("a broken connection", [], {
    response: {
      headers: { "content-type": "application/vnd.amazon.eventstream" },
      body: converseFrames(whole.slice(0, 3)),
      breaks: true,
    },
    ends: "interrupted",
  }),
  answered("a frame that is cut", [], {
    response: {
      headers: { "content-type": "application/vnd.amazon.eventstream" },
      body: converseFrames(normal).subarray(0, converseFrames(whole).length + 20),
    },
    ends: "interrupted",
  }),
  answered("a frame with a wrong checksum", [], {
    response: {
      headers: { "content-type": "application/vnd.amazon.eventstream" },
      body: converseFrames(normal).map((byte, at) =>
        at === converseFrames(whole).length + 60 ? byte ^ 1 : byte,
      ),
    },
    ends: "interrupted",
  }),
  broken("newException", "interrupted"),
  broken("throttlingException", "unavailable"),
  broken("serviceUnavailableException", "unavailable"),
  broken("validationException", "rejected"),
  broken("modelStreamErrorException", "interrupted"),
  broken("internalServerException", "interrupted"),
  failed("ValidationException", 400, "rejected"),
  failed("AccessDeniedException", 403, "rejected"),
  failed("ResourceNotFoundException", 404, "rejected"),
  failed("ModelTimeoutException", 408, "unavailable", 3),
  failed("ModelErrorException", 424, "rejected"),
  failed("ModelNotReadyException", 429, "unavailable", 3),
  failed("InternalServerException", 500, "unavailable", 3),
];
