import { expect, it } from "vitest";
import { currentStreak, dateInTimeZone, dayBefore } from "../../../../lib/identity/users/streak.ts";

const at = (moment: string) => new Date(moment);

it("a date is the one on the wall of the time zone", () => {
  const moment = at("2026-03-10T10:30:00Z");
  expect(dateInTimeZone("UTC", moment)).toBe("2026-03-10");
  expect(dateInTimeZone("Pacific/Kiritimati", moment)).toBe("2026-03-11"); // UTC+14
  expect(dateInTimeZone("Pacific/Pago_Pago", moment)).toBe("2026-03-09"); // UTC-11
});

it("a day is one day on both sides of a change to and from summer time", () => {
  expect(dateInTimeZone("Europe/London", at("2026-03-29T22:59:59Z"))).toBe("2026-03-29");
  expect(dateInTimeZone("Europe/London", at("2026-03-29T23:00:00Z"))).toBe("2026-03-30");
  expect(dateInTimeZone("Europe/London", at("2026-10-24T23:00:00Z"))).toBe("2026-10-25");
  expect(dateInTimeZone("Europe/London", at("2026-10-25T23:59:59Z"))).toBe("2026-10-25");
  expect(dateInTimeZone("America/New_York", at("2026-11-01T05:30:00Z"))).toBe("2026-11-01");
});

it("the day before crosses months, years and leap days", () => {
  expect(dayBefore("2026-03-01")).toBe("2026-02-28");
  expect(dayBefore("2028-03-01")).toBe("2028-02-29");
  expect(dayBefore("2026-01-01")).toBe("2025-12-31");
});

const streak = (last_activity_date: string | null, time_zone = "UTC") => ({
  current_streak_days: last_activity_date ? 5 : 0,
  last_activity_date,
  time_zone,
});

it.each([
  ["today", "2026-03-10", 5],
  ["yesterday", "2026-03-09", 5],
  ["before a missed day", "2026-03-08", 0],
  ["in the future, by a clock set back", "2026-03-12", 5],
  ["never", null, 0],
])("last active %s (%s), the streak shows %i", (_, last_activity_date, shown) => {
  expect(currentStreak(streak(last_activity_date), at("2026-03-10T12:00:00Z"))).toBe(shown);
});

it("the person's time zone decides whether a day was missed", () => {
  const moment = at("2026-03-10T10:30:00Z");
  expect(currentStreak(streak("2026-03-09", "Pacific/Kiritimati"), moment)).toBe(0);
  expect(currentStreak(streak("2026-03-08", "Pacific/Pago_Pago"), moment)).toBe(5);
  expect(currentStreak(streak("2026-03-28", "Europe/London"), at("2026-03-29T22:59:59Z"))).toBe(5);
  expect(currentStreak(streak("2026-03-28", "Europe/London"), at("2026-03-29T23:00:00Z"))).toBe(0);
});
