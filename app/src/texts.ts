import { useEffect, useState } from "preact/hooks";
import en from "../texts/en.json";
import { filled, type Values } from "./fill.ts";

export type Text = keyof typeof en;
type Texts = Record<Text, string>;

/** Each language of the application, in its own words; a further one is a further file and a line here. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

const files: Record<Language, () => Promise<Texts>> = {
  en: async () => en,
  de: async () => (await import("../texts/de.json")).default,
};

let texts: Texts = en;
let language: Language = "en";
const listeners = new Set<() => void>();
const key = "language";

/** The language that was chosen here before, or else the first of the browser's that there is. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(key), ...navigator.languages].map((tag) => tag?.split("-")[0]);
  return wanted.find((tag): tag is Language => tag !== undefined && Object.hasOwn(languages, tag)) ?? "en";
}

export async function speak(chosen: Language): Promise<void> {
  texts = await files[chosen]();
  language = chosen;
  document.documentElement.lang = chosen;
  for (const listener of listeners) listener();
}

export function chooseLanguage(chosen: Language): Promise<void> {
  localStorage.setItem(key, chosen);
  return speak(chosen);
}

export const currentLanguage = (): Language => language;

/** A text in the language that is spoken, with its values (`filled`). */
export const t = (name: Text, values: Values = {}): string => filled(texts[name], values, language);

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
