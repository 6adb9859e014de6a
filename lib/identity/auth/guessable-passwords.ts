/** `common`: a common password in a simple variation. `own words`: little but words about the person. */
export type PasswordWeakness = "common" | "own words";

/** Digits and marks before and after a common password that do not hide it. */
const maxCharactersAroundCommonPassword = 10;

/** Fewer letters than this beside the person's words do not hide them. */
const fewLetters = 4;

/**
 * Why the password is easy to guess, if it is. Ignores case, accents, digits and marks around a word, and
 * digits that replace letters. `words` are names and addresses. Pure.
 */
export function findPasswordWeakness(
  password: string,
  words: readonly string[],
  common: ReadonlySet<string>,
): PasswordWeakness | undefined {
  const folded = fold(password);
  if (isCommon(folded, common)) return "common";
  const rest = withoutWords(folded, words);
  if (rest === folded) return undefined;
  return lettersOf(rest).length < fewLetters || isCommon(rest, common) ? "own words" : undefined;
}

/** Hashes ignore what follows. */
const maxHashedPasswordCharacters = 72;

function fold(text: string): string {
  const plain = text
    .slice(0, 4 * maxHashedPasswordCharacters)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase();
  return [...plain].slice(0, maxHashedPasswordCharacters).join("");
}

const lettersOf = (text: string): string => text.replaceAll(/\P{L}/gu, "");

const isCommon = (folded: string, common: ReadonlySet<string>): boolean =>
  isSequence(folded) ||
  variationsOf(folded).some((one) => common.has(one)) ||
  isRepetition(
    folded,
    (unit) => unit.length < fewLetters || variationsOf(unit).some((one) => common.has(one)),
  );

function variationsOf(text: string): string[] {
  const characters = [...text];
  const isLetter = (one: string) => /\p{L}/u.test(one);
  const isMark = (one: string) => /[^\p{L}\p{N}]/u.test(one);
  const [first, last] = [characters.findIndex(isLetter), characters.findLastIndex(isLetter)];
  const lastSign = characters.findLastIndex((one) => !isMark(one));
  const cuts = [
    [0, lastSign],
    [0, last],
    [first, last],
  ] as const;
  const cut = cuts
    .filter(
      ([from, to]) =>
        from >= 0 &&
        to - from >= 2 &&
        characters.length - (to - from + 1) <= maxCharactersAroundCommonPassword,
    )
    .map(([from, to]) => characters.slice(from, to + 1).join(""));
  return [text, ...cut].flatMap((one) => [one, spelled(one, "i"), spelled(one, "l")]);
}

const letters: Record<string, string> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

/** With letters instead of digits and marks that look like them. */
const spelled = (text: string, one: "i" | "l"): string =>
  [...text].map((character) => letters[character] ?? (/[1!|]/.test(character) ? one : character)).join("");

/** Such as `12345678` or `hgfedcba`. */
function isSequence(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const isSteady = (step: number) =>
    codes.every((code, at) => at === 0 || code - (codes[at - 1] ?? 0) === step);
  return codes.length >= fewLetters && (isSteady(1) || isSteady(-1));
}

/** The text repeats such a unit, at least twice; the last may be incomplete. */
function isRepetition(text: string, isWeak: (unit: string) => boolean): boolean {
  for (let length = 1; length * 2 <= text.length; length += 1) {
    const unit = text.slice(0, length);
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text) && isWeak(unit)) return true;
  }
  return false;
}

/** The shortest words of a name that are ignored in a password. */
const minNameWordCharacters = 3;

function withoutWords(folded: string, words: readonly string[]): string {
  const parts = words.flatMap((one) => fold(one).match(/\p{L}+/gu) ?? []);
  const longestFirst = [...new Set(parts)]
    .filter((part) => part.length >= minNameWordCharacters)
    .sort((one, other) => other.length - one.length);
  return longestFirst.reduce((rest, part) => rest.replaceAll(part, ""), folded);
}
