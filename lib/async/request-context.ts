import type { Writable } from "node:stream";
import { type QueryStats, queryStats } from "../db/driver/observe.ts";
import { networkOf, type Share } from "./share.ts";

/** What is noted of a request while it runs: for its log line, the metrics and its `Server-Timing`. */
export type RequestContext = QueryStats & {
  request_id?: string;
  /** Its path as the service names it, without what stands before it. */
  path?: string;
  /** When it came, by the service's clock. */
  at?: Date;
  /** The network address that it came from, as the server, the gateway or a trusted proxy saw it: nothing that a client can write. */
  from?: string | undefined;
  /** Whose it is, as far as is known: a person's id, or the address that they want to sign in with. */
  account?: number | string;
  /** The key for machines that it came with, and the hash of that, whether or not there is such a key. */
  api_key?: number;
  key_hash?: string;
  /** Whether that key was found to hold: what does not get so far, as at a path that is not there, is nobody's word. */
  key_holds?: boolean;
  /** What a directory asked by SCIM, as its university is to see it. */
  directory?: DirectoryFacts;
  /** The answer's way to the caller, which closes when they hang up; absent where a gateway waits in their place. */
  caller?: Pick<Writable, "destroyed" | "once" | "off"> | undefined;
  /** How the tree of shared answers was used, where it was. */
  cache?: "hit" | "miss" | "bypass";
  /** The address below which the API was reached, such as `https://learn.example.edu/api/v1`. */
  api?: () => string;
  /** Time from a call of the LLM to the end of its answer. */
  llm_ms?: number;
};

/** Below the address of SCIM, what was asked; of a refusal SCIM's word for it, and why, without what was sent. */
type DirectoryFacts = { path: string; scim_type?: string | undefined; detail?: string | undefined };

/** The record of the request that is being answered; none outside of one. */
export const currentRequest = (): RequestContext | undefined => queryStats.getStore();

/** Runs a request's work, so that everything it awaits finds its record. */
export const inRequestContext = <T>(record: RequestContext, work: () => T): T => queryStats.run(record, work);

/** Runs what no request asked for, such as a process's signs of life, so that it is in no request's record. */
export const outsideRequests = <T>(work: () => T): T => queryStats.exit(work);

/** Adds to the record of the request that is being answered, if there is one. */
export function noteOnRequest(
  notes: Pick<
    RequestContext,
    "account" | "api_key" | "key_hash" | "key_holds" | "directory" | "cache" | "llm_ms"
  >,
): void {
  Object.assign(currentRequest() ?? {}, notes);
}

/** Where the request that is being answered reached the API, for addresses in its answer; empty outside of one. */
export const apiOfRequest = (): string => currentRequest()?.api?.() ?? "";

/** For whom the request that is being answered waits, where others want the same. */
export function shareOfRequest(): Share {
  const { from, account } = currentRequest() ?? {};
  return { network: from === undefined ? "" : networkOf(from), account: account ?? "" };
}

/**
 * What the database is told of the request that is being answered, as `request` of schema/functions/audit.sql: for the
 * audit log, and for whom mail waits.
 */
export function requestFacts(): string {
  const { request_id: id = null, at = new Date(), from = null, account, api_key } = currentRequest() ?? {};
  const person = typeof account === "number" ? account : null;
  return JSON.stringify({ at, id, from, network: from && networkOf(from), person, api_key });
}
