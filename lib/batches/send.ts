import type { Deps } from "../deps.ts";
import { type BatchRequest, type LlmBatches, LlmError } from "../llm/provider.ts";
import { describeError } from "../logging/log.ts";
import { noteSentBatch } from "./next-step.ts";

/** How long sending a batch may take, which has all that its calls are told. */
const sendingSeconds = 120;

/** When a batch that was just sent is looked at, or for, for the first time; in seconds. */
export const firstLook = 15;

/** Sends a batch. False where the provider refuses it; one whose sending was not answered is looked for later. */
export async function sendToProvider(
  { db, log }: Pick<Deps, "db" | "log">,
  batches: LlmBatches,
  { id, marker }: { id: number; marker: string },
  requests: readonly BatchRequest[],
): Promise<boolean> {
  try {
    const sent = await batches.send({ marker }, requests, AbortSignal.timeout(sendingSeconds * 1000));
    await noteSentBatch(db, id, sent);
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    log.warn({ error: describeError(error), llm_batch: id }, "a batch was not taken");
    return error.kind !== "rejected";
  }
  return true;
}
