import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { interpolatePlaceholders } from "../../../app/src/interpolate.ts";

/** Modules loaded with the page, by URL: static imports, transitively. */
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

/** Words that are the same in Spanish and English. */
const asInSpanish = new Set([
  "Color",
  // Only a value.
  ...["{element}", "{fault}", "{reasons}", "{why}"],
  ...["Markdown", "Open Badge", "PDF"],
  ...["NameID: {format}", "{name}, {title}: {state} ({reason})"],
  ...["OpenID Connect", "Prompt", "SAML"],
  ...["Prompts", "Roles", "Tutor", "Tutor: {words}", "Tokens", "tokens"],
]);

const folder = new URL("../../../app/texts/", import.meta.url);

const languages = (await readdir(folder)).flatMap((name) => /^(\w+)\.json$/.exec(name)?.[1] ?? []);

/** The texts of a language by group, which is the folder. */
async function textsIn(language: string): Promise<Record<string, Record<string, string>>> {
  const names = await readdir(folder, { recursive: true });
  const own = names.filter((name) => path.basename(name) === `${language}.json`).sort();
  const read = async (name: string) => JSON.parse(await readFile(new URL(name, folder), "utf8"));
  return Object.fromEntries(
    await Promise.all(own.map(async (name) => [path.dirname(name), await read(name)])),
  );
}

describe("the texts", () => {
  const namesIn = (text: string) =>
    [...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name]) => name))].sort();

  it.each(languages)("say the same things with the same values in %s as in English", async (language) => {
    const [english, own] = [await textsIn("en"), await textsIn(language)];
    expect(Object.keys(own)).toEqual(Object.keys(english));
    for (const [group, texts] of Object.entries(english)) {
      expect(Object.keys(own[group] ?? {}), group).toEqual(Object.keys(texts));
      for (const [key, text] of Object.entries(texts)) {
        const said = own[group]?.[key] ?? "";
        expect(namesIn(said), key).toEqual(namesIn(text));
        // Any remaining brace is a malformed value.
        expect(said.replaceAll(/\{\w+(:[^{|}]*\|[^{}]*)?\}/g, ""), key).not.toMatch(/[{}]/);
      }
    }
  });

  it.each(["refusals", "faults"])("equal the service's in English: %s", async (group) => {
    const [said, people] = await Promise.all(
      ["en", "people"].map(async (name) =>
        JSON.parse(await readFile(new URL(`${group}/${name}.json`, folder), "utf8")),
      ),
    );
    for (const [key, text] of Object.entries<string>(people)) {
      expect(namesIn(text), key).toEqual(namesIn(said[key] ?? ""));
      expect(text, key).not.toBe(said[key]);
    }
    const both: Record<string, string> = { ...said, ...people };
    const forPrograms = /^(Input|String|List|Field|Value|Extra) /;
    expect(Object.values(both).filter((text) => forPrograms.test(text))).toEqual([]);
  });

  it("exist for each language that can be chosen, and for no other", async () => {
    const source = await readFile(new URL("../src/texts.ts", folder), "utf8");
    const [, chosen = ""] = /\blanguageNames = \{(.+?)\}/s.exec(source) ?? [];
    expect([...chosen.matchAll(/(\w+): "/g)].map(([, tag]) => tag).sort()).toEqual([...languages].sort());
  });

  it("leave nothing in English that Spanish has words for", async () => {
    const [english, spanish] = [await textsIn("en"), await textsIn("es")].map((groups) =>
      Object.assign({}, ...Object.values(groups)),
    );
    const same = Object.keys(english).filter((key) => spanish[key] === english[key]);
    expect(same.map((key) => english[key]).filter((text) => !asInSpanish.has(text))).toEqual([]);
  });

  it("load with each screen's page, and each is used by an existing screen", async () => {
    const english = await textsIn("en");
    const first = new Set(Object.keys(english["."] ?? {}));
    const later = Object.keys(english["later"] ?? {});
    expect(later.filter((key) => first.has(key))).toEqual([]);
    const files = await modulesWithThePage(new URL("../../../app/src/main.tsx", import.meta.url));
    expect(files.size).toBeGreaterThan(20);
    for (const [file, source] of files)
      for (const [, key = ""] of source.matchAll(/\bt\(\s*"([^"]+)"/g)) expect(first, file).toContain(key);
  });

  it("count by the language's own rule, and leave a name without a value standing", () => {
    expect(interpolatePlaceholders("{n} {n:course|courses} of {who}", { n: 1 }, "en")).toBe(
      "1 course of {who}",
    );
    expect(interpolatePlaceholders("{n} {n:Kurs|Kurse}", { n: 0 }, "de")).toBe("0 Kurse");
    // Spanish has a separate plural form for whole millions, which has the same text here.
    expect(interpolatePlaceholders("{n:curso|cursos}", { n: 1_000_000 }, "es")).toBe("cursos");
  });
});
