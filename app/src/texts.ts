import { useEffect, useState } from "preact/hooks";
import type enAuthoring from "../texts/authoring/en.json";
import en from "../texts/en.json";
import type enLater from "../texts/later/en.json";
import type enPrompts from "../texts/prompts/en.json";
import { interpolate, type Values } from "./interpolate.ts";

/** A further group of texts is a further folder and a line here. */
type Texts = {
  first: Record<keyof typeof en, string>;
  later: Record<keyof typeof enLater, string>;
  authoring: Record<keyof typeof enAuthoring, string>;
  prompts: Record<keyof typeof enPrompts, string>;
};
type Group = keyof Texts;
export type LaterGroup = Exclude<Group, "first">;
export type Text = { [Name in Group]: keyof Texts[Name] }[Group];

/** Each language of the application, in its own words; a further one is a further file of each group, and a line for it here. */
export const languages = { en: "English", de: "Deutsch", es: "Español" } as const;
export type Language = keyof typeof languages;

/**
 * What the first screens say, what those say that are loaded when they are asked for, and what only authors read, of courses
 * and of prompts.
 */
const files: { [Name in Group]: Record<Language, () => Promise<Texts[Name]>> } = {
  first: {
    en: async () => en,
    de: async () => (await import("../texts/de.json")).default,
    es: async () => (await import("../texts/es.json")).default,
  },
  later: {
    en: async () => (await import("../texts/later/en.json")).default,
    de: async () => (await import("../texts/later/de.json")).default,
    es: async () => (await import("../texts/later/es.json")).default,
  },
  authoring: {
    en: async () => (await import("../texts/authoring/en.json")).default,
    de: async () => (await import("../texts/authoring/de.json")).default,
    es: async () => (await import("../texts/authoring/es.json")).default,
  },
  prompts: {
    en: async () => (await import("../texts/prompts/en.json")).default,
    de: async () => (await import("../texts/prompts/de.json")).default,
    es: async () => (await import("../texts/prompts/es.json")).default,
  },
};

let texts: Partial<Record<Text, string>> = en;
let language: Language = "en";
const groups = new Set<Group>(["first"]);
const listeners = new Set<() => void>();
const key = "language";

/** The language that was chosen here before, or else the first of the browser's that there is. */
export function preferredLanguage(): Language {
  const wanted = [kept(), ...navigator.languages].map((tag) => tag?.split("-")[0]);
  return wanted.find((tag): tag is Language => tag !== undefined && Object.hasOwn(languages, tag)) ?? "en";
}

/** Nothing, where the browser keeps nothing of a frame. */
function kept(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export async function speak(chosen: Language): Promise<void> {
  const read = await Promise.all([...groups].map((group) => files[group][chosen]()));
  if (read.length !== groups.size) return speak(chosen);
  texts = Object.assign({}, ...read);
  language = chosen;
  document.documentElement.lang = chosen;
  for (const listener of listeners) listener();
}

/** Reads what screens say that are loaded when they are asked for, once for all of them. */
export async function readTexts(group: LaterGroup): Promise<void> {
  if (groups.has(group)) return;
  const spoken = language;
  const read = await files[group][spoken]();
  if (spoken !== language) return readTexts(group);
  texts = { ...texts, ...read };
  groups.add(group);
}

export function chooseLanguage(chosen: Language): Promise<void> {
  localStorage.setItem(key, chosen);
  return speak(chosen);
}

export const currentLanguage = (): Language => language;

/** A text in the language that is spoken, with its values (`interpolate`). */
export const t = (name: Text, values: Values = {}): string =>
  interpolate(texts[name] ?? name, values, language);

/** What stands behind a prefix in the names of texts. */
type Suffix<Prefix extends string, Key = Text> = Key extends `${Prefix}.${infer Rest}` ? Rest : never;

/** Values, each with its words, which are named after it: `OPEN` with those of `offering.OPEN`. */
export const worded = <Prefix extends string, Value extends Suffix<Prefix>>(
  prefix: Prefix,
  values: readonly Value[],
): [Value, string][] => values.map((value) => [value, t(`${prefix}.${value}` as Text)]);

/** Draws the component again when another language is spoken. */
export function useLanguage(): Language {
  const [spoken, setSpoken] = useState(language);
  useEffect(() => {
    const listener = () => setSpoken(language);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return spoken;
}
