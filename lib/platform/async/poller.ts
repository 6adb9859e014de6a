export type Poller = { stop(): Promise<void> };

/** Runs `work` with a pause after each round. Reports failed rounds and continues. */
export function startPoller(
  work: (signal: AbortSignal) => Promise<unknown>,
  { pauseMilliseconds, onFailure }: { pauseMilliseconds: number; onFailure: (error: unknown) => void },
): Poller {
  const stopping = new AbortController();
  let round: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const next = () => {
    round = work(stopping.signal)
      .catch(onFailure)
      .finally(() => {
        if (!stopping.signal.aborted) timer = setTimeout(next, pauseMilliseconds).unref();
      });
  };
  next();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await round;
    },
  };
}
