import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, vi } from "vitest";

/**
 * In each test of this block time stands still until the test lets it go on by `vi.advanceTimersByTimeAsync`: what ends
 * meanwhile has waited for no timer, however busy the machine is: those of `node:timers/promises` stand still too.
 * Sockets and files work as ever.
 */
export function freezeTime(): void {
  beforeEach(() => {
    const toFake = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] as const;
    vi.useFakeTimers({ toFake: [...toFake], fakeNodeBuiltins: true, now: new Date() });
  });
  afterEach(() => void vi.useRealTimers());
}

/** Whether the work is still not done, although everything had its turn that waits for no time. */
export async function isPending(work: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const settle = () => {
    pending = false;
  };
  work.then(settle, settle);
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  return pending;
}
