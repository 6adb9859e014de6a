import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { Deps } from "../../lib/deps.ts";
import { errorMessageTemplates } from "../../lib/error-codes.ts";
import { HttpError } from "../../lib/errors.ts";
import { basePath } from "../../lib/http/base-path.ts";
import {
  type SignedUrlGrant,
  storedFilesUrlPath,
  verifyFileUrl,
} from "../../lib/platform/file-store/folder/signed-urls.ts";
import { resolveFileStoreSetting } from "../../lib/platform/file-store/setting.ts";
import { describeError } from "../../lib/platform/logging/log.ts";
import { receive } from "./receive.ts";
import { type Refusal, refusal } from "./refusal.ts";
import { send } from "./send.ts";

type StoreDeps = Pick<Deps, "config" | "fileStore" | "now" | "log" | "lifecycle" | "metrics">;

/** Serves a request. Returns false if it is not for a stored file. */
export type ServeStored = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/**
 * Serves signed file URLs, outside of the API and its body limit. Bytes are streamed between socket and disk
 * with a few buffers in memory. Undefined if files are in a bucket.
 */
export function storedFiles(deps: StoreDeps): ServeStored | undefined {
  const setting = resolveFileStoreSetting(deps.config);
  if (setting?.kind !== "folder") return undefined;
  const folder = path.resolve(setting.path);
  return (incoming, outgoing) => {
    const url = urlOf(incoming, deps);
    if (!url?.pathname.startsWith(`${storedFilesUrlPath}/`)) return false;
    observe(deps, incoming, outgoing);
    for (const [name, value] of Object.entries(always)) outgoing.setHeader(name, value);
    answer(deps, folder, url, incoming, outgoing)
      .then((refused) => refused && refuse(outgoing, refused))
      .catch((error) => fail(deps, outgoing, error));
    return true;
  };
}

/** The signed URL is the only credential, so any page may use it. It must not leak through a referrer. */
const always = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "ETag, Content-Range, Content-Length, Accept-Ranges, Content-Disposition, Retry-After",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": "sandbox",
};

function urlOf({ url = "" }: IncomingMessage, { config }: StoreDeps): URL | undefined {
  if (!url.startsWith("/") || !URL.canParse(url, "http://localhost")) return undefined;
  const asked = new URL(url, "http://localhost");
  const base = basePath(asked.pathname, {}, config);
  return new URL(asked.pathname.slice(base.length) + asked.search, "http://localhost");
}

async function answer(
  deps: StoreDeps,
  folder: string,
  url: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Refusal | undefined> {
  const { method } = incoming;
  if (method === "OPTIONS") return allowPages(outgoing);
  const needed = method === "HEAD" ? "GET" : method;
  if (needed !== "GET" && needed !== "PUT")
    return refusal(405, "Method Not Allowed", { Allow: "GET, HEAD, PUT" });
  const grant: SignedUrlGrant | string = verifyFileUrl(deps.config, { method: needed, url }, deps.now());
  if (grant === "expired") return refusal(403, "This address has expired");
  if (typeof grant === "string") return refusal(403, "This address is for another method or file");
  return needed === "PUT"
    ? receive(folder, grant, incoming, outgoing)
    : send(deps, grant, incoming, outgoing);
}

function allowPages(outgoing: ServerResponse): undefined {
  outgoing
    .writeHead(204, {
      "Access-Control-Allow-Methods": "GET, HEAD, PUT",
      "Access-Control-Allow-Headers": "Content-Type, Range, If-Range, If-None-Match",
      "Access-Control-Max-Age": "600",
    })
    .end();
}

/** The rest of a rejected body is not read, so the connection is closed. */
function refuse(outgoing: ServerResponse, { status, detail, headers }: Refusal): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const body = JSON.stringify({ detail });
  outgoing
    .writeHead(status, {
      ...{ "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) },
      ...{ "Cache-Control": "no-store", Connection: "close", ...headers },
    })
    .end(body);
}

/** A disconnect is not logged as an error. */
function fail({ log }: StoreDeps, outgoing: ServerResponse, error: unknown): void {
  const hasLeft = outgoing.destroyed || outgoing.req.destroyed;
  if (!hasLeft) log.error({ error: describeError(error) }, "a stored file could not be served");
  refuse(
    outgoing,
    error instanceof HttpError
      ? refusal(error.status, error.message, error.headers)
      : refusal(500, errorMessageTemplates.internal_error),
  );
}

const route = `${storedFilesUrlPath}/{key}`;

/** Counts and logs a completed request, without the query, which contains the signature. */
function observe(
  { config, lifecycle, log, metrics }: StoreDeps,
  { method = "" }: IncomingMessage,
  outgoing: ServerResponse,
) {
  const started = performance.now();
  metrics.requestStarted();
  const end = lifecycle.begin();
  outgoing.once("close", () => {
    end();
    const duration_ms = Math.round((performance.now() - started) * 100) / 100;
    const { statusCode: status } = outgoing;
    metrics.requestAnswered({ method, route, status, duration_ms });
    if (config.ENABLE_ACCESS_LOG) log.info({ method, path: route, status_code: status, duration_ms });
  });
}
