import { onTestFinished, vi } from "vitest";

export type HeldDeadlines = {
  /** Expires deadlines of at most so many milliseconds. */
  pass(milliseconds: number): void;
};

/** Until the end of the test, signals of `AbortSignal.timeout` expire only when the test says. */
export function holdDeadlines(): HeldDeadlines {
  const held: { milliseconds: number; controller: AbortController }[] = [];
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
    const controller = new AbortController();
    held.push({ milliseconds, controller });
    return controller.signal;
  });
  onTestFinished(() => timeout.mockRestore());
  return {
    pass(milliseconds) {
      const due = held.filter((one) => one.milliseconds <= milliseconds);
      if (due.length === 0)
        throw new Error(`no deadline of ${milliseconds} ms, only ${held.map((one) => one.milliseconds)}`);
      for (const { controller } of due) controller.abort(new DOMException("timed out", "TimeoutError"));
    },
  };
}
