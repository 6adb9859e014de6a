import type { ServerResponse } from "node:http";
import type { AnswerWriter, Usage } from "../../scripts/dev/answer-writer.ts";

/** The fields of Chat Completions' body that the stand-in reads. */
export type CompletionsRequest = {
  model: string;
  messages: { role: "system" | "user" | "assistant"; content: string }[];
  tools?: object[];
  stream: boolean;
  stream_options?: { include_usage?: boolean };
};

export const completionsPath = "/v1/chat/completions";

/** This protocol's finish reasons by Anthropic's names. */
export const finishReasons: Record<string, string> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
  content_filtered: "content_filter",
};

/** Writes an answer in Chat Completions' streaming format. */
export function openAiWriter(
  response: ServerResponse,
  { model, stream_options }: CompletionsRequest,
): AnswerWriter {
  const send = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`);
  const chunk = (rest: object) =>
    send({ id: "chatcmpl-stand-in", object: "chat.completion.chunk", created: 1, model, ...rest });
  const choice = (delta: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null });
  return {
    begin() {
      response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req_stand_in" });
      choice({ role: "assistant", content: "", refusal: null });
    },
    ping: () => void response.write(": keep-alive\n\n"),
    text(content) {
      choice({ content });
    },
    call(name, parts) {
      choice({
        tool_calls: [{ index: 0, id: "call_stand_in", type: "function", function: { name, arguments: "" } }],
      });
      for (const part of parts) choice({ tool_calls: [{ index: 0, function: { arguments: part } }] });
    },
    end(stopReason, used) {
      choice({}, finishReasons[stopReason] ?? stopReason);
      if (stream_options?.include_usage) chunk({ choices: [], usage: usageOf(used) });
      response.end("data: [DONE]\n\n");
    },
    breakOff(type, message) {
      send({ error: { message, type, param: null, code: type } });
      response.end();
    },
    refuse(status, type, message, retryAfter) {
      const headers = {
        "content-type": "application/json",
        "x-request-id": "req_stand_in",
        ...(retryAfter && { "retry-after": String(retryAfter) }),
      };
      const error = { message, type, param: null, code: type };
      response.writeHead(status, headers).end(JSON.stringify({ error }));
    },
  };
}

/** Prompt tokens include cache reads. Cache writes are not reported. */
function usageOf({ input_tokens, output_tokens, cache_read_tokens = 0 }: Usage) {
  const prompt_tokens = input_tokens + cache_read_tokens;
  return {
    prompt_tokens,
    completion_tokens: output_tokens,
    total_tokens: prompt_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: cache_read_tokens },
  };
}
