import { sql } from "drizzle-orm";
import * as z from "zod";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { retryWhileUnavailable } from "../../platform/db/retry-window.ts";
import { LlmTimeout } from "../../platform/llm/provider.ts";
import { describeError } from "../../platform/logging/log.ts";
import { platformTutorLimits } from "../budgets/limits.ts";
import type { AnswerProducerState } from "./producer-deps.ts";

const Begun = z.object({ call: z.int().nullable(), attempt: z.int() });

/**
 * Ends the producer's call and begins another, which is no user's turn. `restart`: it writes the whole answer
 * again.
 */
export async function endCallAndStartAnother(
  producer: AnswerProducerState,
  kind: "restart" | "question alone",
): Promise<"begun" | "over budget" | "lost"> {
  const { db, lease, config, meter } = producer;
  const [begun] = await retryWhileUnavailable(() =>
    rowsOf(
      db,
      Begun,
      sql`select call, attempt from end_call_and_begin_repair_call(${lease.generation}, ${lease.token}::uuid, ${producer.call}::bigint,
        ${meter.used()}::jsonb, ${JSON.stringify(platformTutorLimits(config))}::jsonb, ${kind === "restart"})`,
    ),
  );
  if (!begun) {
    producer.lost.abort();
    return "lost";
  }
  if (begun.call === null) return "over budget";
  producer.call = begun.call;
  producer.attempt = begun.attempt;
  return "begun";
}

/** The answer goes on without it. */
export async function endFailedCall(
  { db, call, meter, log, lost }: AnswerProducerState,
  error: unknown,
  message: string,
): Promise<void> {
  const how = lost.signal.aborted ? "lost" : error instanceof LlmTimeout ? "timeout" : "failed";
  log.warn({ error: describeError(error) }, message);
  await retryWhileUnavailable(() =>
    db
      .execute(sql`select end_llm_call_and_count_usage(${call}::bigint, ${how}, ${meter.used()}::jsonb)`)
      .then(() => {}),
  );
}
