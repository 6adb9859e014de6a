import { messagesEvents } from "../../../../support/raw-llm.ts";
import { encodings, jsonResponse, type Quirk, stopReasons } from "./quirk.ts";

type Event = { type: string } & Record<string, unknown>;

const start: Event = { type: "message_start", message: { usage: { input_tokens: 7, output_tokens: 1 } } };
const block: Event = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
const text = (said: unknown): Event => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text: said },
});
const stop: Event = { type: "content_block_stop", index: 0 };
const delta = (stop_reason: unknown, usage: unknown = { output_tokens: 3 }): Event => ({
  type: "message_delta",
  delta: { stop_reason },
  usage,
});
const end: Event = { type: "message_stop" };
const whole = [start, block, text("Hel"), text("lo."), stop, delta("end_turn"), end];
const without = (gone: Event): Event[] => whole.filter((event) => event !== gone);
const instead = (old: Event, event: Event): Event[] => whole.map((one) => (one === old ? event : one));
const stopped = whole[5] as Event;
const wholeAnswer = {
  type: "message",
  content: [{ type: "text", text: "Hello." }],
  stop_reason: "end_turn",
  usage: { input_tokens: 7, output_tokens: 3 },
};

const answered = (name: string, events: readonly Event[], more: Partial<Quirk> = {}): Quirk => ({
  name,
  response: { body: messagesEvents(events) },
  text: "Hello.",
  ends: "shared",
  bill: [7, 3, 0, 0],
  ...more,
});

const tool = (name: unknown, ...parts: string[]): Event[] => [
  { type: "content_block_start", index: 4, content_block: { type: "tool_use", id: "t", name, input: {} } },
  ...parts.map((partial_json) => ({
    type: "content_block_delta",
    index: 4,
    delta: { type: "input_json_delta", partial_json },
  })),
];
const withTool = (...events: Event[]) => [
  start,
  block,
  text("Hello."),
  stop,
  ...events,
  delta("tool_use"),
  end,
];

const failed = (name: string, status: number, ends: Quirk["ends"], requests: number): Quirk => ({
  name,
  response: { status, body: JSON.stringify({ type: "error", error: { type: name, message: "no" } }) },
  ends,
  requests,
});

