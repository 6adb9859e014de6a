import type { Deps } from "../../deps.ts";
import { type BatchRequest, type LlmBatches, LlmError } from "../llm/provider.ts";
import { describeError } from "../logging/log.ts";
import { markBatchSent } from "./next-step.ts";

const sendingSeconds = 120;

export const firstPollSeconds = 15;

/** False if the provider rejects the batch. A batch without a response is looked for later. */
export async function sendBatchToProvider(
  { db, log }: Pick<Deps, "db" | "log">,
  batches: LlmBatches,
  { id, marker }: { id: number; marker: string },
  requests: readonly BatchRequest[],
): Promise<boolean> {
  try {
    const sent = await batches.send({ marker }, requests, AbortSignal.timeout(sendingSeconds * 1000));
    await markBatchSent(db, id, sent);
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    log.warn({ error: describeError(error), llm_batch: id }, "a batch was not accepted");
    return error.kind !== "rejected";
  }
  return true;
}
