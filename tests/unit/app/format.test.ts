import { describe, expect, it } from "vitest";
import { formatDeadline, formatOpening } from "../../../app/src/format.ts";

/** A moment at that local time, as the service sends it. */
const at = (time: string): string => new Date(`2027-03-01T${time}:00`).toISOString();

describe("dates without minutes", () => {
  it("are deadlines at the end of a day, and openings at its beginning", () => {
    expect(formatDeadline(at("23:59"))).toBe("Mar 1, 2027");
    expect(formatOpening(at("00:00"))).toBe("Mar 1, 2027");
  });

  it("are no other moments", () => {
    expect(formatDeadline(at("00:00"))).toMatch(/^Mar 1, 2027, 12:00\sAM$/);
    expect(formatDeadline(at("18:00"))).toMatch(/^Mar 1, 2027, 6:00\sPM$/);
    expect(formatOpening(at("23:59"))).toMatch(/^Mar 1, 2027, 11:59\sPM$/);
  });
});
