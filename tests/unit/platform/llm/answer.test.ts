import { expect, it } from "vitest";
import { parseRetryAfterSeconds } from "../../../../lib/platform/text/retry-after.ts";

const now = Date.parse("2026-03-10T12:00:00Z");

it.each([
  ["17", 17],
  ["0.2", 1],
  ["Tue, 10 Mar 2026 12:00:23 GMT", 23],
  ["Tue, 10 Mar 2026 18:00:00 GMT", 3600],
  ["99999", 3600],
  ["Tue, 10 Mar 2026 11:59:59 GMT", undefined],
  ["0", undefined],
  ["soon", undefined],
  ["Tue, 99 Mar 2026 12:00:00 GMT", undefined],
  ["2026-03-10T12:00:23Z", undefined],
  [undefined, undefined],
])("a Retry-After of %s means %s seconds", (said, seconds) => {
  expect(parseRetryAfterSeconds(said, now)).toBe(seconds);
});
