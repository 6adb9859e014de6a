import { describe, expect, it } from "vitest";
import {
  decimalSeparatorOfLanguage,
  firstViolatedBound,
  formatNumberForInput,
  parseNumberWithDecimalSeparator,
} from "../../../app/src/components/typed-number.ts";

/** An input with its value in English and in German. */
const spellings: [string, number | "empty" | "none", number | "empty" | "none"][] = [
  ["3.14", 3.14, 3.14],
  ["3,14", "none", 3.14],
  ["-5", -5, -5],
  ["- 5", -5, -5],
  ["+3", 3, 3],
  ["\u22125", -5, -5],
  ["\u20135", -5, -5],
  ["0.05", 0.05, 0.05],
  ["0,05", "none", 0.05],
  ["1e-3", 0.001, 0.001],
  ["1E3", 1000, 1000],
  ["1.5e\u22123", 0.0015, 0.0015],
  ["1,5e3", "none", 1500],
  ["10.0", 10, 10],
  ["007", 7, 7],
  [".5", 0.5, 0.5],
  [",5", "none", 0.5],
  ["-.5", -0.5, -0.5],
  ["3.", 3, 3],
  ["3,", "none", 3],
  ["  42 ", 42, 42],
  ["\u00a042\u202f", 42, 42],
  ["\u200e42\u200b", 42, 42],
  ["0", 0, 0],
  ["-0", -0, -0],
  ["", "empty", "empty"],
  [" \u00a0", "empty", "empty"],
  ["1,234", "none", 1.234],
  ["1,234.5", "none", "none"],
  ["1.234,5", "none", "none"],
  ["1.234.567", "none", "none"],
  ["1,234,567", "none", "none"],
  ["1 234", "none", "none"],
  ["1\u202f234", "none", "none"],
  ["1'234", "none", "none"],
  ["1_234", "none", "none"],
  ["-", "none", "none"],
  [".", "none", "none"],
  [",", "none", "none"],
  ["e3", "none", "none"],
  ["1e", "none", "none"],
  ["1e1.5", "none", "none"],
  ["--5", "none", "none"],
  ["5-", "none", "none"],
  ["5 m", "none", "none"],
  ["50%", "none", "none"],
  ["1/2", "none", "none"],
  ["10²", "none", "none"],
  ["0x10", "none", "none"],
  ["1e999", "none", "none"],
  ["Infinity", "none", "none"],
  ["NaN", "none", "none"],
  ["three", "none", "none"],
];

describe("a typed number", () => {
  it.each(spellings)("as %j means %s in English, %s in German", (text, english, german) => {
    expect(parseNumberWithDecimalSeparator(text, decimalSeparatorOfLanguage("en"))).toBe(english);
    expect(parseNumberWithDecimalSeparator(text, decimalSeparatorOfLanguage("de"))).toBe(german);
  });

  it.each([
    [3.14, "3.14", "3,14"],
    [-0.05, "-0.05", "-0,05"],
    [12345.678901, "12345.678901", "12345,678901"],
    [1e-7, "1e-7", "1e-7"],
    [1.5e21, "1.5e+21", "1,5e+21"],
  ])("%s is shown in full, so it is read as the same", (value, english, german) => {
    expect([formatNumberForInput(value, "."), formatNumberForInput(value, ",")]).toEqual([english, german]);
    expect([
      parseNumberWithDecimalSeparator(english, "."),
      parseNumberWithDecimalSeparator(german, ","),
    ]).toEqual([value, value]);
  });

  it.each([
    [5, { min: 0, max: 10 }, undefined],
    [-1, { min: 0 }, "min"],
    [10.5, { max: 10, step: "any" }, "max"],
    [1.5, {}, "step"],
    [1.5, { step: "any" }, undefined],
    [7.29, { step: 0.01 }, undefined],
    [7.295, { step: 0.01 }, "step"],
    [99.99, { step: 0.01 }, undefined],
    [1e6 + 0.01, { step: 0.01 }, undefined],
  ] as const)("%s meets or violates a bound of %j", (value, bounds, broken) => {
    expect(firstViolatedBound(value, bounds)).toBe(broken);
  });
});
