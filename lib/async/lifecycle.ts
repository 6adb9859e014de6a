/** What a process that is told to stop still owes: the answers that have not ended, also of readers who have gone. */
export type Lifecycle = {
  /** Whether the process has been told to stop; it then says that it is not ready. */
  isDraining(): boolean;
  drain(): void;
  /** A request begins; the function that comes back ends it, once. */
  begin(): () => void;
  /** Resolves when no answer is being given, at most after that many milliseconds; answers how many then are. */
  idle(timeoutMs: number): Promise<number>;
};

export function createLifecycle(): Lifecycle {
  let draining = false;
  let ongoing = 0;
  const waiting = new Set<() => void>();
  return {
    isDraining: () => draining,
    drain() {
      draining = true;
    },
    begin() {
      ongoing += 1;
      return () => {
        ongoing -= 1;
        if (ongoing === 0) for (const resolve of waiting) resolve();
      };
    },
    async idle(timeoutMs) {
      if (ongoing === 0) return 0;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      const timeout = setTimeout(resolve, timeoutMs);
      await promise;
      clearTimeout(timeout);
      waiting.delete(resolve);
      return ongoing;
    },
  };
}
