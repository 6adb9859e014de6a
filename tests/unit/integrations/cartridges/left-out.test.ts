import { expect, it } from "vitest";
import { fillMessage } from "../../../../lib/error-codes.ts";
import { decodeOmission, omissionMessages } from "../../../../lib/platform/results/omission-codes.ts";
import { encodeCodeAndValues } from "../../../../lib/platform/results/stored-reason.ts";

it.each(Object.entries(omissionMessages))("a stored line %s has its code and text", (code, words) => {
  const values = Object.fromEntries(
    [...words.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, "a: b {c}"]),
  );
  expect(decodeOmission(encodeCodeAndValues(code, values))).toEqual({
    code,
    line: fillMessage(words, values),
  });
});

it("a line of HTML has a variant with the number of its question", () => {
  for (const name of ["element", "handler", "link", "media"])
    expect(omissionMessages).toHaveProperty(`left_out_question_${name}`);
});

it("a line of an older version has no code", () => {
  expect(decodeOmission("7: link: javascript:steal()")).toEqual({
    code: null,
    line: "7: link: javascript:steal()",
  });
});
