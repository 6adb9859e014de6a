/** Work that is done again and again. `stop` lets the round that is under way end. */
export type Poller = { stop(): Promise<void> };

/** Does the work, one round at a time, with a pause after each; a round that fails is told of, and the next comes. */
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
