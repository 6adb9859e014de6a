/*
 * The worst input for a pattern: a matching beginning, one piece repeated, and an end that never matches,
 * which forces backtracking.
 */

/** A part of a pattern: alternative sequences, or a matcher of one character. */
type Part = { alternatives: Part[][] } | { atom: string };

const atomPattern =
  /\\p\{[^}]*\}|\\P\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\k<[^>]*>|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/iy;
const quantifierPattern = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
const groupPattern = /\((?:\?(?::|<\w+>|<?[=!]))?/y;

/** Parses a pattern's source. Skips lookarounds, which consume no text. */
function parse(source: string): Part[][] {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(source) ?? [];
    at += found?.length ?? 0;
    return found;
  };
  const alternatives = (): Part[][] => {
    const all: Part[][] = [[]];
    while (at < source.length && source[at] !== ")") {
      if (source[at] === "|") {
        at += 1;
        all.push([]);
        continue;
      }
      const group = take(groupPattern);
      const part: Part = group ? { alternatives: alternatives() } : { atom: take(atomPattern) ?? "" };
      if (group) at += 1;
      const isRepeated = take(quantifierPattern) !== undefined;
      const saysNothing = group
        ? /[=!]$/.test(group)
        : /^(\^|\$|\\[bB])$/.test((part as { atom: string }).atom);
      if (!saysNothing) all.at(-1)?.push(...(isRepeated ? [part, part] : [part]));
    }
    return all;
  };
  return alternatives();
}

/** Characters common in patterns, this project's first. */
const usual = " \t\n\r\u00a0aZez09_.-+/\\:;,'\"`<>()[]{}|&#@!?=$%*~^\u00df\u200b\ud7ff";

const atomsOf = (parts: Part[][]): string[] =>
  parts.flat().flatMap((part) => ("atom" in part ? part.atom : atomsOf(part.alternatives)));

const unique = <T>(values: Iterable<T>): T[] => [...new Set(values)];

/** Near-matches of a pattern: each alternative once, with characters that many of its parts accept, or few. */
function samplesOf({ source, flags }: RegExp): string[] {
  const parts = parse(source);
  const own = atomsOf(parts).filter((atom) => atom.length === 1);
  const alphabet = unique([...own, ...usual]);
  const caseAndUnicode = flags.replaceAll(/[^iuv]/g, "");
  const taken = new Map(
    unique(atomsOf(parts)).map((atom): [string, string[]] => {
      // A back reference.
      if (/^\\(k|[1-9])/.test(atom)) return [atom, []];
      const one = new RegExp(`^(?:${atom})$`, `${caseAndUnicode}s`);
      return [atom, alphabet.filter((character) => one.test(character))];
    }),
  );
  const popularity = (character: string): number =>
    [...taken.values()].filter((characters) => characters.includes(character)).length;
  const byPopularity = [1, -1].map((sign) => (atom: string): string => {
    const characters = taken.get(atom) ?? [];
    return characters.toSorted((a, b) => sign * (popularity(b) - popularity(a)))[0] ?? "";
  });
  return unique(byPopularity.flatMap((characterOf) => texts(parts, characterOf)));
}

/** For each alternative at any depth, a text through it and otherwise through the first ones. */
function texts(parts: Part[][], characterOf: (atom: string) => string): string[] {
  return parts.flatMap((sequence) => {
    const choices = sequence.map((part) =>
      "atom" in part ? [characterOf(part.atom)] : texts(part.alternatives, characterOf),
    );
    const firsts = choices.map(([first = ""]) => first);
    const others = choices.flatMap((options, at) =>
      options.slice(1).map((option) => firsts.with(at, option).join("")),
    );
    return [firsts.join(""), ...others];
  });
}

const longestPiece = 6;

export type Attack = { before: string; piece: string; after: string };

/** An attack's text of about that many characters. */
export const attackText = ({ before, piece, after }: Attack, length: number): string =>
  before + piece.repeat(Math.ceil(length / piece.length)) + after;

/** Each piece of each sample, repeated: after its prefix, or from the start. */
export function attacksOn(pattern: RegExp): Attack[] {
  const attacks = new Map<string, Attack>();
  for (const sample of samplesOf(pattern))
    for (let from = 0; from < sample.length; from++)
      for (let to = from + 1; to <= Math.min(sample.length, from + longestPiece); to++)
        for (const before of unique(["", sample.slice(0, from)]))
          for (const after of ["\u0001", "\n"]) {
            const attack = { before, piece: sample.slice(from, to), after };
            attacks.set(JSON.stringify(attack), attack);
          }
  return [...attacks.values()];
}