/** Responses of the Messages API and of servers that imitate it. */
export const messagesQuirks: readonly Quirk[] = [
  answered("as documented", whole),
  answered("CRLF", [], { response: { body: messagesEvents(whole).replaceAll("\n", "\r\n") } }),
  answered("CR", [], { response: { body: messagesEvents(whole).replaceAll("\n", "\r") } }),
  answered("comments and pings", [], {
    response: { body: `: hello\n\n${messagesEvents([{ type: "ping" }, ...whole])}: bye\n\n` },
  }),
  answered("letters of several bytes", instead(whole[3] as Event, text("lö 😀 ∑.")), { text: "Hellö 😀 ∑." }),
  answered("no usage at the start", instead(start, { type: "message_start", message: {} }), {
    bill: [0, 3, 0, 0],
  }),
  answered("no message at the start", instead(start, { type: "message_start" }), { bill: [0, 3, 0, 0] }),
  answered("null usage at the start", instead(start, { type: "message_start", message: { usage: null } }), {
    bill: [0, 3, 0, 0],
  }),
  answered("no start", without(start), { bill: [0, 3, 0, 0] }),
  answered(
    "no usage at the end",
    instead(stopped, { type: "message_delta", delta: { stop_reason: "end_turn" } }),
    {
      bill: [7, 1, 0, 0],
    },
  ),
  answered("null usage at the end", instead(stopped, delta("end_turn", null)), { bill: [7, 1, 0, 0] }),
  answered(
    "no usage at all",
    [block, text("Hello."), stop, { type: "message_delta", delta: { stop_reason: "end_turn" } }, end],
    {
      bill: "unknown",
    },
  ),
  answered(
    "usage of cached tokens",
    instead(
      stopped,
      delta("end_turn", { output_tokens: 3, cache_read_input_tokens: 50, cache_creation_input_tokens: 4 }),
    ),
    {
      bill: [7, 3, 50, 4],
    },
  ),
  answered(
    "counts as texts",
    instead(start, { type: "message_start", message: { usage: { input_tokens: "7", output_tokens: "1" } } }),
    {
      bill: [0, 3, 0, 0],
    },
  ),
  answered("a fractional count", instead(stopped, delta("end_turn", { output_tokens: 3.5 })), {
    bill: [7, 1, 0, 0],
  }),
  answered("a count too large for a row", instead(stopped, delta("end_turn", { output_tokens: 3e10 })), {
    bill: [7, 1, 0, 0],
  }),
  answered("a negative count", instead(stopped, delta("end_turn", { output_tokens: -3 })), {
    bill: [7, 1, 0, 0],
  }),
  answered("text in the block's start", [
    start,
    { ...block, content_block: { type: "text", text: "Hel" } },
    text("lo."),
    stop,
    stopped,
    end,
  ]),
  answered("no start of the block", without(block)),
  answered("no end of the block", without(stop)),
  answered("a start without a block", instead(block, { type: "content_block_start", index: 0 })),
  answered("a delta without a delta", [
    ...whole.slice(0, 3),
    { type: "content_block_delta", index: 0 },
    ...whole.slice(3),
  ]),
  answered("a message_delta without a delta", [
    ...whole.slice(0, 5),
    { type: "message_delta" },
    ...whole.slice(5),
  ]),
  answered("an unknown event", [{ type: "content_block_news", index: 0 }, ...whole]),
  answered("an unknown delta", [
    start,
    block,
    { ...text("no"), delta: { type: "news_delta", text: "no" } },
    ...whole.slice(2),
  ]),
  answered("text as a list of parts", [
    start,
    block,
    text([{ type: "text", text: "Hel" }, "lo."]),
    stop,
    stopped,
    end,
  ]),
  answered("text that is a number", [start, block, text(7), text("Hello."), stop, stopped, end]),
  answered("text that is null", [start, block, text(null), text("Hello."), stop, stopped, end]),
  answered("a block of thinking", [
    start,
    { ...block, content_block: { type: "thinking", thinking: "secret" } },
    { ...text(""), delta: { type: "thinking_delta", thinking: "secret" } },
    stop,
    ...whole.slice(1),
  ]),
  answered("hidden thinking and its signature", [
    start,
    { ...block, content_block: { type: "redacted_thinking", data: "secret" } },
    { ...text(""), delta: { type: "signature_delta", signature: "secret" } },
    stop,
    ...whole.slice(1),
  ]),
  answered("tools and results of the server", [
    start,
    {
      ...block,
      content_block: { type: "server_tool_use", id: "s", name: "web_search", input: { query: "secret" } },
    },
    { ...text(""), delta: { type: "input_json_delta", partial_json: '{"query": "secret"}' } },
    stop,
    { ...block, content_block: { type: "web_search_tool_result", content: [{ title: "secret" }] } },
    stop,
    ...whole.slice(1),
  ]),
  answered("a citation", [
    start,
    block,
    { ...text(""), delta: { type: "citations_delta", citation: { cited_text: "secret" } } },
    ...whole.slice(2),
  ]),
  answered(
    "pings between its events",
    whole.flatMap((event) => [{ type: "ping" }, event]),
  ),
  answered("two ends of the message", [...whole, end]),
  answered("counts that shrink", instead(stopped, delta("end_turn", { input_tokens: 0, output_tokens: 3 }))),
  answered("a byte order mark", [], { response: { body: `\ufeff${messagesEvents(whole)}` } }),
  answered("two blocks of text", [start, block, text("Hel"), stop, block, text("lo."), stop, stopped, end]),
  answered("no stop reason", instead(stopped, delta(null)), {}),
  answered("a stop reason that is a number", instead(stopped, delta(1)), {}),
  answered("an empty answer", [start, stopped, end], { text: "", ends: "empty" }),
  answered(
    "an answer of invisible characters",
    [start, block, text("\u200b\u2060 \u00ad\ufeff"), stop, stopped, end],
    {
      text: "\u200b\u2060 \u00ad\ufeff",
      ends: "empty",
    },
  ),
  answered("NUL characters", [start, block, text("Hel\u0000lo."), stop, stopped, end]),
  ...stopReasons.map(([reason, ends]) =>
    answered(`the stop reason "${reason}"`, instead(stopped, delta(reason)), { ends }),
  ),
  answered("a call", withTool(...tool("ask", '{"a"', ":1}"), stop), { calls: [["ask", '{"a":1}']] }),
  answered("a call without an end of its block", withTool(...tool("ask", '{"a":1}')), {
    calls: [["ask", '{"a":1}']],
  }),
  answered(
    "a call with its input in the start",
    withTool(
      { type: "content_block_start", content_block: { type: "tool_use", name: "ask", input: { a: 1 } } },
      stop,
    ),
    {
      calls: [["ask", '{"a":1}']],
    },
  ),
  answered(
    "a call of another tool first",
    withTool(...tool("look", "{}"), stop, ...tool("ask", '{"a":1}'), stop),
    {
      calls: [
        ["look", "{}"],
        ["ask", '{"a":1}'],
      ],
    },
  ),
  answered("a call without a name", withTool(...tool(undefined, "{}"), stop), { calls: [["", "{}"]] }),
  answered("no end of the message", without(end), { ends: "interrupted" }),
  answered("a broken connection", [], {
    response: { body: messagesEvents(whole.slice(0, 4)), breaks: true },
    ends: "interrupted",
  }),
  answered("an event that is no JSON", [], {
    response: { body: `${messagesEvents(whole.slice(0, 4))}event: message_delta\ndata: {"type": oh\n\n` },
    ends: "interrupted",
  }),
  answered(
    "an error event",
    [...whole.slice(0, 4), { type: "error", error: { type: "api_error", message: "no" } }],
    {
      ends: "interrupted",
    },
  ),
  answered(
    "an overload in the stream",
    [...whole.slice(0, 4), { type: "error", error: { type: "overloaded_error", message: "no" } }],
    {
      ends: "unavailable",
    },
  ),
  answered("an error event without an error", [...whole.slice(0, 4), { type: "error" }], {
    ends: "interrupted",
  }),
  answered(
    "a timeout in the stream",
    [...whole.slice(0, 4), { type: "error", error: { type: "timeout_error" } }],
    {
      ends: "interrupted",
    },
  ),
  answered(
    "too many requests, in the stream before its start",
    [{ type: "error", error: { type: "rate_limit_error", message: "no" } }],
    { text: "", ends: "unavailable" },
  ),
  answered(
    "an error whose type is a sentence",
    [...whole.slice(0, 4), { type: "error", error: { type: "oh, no" } }],
    {
      ends: "interrupted",
    },
  ),
  answered("events without names", [], {
    response: { body: messagesEvents(whole).replaceAll(/event: \w+\n/g, "") },
    ...{ text: "", ends: "interrupted" },
  }),
  answered("a whole answer instead of a stream", [], { response: jsonResponse(wholeAnswer) }),
  answered("a whole answer that was cut", [], {
    response: jsonResponse({ ...wholeAnswer, stop_reason: "max_tokens" }),
    ends: "length",
  }),
  answered("a whole answer with thoughts and a call", [], {
    response: jsonResponse({
      ...wholeAnswer,
      content: [
        { type: "thinking", thinking: "secret", signature: "secret" },
        ...wholeAnswer.content,
        { type: "tool_use", id: "t", name: "ask", input: { a: 1 } },
      ],
      stop_reason: "tool_use",
    }),
    calls: [["ask", '{"a":1}']],
  }),
  ...Object.entries(encodings).map(([encoding, compress]) =>
    answered(`the encoding ${encoding}`, [], {
      response: { headers: { "content-encoding": encoding }, body: compress(messagesEvents(whole)) },
    }),
  ),
  ...(["overloaded_error", "billing_error", "api_error"] as const).map((type, at) =>
    answered(`the error ${type} as JSON with status 200`, [], {
      response: jsonResponse({ type: "error", error: { type, message: "no" } }),
      ...{ text: "", ends: (["unavailable", "rejected", "interrupted"] as const)[at] ?? "interrupted" },
    }),
  ),
  answered(
    "an error of a filter behind its usage",
    [
      ...whole.slice(0, 3),
      {
        type: "error",
        error: { type: "invalid_request_error", message: "Output blocked by content filtering policy" },
      },
    ],
    { text: "Hel", ends: "refusal", bill: [7, 1, 0, 0] },
  ),
  { name: "a page of a proxy", response: { body: "<html>Sign in</html>" }, text: "", ends: "interrupted" },
  { name: "an empty body", response: { body: "" }, text: "", ends: "interrupted" },
  failed("invalid_request_error", 400, "rejected", 1),
  failed("authentication_error", 401, "rejected", 1),
  failed("billing_error", 402, "rejected", 1),
  failed("permission_error", 403, "rejected", 1),
  failed("not_found_error", 404, "rejected", 1),
  failed("request_too_large", 413, "rejected", 1),
  failed("api_error", 500, "unavailable", 3),
  failed("timeout_error", 504, "unavailable", 3),
  failed("too_early", 425, "unavailable", 3),
  failed("overloaded_error", 529, "unavailable", 3),
];
