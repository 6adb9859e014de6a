/** Counts running answers, including those without subscribers, for a graceful shutdown. */
export type ShutdownTracker = {
  /** True during shutdown; readiness then fails. */
  isDraining(): boolean;
  drain(): void;
  /** Call the returned function once, at the request's end. */
  begin(): () => void;
  /** Resolves when no answer runs or after `timeoutMs`, with the number still running. */
  idle(timeoutMs: number): Promise<number>;
};

export function createShutdownTracker(): ShutdownTracker {
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
