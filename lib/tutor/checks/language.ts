import type { Check } from "./checked-answer.ts";
import { extractFormulas } from "./formulas-in.ts";
import { learnerReadableText, normalizedWords, removeCode } from "./words.ts";

const common = new Map(
  Object.entries({
    en: "the of and to is in that it you for are with this what which be as on have not can your how",
    de: "der die das und ist nicht ein eine zu den mit von auf für sich im dem des wie was du sie kann wird",
    fr: "le la les des et est un une du que qui dans pour pas ce vous par sur avec plus sont cette au nous",
    es: "el la los las de y es un una que en por con para no se del como su más lo este qué son",
    it: "il la di che è un una per non in con del le si della sono come i gli questo più nel cosa",
    pt: "o a os as de e é um uma que em para com não por do da se mais como no na isso são",
    nl: "de het een en van is dat in te niet op zijn met voor die aan er ook je wat wordt deze hoe",
    pl: "i w na z się nie że do to jest co jak po za od dla tym przez czy które są tego jego",
    sv: "och att det som är en på för av med den till inte ett om har de vad hur kan du",
    da: "og at det som er en på for af med den til ikke et om har de hvad hvordan kan du",
  }).map(([code, words]) => [code, new Set(words.split(" "))] as const),
);

const scripts = new Map<string, RegExp>(
  Object.entries({
    ru: /\p{Script=Cyrillic}/gu,
    uk: /\p{Script=Cyrillic}/gu,
    bg: /\p{Script=Cyrillic}/gu,
    el: /\p{Script=Greek}/gu,
    ar: /\p{Script=Arabic}/gu,
    fa: /\p{Script=Arabic}/gu,
    he: /\p{Script=Hebrew}/gu,
    hi: /\p{Script=Devanagari}/gu,
    zh: /\p{Script=Han}/gu,
    ja: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
    ko: /\p{Script=Hangul}/gu,
  }),
);

/** Less text is inconclusive. */
const minWordsForLanguageCheck = 12;
const minLettersForScriptCheck = 24;

/** Of the letters: courses quote other languages, and Chinese needs fewer letters. */
const minScriptLetterShare = 0.3;
const minIdeographLetterShare = 0.1;
const maxEnglishWordShare = 0.3;

export const checkAnswerLanguage: Check = ({ text, question }, { language }) => {
  const [code = ""] = language.toLowerCase().split("-");
  const written = withoutQuotations(extractFormulas(removeCode(learnerReadableText(text, question))).rest);
  const letters = countOf(written, /\p{L}/gu);
  if (letters < minLettersForScriptCheck) return undefined;
  const script = scripts.get(code) ?? /\p{Script=Latin}/gu;
  const least = ["zh", "ja", "ko"].includes(code) ? minIdeographLetterShare : minScriptLetterShare;
  if (countOf(written, script) < least * letters) return wrong(language);
  const words = normalizedWords(written);
  if (scripts.has(code) || words.length < minWordsForLanguageCheck) return null;
  const usual = common.get(code);
  // No list for this language, which may share words with relatives. English is a frequent fault.
  if (!usual) return shareOf(words, common.get("en")) > maxEnglishWordShare ? wrong(language, "en") : null;
  const counts = [...common].map(([name, list]) => [name, shareOf(words, list)] as const);
  const own = shareOf(words, usual);
  const [best = "", share = 0] = counts.toSorted(([, one], [, other]) => other - one)[0] ?? [];
  // Related languages share words, so another language needs a clear lead.
  return best !== code && share > 0.12 && share > 1.5 * own ? wrong(language, best) : null;
};

const countOf = (text: string, letter: RegExp): number => text.match(letter)?.length ?? 0;

/** A course may teach another language. */
const withoutQuotations = (text: string): string =>
  text.replaceAll(/^[ \t]*>.*$/gm, " ").replaceAll(/["“„«»][^"“”„«»\n]{1,2000}["”“«»]/g, " ");

const shareOf = (words: readonly string[], known: ReadonlySet<string> | undefined): number =>
  words.filter((word) => known?.has(word)).length / words.length;

const wrong = (language: string, found?: string): string =>
  `The answer is not in the course's language, ${language}${found ? `, but seems to be in ${found}` : ""}`;
