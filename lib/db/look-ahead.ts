import { runTogether } from "./driver/pipelined-batch.ts";

/**
 * Runs `look` in the round trip of the first statement of `work`, ahead of it: `work` reads what `look` saw, or newer.
 * If the batch fails, both run again, one after the other. Throws what `work` throws.
 */
export async function runWithLook<Look, Work>(
  look: () => Promise<Look>,
  work: () => Promise<Work>,
): Promise<[Look, Work]> {
  const [outcome, sent] = await runTogether("ahead", work, look);
  if (outcome.status === "rejected") throw outcome.reason;
  const looked = await sent?.then(
    (value) => ({ value }),
    () => undefined,
  );
  return looked ? [looked.value, outcome.value] : [await look(), await work()];
}
