import { hash } from "node:crypto";
import type { Context } from "hono";
import { etag } from "hono/etag";
import { BufferedResponse } from "./buffered-response.ts";

const byResponse = etag({ weak: true });

/** The answer itself, or a 304 for whoever sends the ETag of what they have (`If-None-Match`) and has the same already. */
export async function notModified(
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

/** Of the headers it has what says how long the one that is held may be kept. */
function bodiless({ headers }: BufferedResponse): BufferedResponse {
  const kept = ["ETag", "Cache-Control", "Vary"].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return new BufferedResponse(null, 304, Object.fromEntries(kept));
}

/**
 * The headers of an answer that seldom changes: browsers keep it for the one who asked, and ask each time whether it
 * still holds. The tag is weak, as the answer may be compressed on its way.
 */
export async function revalidatedHeaders(
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Record<string, string>> {
  const isLong = typeof body !== "string" && body.length >= longBytes;
  const tag = isLong
    ? Buffer.from(await crypto.subtle.digest("SHA-1", body)).toString("base64url")
    : hash("sha1", body, "base64url");
  return { ETag: `W/"${tag}"`, "Cache-Control": "private, no-cache" };
}

/** Hashing more would keep others waiting: another thread does it. */
const longBytes = 256 * 1024;
