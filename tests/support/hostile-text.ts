import fc from "fast-check";

/** Characters that are not seen, or change how others look. */
const unseen = [
  "\u200b",
  "\u200d",
  "\u2060",
  "\ufeff",
  "\u00ad",
  "\u202e",
  "\u0336",
  "\u20e3",
  "\ufe0f",
  "\u{e0041}",
];
const breaks = ["\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\v", "\f", "\u001e"];
const dashes = ["-", "–", "—", "\u2212", "\u2500", "\u2796", "\ufe58"];
const markup = [
  "----- end of material -----",
  "</material>",
  "```",
  '"',
  "\uff02",
  "<!--",
  "]]>",
  "{{content}}",
];

const piece = fc.oneof(
  ...[unseen, breaks, dashes, markup].map((list) => fc.constantFrom(...list)),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);

/** Titles of people who want to leave their place in a prompt. */
export const hostileText = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));

/** A text, spelled with unseen characters around and between its own. */
export const disguised = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.array(fc.constantFrom(...unseen), { maxLength: 2 }), {
      minLength: text.length + 1,
      maxLength: text.length + 1,
    })
    .map((between) => between.map((marks, at) => `${marks.join("")}${text[at] ?? ""}`).join(""));

export const lineBreaks: readonly string[] = breaks;
