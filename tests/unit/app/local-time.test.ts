import { afterEach, expect, it, vi } from "vitest";
import { toDatetimeLocal } from "../../../app/src/components/local-time.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  ["Europe/Berlin", "2026-03-29T00:59:00Z", "2026-03-29T01:59"],
  ["Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00"],
  ["Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T02:30"],
  ["Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25T02:30"],
  ["America/New_York", "2026-11-01T06:30:00Z", "2026-11-01T01:30"],
  ["Asia/Kathmandu", "2026-06-01T00:00:59Z", "2026-06-01T05:45"],
])(
  "a time is shown in a field as the clocks of %s show %s, also on the day on which they change",
  (zone, instant, shown) => {
    vi.stubEnv("TZ", zone);
    expect(toDatetimeLocal(instant)).toBe(shown);
  },
);

it("an empty field means no time", () => {
  expect(toDatetimeLocal(null)).toBe("");
});
