import type { Context } from "hono";
import type { EventStream } from "../lib/http/sse.ts";
import { alreadySent } from "./already-sent.ts";

/**
 * Writes events directly to the request's socket: headers with the first one, the end with the last. For
 * HEAD, Hono writes the headers.
 */
export function writeEvents({ req, env: { outgoing } }: Context, stream: EventStream): Response {
  if (req.method === "HEAD") return stream.toResponse();
  outgoing.on("close", () => stream.leave());
  outgoing.writeHead(stream.status, stream.headers.values);
  stream.sendTo(outgoing);
  return alreadySent();
}
