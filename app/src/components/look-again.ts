import { useEffect } from "preact/hooks";
import type { Query } from "../query.tsx";

const lookEveryMs = 1500;

/** For what goes on for hours, and longer. */
export const slowly = 5000;

/** Reads again every now and then what is under way, until it has ended or cannot be read. */
export function useLookAgain<Value>(
  { value, error, again }: Query<Value>,
  isRunning: boolean,
  everyMs = lookEveryMs,
): void {
  useEffect(() => {
    if (!isRunning || error !== undefined) return;
    const timer = setTimeout(again, everyMs);
    return () => clearTimeout(timer);
  }, [isRunning, value, error, again, everyMs]);
}
