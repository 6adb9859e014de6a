import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { interpolate } from "../../../app/src/interpolate.ts";

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
    for (const folder of ["", "later/", "authoring/", "prompts/"]) {
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
    expect(interpolate("{n} {n:course|courses} of {who}", { n: 1 }, "en")).toBe("1 course of {who}");
    expect(interpolate("{n} {n:Kurs|Kurse}", { n: 0 }, "de")).toBe("0 Kurse");
  });
});
