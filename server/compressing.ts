import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context } from "hono";
import { COMPRESSIBLE_CONTENT_TYPE_REGEX, compress } from "hono/compress";
import type { BufferedResponse } from "../lib/http/buffered-response.ts";
import type { ReplyHeaders } from "../lib/http/header-map.ts";

const gzipped = promisify(gzip);

/** Smaller responses gain nothing from compression. */
const minCompressedResponseBytes = 1024;

const asStream = compress({ threshold: minCompressedResponseBytes });

/**
 * Compresses large responses if the client accepts it. On AWS the gateway does this. Event streams and errors
 * are never compressed. Complete bodies are compressed as one piece, others as streams.
 */
export async function compressing(
  c: Context,
  outgoing: Response | BufferedResponse,
): Promise<Response | BufferedResponse> {
  if (!outgoing.ok) return outgoing;
  if (outgoing instanceof Response) {
    c.res = undefined;
    c.res = outgoing;
    await asStream(c, async () => {});
    return c.res;
  }
  const { headers, body } = outgoing;
  if (body === null || !isWorthIt(c, headers)) return outgoing;
  headers.append("Vary", "Accept-Encoding");
  if (!takesGzip(c.req.header("accept-encoding"))) return outgoing;
  outgoing.body = await gzipped(body);
  headers.set("Content-Encoding", "gzip");
  headers.set("Content-Length", String(outgoing.body.byteLength));
  return outgoing;
}

const isWorthIt = ({ req }: Context, headers: ReplyHeaders): boolean =>
  req.method !== "HEAD" &&
  Number(headers.get("Content-Length")) >= minCompressedResponseBytes &&
  COMPRESSIBLE_CONTENT_TYPE_REGEX.test(headers.get("Content-Type") ?? "");

/** By name or `*`, unless the weight is 0. */
function takesGzip(accepted = ""): boolean {
  const weights = accepted.split(",").map((one) =>
    one
      .toLowerCase()
      .split(/;\s*q=/)
      .map((part) => part.trim()),
  );
  const found = weights.find(([name]) => name === "gzip") ?? weights.find(([name]) => name === "*");
  return found !== undefined && Number(found[1] ?? 1) > 0;
}
