import { useEffect, useState } from "preact/hooks";
import type enAdministration from "../texts/administration/en.json";
import type enAuthoring from "../texts/authoring/en.json";
import en from "../texts/en.json" with { type: "json" };
import type enLater from "../texts/later/en.json";
import type enPrompts from "../texts/prompts/en.json";
import { type InterpolationValues, interpolatePlaceholders } from "./interpolate.ts";

/** To add a group of texts, add its directory and a line here. */
type Texts = {
  first: Record<keyof typeof en, string>;
  later: Record<keyof typeof enLater, string>;
  administration: Record<keyof typeof enAdministration, string>;
  authoring: Record<keyof typeof enAuthoring, string>;
  prompts: Record<keyof typeof enPrompts, string>;
};
type Group = keyof Texts;
export type LazyTextGroup = Exclude<Group, "first">;
export type TextKey = { [Name in Group]: keyof Texts[Name] }[Group];

/** Languages by their own name. To add one, add its file to each group and a line here. */
export const languageNames = { en: "English", de: "Deutsch", es: "Español" } as const;
export type Language = keyof typeof languageNames;

/** Texts by group: first screens, screens loaded on demand, and authoring. */
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
  administration: {
    en: async () => (await import("../texts/administration/en.json")).default,
    de: async () => (await import("../texts/administration/de.json")).default,
    es: async () => (await import("../texts/administration/es.json")).default,
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

let texts: Partial<Record<TextKey, string>> = en;
let language: Language = "en";
const groups = new Set<Group>(["first"]);
const listeners = new Set<() => void>();
const key = "language";

/** The language chosen before, or the first supported one of the browser. */
export function preferredLanguage(): Language {
  const wanted = [kept(), ...navigator.languages].map((tag) => tag?.split("-")[0]);
  return (
    wanted.find((tag): tag is Language => tag !== undefined && Object.hasOwn(languageNames, tag)) ?? "en"
  );
}

/** Null if the browser blocks storage in frames. */
function kept(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export async function loadAndApplyLanguage(chosen: Language): Promise<void> {
  const read = await Promise.all([...groups].map((group) => files[group][chosen]()));
  if (read.length !== groups.size) return loadAndApplyLanguage(chosen);
  texts = Object.assign({}, ...read);
  language = chosen;
  document.documentElement.lang = chosen;
  for (const listener of listeners) listener();
}

/** Loads a group's texts, once. */
export async function loadTextGroup(group: LazyTextGroup): Promise<void> {
  if (groups.has(group)) return;
  const spoken = language;
  const read = await files[group][spoken]();
  if (spoken !== language) return loadTextGroup(group);
  texts = { ...texts, ...read };
  groups.add(group);
}

export function saveAndApplyLanguage(chosen: Language): Promise<void> {
  localStorage.setItem(key, chosen);
  return loadAndApplyLanguage(chosen);
}

export const currentLanguage = (): Language => language;

/** A text in the current language with its values (`interpolate`). */
export const t = (name: TextKey, values: InterpolationValues = {}): string =>
  interpolatePlaceholders(texts[name] ?? name, values, language);

/** The part of a text's name after a prefix. */
type Suffix<Prefix extends string, Key = TextKey> = Key extends `${Prefix}.${infer Rest}` ? Rest : never;

/** Values with labels: `OPEN` has the text `offering.OPEN`. */
export const withTranslatedLabels = <Prefix extends string, Value extends Suffix<Prefix>>(
  prefix: Prefix,
  values: readonly Value[],
): [Value, string][] => values.map((value) => [value, t(`${prefix}.${value}` as TextKey)]);

/** Re-renders the component when the language changes. */
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
