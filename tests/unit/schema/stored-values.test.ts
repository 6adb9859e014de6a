import { describe, expect, it } from "vitest";
import { deepestJson, nestsTooDeep } from "../../../schema/api/platform/json-depth.ts";
import { writtenLength } from "../../../schema/api/platform/json-length.ts";
import { momentOf } from "../../../schema/api/platform/moment.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";

describe("a moment", () => {
  it("is taken in every spelling of ISO 8601 with an offset, from year 1 to 9999 in UTC", () => {
    const taken = {
      "2026-01-01T00:00Z": "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:00:00.1239+05:30": "2025-12-31T18:30:00.123Z",
      "2024-02-29T12:00:00-14:00": "2024-03-01T02:00:00.000Z",
      "0050-01-01T00:00:00Z": "0050-01-01T00:00:00.000Z",
      "0000-12-31T23:00-02:00": "0001-01-01T01:00:00.000Z",
      "9999-12-31T23:59:59.9999Z": "9999-12-31T23:59:59.999Z",
    };
    for (const [text, moment] of Object.entries(taken)) expect(momentOf(text), text).toBe(moment);
  });

  it("is nothing else", () => {
    const refused = [
      "0000-12-31T23:59:59Z",
      "0001-01-01T00:00+14:00",
      "9999-12-31T23:59:59-00:01",
      "2026-02-29T00:00:00Z",
      "2026-01-01T00:00:00+14:01",
      "2026-01-01T00:00:00+15:00",
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:00:60Z",
      "2026-01-01T00:00:00",
      "2026-01-01 00:00:00Z",
    ];
    for (const text of refused) expect(momentOf(text), text).toBeUndefined();
  });

  it("is read as the database prints it, in any year and any time zone", () => {
    const printed = {
      "2026-01-31 09:00:00.5+00": "2026-01-31T09:00:00.500Z",
      "2026-01-31T09:00:00.123+05:30": "2026-01-31T03:30:00.123Z",
      "0050-01-31 09:00:00-00:01:15": "0050-01-31T09:01:15.000Z",
      "0001-12-31 19:00:00-05 BC": "0001-01-01T00:00:00.000Z",
      "10000-01-01 04:59:00+05": "9999-12-31T23:59:00.000Z",
      "2026-01-31T09:00:00.000Z": "2026-01-31T09:00:00.000Z",
    };
    for (const [text, moment] of Object.entries(printed)) expect(toInstant(text), text).toBe(moment);
  });
});

describe("JSON in a text", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

  it("is too deep beyond the levels that are allowed, and only as JSON", () => {
    expect(nestsTooDeep(nested(deepestJson))).toBe(false);
    expect(nestsTooDeep(nested(deepestJson + 1))).toBe(true);
    expect(nestsTooDeep(`{"a\\"[":${nested(deepestJson - 1)}}`)).toBe(false);
    expect(nestsTooDeep(JSON.stringify(nested(200)))).toBe(false);
    expect(nestsTooDeep("[".repeat(200))).toBe(false);
    expect(nestsTooDeep(nested(500_000))).toBe(true);
  });

  it("is measured in the bytes that the database writes", () => {
    expect(writtenLength({ a: "é" })).toBe(10);
    expect(writtenLength([1e300, 1e-7])).toBeGreaterThan(307);
  });
});
