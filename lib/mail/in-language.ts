import de from "./words/de.json" with { type: "json" };
import en from "./words/en.json" with { type: "json" };
import es from "./words/es.json" with { type: "json" };

/** What mails say, by its name. */
export type MailText = keyof typeof en;

/** Each language that mails are written in; a further one is a further file and a line here. */
const languages: Readonly<Record<string, { tag: string; words: Record<MailText, string> }>> = {
  en: { tag: "en-GB", words: en },
  de: { tag: "de", words: de },
  es: { tag: "es", words: es },
};

/** A text with its `{values}`. */
export type Say = (name: MailText, values?: Record<string, string | number>) => string;

/** How a mail is written to whom has that locale, a BCP 47 tag: in English where mails are in no such language. Pure. */
export function inLanguageOf(locale: string): { say: Say; tag: string } {
  const { tag, words } = languages[locale.split("-")[0]?.toLowerCase() ?? ""] ?? { tag: "en-GB", words: en };
  return {
    tag,
    say: (name, values = {}) =>
      words[name].replaceAll(/\{(\w+)\}/g, (whole, value) => String(values[value] ?? whole)),
  };
}
