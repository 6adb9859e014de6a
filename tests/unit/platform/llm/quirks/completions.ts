import { completionsChunks } from "../../../../support/raw-llm.ts";
import { encodings, jsonResponse, type Quirk, stopReasons } from "./quirk.ts";

const chunk = (delta: unknown, finish_reason: unknown = null, more: object = {}) => ({
  id: "c",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const usage = (said: unknown) => ({ choices: [], usage: said });
const counted = usage({ prompt_tokens: 7, completion_tokens: 3 });
const whole = [
  chunk({ role: "assistant", content: "" }),
  chunk({ content: "Hel" }),
  chunk({ content: "lo." }),
];
const normal = [...whole, chunk({}, "stop"), counted];

const answered = (name: string, chunks: readonly object[], more: Partial<Quirk> = {}): Quirk => ({
  name,
  response: { body: completionsChunks(chunks) },
  text: "Hello.",
  ends: "shared",
  bill: [7, 3, 0, 0],
  ...more,
});

const billed = (name: string, said: unknown, bill: NonNullable<Quirk["bill"]>) =>
  answered(name, [...whole, chunk({}, "stop"), usage(said)], { bill });

const call = (index: unknown, said: object, id?: string) =>
  chunk({
    tool_calls: [
      { ...(index !== undefined && { index }), ...(id && { id }), type: "function", function: said },
    ],
  });
const withCalls = (name: string, calls: Quirk["calls"], ...chunks: object[]) =>
  answered(name, [...whole, ...chunks, chunk({}, "tool_calls"), counted], { calls: calls ?? [] });

const failed = (name: string, status: number, body: unknown, ends: Quirk["ends"], requests = 1): Quirk => ({
  name,
  response: { status, body: typeof body === "string" ? body : JSON.stringify(body) },
  ends,
  requests,
});
const error = (code: string) => ({ error: { message: "no", type: code, param: null, code } });
const lines = completionsChunks(normal);
const wholeAnswer = (message: object) => ({
  object: "chat.completion",
  choices: [
    { index: 0, message: { role: "assistant", content: "Hello.", ...message }, finish_reason: "stop" },
  ],
  usage: { prompt_tokens: 7, completion_tokens: 3 },
});

/** Responses of Chat Completions and of servers that imitate it. */
export const completionsQuirks: readonly Quirk[] = [
  answered("as documented", normal),
  answered("CRLF", [], { response: { body: lines.replaceAll("\n", "\r\n") } }),
  answered("no blanks before its data", [], { response: { body: lines.replaceAll("data: ", "data:") } }),
  answered("comments while it thinks", [], { response: { body: `: OPENROUTER PROCESSING\n\n${lines}` } }),
  answered("names and ids of events", [], {
    response: { body: lines.replaceAll("data: ", "event: message\nid: 1\ndata: ") },
  }),
  answered("no [DONE]", [], { response: { body: lines.replace("data: [DONE]\n\n", "") } }),
  answered("letters of several bytes", [chunk({ content: "lö 😀" }), chunk({}, "stop"), counted], {
    text: "lö 😀",
  }),
  answered("an empty reason until the last chunk", [
    chunk({ content: "Hel" }, ""),
    chunk({ content: "lo." }, ""),
    chunk({}, "stop"),
    counted,
  ]),
  answered("an empty reason until a cut", [chunk({ content: "Hello." }, ""), chunk({}, "length"), counted], {
    ends: "length",
  }),
  answered("an empty reason with every chunk", [
    chunk({ content: "Hel" }, ""),
    chunk({ content: "lo." }, ""),
    counted,
  ]),
  answered(
    "the reason null as a text until the last chunk",
    [chunk({ content: "Hel" }, "null"), chunk({ content: "lo." }, "null"), chunk({}, "length"), counted],
    { ends: "length" },
  ),
  answered("a reason of unfinished chunks", [
    chunk({ content: "Hello." }, "not_finished"),
    chunk({}, "eos_token"),
    counted,
  ]),
  answered("the reason of unfinished chunks alone", [chunk({ content: "Hello." }, "not_finished"), counted], {
    ends: "interrupted",
  }),
  answered("its reason with the last text", [chunk({ content: "Hello." }, "stop"), counted]),
  answered("text behind its reason", [chunk({ content: "Hel" }, "stop"), chunk({ content: "lo." }), counted]),
  answered("two reasons", [...whole, chunk({}, "stop"), chunk({}, "length"), counted]),
  answered("a reason that is missing until the end", [
    { choices: [{ delta: { content: "Hello." } }] },
    { choices: [{ finish_reason: "stop" }] },
    counted,
  ]),
  answered("content as a list of parts", [
    chunk({ content: [{ type: "text", text: "Hel" }] }),
    chunk({
      content: [
        { type: "text", text: "l" },
        { type: "text", text: "o." },
      ],
    }),
    chunk({}, "stop"),
    counted,
  ]),
  answered("content as a list of texts", [chunk({ content: ["Hel", "lo."] }), chunk({}, "stop"), counted]),
  answered("content as one part", [
    chunk({ content: { type: "text", text: "Hello." } }),
    chunk({}, "stop"),
    counted,
  ]),
  answered("thinking as a part", [
    chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "secret" }] }] }),
    ...normal,
  ]),
  answered("thinking in a field of its own", [
    chunk({ content: null, reasoning_content: "secret", reasoning: "secret" }),
    ...normal,
  ]),
  answered("content that is null", [chunk({ content: null }), ...normal]),
  answered("content that is a number", [chunk({ content: 7 }), ...normal]),
  answered("a delta that is null", [chunk(null), ...normal]),
  answered("no delta", [{ choices: [{ index: 0, finish_reason: null }] }, ...normal]),
  answered("no choices", [{ id: "c" }, ...normal]),
  answered("choices that are null", [{ id: "c", choices: null }, ...normal]),
  // The client fails at it, which is logged as an exception of this process.
  answered("a choice that is null", [{ id: "c", choices: [null] }, ...normal], {
    text: "",
    ends: "interrupted",
  }),
  answered("results of a filter before its text", [
    { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
    ...normal,
  ]),
  answered(
    "a refusal in a field of its own",
    [chunk({ refusal: "I will not." }), chunk({}, "stop"), counted],
    {
      text: "I will not.",
      ends: "refusal",
    },
  ),
  ...stopReasons.map(([reason, ends]) =>
    answered(`the finish reason "${reason}"`, [...whole, chunk({}, reason), counted], { ends }),
  ),
  answered("an empty answer", [chunk({}, "stop"), counted], { text: "", ends: "empty" }),
  answered(
    "an answer of invisible characters",
    [chunk({ content: "\u200b\u3164\u2800\ufe0f" }), chunk({}, "stop"), counted],
    {
      text: "\u200b\u3164\u2800\ufe0f",
      ends: "empty",
    },
  ),
  answered("no usage", [...whole, chunk({}, "stop")], { bill: "unknown" }),
  billed("null usage", null, "unknown"),
  answered("usage of Groq", [
    ...whole,
    chunk({}, "stop", { x_groq: { usage: { prompt_tokens: 7, completion_tokens: 3 } } }),
  ]),
  answered("usage in its choice", [
    ...whole,
    {
      choices: [
        { index: 0, delta: {}, finish_reason: "stop", usage: { prompt_tokens: 7, completion_tokens: 3 } },
      ],
    },
  ]),
  billed("usage with the names of another protocol", { input_tokens: 7, output_tokens: 3 }, [7, 3, 0, 0]),
  billed("usage without the tokens of the answer", { prompt_tokens: 7, total_tokens: 10 }, [7, 3, 0, 0]),
  billed(
    "usage whose total has the tokens of reasoning",
    { prompt_tokens: 7, completion_tokens: 3, total_tokens: 50 },
    [7, 43, 0, 0],
  ),
  billed(
    "cache hits of DeepSeek",
    { prompt_tokens: 57, completion_tokens: 3, prompt_cache_hit_tokens: 50, prompt_cache_miss_tokens: 7 },
    [7, 3, 50, 0],
  ),
  billed("usage without fields", {}, "unknown"),
  billed("usage of zeros", { prompt_tokens: 0, completion_tokens: 0 }, "unknown"),
  billed("a fractional count", { prompt_tokens: 7.5, completion_tokens: 3 }, [0, 3, 0, 0]),
  billed("a count too large for a row", { prompt_tokens: 7, completion_tokens: 3e10 }, [7, 0, 0, 0]),
  billed("counts as texts", { prompt_tokens: "7", completion_tokens: "3" }, "unknown"),
  billed(
    "cached tokens",
    { prompt_tokens: 57, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 50 } },
    [7, 3, 50, 0],
  ),
  billed(
    "more cached tokens than read",
    { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 9 } },
    [0, 3, 9, 0],
  ),
  billed(
    "details that are null",
    { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: null },
    [7, 3, 0, 0],
  ),
  answered("usage with each chunk", [
    chunk({ content: "Hello." }, null, { usage: { prompt_tokens: 7, completion_tokens: 1 } }),
    chunk({}, "stop", { usage: { prompt_tokens: 7, completion_tokens: 3 } }),
  ]),
  withCalls(
    "a call",
    [["ask", '{"a":1}']],
    call(0, { name: "ask", arguments: '{"a"' }, "x"),
    call(0, { arguments: ":1}" }),
  ),
  withCalls(
    "a call whose index begins at 1",
    [["ask", '{"a":1}']],
    call(1, { name: "ask", arguments: '{"a"' }, "x"),
    call(1, { arguments: ":1}" }),
  ),
  withCalls(
    "a call without an index",
    [["ask", '{"a":1}']],
    call(undefined, { name: "ask", arguments: '{"a"' }),
    call(undefined, { arguments: ":1}" }),
  ),
  withCalls(
    "a call whose index is null",
    [["ask", '{"a":1}']],
    call(null, { name: "ask", arguments: '{"a":1}' }, "x"),
  ),
  withCalls(
    "a call whose id comes with each part",
    [["ask", '{"a":1}']],
    call(0, { name: "ask", arguments: '{"a"' }, "x"),
    call(0, { arguments: ":1}" }, "x"),
  ),
  withCalls(
    "a call whose name comes with each part",
    [["ask", '{"a":1}']],
    call(0, { name: "ask", arguments: '{"a"' }, "x"),
    call(0, { name: "ask", arguments: ":1}" }),
  ),
  withCalls(
    "a call whose arguments are an object",
    [["ask", '{"a":1}']],
    call(0, { name: "ask", arguments: { a: 1 } }, "x"),
  ),
  withCalls("a call without arguments", [["ask", ""]], call(0, { name: "ask", arguments: null }, "x")),
  withCalls(
    "a call of another tool first",
    [
      ["look", "{}"],
      ["ask", '{"a":1}'],
    ],
    call(0, { name: "look", arguments: "{}" }, "x"),
    call(1, { name: "ask", arguments: '{"a":1}' }, "y"),
  ),
  withCalls(
    "two calls under one index",
    [
      ["look", "{}"],
      ["ask", '{"a":1}'],
    ],
    call(0, { name: "look", arguments: "{}" }, "x"),
    call(0, { name: "ask", arguments: '{"a":1}' }, "y"),
  ),
  withCalls(
    "a part of a call that is null",
    [["ask", "{}"]],
    chunk({ tool_calls: [null] }),
    call(0, { name: "ask", arguments: "{}" }, "x"),
  ),
  withCalls(
    "a call whose name comes in pieces",
    [["ask", '{"a":1}']],
    call(0, { name: "a", arguments: "" }, "x"),
    call(0, { name: "sk" }),
    call(0, { arguments: '{"a":1}' }),
  ),
  withCalls("an empty call", [], chunk({ tool_calls: [] })),
  withCalls("tool calls that are null", [], chunk({ tool_calls: null })),
  withCalls(
    "a call in the older form",
    [["ask", '{"a":1}']],
    chunk({ function_call: { name: "ask", arguments: '{"a"' } }),
    chunk({ function_call: { arguments: ":1}" } }),
  ),
  withCalls(
    "a call in both forms",
    [["ask", "{}"]],
    chunk({
      function_call: { name: "ask", arguments: "{}" },
      tool_calls: [{ index: 0, id: "x", function: { name: "ask", arguments: "{}" } }],
    }),
  ),
  answered(
    "a call that ends with stop",
    [...whole, call(0, { name: "ask", arguments: "{}" }, "x"), chunk({}, "stop"), counted],
    {
      calls: [["ask", "{}"]],
    },
  ),
  answered("no reason", [...whole, counted], { ends: "interrupted" }),
  answered("a reason that is a number", [...whole, chunk({}, 1), counted], { ends: "interrupted" }),
  answered("a broken connection", [], {
    response: { body: lines.slice(0, 300), breaks: true },
    text: "Hel",
    ends: "interrupted",
  }),
  answered("a chunk that is no JSON", [], {
    response: { body: `${completionsChunks(whole).replace("data: [DONE]\n\n", "")}data: {"choices": oh\n\n` },
    ends: "interrupted",
  }),
  answered("an error in the stream", [...whole, error("server_error")], { ends: "interrupted" }),
  answered("an overload in the stream", [...whole, error("rate_limit_exceeded")], { ends: "unavailable" }),
  answered("an error in the stream as a text", [...whole, { error: "out of memory" }], {
    ends: "interrupted",
  }),
  answered(
    "an error as a chunk",
    [...whole, { object: "error", message: "no", type: "InternalServerError", code: 500 }],
    { ends: "unavailable" },
  ),
  answered(
    "a prompt that is too long, as a chunk",
    [
      {
        object: "error",
        message: "This model's maximum context length is 8",
        type: "BadRequestError",
        code: 400,
      },
    ],
    { text: "", ends: "rejected" },
  ),
  answered(
    "the status of an upstream server in the stream",
    [...whole, { error: { code: 429, message: "no" } }],
    {
      ends: "unavailable",
    },
  ),
  answered(
    "a failed choice of a gateway",
    [
      ...whole,
      {
        choices: [
          { index: 0, delta: { content: "" }, finish_reason: "error", error: { code: 502, message: "no" } },
        ],
      },
    ],
    { ends: "interrupted" },
  ),
  answered(
    "an error whose code is a sentence",
    [...whole, { error: { code: "no such user: oh", message: "no" } }],
    {
      ends: "interrupted",
    },
  ),
  answered("an error without a message", [...whole, { error: {} }], { ends: "interrupted" }),
  answered("a filter's note behind its reason", [
    ...whole,
    chunk({}, "stop"),
    { choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 1 } }] },
    counted,
  ]),
  answered(
    "an error of a filter behind its usage",
    [chunk({ content: "Hel" }), counted, error("content_filter")],
    {
      ...{ text: "Hel", ends: "refusal" },
    },
  ),
  answered("an error of a filter without usage", [chunk({ content: "Hel" }), error("content_filter")], {
    ...{ text: "Hel", ends: "refusal", bill: "unknown" },
  }),
  answered("a filter that stops a begun answer", [...whole, chunk({}, "content_filter"), counted], {
    ends: "refusal",
  }),
  answered("the last message once more", [
    ...whole,
    {
      choices: [
        { index: 0, delta: {}, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" },
      ],
    },
    counted,
  ]),
  answered("a role with each chunk", [
    chunk({ role: "assistant", content: "Hel" }),
    chunk({ role: "assistant", content: "lo." }),
    chunk({ role: null }, "stop"),
    counted,
  ]),
  answered("reasoning as a list of details", [
    chunk({ content: "", reasoning_details: [{ type: "reasoning.text", text: "secret" }] }),
    ...normal,
  ]),
  answered("reasoning in tags", [
    chunk({ content: "<think>sec" }),
    chunk({ content: "ret</think>\n\n" }),
    ...normal,
  ]),
  answered("text and a field for the legacy protocol", [
    { choices: [{ index: 0, text: "Hello.", delta: { content: "Hello." }, finish_reason: null }] },
    chunk({}, "stop"),
    counted,
  ]),
  answered("references in its content", [
    chunk({
      content: [
        { type: "text", text: "Hello." },
        { type: "reference", reference_ids: [1] },
      ],
    }),
    chunk({}, "stop"),
    counted,
  ]),
  answered("a byte order mark", [], { response: { body: `\ufeff${lines}` } }),
  answered("times to reconnect", [], { response: { body: `retry: 3000\n\n${lines}` } }),
  answered("a chunk in several lines", [], { response: { body: lines.replace('"Hel"', '\ndata: "Hel"') } }),
  answered("no line break at its end", [], { response: { body: lines.trimEnd() } }),
  answered("a whole answer instead of a stream", [], { response: jsonResponse(wholeAnswer({})) }),
  answered("a whole answer of another content type", [], {
    response: { body: `\ufeff \n${JSON.stringify(wholeAnswer({}))}` },
  }),
  answered("a whole answer without its usage", [], {
    response: jsonResponse({ ...wholeAnswer({}), usage: null }),
    bill: "unknown",
  }),
  answered("a whole answer with thoughts and a call", [], {
    response: jsonResponse(
      wholeAnswer({
        reasoning_content: "secret",
        tool_calls: [{ id: "t", type: "function", function: { name: "ask", arguments: '{"a":1}' } }],
      }),
    ),
    calls: [["ask", '{"a":1}']],
  }),
  answered("a whole answer that broke off", [], {
    response: { ...jsonResponse(wholeAnswer({})), body: '{"choices":[{"message":{"content":"Hel' },
    ...{ text: "", ends: "interrupted" },
  }),
  answered("a line of JSON behind a line of JSON", [], {
    response: { ...jsonResponse({}), body: '{"response":"Hel"}\n{"response":"lo."}\n' },
    ...{ text: "", ends: "interrupted" },
  }),
  ...Object.entries(encodings).map(([encoding, compress]) =>
    answered(`the encoding ${encoding}`, [], {
      response: { headers: { "content-encoding": encoding }, body: compress(lines) },
    }),
  ),
  answered("a compressed answer that broke off", [], {
    response: { headers: { "content-encoding": "gzip" }, body: encodings.gzip(lines).subarray(0, -20) },
    ends: "interrupted",
  }),
  answered("a page of a proxy", [], {
    response: { headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" },
    ...{ text: "", ends: "interrupted" },
  }),
  answered("an error as JSON with status 200", [], {
    response: jsonResponse(error("server_error")),
    ...{ text: "", ends: "interrupted" },
  }),
  answered("an error of the request as JSON with status 200", [], {
    response: jsonResponse(error("invalid_request_error")),
    ...{ text: "", ends: "rejected" },
  }),
  answered("missing credit as JSON with status 200", [], {
    response: jsonResponse(error("insufficient_balance")),
    ...{ text: "", ends: "rejected" },
  }),
  answered("a list with an error as JSON with status 200", [], {
    response: jsonResponse([{ error: { code: 503, message: "no", status: "UNAVAILABLE" } }]),
    ...{ text: "", ends: "unavailable" },
  }),
  { name: "an empty body", response: { body: "" }, text: "", ends: "interrupted" },
  failed("a 400", 400, error("invalid_request_error"), "rejected"),
  failed("a 401 with HTML", 401, "<html>Sign in</html>", "rejected"),
  failed("a 402", 402, error("insufficient_credits"), "rejected"),
  failed("a 404 of another server", 404, "page not found", "rejected"),
  failed(
    "a 400 for too long a prompt",
    400,
    { object: "error", message: "maximum context length is 8", code: 400 },
    "rejected",
  ),
  failed("a 403 with a list", 403, [{ error: "no" }], "rejected"),
  failed("a 413", 413, error("request_too_large"), "rejected"),
  failed("a 422", 422, { detail: [{ msg: "no" }] }, "rejected"),
  failed("a 500 of a model that loads", 500, { error: "model is loading" }, "unavailable", 3),
  failed("a 503 without a body", 503, "", "unavailable", 3),
];
