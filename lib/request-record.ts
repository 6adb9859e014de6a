import { type QueryStats, queryStats } from "./db/observe.ts";

/** What is noted of a request while it runs: for its log line, the metrics and its `Server-Timing`. */
export type RequestRecord = QueryStats & {
  request_id?: string;
  /** How the tree of shared answers was used, where it was. */
  cache?: "hit" | "miss" | "bypass";
  /** Time from a call of the LLM to the end of its answer. */
  llm_ms?: number;
};

/** The record of the request that is being answered; none outside of one. */
export const currentRequest = (): RequestRecord | undefined => queryStats.getStore();

/** Runs a request's work, so that everything it awaits finds its record. */
export const recordRequest = <T>(record: RequestRecord, work: () => T): T => queryStats.run(record, work);

/** Adds to the record of the request that is being answered, if there is one. */
export function noteOnRequest(notes: Pick<RequestRecord, "cache" | "llm_ms">): void {
  Object.assign(currentRequest() ?? {}, notes);
}
