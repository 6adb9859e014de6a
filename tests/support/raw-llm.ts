import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { EventStreamCodec } from "@smithy/core/event-streams";

/** A response of a provider as its bytes. */
export type RawResponse = {
  status?: number;
  headers?: Record<string, string>;
  body: string | Uint8Array;
  /** The connection breaks after the body. */
  breaks?: boolean;
};

export type RawLlm = {
  url: string;
  /** Sets the response to every request, sent in pieces of so many bytes. */
  serve(response: RawResponse, pieceBytes?: number): void;
  requests(): number;
  close(): Promise<void>;
};

/** A server that responds to every request with the same bytes, whatever the protocol. */
export async function startRawLlm(): Promise<RawLlm> {
  let served: { response: RawResponse; pieceBytes: number } = { response: { body: "" }, pieceBytes: 1 };
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests += 1;
    await request.resume().toArray();
    const { status = 200, headers, body, breaks } = served.response;
    response.writeHead(status, { "content-type": "text/event-stream", ...headers });
    const bytes = Buffer.from(body as string);
    // The client receives each write as a piece, since each is a chunk of HTTP.
    for (let at = 0; at < bytes.length; at += served.pieceBytes) {
      const isTaken = response.write(bytes.subarray(at, at + served.pieceBytes));
      if (!isTaken) await once(response, "drain");
    }
    if (breaks) response.socket?.end();
    else response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve(response, pieceBytes = 1 << 20) {
      served = { response, pieceBytes };
      requests = 0;
    },
    requests: () => requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Server-Sent Events of the Messages API. */
export const messagesEvents = (events: readonly ({ type: string } & Record<string, unknown>)[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** Chunks of Chat Completions. */
export const completionsChunks = (chunks: readonly object[]): string =>
  [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

/** Frames of ConverseStream: an event's name with its content, an exception's with `!` before. */
export const converseFrames = (frames: readonly (readonly [name: string, content: object])[]): Uint8Array =>
  Buffer.concat(
    frames.map(([name, content]) => {
      const isException = name.startsWith("!");
      const header = (value: string) => ({ type: "string" as const, value });
      return codec.encode({
        headers: {
          ":message-type": header(isException ? "exception" : "event"),
          [isException ? ":exception-type" : ":event-type"]: header(name.replace("!", "")),
          ":content-type": header("application/json"),
        },
        body: Buffer.from(JSON.stringify(content)),
      });
    }),
  );
