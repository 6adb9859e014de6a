import { hash } from "node:crypto";
import type { Context } from "hono";
import { etag } from "hono/etag";
import { BufferedResponse } from "./buffered-response.ts";

const byResponse = etag({ weak: true });

/** The response, or a 304 if `If-None-Match` has its ETag. */
export async function notModifiedIfEtagMatches(
  c: Context,
  outgoing: Response | BufferedResponse,
): Promise<Response | BufferedResponse> {
  if (outgoing instanceof BufferedResponse) return isHeld(c, outgoing) ? bodiless(outgoing) : outgoing;
  c.res = outgoing;
  await byResponse(c, async () => {});
  const answered = c.res;
  c.res = undefined;
  return answered;
}

function isHeld(c: Context, { ok, headers }: BufferedResponse): boolean {
  const held = c.req.header("if-none-match");
  const tag = headers.get("ETag")?.replace("W/", "");
  if (!held || !tag || !ok) return false;
  return held === "*" || (held.match(/"[^"]*"/g)?.includes(tag) ?? false);
}

/** Only headers that a 304 needs for caching. */
function bodiless({ headers }: BufferedResponse): BufferedResponse {
  const kept = ["ETag", "Cache-Control", "Vary"].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return new BufferedResponse(null, 304, Object.fromEntries(kept));
}

/** Private, revalidated on each use. Weak ETag: a proxy may compress the body. */
export async function etagRevalidationHeaders(
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Record<string, string>> {
  const isLong = typeof body !== "string" && body.length >= longBytes;
  const tag = isLong
    ? Buffer.from(await crypto.subtle.digest("SHA-1", body)).toString("base64url")
    : hash("sha1", body, "base64url");
  return { ETag: `W/"${tag}"`, "Cache-Control": "private, no-cache" };
}

/** Larger bodies are hashed in another thread. */
const longBytes = 256 * 1024;
