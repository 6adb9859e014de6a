import type { Writable } from "node:stream";
import { type QueryStats, queryStats } from "../db/driver/observe.ts";
import { networkOf, type Share } from "./share.ts";

/** Facts of a running request, for its log line, the metrics and its `Server-Timing`. */
export type RequestContext = QueryStats & {
  request_id?: string;
  /** The path within the service, without its prefix. */
  path?: string;
  /** Arrival, by the service's clock. */
  at?: Date;
  /** The network address as the server, the gateway or a trusted proxy saw it. Clients cannot set it. */
  from?: string | undefined;
  /** A user's id, or the address that the caller wants to sign in with. */
  account?: number | string;
  /** The API key and its hash, whether or not the key exists. */
  api_key?: number;
  key_hash?: string;
  /** Whether the API key was verified. A request that ends earlier, such as a 404 by path, proves nothing. */
  key_holds?: boolean;
  directory?: DirectoryFacts;
  /** The response stream, which closes when the caller hangs up; undefined behind a gateway. */
  caller?: Pick<Writable, "destroyed" | "once" | "off"> | undefined;
  cache?: "hit" | "miss" | "bypass";
  /** The API's base URL, such as `https://learn.example.edu/api/v1`. */
  api?: () => string;
  /** Duration of an LLM call, until the end of its answer. */
  llm_ms?: number;
};

/**
 * The path below SCIM's address and, for an error, its scimType and detail. Contains nothing the client sent.
 */
type DirectoryFacts = { path: string; scim_type?: string | undefined; detail?: string | undefined };

export const currentRequest = (): RequestContext | undefined => queryStats.getStore();

export const inRequestContext = <T>(record: RequestContext, work: () => T): T => queryStats.run(record, work);

/** Runs work that belongs to no request, such as heartbeats. */
export const outsideRequests = <T>(work: () => T): T => queryStats.exit(work);

export function noteOnRequest(
  notes: Pick<
    RequestContext,
    "account" | "api_key" | "key_hash" | "key_holds" | "directory" | "cache" | "llm_ms"
  >,
): void {
  Object.assign(currentRequest() ?? {}, notes);
}

/** The API's base URL; empty outside a request. */
export const apiOfRequest = (): string => currentRequest()?.api?.() ?? "";

/** The share under which the current request queues. */
export function shareOfRequest(): Share {
  const { from, account } = currentRequest() ?? {};
  return { network: from === undefined ? "" : networkOf(from), account: account ?? "" };
}

/**
 * The current request as JSON, the parameter `request` of schema/functions/identity/audit.sql: for the audit log and
 * for mail in its name.
 */
export function requestFacts(): string {
  const { request_id: id = null, at = new Date(), from = null, account, api_key } = currentRequest() ?? {};
  const person = typeof account === "number" ? account : null;
  return JSON.stringify({ at, id, from, network: from && networkOf(from), person, api_key });
}
