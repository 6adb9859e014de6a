import { expect, it } from "vitest";
import { formatLongDateTime, formatLongDay, localTime } from "../../../../lib/platform/text/local-time.ts";

const moment = "2026-03-10T23:30:00.000Z";

it.each([
  ["UTC", "2026-03-10", "23:30", "UTC"],
  ["Asia/Seoul", "2026-03-11", "08:30", "GMT+9"],
  ["Pacific/Kiritimati", "2026-03-11", "13:30", "GMT+14"],
  ["America/Los_Angeles", "2026-03-10", "16:30", "PDT"],
  ["Asia/Kathmandu", "2026-03-11", "05:15", "GMT+5:45"],
  ["Not/AZone", "2026-03-10", "23:30", "UTC"],
])("a moment in %s is its local day and time, with the zone's name", (timeZone, day, time, zone) => {
  expect(localTime(moment, timeZone)).toEqual({ day, time, zone });
});

it("midnight is 00:00 of the day that begins", () => {
  expect(localTime("2026-03-10T15:00:00.000Z", "Asia/Seoul")).toMatchObject({
    day: "2026-03-11",
    time: "00:00",
  });
});

it("days and moments are written in the reader's language and zone", () => {
  expect(formatLongDay(moment, "Asia/Seoul", "en-GB")).toBe("11 March 2026");
  expect(formatLongDateTime(moment, "UTC", "en-GB")).toBe("10 March 2026, 23:30 UTC");
  expect(formatLongDateTime(moment, "Europe/Berlin", "de")).toBe("11. März 2026 um 00:30 GMT+1");
});
