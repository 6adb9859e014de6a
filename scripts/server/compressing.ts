import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context, MiddlewareHandler } from "hono";
import { COMPRESSIBLE_CONTENT_TYPE_REGEX, compress } from "hono/compress";

const gzipped = promisify(gzip);

/** Below that, what is saved is less than what is added. */
const leastBytes = 1024;

const asStream = compress({ threshold: leastBytes });

/**
 * Middleware: compresses larger answers where the client takes that; on AWS the gateway does it. Streams of events and
 * refusals never. An answer of a known length leaves as one piece, any other as it is made.
 */
export const compressing: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.ok) return;
  if (!c.res.headers.has("Content-Length")) return void (await asStream(c, async () => {}));
  if (!isWorthIt(c)) return;
  const { headers, status } = c.res;
  headers.append("Vary", "Accept-Encoding");
  if (!takesGzip(c.req.header("accept-encoding"))) return;
  const body = await gzipped(await c.res.arrayBuffer());
  headers.set("Content-Encoding", "gzip");
  headers.set("Content-Length", String(body.byteLength));
  // Taken away first, since Hono copies the headers of the one before into the next.
  c.res = undefined;
  c.res = new Response(body, { status, headers });
};

const isWorthIt = ({ req, res: { headers } }: Context): boolean =>
  req.method !== "HEAD" &&
  Number(headers.get("Content-Length")) >= leastBytes &&
  !headers.has("Content-Encoding") &&
  COMPRESSIBLE_CONTENT_TYPE_REGEX.test(headers.get("Content-Type") ?? "");

/** By name or by `*`, unless with a weight of 0. */
function takesGzip(accepted = ""): boolean {
  const weights = accepted.split(",").map((one) =>
    one
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/),
  );
  const found = weights.find(([name]) => name === "gzip") ?? weights.find(([name]) => name === "*");
  return found !== undefined && Number(found[1] ?? 1) > 0;
}
