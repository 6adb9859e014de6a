import { useEffect } from "preact/hooks";
import type { Query } from "../query.tsx";

const lookEveryMs = 1500;

/** Reads again every now and then what is under way, until it has ended or cannot be read. */
export function useLookAgain<Value>({ value, error, again }: Query<Value>, isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning || error !== undefined) return;
    const timer = setTimeout(again, lookEveryMs);
    return () => clearTimeout(timer);
  }, [isRunning, value, error, again]);
}
