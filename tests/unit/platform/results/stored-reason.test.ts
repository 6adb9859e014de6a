import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type ErrorCode, errorMessageTemplates, formatErrorMessage } from "../../../../lib/error-codes.ts";
import { badRequest } from "../../../../lib/errors.ts";
import {
  decodeStoredReason,
  encodeCodeAndValues,
  httpErrorToStoredReason,
} from "../../../../lib/platform/results/stored-reason.ts";

const valuesOf = (words: string) =>
  Object.fromEntries(
    [...words.matchAll(/\{(\w+)\}/g)].map(([, name = ""], at) => [name, `"v${at}" } \\ é\n`]),
  );

describe("a stored reason", () => {
  it("has the code and the message of each error, with any values", () => {
    for (const [code, words] of Object.entries(errorMessageTemplates)) {
      const values = valuesOf(words);
      expect(decodeStoredReason(encodeCodeAndValues(code, values))).toEqual({
        code,
        reason: formatErrorMessage(code as ErrorCode, values),
      });
    }
  });

  it("is that of an error, in the values that it was made with", () => {
    const error = badRequest("file_size_differs", { promised: 3, sent: 4 });
    expect(decodeStoredReason(httpErrorToStoredReason(error))).toEqual({
      code: "file_size_differs",
      reason: error.message,
    });
  });

  it("stays as it is if an older version stored a message", () => {
    for (const text of ["The moon is full", "row_of_no_release", "", 'Input {"a": 1}'])
      expect(decodeStoredReason(text)).toEqual({ code: null, reason: text });
    expect(decodeStoredReason(null)).toEqual({ code: null, reason: null });
  });

  it("has no character that PostgreSQL cannot store", () => {
    expect(
      decodeStoredReason(encodeCodeAndValues("row_role_not_granted", { role: "a\0b\ud800" })).reason,
    ).toBe(formatErrorMessage("row_role_not_granted", { role: "ab\ufffd" }));
  });

  it("is a code wherever the database's import writes one", async () => {
    const sql = await readFile(
      new URL("../../../../schema/functions/integrations/imports.sql", import.meta.url),
      "utf8",
    );
    const codes = [...sql.matchAll(/(?:then|return|reason :=|'reason',) '([a-z_]+) ?'/g)].map(
      ([, code = ""]) => code,
    );
    const outcomes = /^(refused|offered|created|updated|unchanged)$/;
    const reasons = codes.filter((code) => !outcomes.test(code));
    expect(reasons.length).toBeGreaterThan(20);
    expect(reasons.filter((code) => !Object.hasOwn(errorMessageTemplates, code))).toEqual([]);
    expect(sql).not.toMatch(/(?:then|return|reason :=|'reason',) '[A-Z]/);
  });
});
