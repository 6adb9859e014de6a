import type { IncomingMessage, ServerResponse } from "node:http";
import type { AnswerWriter, Usage } from "./answer-writer.ts";

/** The part of a Messages API request that the stand-ins use. */
export type MessagesRequest = {
  model: string;
  max_tokens: number;
  system?: string;
  messages: { role: "user" | "assistant"; content: string }[];
  stream: boolean;
};

/** Texts, and calls of tools with their results. */
type Block =
  | { type: "text"; text: string; cache_control?: object }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> }
  | { type: "tool_result"; tool_use_id: string; content: string };

type Text = string | Block[];

/** The request on the wire: texts may be blocks, some marked for the provider's cache. */
export type MessagesBody = Omit<MessagesRequest, "system" | "messages"> & {
  system?: Text;
  messages: { role: "user" | "assistant"; content: Text }[];
} & Record<string, unknown>;

/** A body with blocks joined to texts. */
export const withPlainTexts = ({ system, messages, ...rest }: MessagesBody): MessagesRequest => ({
  ...rest,
  ...(system !== undefined && { system: plain(system) }),
  messages: messages.map(({ role, content }) => ({ role, content: plain(content) })),
});

/** Without text, the results of calls. */
function plain(content: Text): string {
  if (typeof content === "string") return content;
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const results = content.flatMap((block) => (block.type === "tool_result" ? [block.content] : []));
  return (texts.length > 0 ? texts : results).join("");
}

/** Path of the Messages API below a base URL. */
export const messagesPath = "/v1/messages";

/** True if a key is in either of the two headers that clients use. */
export function hasKey({ headers }: IncomingMessage): boolean {
  return Boolean(headers["x-api-key"] || headers.authorization?.startsWith("Bearer "));
}

/** Streams a message like the Messages API: Server-Sent Events named by type. */
export function anthropicWriter(response: ServerResponse, model: string): AnswerWriter {
  const send = (event: { type: string } & Record<string, unknown>) =>
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  let block = 0;
  return {
    begin(usage) {
      response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_stand_in" });
      send({ type: "message_start", message: emptyMessage(model, usage) });
      send({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
      send({ type: "ping" });
    },
    ping: () => void send({ type: "ping" }),
    text(text) {
      send({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
    },
    call(name, parts) {
      send({ type: "content_block_stop", index: block });
      block += 1;
      const content_block = { type: "tool_use", id: "toolu_stand_in", name, input: {} };
      send({ type: "content_block_start", index: block, content_block });
      for (const partial_json of ["", ...parts])
        send({
          type: "content_block_delta",
          index: block,
          delta: { type: "input_json_delta", partial_json },
        });
    },
    end(stop_reason, usage) {
      send({ type: "content_block_stop", index: block });
      send({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: usageOf(usage) });
      send({ type: "message_stop" });
      response.end();
    },
    breakOff(type, message) {
      send({ type: "error", error: { type, message } });
      response.end();
    },
    refuse(status, type, message, retryAfter) {
      const headers = {
        "content-type": "application/json",
        "request-id": "req_stand_in",
        ...(retryAfter && { "retry-after": String(retryAfter) }),
      };
      response.writeHead(status, headers).end(JSON.stringify({ type: "error", error: { type, message } }));
    },
  };
}

const usageOf = ({ input_tokens, output_tokens, cache_read_tokens, cache_write_tokens }: Usage) => ({
  input_tokens,
  output_tokens,
  cache_read_input_tokens: cache_read_tokens ?? 0,
  cache_creation_input_tokens: cache_write_tokens ?? 0,
});

function emptyMessage(model: string, usage: Usage) {
  return {
    id: "msg_stand_in",
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usageOf(usage), output_tokens: 1 },
  };
}
