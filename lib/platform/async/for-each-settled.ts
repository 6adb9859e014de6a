/** Runs `work` item by item; rejects at the end with all errors. */
export async function forEachSettled<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failed: unknown[] = [];
  for await (const item of items) await work(item).catch((error: unknown) => failed.push(error));
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join("; "));
}
