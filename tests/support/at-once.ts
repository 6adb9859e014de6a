/** Runs both concurrently; the order alternates by round. */
export async function atOnce<A, B>(
  round: number,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B]> {
  if (round % 2) {
    const second = other();
    // It may be rejected before the first has ended.
    second.catch(() => {});
    return [await one(), await second];
  }
  return Promise.all([one(), other()]);
}
