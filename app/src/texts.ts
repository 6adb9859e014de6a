import { useEffect, useState } from "preact/hooks";
import en from "../texts/en.json";
import type enLater from "../texts/later/en.json";
import { filled, type Values } from "./fill.ts";

type FirstTexts = Record<keyof typeof en, string>;
type LaterTexts = Record<keyof typeof enLater, string>;
export type Text = keyof FirstTexts | keyof LaterTexts;

/** Each language of the application, in its own words; a further one is a further file and a line here. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

const firstFiles: Record<Language, () => Promise<FirstTexts>> = {
  en: async () => en,
  de: async () => (await import("../texts/de.json")).default,
};

/** What the screens say that are loaded when they are asked for. */
const laterFiles: Record<Language, () => Promise<LaterTexts>> = {
  en: async () => (await import("../texts/later/en.json")).default,
  de: async () => (await import("../texts/later/de.json")).default,
};

let texts: Partial<Record<Text, string>> = en;
let language: Language = "en";
let hasLater = false;
const listeners = new Set<() => void>();
const key = "language";

/** The language that was chosen here before, or else the first of the browser's that there is. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(key), ...navigator.languages].map((tag) => tag?.split("-")[0]);
  return wanted.find((tag): tag is Language => tag !== undefined && Object.hasOwn(languages, tag)) ?? "en";
}

export async function speak(chosen: Language): Promise<void> {
  texts = { ...(await firstFiles[chosen]()), ...(hasLater && (await laterFiles[chosen]())) };
  language = chosen;
  document.documentElement.lang = chosen;
  for (const listener of listeners) listener();
}

/** Reads what a screen says that is loaded when it is asked for, once for all of them. */
export async function readLaterTexts(): Promise<void> {
  if (hasLater) return;
  const spoken = language;
  const later = await laterFiles[spoken]();
  if (spoken !== language) return readLaterTexts();
  texts = { ...texts, ...later };
  hasLater = true;
}

export function chooseLanguage(chosen: Language): Promise<void> {
  localStorage.setItem(key, chosen);
  return speak(chosen);
}

export const currentLanguage = (): Language => language;

/** A text in the language that is spoken, with its values (`filled`). */
export const t = (name: Text, values: Values = {}): string => filled(texts[name] ?? name, values, language);

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
