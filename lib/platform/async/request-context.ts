import type { Writable } from "node:stream";
import { type QueryStats, queryStatsStorage } from "../db/driver/observe.ts";
import { type FairQueueKey, networkOfAddress } from "./fair-queue-key.ts";

export type RequestContext = QueryStats & {
  request_id?: string;
  /** The path within the service, without its prefix. */
  path?: string;
  /** Arrival, by the service's clock. */
  at?: Date;
  /** As seen by the server, gateway or trusted proxy. Clients cannot set it. */
  from?: string | undefined;
  /** A user's id, or the address that the caller wants to sign in with. */
  account?: number | string;
  /** Even if the key does not exist. */
  api_key?: number;
  key_hash?: string;
  /** The API key is verified. A 404 by path, for example, ends earlier and proves nothing. */
  key_holds?: boolean;
  directory?: DirectoryFacts;
  /** The response stream, which closes when the caller hangs up; undefined behind a gateway. */
  caller?: Pick<Writable, "destroyed" | "once" | "off"> | undefined;
  cache?: "hit" | "miss" | "bypass";
  /** Such as `https://learn.example.edu/api/v1`. */
  api?: () => string;
  llm_ms?: number;
  /** Known without Hono's headers, which are created when they are read. */
  sets_cookie?: boolean;
};

/** The path below SCIM's address and an error's scimType and detail. Contains nothing the client sent. */
type DirectoryFacts = { path: string; scim_type?: string | undefined; detail?: string | undefined };

export const currentRequest = (): RequestContext | undefined => queryStatsStorage.getStore();

export const runInRequestContext = <T>(record: RequestContext, work: () => T): T =>
  queryStatsStorage.run(record, work);

/** For work outside requests, such as heartbeats. */
export const runOutsideRequestContext = <T>(work: () => T): T => queryStatsStorage.exit(work);

export function noteOnRequest(
  notes: Pick<
    RequestContext,
    "account" | "api_key" | "key_hash" | "key_holds" | "directory" | "cache" | "llm_ms" | "sets_cookie"
  >,
): void {
  Object.assign(currentRequest() ?? {}, notes);
}

/** Empty outside a request. */
export const apiUrlOfRequest = (): string => currentRequest()?.api?.() ?? "";

export function fairQueueKeyOfRequest(): FairQueueKey {
  const { from, account } = currentRequest() ?? {};
  return { network: from === undefined ? "" : networkOfAddress(from), account: account ?? "" };
}

/** The JSON parameter `request` of schema/functions/identity/audit.sql. */
export function requestAuditJson(): string {
  const { request_id: id = null, at = new Date(), from = null, account, api_key } = currentRequest() ?? {};
  const person = typeof account === "number" ? account : null;
  return JSON.stringify({ at, id, from, network: from && networkOfAddress(from), person, api_key });
}
