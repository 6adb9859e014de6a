import type { RequestContext } from "../platform/async/request-context.ts";

/** The database and, if used, the shared answer tree and the LLM. */
export function serverTimingHeader({ count, duration_ms, cache, llm_ms }: RequestContext): string {
  const parts = [`db;desc="${count} ${count === 1 ? "query" : "queries"}";dur=${duration_ms.toFixed(1)}`];
  if (cache) parts.push(`cache;desc="${cache}"`);
  if (llm_ms !== undefined) parts.push(`llm;dur=${llm_ms.toFixed(1)}`);
  return parts.join(", ");
}
