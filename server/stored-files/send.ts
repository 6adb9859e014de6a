import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Deps } from "../../lib/deps.ts";
import { dispositionOf } from "../../lib/file-store/disposition.ts";
import type { Grant } from "../../lib/file-store/folder/addresses.ts";
import { isSafeToShow, servedType } from "../../lib/file-store/shown.ts";
import { rangeOf } from "./range.ts";
import { type Refusal, refusal } from "./refusal.ts";

/** A film that is paused does not read: its browser asks again for what it lacks. */
const silenceMs = 120_000;

/** Answers with the bytes at an address, or a range of them; nothing of it runs on the service's origin. */
export async function send(
  { fileStore, now }: Pick<Deps, "fileStore" | "now">,
  { subpath, parameters }: Grant,
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
    ? rangeOf(incoming.headers.range, size)
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

function headersOf({ name = "", type = "", inline }: Grant["parameters"]): Record<string, string> {
  const mediaType = servedType(type);
  return {
    "Content-Type": mediaType,
    "Content-Disposition": dispositionOf(name, { inline: inline === "1" && isSafeToShow(type) }),
    // What shows PDF is the browser's own, which a sandbox would keep from its work.
    "Content-Security-Policy": mediaType === "application/pdf" ? "default-src 'none'" : "sandbox",
    "Accept-Ranges": "bytes",
  };
}

const secondsLeft = ({ expires }: Grant["parameters"], now: Date): number =>
  Math.max(0, Math.floor(Number(expires) - now.getTime() / 1000));

const isKnown = (given: string | undefined, etag: string): boolean =>
  given?.split(",").some((one) => [etag, `W/${etag}`, "*"].includes(one.trim())) ?? false;

/** A range is asked of what was read before; of anything else the whole is answered. */
const isOfSame = (given: string | undefined, etag: string | undefined): boolean =>
  given === undefined || given.trim() === etag;
