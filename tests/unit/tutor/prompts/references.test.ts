import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  characterCount,
  countReferences,
  distinctReferences,
  splitAtReferences,
} from "../../../../lib/tutor/prompts/references.ts";

describe("reference tags", () => {
  it("are cut out by their position, by label or by version", () => {
    const text =
      "Be @@@refPrompt:name=tone/warm|label=production@@@ and @@@refPrompt:name=safety|version=3@@@!";
    expect(splitAtReferences(text)).toEqual([
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
    expect(splitAtReferences(text)).toEqual([text]);
  });

  it("a broken tag before a whole one does not hide it", () => {
    expect(distinctReferences("@@@refPrompt:name=a@@@refPrompt:name=b|label=c@@@")).toHaveLength(1);
  });

  it("with a blank or an overlong name are plain text", () => {
    for (const name of [" ", "x".repeat(256), "a\nb"])
      expect(distinctReferences(`@@@refPrompt:name=${name}|label=b@@@`)).toEqual([]);
  });

  it("are listed once each, in order of appearance", () => {
    const [a, b] = ["@@@refPrompt:name=a|label=x@@@", "@@@refPrompt:name=b|version=1@@@"];
    expect(distinctReferences(`${b}${a}${b}${a}`).map(({ child_name }) => child_name)).toEqual(["b", "a"]);
  });

  it("are counted, with the characters that their tags take, however they are spelled", () => {
    const text = `a@@@refPrompt:name=é😀|label=x@@@b@@@refPrompt:name= é😀 |label=x@@@`;
    expect(countReferences(text)).toEqual([
      { child_name: "é😀", child_version: null, child_label: "x", occurrences: 2, tag_characters: 64 },
    ]);
    const plain = splitAtReferences(text).filter((segment) => typeof segment === "string");
    expect(characterCount(text) - 64).toBe(characterCount(plain.join("")));
  });

  /** Texts from parts of tags, which nearly form one. */
  const pieces = ["@@@", "@", "refPrompt:", "name=", "a", "|", "label=", "version=", "1", "{{x}}", "$&", " "];
  const almostTags = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 4 })))
    .map((parts) => parts.join(""));
  const wholeTag = /@@@refPrompt:name=[^|]+\|(label|version)=[^|@]+@@@/;

  it("leave any other text unchanged", () => {
    fc.assert(
      fc.property(
        almostTags.filter((text) => !wholeTag.test(text)),
        (text) => {
          expect(splitAtReferences(text)).toEqual(text === "" ? [] : [text]);
        },
      ),
    );
  });

  it("are found in any surrounding text, which stays unchanged", () => {
    const label = fc.stringMatching(/^[a-z0-9_.-]{1,36}$/);
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9 /.-]{0,20}[a-z0-9]$/);
    const plain = fc.string({ unit: "binary" }).map((text) => text.replaceAll("@", ""));
    fc.assert(
      fc.property(plain, name, label, plain, (before, child_name, child_label, after) => {
        const segments = splitAtReferences(
          `${before}@@@refPrompt:name=${child_name}|label=${child_label}@@@${after}`,
        );
        const reference = { child_name, child_label, child_version: null };
        expect(segments).toEqual([before, reference, after].filter((segment) => segment !== ""));
      }),
    );
  });
});
