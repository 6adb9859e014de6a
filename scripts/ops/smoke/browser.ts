import { setTimeout as sleep } from "node:timers/promises";

/** A response with its duration in milliseconds. */
export type Answered = { status: number; body: unknown; milliseconds: number };

/** A streamed answer: its chunks, and the times of the first and the last one. */
export type Streamed = {
  status: number;
  chunks: string[];
  messageId: number | undefined;
  question: Question | undefined;
  error: string | undefined;
  firstChunkMilliseconds: number;
  milliseconds: number;
};

type Question = { questionId: string; question: string; options: { id: string; text: string }[] };

type StreamEvent = {
  content: string;
  done: boolean;
  restart?: true;
  message_id?: number;
  question?: Question;
  error?: string;
};

/** A user's API client: requests and streams with the user's token. */
export class Browser {
  readonly #api: string;
  #token: string | undefined;

  constructor(base: string) {
    this.#api = `${base.replace(/\/$/, "")}/api/v1`;
  }

  signedInWith(token: string): void {
    this.#token = token;
  }

  async send(method: string, path: string, body?: unknown): Promise<Answered> {
    const started = performance.now();
    const response = await this.#fetch(method, path, body);
    const text = await response.text();
    const milliseconds = performance.now() - started;
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, body: isJson ? JSON.parse(text) : text, milliseconds };
  }

  /** Reads a streamed answer; `onChunk` receives each chunk. */
  async stream(path: string, body: unknown, onChunk: (chunk: string) => void): Promise<Streamed> {
    const started = performance.now();
    const response = await this.#fetch("POST", path, body, { accept: "text/event-stream" });
    const streamed: Streamed = {
      status: response.status,
      chunks: [],
      messageId: undefined,
      question: undefined,
      error: undefined,
      firstChunkMilliseconds: Number.NaN,
      milliseconds: 0,
    };
    for await (const event of eventsOf(response)) {
      if (event.restart) streamed.chunks = [];
      else if (!event.done) {
        if (streamed.chunks.length === 0) streamed.firstChunkMilliseconds = performance.now() - started;
        streamed.chunks.push(event.content);
        onChunk(event.content);
      }
      streamed.messageId = event.message_id;
      streamed.question = event.question;
      streamed.error = event.error;
    }
    streamed.milliseconds = performance.now() - started;
    return streamed;
  }

  #fetch(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(this.#api + path, {
      method,
      headers: {
        ...headers,
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
  }
}

/** True if the server responds within ten seconds. */
export async function waitFor(base: string): Promise<boolean> {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const answered = await fetch(`${base}/openapi.json`).then(
      async ({ ok, body }) => {
        // An unread body keeps its connection, and with it the process.
        await body?.cancel();
        return ok;
      },
      () => false,
    );
    if (answered) return true;
    await sleep(250);
  }
  return false;
}

async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  let rest = "";
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks)
      if (block.startsWith("data: ")) yield JSON.parse(block.slice(6)) as StreamEvent;
  }
}
