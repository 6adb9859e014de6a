import type { StreamEvent } from "../../schema/api/tutor/chat.ts";
import type { Question } from "../../schema/question.ts";

/** How listening to an answer ended. */
export type StreamEnding =
  | { kind: "told"; message: number; text: string; question: Question | undefined; moves: readonly string[] }
  /** The stream ended with an error event. */
  | { kind: "error" }
  | { kind: "refused"; status: number; detail: string; retryAfterMs: number }
  /** The connection broke or failed. */
  | { kind: "broken" }
  /** Nothing arrived within the learner's patience. */
  | { kind: "silent" }
  /** The learner left. */
  | { kind: "left" };

export type AnswerStreamOptions = {
  method: "GET" | "POST";
  token: string;
  body?: object;
  /** A learner's patience without any event, in milliseconds. */
  timeoutMs: number;
  /** Called for each event with its number; `leave` disconnects. */
  onEvent?: (number: number, event: StreamEvent) => "leave" | undefined;
};

/** Listens like a learner's client: repeated text replaces earlier text. */
export async function readAnswerStream(url: string, options: AnswerStreamOptions): Promise<StreamEnding> {
  const leaving = new AbortController();
  let why: "silent" | "left" | undefined;
  const leave = (reason: "silent" | "left") => {
    why ??= reason;
    leaving.abort();
  };
  const timer = setTimeout(() => leave("silent"), options.timeoutMs);
  try {
    const response = await fetch(url, {
      method: options.method,
      headers: { authorization: `Bearer ${options.token}`, "content-type": "application/json" },
      ...(options.body && { body: JSON.stringify(options.body) }),
      signal: leaving.signal,
    });
    if (!response.ok) return await refusalOf(response);
    let text = "";
    let number = 0;
    for await (const event of eventsOf(response)) {
      timer.refresh();
      number += 1;
      if (options.onEvent?.(number, event) === "leave") leave("left");
      if (event.done && "error" in event) return { kind: "error" };
      if (event.done) {
        const { message_id: message, question, moves = [] } = event;
        return { kind: "told", message, text, question, moves };
      }
      text = event.restart ? "" : text + event.content;
    }
    return { kind: why ?? "broken" };
  } catch {
    return { kind: why ?? "broken" };
  } finally {
    clearTimeout(timer);
    leaving.abort();
  }
}

async function refusalOf(response: Response): Promise<StreamEnding> {
  const { status, headers } = response;
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: unknown };
  return {
    kind: "refused",
    status,
    detail: String(detail),
    retryAfterMs: Number(headers.get("retry-after") ?? 0) * 1000,
  };
}

async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  let rest = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + part).split("\n\n");
    rest = blocks.pop() ?? "";
    const events = blocks.filter((block) => block.startsWith("data: "));
    for (const event of events) yield JSON.parse(event.slice("data: ".length)) as StreamEvent;
  }
}
