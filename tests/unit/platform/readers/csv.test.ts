import { describe, expect, it } from "vitest";
import {
  countNamedColumns,
  csvText,
  hasValuesBeyondColumns,
  readCsv,
} from "../../../../lib/platform/readers/csv.ts";

describe("csvText", () => {
  it("quotes special values, and leaves null empty", () => {
    expect(csvText([[1, null, undefined, 'a "b"', "c,d", "e\nf"]])).toBe('1,,,"a ""b""","c,d","e\nf"\r\n');
  });

  it("keeps text that begins like a formula as text, and numbers as numbers", () => {
    for (const formula of ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1"])
      expect(csvText([[formula]])).toMatch(/^"?'/);
    expect(csvText([[-1.5]])).toBe("-1.5\r\n");
  });
});

const bounds = { rows: 100, columns: 100, cells: 1000 };
const rowsIn = (text: string) => readCsv(text, bounds).rows;

describe("readCsv", () => {
  it("reads the output of csvText, with any line breaks", () => {
    const values = ["a", "", 'b "c"', "d,e", "f\ng"];
    expect(rowsIn(csvText([values]))).toEqual([{ line: 1, fields: values }]);
    expect(rowsIn("\uFEFFa,b\n1,2\r3,\r\n4")).toEqual([
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["1", "2"] },
      { line: 3, fields: ["3", ""] },
      { line: 4, fields: ["4"] },
    ]);
  });

  it("returns the number of a line, also after blank ones and breaks inside of fields", () => {
    expect(rowsIn('a\n\n"b\nc"\n,\nd').map(({ line }) => line)).toEqual([1, 3, 6]);
    expect(rowsIn("")).toEqual([]);
  });

  it("throws for a quotation mark that is not closed or inside of a field", () => {
    for (const broken of ['"a', 'a"b', '"a"b']) expect(() => rowsIn(broken), broken).toThrow();
  });

  it("accepts blanks around fields, and quotation marks behind them", () => {
    expect(rowsIn('email, "full name" ,role\na, "Doe, ""Jane""" , b')).toEqual([
      { line: 1, fields: ["email", "full name", "role"] },
      { line: 2, fields: ["a", 'Doe, "Jane"', "b"] },
    ]);
    expect(() => rowsIn('a,b\n1, x"y')).toThrow("line 2");
    expect(() => rowsIn('a,b\n"x" y,1')).toThrow("line 2");
  });

  it("reads the separator from a sep= line, and keeps the numbers of lines", () => {
    const lines = [
      { line: 2, fields: ["a", "b,c"] },
      { line: 3, fields: ["1", "2"] },
    ];
    for (const first of ["sep=;", "SEP=;", '"sep=;"', "\ufeffsep=;"])
      expect(readCsv(`${first}\r\na;b,c\r\n1;2`, bounds)).toEqual({ separator: ";", rows: lines });
    expect(() => rowsIn("sep=|\na|b")).toThrow("line 1 states the separator |");
    expect(rowsIn("sep,b\n1,2")).toHaveLength(2);
  });

  it("detects the separator by the names of the columns", () => {
    const separatorOf = (text: string) => readCsv(text, bounds).separator;
    expect(separatorOf("user_id,284 Essay; and more; and more\n1,2")).toBe(",");
    expect(separatorOf("\uFEFFuser_id;284 Essay, and more, and more\r\n1;7,5")).toBe(";");
    expect(separatorOf('user_id\t"284\tEssay"\n1\t2')).toBe("\t");
    expect(separatorOf("email;full_name\na@example.edu;Doe, Jane")).toBe(";");
    for (const text of ["user_id", "7;8", ""]) expect(separatorOf(text), text).toBe(",");
    expect(rowsIn("a;b\n1,5;2")).toEqual([
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["1,5", "2"] },
    ]);
  });

  it("stops at the first row, column or cell that is too many", () => {
    const read = (text: string) => () => readCsv(text, { rows: 3, columns: 3, cells: 6 });
    expect(read("a,b\n\n1,2\n3,4")).not.toThrow();
    expect(read("a\nb\nc\nd")).toThrow("should have at most 3 rows");
    expect(read("a,b\n1,2,3,4")).toThrow("should have at most 3 columns");
    expect(read("a,b,c\n1,2,3\n4")).toThrow("should have at most 6 cells");
    // Reading stops there.
    expect(read('a\nb\nc\nd\n"')).toThrow("should have at most 3 rows");
  });
});

it("a line has surplus if it has values behind the named columns", () => {
  const columns = countNamedColumns(["a", "", "b", "", " "]);
  expect(columns).toBe(3);
  expect(hasValuesBeyondColumns(["1", "2", "3", "", " "], columns)).toBe(false);
  expect(hasValuesBeyondColumns(["1"], columns)).toBe(false);
  expect(hasValuesBeyondColumns(["1", "2", "3", "4"], columns)).toBe(true);
});
