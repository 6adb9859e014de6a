import { afterEach, expect, it, vi } from "vitest";
import { RetryWindow, retryWhileUnavailable } from "../../../../lib/platform/db/retry-window.ts";
import { DatabaseUnavailable } from "../../../../lib/platform/db/unavailable.ts";

const away = new DatabaseUnavailable("The database cannot be reached");

afterEach(() => vi.useRealTimers());

it("retries an unavailable database for five seconds from the first failure, and again after a success", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const window = new RetryWindow();
  // The process may have been frozen or idle.
  vi.advanceTimersByTime(60_000);
  expect(window.allows(away)).toBe(true);
  vi.advanceTimersByTime(5000);
  expect(window.allows(away)).toBe(true);
  vi.advanceTimersByTime(1);
  expect(window.allows(away)).toBe(false);
  window.reset();
  expect(window.allows(away)).toBe(true);
});

it("retries after no other failure", () => {
  expect(new RetryWindow().allows(new Error("division by zero"))).toBe(false);
});

it("retries until the database is available, also after a long first try", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let asked = 0;
  const answer = retryWhileUnavailable(async () => {
    asked += 1;
    if (asked > 1) return "here";
    vi.advanceTimersByTime(30_000);
    throw away;
  });
  await expect(answer).resolves.toBe("here");
});
