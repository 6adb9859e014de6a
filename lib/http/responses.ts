import type { Context } from "hono";
import type { Config } from "../config.ts";
import { badRequest } from "../errors.ts";
import { currentRequest } from "../platform/async/request-context.ts";
import type { CsvPage } from "../platform/results/csv-page.ts";
import { JsonListPage } from "../platform/results/json-list-page.ts";
import { ListPage, PageBody } from "../platform/results/list-page.ts";
import { BufferedResponse } from "./buffered-response.ts";
import { etagRevalidationHeaders } from "./conditional.ts";
import { csvFileResponse } from "./csv-file.ts";
import { cursorAfter, type ListRequest } from "./cursor.ts";
import type { Contract } from "./endpoint.ts";
import { publicUrl } from "./public-url.ts";

/** In bytes, except for streams: Lambda responses are limited to 6 MB. */
export const maxResponseBytes = 5 * 1024 * 1024;

/** Longer texts are encoded once, instead of when counted, hashed and sent. */
const largeText = 16 * 1024;

type Settings = Pick<Config, "PUBLIC_URL" | "API_V1_PREFIX">;

type Reply = { asked: ListRequest | undefined; body: object; status: number };

/**
 * A `Link` header points to the next page. A response above the size limit is shortened; 400 if impossible,
 * or without a next page to link to.
 */
export async function jsonResponse(
  c: Context,
  settings: Settings,
  contract: Contract,
  { asked, body: reply, status }: Reply,
): Promise<Response | BufferedResponse> {
  const part = reply instanceof ListPage ? reply : undefined;
  const all = part?.items ?? (reply instanceof PageBody ? reply.body : reply);
  const text = all instanceof JsonListPage ? all.text : JSON.stringify(all);
  const written = bytesOf(text);
  const isWhole = written.length <= maxResponseBytes;
  if (!isWhole && !part?.at && !contract.query?.shape["skip"]) throw tooLargeToSend();
  const { body, count } = isWhole ? { body: written, count: lengthOf(all) } : shortened(read(all));
  const key = isWhole && contract.query?.shape["after"] ? nextOf(reply) : undefined;
  const hasMore = !isWhole || part?.hasMore;
  const address =
    key !== undefined && asked
      ? addressBehind(c, settings, cursorAfter(contract, asked, key))
      : hasMore && addressAfter(c, settings, count, part?.at);
  return responseWithCookies(c, body, status, {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...(contract.changesSeldom && (await etagRevalidationHeaders(body))),
    ...(address && { Link: `<${address}>; rel="next"` }),
  });
}

/** With a `Link` header to the next page. */
export function csvPageResponse(
  c: Context,
  settings: Settings,
  contract: Contract,
  { asked, page }: { asked: ListRequest | undefined; page: CsvPage },
): Response {
  const { text, next } = page;
  const link =
    next !== undefined && asked
      ? { Link: `<${addressBehind(c, settings, cursorAfter(contract, asked, next))}>; rel="next"` }
      : undefined;
  return csvFileResponse(c, text, link);
}

/** With these headers and the operation's cookies. */
export function responseWithCookies(
  c: Context,
  body: BufferedResponse["body"],
  status: number,
  headers: Record<string, string> = {},
): Response | BufferedResponse {
  return currentRequest()?.sets_cookie
    ? c.newResponse(body, status as 200, headers)
    : new BufferedResponse(body, status, headers);
}

const nextOf = (reply: object): string | undefined =>
  reply instanceof JsonListPage || reply instanceof ListPage || reply instanceof PageBody
    ? reply.next
    : undefined;

/** To be shortened, the text must be parsed. */
const read = (reply: object): object => (reply instanceof JsonListPage ? JSON.parse(reply.text) : reply);

const tooLargeToSend = () => badRequest("answer_too_large", { mebibytes: maxResponseBytes / 1024 / 1024 });

const bytesOf = (text: string): string | Buffer<ArrayBuffer> =>
  text.length < largeText ? text : Buffer.from(text);

const lengthOf = (reply: object): number => (Array.isArray(reply) ? reply.length : 0);

function shortened(reply: object): { body: string; count: number } {
  if (Array.isArray(reply)) {
    const items = fitting(reply, maxResponseBytes - 2);
    return { body: `[${items.join(",")}]`, count: items.length };
  }
  const lists = Object.entries(reply).filter(([, value]) => Array.isArray(value));
  const [name, list] = lists[0] ?? [];
  if (!name || lists.length > 1) throw tooLargeToSend();
  const rest = JSON.stringify({ ...reply, [name]: [] });
  const { length: count } = fitting(list, maxResponseBytes - Buffer.byteLength(rest));
  return { body: JSON.stringify({ ...reply, [name]: list.slice(0, count) }), count };
}

/** The first items as JSON, in that many bytes including commas. */
function fitting(items: readonly unknown[], room: number): string[] {
  const found: string[] = [];
  let left = room;
  for (const item of items) {
    const text = JSON.stringify(item);
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) break;
    found.push(text);
  }
  if (found.length === 0) throw tooLargeToSend();
  return found;
}

/** The next page's URL, by `skip` or by cursor. */
function addressAfter(c: Context, settings: Settings, count: number, at: string | undefined): string {
  const { searchParams } = new URL(c.req.url);
  const query = at === undefined ? searchParams : new URLSearchParams();
  query.set("skip", String(Number(query.get("skip") ?? 0) + count));
  return addressOf(c, settings, query, at);
}

function addressBehind(c: Context, settings: Settings, cursor: string): string {
  const { searchParams: query } = new URL(c.req.url);
  query.delete("skip");
  query.set("after", cursor);
  return addressOf(c, settings, query);
}

const addressOf = (c: Context, settings: Settings, query: URLSearchParams, at?: string): string =>
  `${publicUrl(c, settings)}${at === undefined ? c.req.path : settings.API_V1_PREFIX + at}?${query}`;
