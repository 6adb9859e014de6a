/** Code points at which an alphabet starts in Unicode's mathematical block. Some have no Greek letters or digits. */
type Alphabet = {
  capital: number;
  small: number;
  digit?: number;
  greek?: { capital: number; small: number };
};

const withGreek = (capital: number, greekCapital: number, digit?: number): Alphabet => ({
  capital,
  small: capital + 26,
  greek: { capital: greekCapital, small: greekCapital + 26 },
  ...(digit && { digit }),
});
const latin = (capital: number, digit?: number): Alphabet => ({
  capital,
  small: capital + 26,
  ...(digit && { digit }),
});

/** By `mathvariant`. Browsers support only `normal`. */
const alphabets: Record<string, Alphabet> = {
  bold: withGreek(0x1d400, 0x1d6a8, 0x1d7ce),
  italic: withGreek(0x1d434, 0x1d6e2),
  "bold-italic": withGreek(0x1d468, 0x1d71c),
  script: latin(0x1d49c),
  "bold-script": latin(0x1d4d0),
  fraktur: latin(0x1d504),
  "double-struck": latin(0x1d538, 0x1d7d8),
  "bold-fraktur": latin(0x1d56c),
  "sans-serif": latin(0x1d5a0, 0x1d7e2),
  "bold-sans-serif": withGreek(0x1d5d4, 0x1d756, 0x1d7ec),
  "sans-serif-italic": latin(0x1d608),
  "sans-serif-bold-italic": withGreek(0x1d63c, 0x1d790),
  monospace: latin(0x1d670, 0x1d7f6),
};

/** Letters with an older code point. Their positions in the block are empty. */
const elsewhere: Record<string, Record<string, string>> = {
  italic: { h: "ℎ" },
  script: { B: "ℬ", E: "ℰ", F: "ℱ", H: "ℋ", I: "ℐ", L: "ℒ", M: "ℳ", R: "ℛ", e: "ℯ", g: "ℊ", o: "ℴ" },
  fraktur: { C: "ℭ", H: "ℌ", I: "ℑ", R: "ℜ", Z: "ℨ" },
  "double-struck": { C: "ℂ", H: "ℍ", N: "ℕ", P: "ℙ", Q: "ℚ", R: "ℝ", Z: "ℤ" },
};

const greekCapitals = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ∇";
const greekSmall = "αβγδεζηθικλμνξοπρςστυφχψω∂ϵϑϰϕϱϖ";

/** Text in the letters of a `mathvariant`, or undefined if a letter has no counterpart. */
export function toMathVariantLetters(text: string, variant: string): string | undefined {
  const alphabet = alphabets[variant];
  if (!alphabet || text === "") return undefined;
  const letters = Array.from(text, (letter) => elsewhere[variant]?.[letter] ?? letterIn(alphabet, letter));
  return letters.includes(undefined) ? undefined : letters.join("");
}

function letterIn({ capital, small, digit, greek }: Alphabet, letter: string): string | undefined {
  const positions: [number | undefined, number][] = [
    [capital, "ABCDEFGHIJKLMNOPQRSTUVWXYZ".indexOf(letter)],
    [small, "abcdefghijklmnopqrstuvwxyz".indexOf(letter)],
    [digit, "0123456789".indexOf(letter)],
    [greek?.capital, greekCapitals.indexOf(letter)],
    [greek?.small, greekSmall.indexOf(letter)],
  ];
  const [first, at] = positions.find(([, position]) => position >= 0) ?? [];
  return first === undefined || at === undefined ? undefined : String.fromCodePoint(first + at);
}
