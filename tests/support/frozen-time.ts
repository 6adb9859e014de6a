import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, vi } from "vitest";

/**
 * Freezes time in each test of this block, until `vi.advanceTimersByTimeAsync` advances it. Work that
 * completes without it used no timer. `node:timers/promises` are frozen too; sockets and files work as usual.
 */
export function freezeTime(): void {
  beforeEach(() => {
    const toFake = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] as const;
    vi.useFakeTimers({ toFake: [...toFake], fakeNodeBuiltins: true, now: new Date() });
  });
  afterEach(() => void vi.useRealTimers());
}

/** Whether the work is still pending after all work that needs no timer has run. */
export async function isPending(work: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const settle = () => {
    pending = false;
  };
  work.then(settle, settle);
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  return pending;
}
