/** Does the work for one after the other, each also where one before it failed; rejects in the end with all that failed. */
export async function forEachSettled<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failed: unknown[] = [];
  for await (const item of items) await work(item).catch((error: unknown) => failed.push(error));
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join("; "));
}
