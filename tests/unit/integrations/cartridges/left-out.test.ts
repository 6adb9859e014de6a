import { expect, it } from "vitest";
import { type ErrorCode, errorWords, wordsOf } from "../../../../lib/error-codes.ts";
import { codeOfLeftOut } from "../../../../lib/integrations/cartridges/left-out.ts";

const values = {
  ...{ number: 7, count: 500, element: "img", media: "iframe", handler: "onclick", field: "options.0.text" },
  ...{ question_kind: "matching_question", address: "pages/a: b", path: "files/a b.exe" },
  fault: "String should not be blank",
};

it.each(Object.keys(errorWords).filter((code) => code.startsWith("left_out_")) as ErrorCode[])(
  "a line is known as %s by its words",
  (code) => {
    expect(codeOfLeftOut(wordsOf(code, values))).toBe(code);
  },
);

it.each<[string, string | null]>([
  ["7: cc.pattern_match.v0p1", "left_out_question_kind"],
  ["7: mat_extension", "left_out_question_element"],
  ["12: link: javascript:steal()", "left_out_question_link"],
  ["web_resources/a.exe: The cartridge is not there", "left_out_file"],
  ["Something that no release says", null],
])("'%s' is %s", (line, code) => {
  expect(codeOfLeftOut(line)).toBe(code);
});
