import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Deps } from "../../lib/deps.ts";
import { parseRangeHeader } from "../../lib/http/byte-range.ts";
import { contentDispositionHeader } from "../../lib/platform/file-store/disposition.ts";
import type { SignedUrlGrant } from "../../lib/platform/file-store/folder/signed-urls.ts";
import { isSafeToShow, safeServedContentType } from "../../lib/platform/file-store/inline-display.ts";
import { type Refusal, refusal } from "./refusal.ts";

/** Timeout without reads. A paused film stops reading, and its browser requests the rest later. */
const silenceMs = 120_000;

/** Sends the file at an address, or a range of it. Headers prevent it from running on the service's origin. */
export async function send(
  { fileStore, now }: Pick<Deps, "fileStore" | "now">,
  { subpath, parameters }: SignedUrlGrant,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Refusal | undefined> {
  const size = await fileStore.sizeOf(subpath);
  if (size === undefined) return refusal(404, "File not found");
  const etag = parameters["etag"] && `"${parameters["etag"]}"`;
  const headers: Record<string, string> = {
    ...headersOf(parameters),
    ...(etag && { ETag: etag }),
    "Cache-Control": `private, max-age=${secondsLeft(parameters, now())}, immutable`,
  };
  if (etag && isKnown(incoming.headers["if-none-match"], etag)) {
    outgoing.writeHead(304, headers).end();
    return undefined;
  }
  const range = isOfSame(incoming.headers["if-range"]?.toString(), etag)
    ? parseRangeHeader(incoming.headers.range, size)
    : undefined;
  if (range === "unsatisfiable")
    return refusal(416, "The range is not in the file", { "Content-Range": `bytes */${size}` });
  const { start, end } = range ?? { start: 0, end: size };
  const body = incoming.method === "HEAD" ? undefined : await fileStore.read(subpath, { start, end });
  outgoing.writeHead(range ? 206 : 200, {
    ...headers,
    "Content-Length": String(end - start),
    ...(range && { "Content-Range": `bytes ${start}-${end - 1}/${size}` }),
  });
  outgoing.setTimeout(silenceMs, () => outgoing.destroy());
  if (body) await pipeline(body, outgoing);
  else outgoing.end();
  return undefined;
}

function headersOf({ name = "", type = "", inline }: SignedUrlGrant["parameters"]): Record<string, string> {
  const mediaType = safeServedContentType(type);
  return {
    "Content-Type": mediaType,
    "Content-Disposition": contentDispositionHeader(name, { inline: inline === "1" && isSafeToShow(type) }),
    // The browser's PDF viewer does not work in a sandbox.
    "Content-Security-Policy": mediaType === "application/pdf" ? "default-src 'none'" : "sandbox",
    "Accept-Ranges": "bytes",
  };
}

const secondsLeft = ({ expires }: SignedUrlGrant["parameters"], now: Date): number =>
  Math.max(0, Math.floor(Number(expires) - now.getTime() / 1000));

const isKnown = (given: string | undefined, etag: string): boolean =>
  given?.split(",").some((one) => [etag, `W/${etag}`, "*"].includes(one.trim())) ?? false;

/** `If-Range`: a range is valid only for the same version, else the whole file is sent. */
const isOfSame = (given: string | undefined, etag: string | undefined): boolean =>
  given === undefined || given.trim() === etag;
