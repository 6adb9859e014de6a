import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { referencesOf, segmentsOf } from "../../../lib/prompts/references.ts";

describe("reference tags", () => {
  it("are cut out by their position, by label or by version", () => {
    const text =
      "Be @@@refPrompt:name=tone/warm|label=production@@@ and @@@refPrompt:name=safety|version=3@@@!";
    expect(segmentsOf(text)).toEqual([
      "Be ",
      { child_name: "tone/warm", child_label: "production", child_version: null },
      " and ",
      { child_name: "safety", child_label: null, child_version: 3 },
      "!",
    ]);
  });

  it.each([
    "@@@refPrompt:label=a|name=b@@@",
    "@@@refPrompt:name=a@@@",
    "@@@refPrompt:name=a|label=b|version=1@@@",
    "@@@refPrompt:name=a|version=0@@@",
    "@@@refPrompt:name=a|version=x@@@",
    "@@@refPrompt:name=a|label=Upper@@@",
    "@@@refPrompt:name=|label=a@@@",
    "@@refPrompt:name=a|label=b@@",
    "@@@ refPrompt:name=a|label=b@@@",
  ])("%j is plain text", (text) => {
    expect(segmentsOf(text)).toEqual([text]);
  });

  it("a broken tag before a whole one does not hide it", () => {
    expect(referencesOf("@@@refPrompt:name=a@@@refPrompt:name=b|label=c@@@")).toHaveLength(1);
  });

  it("any text without a tag comes back as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(segmentsOf(text).join("")).toBe(text);
      }),
    );
  });
});
