import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { errorWords } from "../../../../lib/error-codes.ts";
import { codeOfStored } from "../../../../lib/platform/results/stored-refusals.ts";

/** Codes whose text is only a value, which would match any text. */
const wordless = ["file_refused", "own_provider_required", "prompt_reference_broken"];

const filled = (words: string) => words.replaceAll(/\{\w+\}/g, "§");

describe("a refusal stored as a message", () => {
  it("is recognized by it, with any values", () => {
    const found = Object.entries(errorWords)
      // Lines about skipped content are no errors: tests/unit/integrations/cartridges/left-out.test.ts.
      .filter(([code]) => !wordless.includes(code) && !code.startsWith("left_out_"))
      .map(([code, words]) => [code, codeOfStored(filled(words))]);
    expect(found).toEqual(found.map(([code]) => [code, code]));
  });

  it("has no code if no rule matches", () => {
    expect(codeOfStored(null)).toBeNull();
    expect(codeOfStored("")).toBeNull();
    expect(codeOfStored("The moon is full")).toBeNull();
    expect(codeOfStored("full_name or given_name is missing")).toBe("row_value_missing");
    expect(codeOfStored("Unmet prerequisites: PHYS-1, MATH-2")).toBe("unmet_prerequisites");
  });

  it("has one in each sentence that the database's import writes", async () => {
    const sql = await readFile(
      new URL("../../../../schema/functions/integrations/imports.sql", import.meta.url),
      "utf8",
    );
    const sentences = [...sql.matchAll(/'([A-Z][a-z]+ [^'\n]{1,200})'/g)].map(([, words = ""]) => words);
    expect(sentences.length).toBeGreaterThan(15);
    expect(sentences.filter((words) => !codeOfStored(words.endsWith(": ") ? `${words}§` : words))).toEqual(
      [],
    );
  });
});
