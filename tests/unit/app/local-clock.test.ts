import { expect, it } from "vitest";
import { isAtLocalTime } from "../../../app/src/local-clock.ts";

it("recognizes the usual end and beginning of a day in the reader's time zone", () => {
  const at = (time: string): string => new Date(`2027-03-01T${time}:00`).toISOString();
  expect(isAtLocalTime(at("23:59"), "23:59")).toBe(true);
  expect(isAtLocalTime(at("00:00"), "00:00")).toBe(true);
  expect(isAtLocalTime(at("18:00"), "23:59")).toBe(false);
  expect(isAtLocalTime(at("00:00"), "23:59")).toBe(false);
});
