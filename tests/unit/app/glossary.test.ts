import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { glossary, type Term, wrongAddress } from "../../../app/texts/glossary.ts";

const folder = path.resolve(import.meta.dirname, "../../../app/texts");
const languages = ["de", "es"] as const;
type Language = (typeof languages)[number];
type Text = { key: string; english: string; own: string };

const read = (name: string): Record<string, string> =>
  JSON.parse(readFileSync(path.join(folder, name), "utf8"));
const catalogs = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
  (name) => path.basename(name) === "en.json",
);

/** The text without values. Plural forms stay. */
const words = (text: string): string =>
  text
    .replaceAll(/\{\w+(?::([^{|}]*)\|([^{}]*))?\}/g, (_, one = "", other = "") => ` ${one} ${other} `)
    .trim();

const textsIn = (language: Language): Text[] =>
  catalogs.flatMap((name) => {
    const own = read(path.join(path.dirname(name), `${language}.json`));
    return Object.entries(read(name)).map(([key, english]) => ({
      key: `${name}: ${key}`,
      english: words(english),
      own: words(own[key] ?? ""),
    }));
  });

/** Lowercase, without accents: plural forms often lose or gain one. */
const plain = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
const formsOf = (term: Term, language: Language): string[] => plain(term[language]).split("|");

const has = ({ english }: Text, { en }: Term): boolean => new RegExp(`\\b(?:${en})s?\\b`, "i").test(english);

/** The text is the term itself, with an article, a possessive or a verb that creates or deletes it. */
const isLabelOf = ({ english }: Text, { en }: Term): boolean =>
  new RegExp(`^(?:(?:an?|the|my|your|new|no|create|add|delete|find)\\s+)*(?:${en})s?\\.?$`, "i").test(
    english,
  );

/** Matches a whole word. `*` stands for any ending. */
const wordPattern = (word: string): RegExp =>
  new RegExp(`(?<!\\p{L})${plain(word).replace("*", "\\p{L}*")}(?!\\p{L})`, "u");

/** The text without the terms of things that the English text names. */
const withoutTerms = (text: Text, language: Language): string =>
  glossary
    .filter((term) => has(text, term))
    .flatMap((term) => formsOf(term, language))
    .reduce((rest, form) => rest.replaceAll(form, " "), plain(text.own));

/** Texts with a word that the glossary forbids. */
const wrongWords = (texts: readonly Text[], language: Language): string[] => {
  const forbidden = glossary.flatMap((term) => term.not?.[language] ?? []).map(wordPattern);
  return texts
    .filter((text) => {
      const rest = withoutTerms(text, language);
      return forbidden.some((pattern) => pattern.test(rest));
    })
    .map(({ key, own }) => `${key}: ${own}`);
};

/** Labels without the term of the thing that they name. */
const wrongLabels = (texts: readonly Text[], language: Language): string[] =>
  texts.flatMap((text) =>
    glossary
      .filter((term) => isLabelOf(text, term))
      .filter((term) => !formsOf(term, language).some((form) => plain(text.own).includes(form)))
      .map(({ en }) => `${text.key}: ${text.own} (${en})`),
  );

describe("the glossary", () => {
  it("has one row per thing, and names labels of the application", () => {
    expect(new Set(glossary.map(({ en }) => en)).size).toBe(glossary.length);
    const labels = textsIn("de").filter((text) => glossary.some((term) => isLabelOf(text, term)));
    expect(labels.length).toBeGreaterThan(150);
  });

  it.each(languages)("is followed by each label in %s", (language) => {
    expect(wrongLabels(textsIn(language), language)).toEqual([]);
  });

  it.each(languages)("keeps other words for its things out of the texts in %s", (language) => {
    expect(wrongWords(textsIn(language), language)).toEqual([]);
  });

  it.each(languages)("keeps to one form of address in %s", (language) => {
    const forbidden = wrongAddress[language].map(wordPattern);
    const wrong = textsIn(language).filter(({ own }) =>
      forbidden.some((pattern) => pattern.test(plain(own))),
    );
    expect(wrong.map(({ key, own }) => `${key}: ${own}`)).toEqual([]);
  });

  it("rejects a wrong term", () => {
    const label = { key: "nav.catalog", english: "Catalog", own: "Kursangebot" };
    expect(wrongLabels([label], "de")).toEqual(["nav.catalog: Kursangebot (catalog)"]);
    expect(wrongWords([label], "de")).toEqual(["nav.catalog: Kursangebot"]);
    const note = { key: "notes", english: "My notes", own: "Mis notas" };
    expect(wrongWords([note, { ...note, english: "My grades" }], "es")).toEqual(["notes: Mis notas"]);
  });
});
