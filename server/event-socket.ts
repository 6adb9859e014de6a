import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { EventStream } from "../lib/http/sse.ts";

/**
 * Writes a stream's events to the request's own socket: its headers leave with the first of them, and its end with the
 * last. Of an answer to HEAD Hono takes the headers, and writes them itself.
 */
export function writeEvents({ req, env: { outgoing } }: Context, stream: EventStream): Response {
  if (req.method === "HEAD") return stream.toResponse();
  outgoing.on("close", () => stream.leave());
  outgoing.writeHead(stream.status, stream.headers.values);
  stream.sendTo(outgoing);
  return RESPONSE_ALREADY_SENT;
}
