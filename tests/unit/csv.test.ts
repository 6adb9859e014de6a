import { describe, expect, it } from "vitest";
import { csvText, readCsv } from "../../lib/csv.ts";

describe("csvText", () => {
  it("quotes what needs it, and leaves null empty", () => {
    expect(csvText([[1, null, undefined, 'a "b"', "c,d", "e\nf"]])).toBe('1,,,"a ""b""","c,d","e\nf"\r\n');
  });

  it("keeps text that begins like a formula text, and numbers numbers", () => {
    for (const formula of ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1"])
      expect(csvText([[formula]])).toMatch(/^"?'/);
    expect(csvText([[-1.5]])).toBe("-1.5\r\n");
  });
});

describe("readCsv", () => {
  it("reads what csvText writes, with any ends of lines", () => {
    const values = ["a", "", 'b "c"', "d,e", "f\ng"];
    expect(readCsv(csvText([values]))).toEqual([{ line: 1, fields: values }]);
    expect(readCsv("\uFEFFa,b\n1,2\r3,\r\n4")).toEqual([
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["1", "2"] },
      { line: 3, fields: ["3", ""] },
      { line: 4, fields: ["4"] },
    ]);
  });

  it("says where a line begins, also after blank ones and breaks inside of fields", () => {
    expect(readCsv('a\n\n"b\nc"\nd').map(({ line }) => line)).toEqual([1, 3, 5]);
    expect(readCsv("")).toEqual([]);
  });

  it("throws where a quotation mark is not closed or stands inside of a field", () => {
    for (const broken of ['"a', 'a"b', '"a"b']) expect(() => readCsv(broken), broken).toThrow();
  });
});
