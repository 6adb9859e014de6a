import { isJsonEscape } from "./latex-escapes.ts";

/** By opening quote. */
const closers: Record<string, string> = {
  '"': '"',
  "“": '”“"',
  "”": "”",
  "„": '“”"',
  "«": "»",
  "»": "«",
  "‘": "’'",
  "’": "’",
  "'": "'",
  "`": "`",
};

const deepest = 16;

/**
 * A text's brackets and commas, with an index in `strings` for each string and number. Fixing wrong brackets
 * never changes a string.
 */
export type JsonOutline = { json: string; strings: string[]; end: number };

/**
 * Outlines near-JSON from its first bracket on, without comments. Undefined if incomplete, or a string is
 * ambiguous.
 */
export const outlineLenientJson = (text: string): JsonOutline | undefined => new Reader(text).read();

class Reader {
  readonly #text: string;
  #at: number;
  readonly #written: string[] = [];
  readonly #strings: string[] = [];
  #open = "";
  #last = "";

  constructor(text: string) {
    this.#text = text;
    this.#at = Math.max(text.search(/[{[]/), 0);
  }

  read(): JsonOutline | undefined {
    while (this.#at < this.#text.length) {
      if (!this.#token()) return undefined;
      if (this.#open === "") return this.#outline();
    }
    // Tolerates one missing bracket at the end; more means a truncated text.
    return this.#open === "{" && /[\]}"]/.test(this.#last) ? this.#outline() : undefined;
  }

  #outline = (): JsonOutline => ({ json: this.#written.join(""), strings: this.#strings, end: this.#at });

  #token(): boolean {
    const one = this.#text[this.#at] as string;
    if (/\s/.test(one)) return this.#write(one, "");
    if (one === "{" || one === "[") {
      if (this.#open.length === deepest) return false;
      this.#open += one;
      return this.#write(one, one);
    }
    if (one === "}" || one === "]") return this.#close(one);
    if (one === "," || one === ":") return this.#write(one, one);
    if (one === "/" || one === "#") return this.#comment();
    if (closers[one]) return this.#string(one, closers[one]);
    return this.#bareWord();
  }

  #write(text: string, token: string, length = text.length): true {
    this.#written.push(text);
    if (token !== "") this.#last = token;
    this.#at += length;
    return true;
  }

  #writeString(value: string, token: string, length: number): true {
    this.#strings.push(value);
    return this.#write(`"${this.#strings.length - 1}"`, token, length);
  }

  /** Also closes inner brackets that were forgotten. */
  #close(bracket: string): boolean {
    const opener = this.#open.lastIndexOf(bracket === "}" ? "{" : "[");
    if (opener < 0) return false;
    this.#open = this.#open.slice(0, opener);
    return this.#write(bracket, bracket);
  }

  #comment(): boolean {
    const isBlock = this.#text.startsWith("/*", this.#at);
    if (!isBlock && this.#text[this.#at] === "/" && this.#text[this.#at + 1] !== "/") return false;
    const end = this.#text.indexOf(isBlock ? "*/" : "\n", this.#at);
    if (end < 0 && isBlock) return false;
    this.#at = end < 0 ? this.#text.length : end + (isBlock ? 2 : 0);
    return true;
  }

  /** Up to its last quote, determined by what follows. Quotes within must come in pairs. */
  #string(opener: string, ends: string): boolean {
    const characters: string[] = [];
    let inner = 0;
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      const one = this.#text[at] as string;
      if (one === "\\" && isJsonEscape(this.#text, at)) {
        at += 1;
        const escaped = this.#text[at] ?? "";
        characters.push("'`".includes(escaped) ? escaped : `\\${escaped}`);
      } else if (one === "\\") {
        characters.push("\\\\");
      } else if (ends.includes(one) && this.#isFollowed(at + 1)) {
        if (inner % 2 === 1) return false;
        const value = decoded(characters.join(""));
        return value !== undefined && this.#writeString(value, '"', at + 1 - this.#at);
      } else {
        if ((ends.includes(one) || one === opener) && !this.#isApostrophe(at)) inner += 1;
        characters.push(one === '"' ? '\\"' : one < " " ? escapeOf(one) : one);
      }
    }
    return false;
  }

  #isApostrophe = (at: number): boolean =>
    /['’]/.test(this.#text[at] ?? "") && /\p{L}{2}/u.test(`${this.#text[at - 1]}${this.#text[at + 1]}`);

  /** The end of a value follows, or a line with another one. */
  #isFollowed(start: number): boolean {
    let at = start;
    let isNewLine = false;
    for (; /\s/.test(this.#text[at] ?? ""); at += 1) isNewLine ||= this.#text[at] === "\n";
    const next = this.#text[at];
    if (next === undefined || ",:]}".includes(next)) return true;
    if (this.#text.startsWith("//", at) || this.#text.startsWith("/*", at)) return true;
    return isNewLine && (next in closers || "{[#".includes(next));
  }

  #bareWord(): boolean {
    const word = /^[\p{L}\p{N}_$.+-]*/u.exec(this.#text.slice(this.#at, this.#at + 64))?.[0] ?? "";
    const end = this.#at + word.length;
    let at = end;
    while (/\s/.test(this.#text[at] ?? "")) at += 1;
    const next = this.#text[at] ?? "";
    if (word === "" || !",:]}/#".includes(next) || next === "") return false;
    const isKey = next === ":" && this.#last !== ":";
    const literal = literals.get(word);
    if (literal !== undefined && !isKey) return this.#write(literal, "word", word.length);
    const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(word);
    const isLetter = /^[A-Za-z]$/.test(word) && this.#last === ":";
    return (isKey || isNumber || isLetter) && this.#writeString(word, "word", word.length);
  }
}

const literals = new Map<string, string>(
  Object.entries({
    true: "true",
    false: "false",
    null: "null",
    True: "true",
    False: "false",
    None: "null",
  }),
);

function decoded(characters: string): string | undefined {
  try {
    return JSON.parse(`"${characters}"`) as string;
  } catch {
    return undefined;
  }
}

const escapeOf = (control: string): string => JSON.stringify(control).slice(1, -1);
