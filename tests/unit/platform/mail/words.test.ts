import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { translatorAndTagForLocale } from "../../../../lib/platform/mail/mail-translations.ts";

const folder = new URL("../../../../lib/platform/mail/words/", import.meta.url);
const names = await readdir(folder);
const texts = await Promise.all(
  names.map(
    async (name) => JSON.parse(await readFile(new URL(name, folder), "utf8")) as Record<string, string>,
  ),
);
const english = texts[names.indexOf("en.json")] ?? {};

const valuesIn = (text = "") => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort();

it.each(names.map((name, at) => ({ name, words: texts[at] ?? {} })))("$name says all of it", ({ words }) => {
  expect(Object.keys(words)).toEqual(Object.keys(english));
  for (const [name, text] of Object.entries(words)) {
    expect(valuesIn(text), name).toEqual(valuesIn(english[name]));
    expect(text.trim().length, name).toBeGreaterThan(0);
  }
});

it.each([
  ["de", "Sie sind eingeladen"],
  ["de-AT", "Sie sind eingeladen"],
  ["ES", "Tienes una invitación"],
  ["en-US", "You are invited"],
  ["fr", "You are invited"],
  ["", "You are invited"],
])("to %j it says %j", (locale, wanted) => {
  expect(translatorAndTagForLocale(locale).say("invited.subject")).toBe(wanted);
});

it("a placeholder inside a value is not replaced", () => {
  const { say } = translatorAndTagForLocale("en");
  expect(say("invited.by", { names: "{names} $& {n}" })).toBe("Invited by: {names} $& {n}");
});
