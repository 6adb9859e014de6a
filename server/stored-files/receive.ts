import type { IncomingMessage, ServerResponse } from "node:http";
import {
  urlSubpathToDiskSubpath,
  writeFileIfSizeMatches,
} from "../../lib/platform/file-store/folder/files.ts";
import type { SignedUrlGrant } from "../../lib/platform/file-store/folder/signed-urls.ts";
import { type Refusal, refusal } from "./refusal.ts";

/** Timeout without data. */
const silenceMs = 30_000;

/** Writes an upload to disk as it arrives: exactly the announced number of bytes, or nothing. */
export async function receive(
  folder: string,
  { subpath, parameters }: SignedUrlGrant,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Refusal | undefined> {
  const size = Number(parameters["size"]);
  const announced = incoming.headers["content-length"];
  const wrongSize = refusal(400, `The body must have exactly ${size} bytes`);
  if (announced !== undefined && Number(announced) !== size) return wrongSize;
  const type = parameters["type"];
  if (type !== undefined && incoming.headers["content-type"] !== type)
    return refusal(400, `The Content-Type must be ${type}`);
  incoming.setTimeout(silenceMs, () => incoming.destroy());
  const surplus = await writeFileIfSizeMatches(folder, urlSubpathToDiskSubpath(subpath), incoming, size);
  if (surplus !== 0) return wrongSize;
  outgoing.writeHead(200, { "Content-Length": "0" }).end();
  return undefined;
}
