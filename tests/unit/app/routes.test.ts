import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { filled } from "../../../app/src/interpolate.ts";
import { partsOf } from "../../../app/src/markup/formulas.ts";
import { placeOf, to } from "../../../app/src/routes.ts";
import { diffOf } from "../../../app/src/teaching/diff.ts";

describe("the formulas of a text", () => {
  it.each([
    ["a $x_1$ b", ["a ", "x_1", " b"]],
    ["$$\nx\n$$", ["x"]],
    ["\\(x\\) and \\[y\\]", ["x", " and ", "y"]],
    ["it costs $5 and $6", ["it costs $5 and $6"]],
    ["from $5 to $6.50, or $7", ["from $5 to $6.50, or $7"]],
    ["$2x + 1$ of $0.5$", ["2x + 1", " of ", "0.5"]],
    ["`$x$` and ```\n$y$\n```", ["`$x$` and ```\n$y$\n```"]],
    ["a $ alone", ["a $ alone"]],
  ])("%j has the parts %j", (source, parts) => {
    expect(partsOf(source).map((part) => ("text" in part ? part.text : part.latex))).toEqual(parts);
  });
});

describe("an address", () => {
  const patterns = ["", "courses/:course/:offering", "prompts/:name"] as const;

  it("names its screen, with what stands in it", () => {
    expect(placeOf("#/courses/3/4", patterns)?.values).toEqual({ course: "3", offering: "4" });
    expect(placeOf(to("prompts", "tutor/tone %"), patterns)?.values).toEqual({ name: "tutor/tone %" });
    expect(placeOf("", patterns)?.pattern).toBe("");
  });

  it.each(["#/nowhere", "#/courses/3", "#/prompts/a/b"])("of no screen names none: %s", (fragment) => {
    expect(placeOf(fragment, patterns)).toBeUndefined();
  });

  it("that is not well encoded is no error", () => {
    expect(placeOf("#/prompts/%E0%A4%A", patterns)?.values).toEqual({ name: "%E0%A4%A" });
  });
});

describe("a difference", () => {
  it("keeps what is the same, and says what went and what came", () => {
    const lines = diffOf("a\nb\nc", "a\nx\nc\nd").map(({ kind, text }) => `${kind} ${text}`);
    expect(lines).toEqual(["same a", "removed b", "added x", "same c", "added d"]);
  });
});

/** The modules that are loaded with the page, by their addresses: those that one imports from the other at once. */
async function modulesWithThePage(
  from: URL,
  found = new Map<string, string>(),
): Promise<Map<string, string>> {
  if (found.has(from.href)) return found;
  const source = await readFile(from, "utf8");
  found.set(from.href, source);
  for (const [, name = ""] of source.matchAll(
    /^(?:import (?!type)|\} from |export )[^;"]*"(\.[^"]+\.tsx?)";/gm,
  ))
    await modulesWithThePage(new URL(name, from), found);
  return found;
}

describe("the texts", () => {
  const read = async (language: string): Promise<Record<string, string>> =>
    JSON.parse(await readFile(new URL(`../../../app/texts/${language}.json`, import.meta.url), "utf8"));
  const namesIn = (text: string) =>
    [...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name]) => name))].sort();

  it("say the same things with the same values in every language", async () => {
    for (const folder of ["", "later/"]) {
      const [english, german] = [await read(`${folder}en`), await read(`${folder}de`)];
      expect(Object.keys(german)).toEqual(Object.keys(english));
      for (const [key, text] of Object.entries(english))
        expect(namesIn(german[key] ?? ""), key).toEqual(namesIn(text));
    }
  });

  it("come with the page for each screen that does, and are said by one that there is", async () => {
    const first = new Set(Object.keys(await read("en")));
    const later = Object.keys(await read("later/en"));
    expect(later.filter((key) => first.has(key))).toEqual([]);
    const files = await modulesWithThePage(new URL("../../../app/src/main.tsx", import.meta.url));
    expect(files.size).toBeGreaterThan(20);
    for (const [file, source] of files)
      for (const [, key = ""] of source.matchAll(/\bt\(\s*"([^"]+)"/g)) expect(first, file).toContain(key);
  });

  it("count by the language's own rule, and leave a name without a value standing", () => {
    expect(filled("{n} {n:course|courses} of {who}", { n: 1 }, "en")).toBe("1 course of {who}");
    expect(filled("{n} {n:Kurs|Kurse}", { n: 0 }, "de")).toBe("0 Kurse");
  });
});
