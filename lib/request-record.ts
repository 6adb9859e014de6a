import { type QueryStats, queryStats } from "./db/observe.ts";

/** What is noted of a request while it runs: for its log line, the metrics and its `Server-Timing`. */
export type RequestRecord = QueryStats & {
  request_id?: string;
  /** When it came, by the service's clock. */
  at?: Date;
  /** The network address that it came from, as the server or the gateway saw it: no header that a client can write. */
  from?: string | undefined;
  /** How the tree of shared answers was used, where it was. */
  cache?: "hit" | "miss" | "bypass";
  /** Time from a call of the LLM to the end of its answer. */
  llm_ms?: number;
};

/** The record of the request that is being answered; none outside of one. */
export const currentRequest = (): RequestRecord | undefined => queryStats.getStore();

/** Runs a request's work, so that everything it awaits finds its record. */
export const recordRequest = <T>(record: RequestRecord, work: () => T): T => queryStats.run(record, work);

/** Runs what no request asked for, such as a process's signs of life, so that it is in no request's record. */
export const outsideRequests = <T>(work: () => T): T => queryStats.exit(work);

/** Adds to the record of the request that is being answered, if there is one. */
export function noteOnRequest(notes: Pick<RequestRecord, "cache" | "llm_ms">): void {
  Object.assign(currentRequest() ?? {}, notes);
}

/** What the audit log keeps of the request that is being answered, as `request` of schema/functions/audit.sql. */
export function requestFacts(): string {
  const { request_id: id = null, at = new Date(), from = null } = currentRequest() ?? {};
  return JSON.stringify({ at, id, from });
}
