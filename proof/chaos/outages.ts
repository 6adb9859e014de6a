/** A dependency that is stopped at times. */
export type StoppableDependencyName = "database" | "llm";

/** Records when a dependency was down, to distinguish its effects from faults of the service. */
export class OutageRecorder {
  readonly #all: { what: StoppableDependencyName; from: number; until: number }[] = [];

  /** Records an outage while the work runs. */
  async during(what: StoppableDependencyName, work: () => Promise<void>): Promise<void> {
    const outage = { what, from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.#all.push(outage);
    await work().finally(() => {
      outage.until = performance.now();
    });
  }

  /** True if the outage since then lasts longer than that many milliseconds. */
  since(moment: number, what: StoppableDependencyName, longerThanMs = 0): boolean {
    return this.#all.some(
      (one) =>
        one.what === what &&
        one.until >= moment &&
        Math.min(one.until, performance.now()) - one.from > longerThanMs,
    );
  }
}
