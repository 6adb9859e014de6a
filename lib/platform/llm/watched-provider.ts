import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { describeError, type Logger } from "../logging/log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { type LlmProblem, llmProblemAlertName, problemRemedies } from "./problems.ts";
import { LlmError, type LlmEvent, type LlmProvider, type LlmRequest } from "./provider.ts";
import { classifyStopReason } from "./stop-reasons.ts";

type Watch = { db: Db; log: Logger; metrics: Pick<Metrics, "unknownStop" | "llmProblem">; now: () => Date };

/**
 * Counts unknown stop reasons, logged once per model, and problems that only an operator can fix, with one
 * alert per cause and hour.
 */
export function providerReportingStopsAndProblems(provider: LlmProvider, watch: Watch): LlmProvider {
  const logged = new Set<string>();
  const noteStop = ({ model }: LlmRequest, reason: string) => {
    watch.metrics.unknownStop(model);
    if (logged.has(model)) return;
    logged.add(model);
    watch.log.warn(
      { model, stop_reason: asWord(reason) },
      "the LLM ends answers with an unknown stop reason",
    );
  };
  return {
    ...provider,
    async *stream(request: LlmRequest): AsyncGenerator<LlmEvent, void> {
      try {
        for await (const event of provider.stream(request)) {
          if (event.type === "end" && classifyStopReason(event.stop_reason) === "unknown")
            noteStop(request, event.stop_reason);
          yield event;
        }
      } catch (error) {
        if (error instanceof LlmError && error.problem) await alert(watch, request, error, error.problem);
        throw error;
      }
    },
  };
}

/** A longer reason is text of the provider, which is not logged. */
const asWord = (reason: string): string => (/^[\w.:-]{1,40}$/.test(reason) ? reason : "no word");

const First = z.object({ is_first: z.boolean() });

/** Counted in the database: all processes raise one alert together. */
async function alert(
  { db, log, metrics, now }: Watch,
  { model, university_id }: LlmRequest,
  error: LlmError,
  problem: LlmProblem,
): Promise<void> {
  metrics.llmProblem(problem);
  try {
    const [row] = await rowsOf(
      db,
      First,
      sql`select consume_rate_limit_unless_reached(${llmProblemAlertName(problem)}, 1, ${now().toISOString()}::timestamptz) as is_first`,
    );
    if (row?.is_first)
      log.error(
        { alert: problem, model, university_id, reason: error.message, remedy: problemRemedies[problem] },
        "the LLM rejects calls until an operator acts",
      );
  } catch (failure) {
    log.error(
      { error: describeError(failure), alert: problem },
      "an alert about the LLM could not be counted",
    );
  }
}
