import type { ServerResponse } from "node:http";
import { EventStreamCodec } from "@smithy/core/event-streams";
import type { AnswerWriter } from "../../scripts/dev/answer-writer.ts";

/** The fields of ConverseStream's body that the stand-in reads. */
export type ConverseBody = {
  system?: { text: string }[];
  messages: { role: "user" | "assistant"; content: { text: string }[] }[];
  toolConfig?: { tools: object[] };
  inferenceConfig?: { maxTokens?: number };
};

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

export function modelOfPath(path: string): string | undefined {
  const model = /^\/model\/([^/]+)\/converse-stream$/.exec(path)?.[1];
  return model && decodeURIComponent(model);
}

/** Writes an answer in ConverseStream's format: binary frames, with errors as `exception` frames. */
export function bedrockWriter(response: ServerResponse): AnswerWriter {
  const send = (type: string, payload: object) => response.write(frame("event", type, payload));
  return {
    begin() {
      response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
      send("messageStart", { role: "assistant" });
    },
    // Bedrock has no pings; sends reasoning instead.
    ping() {
      send("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hm." } } });
    },
    text(text) {
      send("contentBlockDelta", { contentBlockIndex: 0, delta: { text } });
    },
    call(name, parts) {
      send("contentBlockStop", { contentBlockIndex: 0 });
      const start = { toolUse: { toolUseId: "tooluse_stand_in", name } };
      send("contentBlockStart", { contentBlockIndex: 1, start });
      for (const input of parts)
        send("contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input } } });
    },
    end(stopReason, used) {
      const { input_tokens: inputTokens, output_tokens: outputTokens } = used;
      send("contentBlockStop", { contentBlockIndex: 0 });
      send("messageStop", { stopReason });
      const usage = {
        inputTokens,
        outputTokens,
        totalTokens: inputTokens + outputTokens,
        cacheReadInputTokens: used.cache_read_tokens ?? 0,
        cacheWriteInputTokens: used.cache_write_tokens ?? 0,
      };
      send("metadata", { usage, metrics: { latencyMs: 1 } });
      response.end();
    },
    breakOff(type, message) {
      response.end(frame("exception", type, { message }));
    },
    refuse(status, type, message, retryAfter) {
      const headers = {
        "content-type": "application/json",
        "x-amzn-errortype": type,
        ...(retryAfter && { "retry-after": String(retryAfter) }),
      };
      response.writeHead(status, headers).end(JSON.stringify({ message }));
    },
  };
}

function frame(kind: "event" | "exception", type: string, payload: object): Uint8Array {
  const header = (value: string) => ({ type: "string" as const, value });
  return codec.encode({
    headers: {
      [`:${kind}-type`]: header(type),
      ":content-type": header("application/json"),
      ":message-type": header(kind),
    },
    body: Buffer.from(JSON.stringify(payload)),
  });
}
