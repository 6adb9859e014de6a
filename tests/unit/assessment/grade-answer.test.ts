import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRight } from "../../../lib/assessment/grade-answer.ts";
import { normalText } from "../../../lib/platform/text/normal-text.ts";

describe("a choice", () => {
  it("is right as the one option, and as all of several in any order", () => {
    expect(isRight("SINGLE_CHOICE", { option_id: "A" }, "A")).toBe(true);
    expect(isRight("SINGLE_CHOICE", { option_id: "A" }, "a")).toBe(false);
    const several = { option_ids: ["A", "C"] };
    expect(isRight("MULTIPLE_CHOICE", several, ["C", "A", "A"])).toBe(true);
    for (const wrong of [["A"], ["A", "B", "C"], [], "A"])
      expect(isRight("MULTIPLE_CHOICE", several, wrong)).toBe(false);
    expect(isRight("TRUE_FALSE", { value: false }, false)).toBe(true);
    expect(isRight("TRUE_FALSE", { value: false }, true)).toBe(false);
  });
});

it("nothing is no right answer to anything", () => {
  expect(isRight("SINGLE_CHOICE", {}, null)).toBe(false);
  expect(isRight("TRUE_FALSE", {}, null)).toBe(false);
  expect(isRight("NUMERIC", { value: 0 }, null)).toBe(false);
  expect(isRight("SHORT_ANSWER", { texts: [""] }, null)).toBe(false);
});

describe("a number", () => {
  it("is right to the last digit of its tolerance, as decimals are written", () => {
    expect(isRight("NUMERIC", { value: 0.3, tolerance: 0.1 }, 0.4)).toBe(true);
    expect(isRight("NUMERIC", { value: 0.3, tolerance: 0.1 }, 0.2)).toBe(true);
    expect(isRight("NUMERIC", { value: 0.3, tolerance: 0.1 }, 0.41)).toBe(false);
    expect(isRight("NUMERIC", { value: 6.022e23, tolerance: 1e20 }, 6.023e23)).toBe(true);
    expect(isRight("NUMERIC", { value: 1e-9 }, 0.000000001)).toBe(true);
    expect(isRight("NUMERIC", { value: 1e-9 }, 1.1e-9)).toBe(false);
  });

  it("is right exactly when its distance in units of its last place is within the tolerance", () => {
    const units = fc.integer({ min: -1_000_000, max: 1_000_000 });
    const decimals = fc.integer({ min: 0, max: 6 });
    const decimal = (digits: number, scale: number) => Number(`${digits}e${-scale}`);
    fc.assert(
      fc.property(
        units,
        units,
        fc.integer({ min: 0, max: 2_000_000 }),
        decimals,
        (value, given, tolerance, scale) => {
          const key = { value: decimal(value, scale), tolerance: decimal(tolerance, scale) };
          const isNear = Math.abs(value - given) <= tolerance;
          expect(isRight("NUMERIC", key, decimal(given, scale))).toBe(isNear);
        },
      ),
    );
  });
});

describe("a short text", () => {
  const accepts = (text: string, said: string) => isRight("SHORT_ANSWER", { texts: ["other", text] }, said);

  it("is right in any normal form of Unicode, case and spacing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const)
          expect(accepts(text, text.normalize(form))).toBe(true);
        expect(accepts(text, text.toUpperCase())).toBe(true);
        expect(accepts(text, text.toLowerCase())).toBe(true);
        expect(accepts(text, `  ${text.replaceAll(" ", " \t\n ")}\u00a0`)).toBe(true);
      }),
    );
  });

  it("is right in either case of every letter that there is", () => {
    const other: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const letter = String.fromCodePoint(code);
      if (!/\p{L}/u.test(letter)) continue;
      const text = normalText(letter);
      if (normalText(letter.toUpperCase()) !== text || normalText(letter.toLowerCase()) !== text)
        other.push(letter);
    }
    expect(other).toEqual([]);
  });

  it("is compared as people read it: ligatures, full width, ß and both sigmas are normalized", () => {
    const same = [
      ["ﬁrst", "FIRST"],
      ["Ｎｅｗｔｏｎ", "newton"],
      ["Straße", "STRASSE"],
      ["Straße", "STRAẞE"],
      ["Σίσυφος", "ΣΊΣΥΦΟΣ"],
      ["m²", "m2"],
    ] as const;
    for (const [one, other] of same) expect(accepts(one, other), one).toBe(true);
    expect(accepts("resume", "résumé")).toBe(false);
    expect(accepts("NewtonNewton", "Newton Newton")).toBe(false);
  });
});
