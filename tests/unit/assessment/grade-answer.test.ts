import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isResponseCorrect } from "../../../lib/assessment/grade-answer.ts";
import { normalizeForComparison } from "../../../lib/platform/text/normal-text.ts";

describe("a choice", () => {
  it("is right as the one option, and as all of several in any order", () => {
    expect(isResponseCorrect("SINGLE_CHOICE", { option_id: "A" }, "A")).toBe(true);
    expect(isResponseCorrect("SINGLE_CHOICE", { option_id: "A" }, "a")).toBe(false);
    const several = { option_ids: ["A", "C"] };
    expect(isResponseCorrect("MULTIPLE_CHOICE", several, ["C", "A", "A"])).toBe(true);
    for (const wrong of [["A"], ["A", "B", "C"], [], "A"])
      expect(isResponseCorrect("MULTIPLE_CHOICE", several, wrong)).toBe(false);
    expect(isResponseCorrect("TRUE_FALSE", { value: false }, false)).toBe(true);
    expect(isResponseCorrect("TRUE_FALSE", { value: false }, true)).toBe(false);
  });
});

it("nothing is no right answer to anything", () => {
  expect(isResponseCorrect("SINGLE_CHOICE", {}, null)).toBe(false);
  expect(isResponseCorrect("TRUE_FALSE", {}, null)).toBe(false);
  expect(isResponseCorrect("NUMERIC", { value: 0 }, null)).toBe(false);
  expect(isResponseCorrect("SHORT_ANSWER", { texts: [""] }, null)).toBe(false);
});

describe("a number", () => {
  it("is right to the last digit of its tolerance, as decimals are written", () => {
    expect(isResponseCorrect("NUMERIC", { value: 0.3, tolerance: 0.1 }, 0.4)).toBe(true);
    expect(isResponseCorrect("NUMERIC", { value: 0.3, tolerance: 0.1 }, 0.2)).toBe(true);
    expect(isResponseCorrect("NUMERIC", { value: 0.3, tolerance: 0.1 }, 0.41)).toBe(false);
    expect(isResponseCorrect("NUMERIC", { value: 6.022e23, tolerance: 1e20 }, 6.023e23)).toBe(true);
    expect(isResponseCorrect("NUMERIC", { value: 1e-9 }, 0.000000001)).toBe(true);
    expect(isResponseCorrect("NUMERIC", { value: 1e-9 }, 1.1e-9)).toBe(false);
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
          expect(isResponseCorrect("NUMERIC", key, decimal(given, scale))).toBe(isNear);
        },
      ),
    );
  });
});

describe("a short text", () => {
  const accepts = (text: string, said: string) =>
    isResponseCorrect("SHORT_ANSWER", { texts: ["other", text] }, said);

  it("is right in any normal form of Unicode, case and spacing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        // Neither an invisible text nor a number that loses its power or fraction is equal to its forms.
        fc.pre(normalizeForComparison(text) !== "" && !/\p{Nd}[⁺⁻]?[⁰¹²³⁴-⁹ⁱⁿ¼-¾⅐-⅞↉]/u.test(text));
        for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const)
          expect(accepts(text, text.normalize(form))).toBe(true);
        expect(accepts(text, text.toUpperCase())).toBe(true);
        expect(accepts(text, text.toLowerCase())).toBe(true);
        expect(accepts(text, `  ${text.replaceAll(" ", " \t\n ")}\u00a0`)).toBe(true);
      }),
    );
  });

  it("is right in either case of every letter that there is, in every language with case rules of its own", () => {
    const other: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const letter = String.fromCodePoint(code);
      if (!/\p{L}/u.test(letter)) continue;
      const text = normalizeForComparison(letter);
      if (
        normalizeForComparison(letter.toUpperCase()) !== text ||
        normalizeForComparison(letter.toLowerCase()) !== text
      )
        other.push(letter);
      for (const language of ["tr", "el", "lt"]) {
        const cases = [letter.toLocaleUpperCase(language), letter.toLocaleLowerCase(language)];
        if (cases.join() === [letter.toUpperCase(), letter.toLowerCase()].join()) continue;
        const local = normalizeForComparison(letter, language);
        if (cases.some((one) => normalizeForComparison(one, language) !== local))
          other.push(`${language} ${letter}`);
      }
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

  it.each([
    ["apostrophes", ["don't", "don’t", "don‘t", "donʼt", "don´t", "don`t", "don′t", "don＇t"]],
    ["quotes", ['say "x"', "say “x”", "say „x“", "say «x»", "say ‟x”", "say ″x″", "say ''x''", "say ＂x＂"]],
    ["hyphens", ["x-axis", "x‐axis", "x‑axis", "x–axis", "x—axis", "x−axis", "x﹣axis", "x－axis"]],
    ["minus signs", ["-5 °C", "−5 °C", "–5 °C", "‑5 °C", "－5 °C"]],
    ["degrees", ["20 °C", "20 ºC", "20 ˚C", "20 ∘C", "20 ℃"]],
    ["fractions", ["3/4", "3⁄4", "3∕4", "¾", "３／４"]],
    ["mixed fractions", ["1 1/2", "1½", "1 ½"]],
    ["powers", ["10^8", "10⁸", "10^８"]],
    [
      "spaces",
      [
        "New York",
        "New\u00a0York",
        "New\u202fYork",
        "New\u2009York",
        "\ufeffNew  York\u200b",
        "New\u3000York",
      ],
    ],
    [
      "invisible characters",
      ["newton", "new\u200bton", "new\u00adton", "\u2060newton", "newton\u200e", "new\u200dton"],
    ],
    ["compatible forms", ["file H2O", "ﬁle H₂O", "ｆｉｌｅ Ｈ２Ｏ"]],
  ])("is right in every typographic variant: %s", (_, variants) => {
    for (const one of variants) for (const other of variants) expect(accepts(one, other), other).toBe(true);
  });

  it("is another number with another power, fraction or sign", () => {
    for (const [one, other] of [
      ["10⁸", "108"],
      ["1½", "11/2"],
      ["x-axis", "xaxis"],
      ["-5", "5"],
      ["its", "it's"],
    ] as const)
      expect(accepts(one, other), one).toBe(false);
  });

  it("is not right without a visible character", () => {
    for (const nothing of ["", " ", "\u200b", "\u00ad\u00a0"]) expect(accepts("\u200b", nothing)).toBe(false);
  });

  it("is right in upper and lower case of the course's language", () => {
    const isSame = (language: string, one: string, other: string) =>
      isResponseCorrect("SHORT_ANSWER", { texts: [one] }, other, language);
    expect(isSame("tr", "ışık", "IŞIK")).toBe(true);
    expect(isSame("tr-TR", "istanbul", "İSTANBUL")).toBe(true);
    expect(isSame("tr", "sınır", "sinir")).toBe(false);
    expect(isSame("tr", "ılık", "ILIK")).toBe(true);
    expect(isSame("en", "title", "TITLE")).toBe(true);
    expect(isSame("de", "Straße", "STRASSE")).toBe(true);
    expect(isSame("el", "οδός", "ΟΔΟΣ")).toBe(true);
    expect(isSame("en", "οδός", "ΟΔΟΣ")).toBe(false);
    expect(isSame("not a language", "Newton", "NEWTON")).toBe(true);
  });
});
