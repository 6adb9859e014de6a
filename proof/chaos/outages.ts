/** What is taken away from the service for a while. */
export type Dependency = "database" | "llm";

/** When a dependency was away, so that what it does to a learner can be told from a fault of the service. */
export class Outages {
  readonly #all: { what: Dependency; from: number; until: number }[] = [];

  /** Notes that it is away for as long as the work takes. */
  async during(what: Dependency, work: () => Promise<void>): Promise<void> {
    const outage = { what, from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.#all.push(outage);
    await work().finally(() => {
      outage.until = performance.now();
    });
  }

  /** Whether it was away since then, for more than that many milliseconds on end. */
  since(moment: number, what: Dependency, longerThanMs = 0): boolean {
    return this.#all.some(
      (one) =>
        one.what === what &&
        one.until >= moment &&
        Math.min(one.until, performance.now()) - one.from > longerThanMs,
    );
  }
}
