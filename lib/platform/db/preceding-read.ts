import { runInSameRoundTrip } from "./driver/pipelined-batch.ts";

/**
 * Runs `look` before `work`'s first statement, in its round trip: `work` never reads older data. If the batch
 * fails, both run again in sequence. Throws what `work` throws.
 */
export async function runWithPrecedingRead<Look, Work>(
  look: () => Promise<Look>,
  work: () => Promise<Work>,
): Promise<[Look, Work]> {
  const [outcome, sent] = await runInSameRoundTrip("ahead", work, look);
  if (outcome.status === "rejected") throw outcome.reason;
  const looked = await sent?.then(
    (value) => ({ value }),
    () => undefined,
  );
  return looked ? [looked.value, outcome.value] : [await look(), await work()];
}
