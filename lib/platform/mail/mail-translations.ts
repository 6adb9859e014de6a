import de from "./words/de.json" with { type: "json" };
import en from "./words/en.json" with { type: "json" };
import es from "./words/es.json" with { type: "json" };

export type MailTextKey = keyof typeof en;

/** Languages of mails. A new one needs a file and a line here. */
const languages = new Map<string, { tag: string; words: Record<MailTextKey, string> }>(
  Object.entries({
    en: { tag: "en-GB", words: en },
    de: { tag: "de", words: de },
    es: { tag: "es", words: es },
  }),
);

export type Translate = (name: MailTextKey, values?: Record<string, string | number>) => string;

export function translatorAndTagForLocale(locale: string): { say: Translate; tag: string } {
  const { tag, words } = languages.get(locale.split("-")[0]?.toLowerCase() ?? "") ?? {
    tag: "en-GB",
    words: en,
  };
  return {
    tag,
    say: (name, values = {}) =>
      words[name].replaceAll(/\{(\w+)\}/g, (whole, value) => String(values[value] ?? whole)),
  };
}
