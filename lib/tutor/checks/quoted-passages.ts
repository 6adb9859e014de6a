import { memoizeLru } from "../../platform/caching/lru.ts";
import { minQuotedWords, normalizedWords } from "./words.ts";

/**
 * `fewestWords`: the shortest text that counts if quoted completely. `findsEdited`: a sentence with a few changed
 * words counts too.
 */
export type NamedSecretText<Name extends string> = {
  name: Name;
  text: string;
  fewestWords: number;
  findsEdited?: boolean;
};

export type QuotedPassage<Name extends string> = { name: Name; words: string; from: number; to: number };

type Form = {
  isRun: boolean;
  words: string[];
  runs: ReadonlySet<string>;
  /** The triples of words of each sentence that is long enough to count if edited. */
  sentences: readonly ReadonlySet<string>[];
};

/** The prompt and the notes are the same for all answers of a topic. */
const formOf = memoizeLru(200, (text: string): Form => {
  const words = normalizedWords(text);
  const isRun = words.length >= minQuotedWords;
  const sentences = text
    .split(/[.!?;\n。！？]+/)
    .map(normalizedWords)
    .filter(({ length }) => length >= minQuotedWords)
    .map((sentence) => new Set(runsOf(sentence, wordsOfTriple)));
  return { isRun, words, runs: new Set(isRun ? runsOf(words) : []), sentences };
});

const wordsOfTriple = 3;
const minEditedTriples = 5;
/** Of a sentence's triples: each changed word changes three of them. */
const minEditedShare = 0.5;
const extraWordsOfEdited = 5;

const runsOf = (words: readonly string[], length = minQuotedWords): string[] =>
  words.slice(length - 1).map((_, at) => words.slice(at, at + length).join(" "));

/**
 * Passages that quote eight consecutive words of a secret, or a shorter secret completely. Public text is no
 * quote; it is only read if there is a match.
 */
export function quotedPassages<Name extends string>(
  text: string,
  secrets: readonly NamedSecretText<Name>[],
  publicText: () => string,
): QuotedPassage<Name>[] {
  const found = [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)];
  const words = found.map(([word]) => word.normalize("NFKC").toLowerCase());
  const runs = runsOf(words);
  let open: string | undefined;
  const isPublic = (said: string): boolean => {
    open ??= ` ${normalizedWords(publicText()).join(" ")} `;
    return open.includes(` ${said} `);
  };
  const passage = (name: Name, said: string, at: number, count: number): QuotedPassage<Name>[] => {
    if (isPublic(said)) return [];
    const last = found[at + count - 1];
    return [
      { name, words: said, from: found[at]?.index ?? 0, to: (last?.index ?? 0) + (last?.[0].length ?? 0) },
    ];
  };
  const triples = runsOf(words, wordsOfTriple);
  const edited = (name: Name, sentence: ReadonlySet<string>): QuotedPassage<Name>[] => {
    const hits = triples.flatMap((triple, at) => (sentence.has(triple) ? [at] : []));
    // The public text is only read if there is a match.
    if (editedPlaces(hits, triples, sentence).length === 0) return [];
    const secretHits = hits.filter((at) => !isPublic(triples[at] ?? ""));
    return editedPlaces(secretHits, triples, sentence).flatMap(({ from, to }) => {
      const count = to - from + wordsOfTriple;
      return passage(name, words.slice(from, from + count).join(" "), from, count);
    });
  };
  return secrets.flatMap(({ name, text: secret, fewestWords, findsEdited }) => {
    const form = formOf(secret);
    if (form.isRun) {
      const quoted = runs.flatMap((run, at) =>
        form.runs.has(run) ? passage(name, run, at, minQuotedWords) : [],
      );
      if (quoted.length > 0 || !findsEdited) return quoted;
      return form.sentences.flatMap((sentence) => edited(name, sentence));
    }
    if (form.words.length < fewestWords) return [];
    return placesOf(form.words, words).flatMap((at) =>
      passage(name, form.words.join(" "), at, form.words.length),
    );
  });
}

/** The first and last triple of each passage that has enough of a sentence's triples. */
function editedPlaces(
  hits: readonly number[],
  triples: readonly string[],
  sentence: ReadonlySet<string>,
): { from: number; to: number }[] {
  const places: { from: number; to: number }[] = [];
  const least = Math.max(minEditedTriples, Math.ceil(sentence.size * minEditedShare));
  const longest = sentence.size + extraWordsOfEdited;
  let first = 0;
  for (const [last, to] of hits.entries()) {
    while ((hits[first] ?? to) <= to - longest) first += 1;
    const near = hits.slice(first, last + 1);
    const distinct = new Set(near.map((at) => triples[at]));
    if (distinct.size < least) continue;
    places.push({ from: near[0] ?? to, to });
    first = last + 1;
  }
  return places;
}

/** Secrets here have fewer than eight words, so the search is linear. */
const placesOf = (sought: readonly string[], words: readonly string[]): number[] =>
  words.flatMap((word, at) =>
    word === sought[0] && sought.every((one, nth) => words[at + nth] === one) ? [at] : [],
  );

const removed = "[…]";
/**
 * Replaces the sentences with these passages. In a fenced block, which may be JSON, a string counts as a
 * sentence: a question stays readable.
 */
export function replaceQuotingSentences(
  text: string,
  passages: readonly Pick<QuotedPassage<string>, "from" | "to">[],
): string {
  let kept = "";
  let end = 0;
  for (const { from, to } of passages.toSorted((one, other) => one.from - other.from)) {
    if (to <= end) continue;
    const start = startOfSentence(text, Math.max(from, end), end);
    kept += text.slice(end, start) + (start === end && kept.endsWith(removed) ? "" : removed);
    end = endOfSentence(text, Math.max(to, end));
  }
  return kept + text.slice(end);
}

function startOfSentence(text: string, from: number, end: number): number {
  let at = from;
  while (at > end && !isBoundary(text, at - 1)) at -= 1;
  while (at < from && /\s/.test(text[at] ?? "")) at += 1;
  return at;
}

function endOfSentence(text: string, to: number): number {
  let at = to;
  while (at < text.length && !isBoundary(text, at)) at += 1;
  return at < text.length && !/[\n"]/.test(text[at] ?? "") ? at + 1 : at;
}

/** Not the point of "3.5". */
const isBoundary = (text: string, at: number): boolean =>
  /[\n"…。！？]/.test(text[at] ?? "") ||
  (/[.!?]/.test(text[at] ?? "") && !/[\p{L}\p{N}]/u.test(text[at + 1] ?? ""));
