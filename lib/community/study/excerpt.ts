type Excerpt = { excerpt: string; marks: { start: number; end: number }[] };

/** Characters of an excerpt, and how many of them precede the match. */
const [longest, before] = [280, 80];

const unaccented: Readonly<Record<string, string>> = { ø: "o", ł: "l", đ: "d", ħ: "h", ı: "i", ß: "s" };

/** Of words in the SQL function `searched`. */
const between = /[\s!-/:-@[-`{-~´’]/;

/** As `searched` normalizes it, with each character's original index. */
function foldedOf(text: string): { folded: string; at: number[] } {
  let folded = " ";
  const at = [0];
  let place = 0;
  for (const character of text) {
    const plain = character
      .normalize("NFD")
      .replaceAll(/[\u0300-\u036f]/g, "")
      .normalize("NFC")
      .toLowerCase();
    for (const one of between.test(character) ? " " : plain) {
      if (one === " " && folded.endsWith(" ")) continue;
      folded += unaccented[one] ?? one;
      for (let unit = 0; unit < one.length; unit += 1) at.push(place);
    }
    place += character.length;
  }
  return { folded, at };
}

/** As `likePatternForWordsSql`: one or two characters match only at a word's start. */
function placesOf(text: string, words: string): { start: number; end: number }[] {
  const { folded, at } = foldedOf(text);
  const wanted = words
    .split(/\s+/)
    .map((word) => foldedOf(word).folded.trim())
    .filter(Boolean)
    .map((word) => (word.length < 3 ? ` ${word}` : word));
  const places = [...new Set(wanted)].flatMap((word) => {
    const found: { start: number; end: number }[] = [];
    for (let from = folded.indexOf(word); from >= 0; from = folded.indexOf(word, from + word.length)) {
      const first = from + (word.startsWith(" ") ? 1 : 0);
      found.push({ start: at[first] ?? 0, end: at[from + word.length] ?? text.length });
    }
    return found;
  });
  return places.sort((one, other) => one.start - other.start);
}

/**
 * About 280 characters around the first match, on one line, with the matches' positions. Without a match, the
 * text's beginning.
 */
export function excerptAroundFirstMatch(text: string, words: string): Excerpt {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const first = placesOf(line, words)[0]?.start ?? 0;
  const start = first <= before ? 0 : wordAfter(line, first - before);
  const end = line.length - start <= longest ? line.length : wordBefore(line, start + longest);
  const shown = line.slice(start, end).trim();
  const excerpt = `${start > 0 ? "… " : ""}${shown}${end < line.length ? " …" : ""}`;
  return { excerpt, marks: joined(placesOf(excerpt, words)) };
}

const wordAfter = (text: string, at: number): number => {
  const blank = text.indexOf(" ", at);
  return blank < 0 || blank > at + 40 ? at : blank + 1;
};

const wordBefore = (text: string, at: number): number => {
  const blank = text.lastIndexOf(" ", at);
  return blank < at - 40 ? at : blank;
};

function joined(places: Excerpt["marks"]): Excerpt["marks"] {
  const marks: Excerpt["marks"] = [];
  for (const { start, end } of places) {
    const last = marks.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else marks.push({ start, end });
  }
  return marks;
}
