import { useEffect, useState } from "preact/hooks";
import { secondsToWait } from "../refusals.ts";

/** The longest time that a timer of a browser takes, some 24 days. */
const longestMs = 2 ** 31 - 1;

/** Whether the time that a refusal asks to be waited for is not over yet, by when it was shown first. */
export function useWaiting(refusal: unknown): boolean {
  const [over, setOver] = useState<unknown>();
  const seconds = secondsToWait(refusal);
  useEffect(() => {
    if (seconds === 0) return;
    const timer = setTimeout(() => setOver(refusal), Math.min(seconds * 1000, longestMs));
    return () => clearTimeout(timer);
  }, [refusal]);
  return seconds > 0 && over !== refusal;
}
