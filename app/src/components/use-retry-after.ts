import { useEffect, useState } from "preact/hooks";
import { retryAfterSecondsOrZero } from "../error-classes.ts";

/** The longest delay of setTimeout, about 24 days. */
const maxTimeoutDelayMs = 2 ** 31 - 1;

/** Whether the refusal's Retry-After is still running, counted from when it was first shown. */
export function useIsRetryAfterRunning(refusal: unknown): boolean {
  const [over, setOver] = useState<unknown>();
  const seconds = retryAfterSecondsOrZero(refusal);
  useEffect(() => {
    if (seconds === 0) return;
    const timer = setTimeout(() => setOver(refusal), Math.min(seconds * 1000, maxTimeoutDelayMs));
    return () => clearTimeout(timer);
  }, [refusal]);
  return seconds > 0 && over !== refusal;
}
