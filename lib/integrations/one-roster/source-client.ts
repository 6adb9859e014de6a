import * as z from "zod";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { parseRetryAfterSeconds } from "../../platform/text/retry-after.ts";
import { parseLinkHeader } from "../lti/roster-pages.ts";
import { ServiceFailure } from "../lti/service-failure.ts";
import { fetchPlatformResponse, isHtmlResponse } from "../lti/service-fetch.ts";

export type SourceClientDeps = Pick<Deps, "now"> & { config: Pick<Config, "ENVIRONMENT"> };

export type SourceAccess = {
  service_url: string;
  token_url: string;
  client_id: string;
  client_secret: string;
};

/** A page of users stays below the 1 MB that a response may have. */
const pageSize = 250;
/** Allows 200 000 resources in smaller pages. */
const maxPages = 2000;
const pageTimeoutMs = 30_000;

const scopes = ["roster-core.readonly", "roster.readonly"];

export const isVersion1p1 = ({ service_url }: SourceAccess): boolean => /\/v1p1\/?$/.test(service_url);

const Granted = z.object({ access_token: z.string().min(1).max(16_000) });

/** Reads a OneRoster service. Throws `ServiceFailure` for every failure, including redirects and private addresses. */
export class SourceClient {
  readonly #parts: SourceClientDeps;
  readonly #access: SourceAccess;
  readonly #signal: AbortSignal;
  readonly #onPage: () => void;
  #token: string | undefined;

  constructor(parts: SourceClientDeps, access: SourceAccess, signal: AbortSignal, onPage: () => void) {
    this.#parts = parts;
    this.#access = access;
    this.#signal = signal;
    this.#onPage = onPage;
  }

  /** Without repeated resources. Throws for a repeated page and a lower total: a cut list must not look complete. */
  async *read(collection: string, key: string, filter?: string): AsyncGenerator<unknown> {
    const seen = new Set<string>();
    let address: string | undefined = this.#pageUrl(collection, 0, filter);
    let total: number | undefined;
    for (let pages = 0; address !== undefined; pages += 1) {
      if (pages >= maxPages) throw new ServiceFailure(`${collection} has too many pages`, "refused");
      const answer = await this.#ask(address);
      const page = await itemsIn(answer, collection, key);
      this.#onPage();
      total = totalIn(answer) ?? total;
      const before = seen.size;
      for (const [id, item] of page) {
        if (seen.has(id)) continue;
        seen.add(id);
        yield item;
      }
      if (page.length > 0 && seen.size === before)
        throw new ServiceFailure(`${collection} repeats a page`, "refused");
      address =
        page.length === 0 ? undefined : this.#nextUrl(answer, address, collection, { seen, total, filter });
    }
    if (total !== undefined && seen.size < total)
      throw new ServiceFailure(`${collection} ended after ${seen.size} of ${total}`, "later");
  }

  #pageUrl(collection: string, offset: number, filter: string | undefined): string {
    const url = new URL(`${this.#access.service_url.replace(/\/$/, "")}/${collection}`);
    url.searchParams.set("limit", String(pageSize));
    url.searchParams.set("offset", String(offset));
    if (filter !== undefined) url.searchParams.set("filter", filter);
    return url.href;
  }

  /** By its link, which must not lead the token elsewhere; else by offset until a page is empty. */
  #nextUrl(
    answer: Response,
    address: string,
    collection: string,
    at: { seen: ReadonlySet<string>; total: number | undefined; filter: string | undefined },
  ): string | undefined {
    const link = parseLinkHeader(answer.headers.get("link") ?? "").get("next");
    if (link !== undefined) {
      const target = URL.canParse(link, address) ? new URL(link, address) : undefined;
      if (target?.origin !== new URL(address).origin)
        throw new ServiceFailure(`the next page of ${collection} is at another address`, "refused");
      return target.href;
    }
    return at.total !== undefined && at.seen.size >= at.total
      ? undefined
      : this.#pageUrl(collection, at.seen.size, at.filter);
  }

  async #ask(address: string): Promise<Response> {
    const answer = await this.#askWithToken(address);
    if (answer.status !== 401) return ensureDone(answer);
    this.#token = undefined;
    return ensureDone(await this.#askWithToken(address));
  }

  async #askWithToken(address: string): Promise<Response> {
    this.#token ??= await this.#requestToken();
    return fetchPlatformResponse(this.#parts, address, {
      method: "GET",
      headers: { accept: "application/json", authorization: `Bearer ${this.#token}` },
      signal: this.#signal,
      timeoutMs: pageTimeoutMs,
    });
  }

  async #requestToken(): Promise<string> {
    const { client_id, client_secret, token_url } = this.#access;
    const version = isVersion1p1(this.#access) ? "v1p1" : "v1p2";
    const scope = scopes.map((one) => `https://purl.imsglobal.org/spec/or/${version}/scope/${one}`).join(" ");
    const answer = await fetchPlatformResponse(this.#parts, token_url, {
      method: "POST",
      headers: {
        accept: "application/json",
        authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ grant_type: "client_credentials", scope }).toString(),
      signal: this.#signal,
    });
    const { data } = Granted.safeParse(answer.ok ? await answer.json().catch(() => null) : null);
    if (!data) throw new ServiceFailure(`it gave no token, and answered ${answer.status}`, "later");
    return data.access_token;
  }
}

function ensureDone(answer: Response): Response {
  if (answer.ok && !isHtmlResponse(answer)) return answer;
  const { status } = answer;
  const isTemporary = answer.ok || status === 429 || status >= 500;
  throw new ServiceFailure(
    answer.ok ? "it returned a web page" : `it answered ${status}`,
    isTemporary ? "later" : "refused",
    { status, retryAfter: parseRetryAfterSeconds(answer.headers.get("retry-after")) },
  );
}

function totalIn({ headers }: Response): number | undefined {
  const text = headers.get("x-total-count")?.trim() ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

async function itemsIn(answer: Response, collection: string, key: string): Promise<[string, unknown][]> {
  const body: unknown = await answer.json().catch((cause: unknown) => {
    if (cause instanceof SyntaxError) return undefined;
    throw new ServiceFailure(`${collection} ended in the middle of a page`, "later", { cause });
  });
  const items = typeof body === "object" && body !== null ? Reflect.get(body, key) : undefined;
  if (!Array.isArray(items)) throw new ServiceFailure(`${collection} is not a list of ${key}`, "later");
  return items.map((item: unknown) => [idOf(item), item]);
}

/** Resources without an id are kept: the import rejects each with a reason. */
function idOf(item: unknown): string {
  const id = typeof item === "object" && item !== null ? Reflect.get(item, "sourcedId") : undefined;
  return typeof id === "string" ? `id ${id}` : JSON.stringify(item);
}
