import { useEffect } from "preact/hooks";
import type { QueryHookResult } from "../query.tsx";

const lookEveryMs = 1500;

/** Interval in milliseconds for work that takes hours. */
export const slowPollMs = 5000;

/** Polls until the work has ended or cannot be read. */
export function usePolling<Value>(
  { value, error, again }: QueryHookResult<Value>,
  isRunning: boolean,
  everyMs = lookEveryMs,
): void {
  useEffect(() => {
    if (!isRunning || error !== undefined) return;
    const timer = setTimeout(again, everyMs);
    return () => clearTimeout(timer);
  }, [isRunning, value, error, again, everyMs]);
}
