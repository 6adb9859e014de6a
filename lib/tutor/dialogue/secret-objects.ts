import type { AnswerSegment, FencedBlock } from "./fenced-blocks.ts";
import { FieldLines, firstObjectIn, isFieldLine, mayBecomeFieldLine } from "./field-lines.ts";
import { fieldTagsAt, keyInTagsToJson, maxTagCharacters, maxTagNameCharacters } from "./field-tags.ts";
import { parseLenientJson } from "./lenient-json.ts";
import { plainSpelling } from "./plain-spelling.ts";
import { isPythonCall, pythonCallToJson } from "./python-call.ts";
import {
  hasKeyLines,
  isKeyShape,
  isQuestionShape,
  mayBecomeSecret,
  unwrapCallArguments,
} from "./secret-shapes.ts";
import { yamlKeyToJson } from "./yaml-key.ts";

/** Longest object that waits for its end. */
const maxHeldObjectCharacters = 20_000;

/** Marks of code and tags around an object, complete or not. */
const opening =
  /(?:(?:(?<![`~])(?:`{1,128}|~{1,128})[ \t]{0,8}(?:\n[ \t]{0,20})?|<(?:[A-Za-z|][^<>\n]{0,60}(?:>\s{0,20})?)?|\[[A-Z_]{0,20}\]?\s{0,4})){1,4}$/;
/** The longest text that `opening` matches. */
const maxObjectOpeningCharacters = 200;
const closing = /^\s{0,20}(?:`{1,128}|~{1,128}|<(?:\/[A-Za-z]|\|)[^<>\n]{0,60}>|\])/;
const closingBegun = /^\s{0,20}(?:$|`{1,128}$|~{1,128}$|<(?:(?:\/[A-Za-z]?|\|)[^<>\n]{0,60})?$)/;

/** Blanks, invisible characters and comments before an object's first field. */
const comment = "(?://[^\\n]{0,200}\\n|/\\*(?:[^*]|\\*(?!/)){0,200}\\*/)";
const blanks = `[\\s\\p{Cf}]{0,200}(?:${comment}[\\s\\p{Cf}]{0,50}){0,3}`;
const quote = "(?:\\\\{0,4}[\"'“”„‘’«»‹›`´\\uFF02\\uFF07「『]|&(?:amp;)?(?:quot|apos|#0?3[49]|#x2[27]);)";
const word = "[\\p{L}_$][\\p{L}\\p{N}\\p{Cf}_$-]{0,40}";
const name = `${word}(?: ${word})?`;
const bracket = "(?:\\[\\s{0,50})?[{\\uFF5B]";
const entry = `\\[\\s{0,50}${quote}[\\p{L}\\p{N} _-]{1,40}${quote}\\s{0,4}=>|\\[\\s{0,50}\\[\\s{0,50}${quote}`;
const objectBegins = new RegExp(
  `^(?:${bracket}${blanks}(?:${quote}|:?${name}\\s{0,4}(?:[:\\uFF1A]|=(?!=)))|${entry})`,
  "u",
);
const comments = "/(?:/[^\\n]{0,200}|\\*(?:[^*]|\\*(?!/)){0,200}\\*?)?";
const entryBegun = `\\[\\s{0,50}(?:\\[\\s{0,50})?${quote}(?:[\\p{L}\\p{N} _-]{1,40}(?:${quote}\\s{0,4}=?)?)?`;
const objectMayBegin = new RegExp(
  `^(?:\\[\\s{0,50}(?:\\[\\s{0,50})?|${entryBegun}|${bracket}${blanks}(?::?(?:${name}\\s{0,4}=?)?|\\\\{1,4}|&[a-z#\\d;]{0,10}|${comments})?)$`,
  "u",
);
const maxObjectBeginningCharacters = 310;
/** The name of a line's field, with what is before it. */
const longestName = 200;

/** Of strings that contain an object's brackets; `"` ends without a look at the text behind it. */
const closingQuotes = new Map(Object.entries({ "'": "'", "‘": "’", "“": "”", "„": "“", "«": "»", "`": "`" }));

type Open = { at: number; depth: number; stringEnd: string; isSuspect: boolean };

/**
 * Finds keys and questions in streamed text by their shape: JSON objects, calls, tags, and lines of fields.
 * Passes them on as blocks without the marks around them. Linear; holds at most one object.
 */
export class StreamedKeyAndQuestionFinder {
  #text = "";
  /** Text before it has no beginning of a secret. */
  #at = 0;
  #open: Open | undefined;
  #isAtLineStart = true;
  #plainUntil = 0;
  #lines: FieldLines | undefined;
  #untaggedUntil = 0;
  /** A tag that was not complete, and the end of the text at that time. */
  #tag = { at: -1, end: 0 };
  #lastSent = "";
  #isClosing = false;
  #parts: AnswerSegment[] = [];

  take(text: string): AnswerSegment[] {
    this.#text += text;
    return this.#scan(false);
  }

  end(): AnswerSegment[] {
    const parts = this.#scan(true);
    this.#isAtLineStart = true;
    this.#isClosing = false;
    return parts;
  }

  #scan(isEnd: boolean): AnswerSegment[] {
    this.#parts = [];
    while (this.#step(isEnd));
    return this.#parts;
  }

  /** True if the search goes on. */
  #step(isEnd: boolean): boolean {
    if (this.#isClosing && !this.#removeClosing(isEnd)) return false;
    if (this.#open) return this.#readObject(this.#open, isEnd);
    if (this.#lines) return this.#readLines(this.#lines, isEnd);
    for (; this.#at < this.#text.length; this.#at += 1) {
      const found = this.#beginning(isEnd);
      if (found === "more") return this.#hold();
      if (found === "lines") {
        this.#lines = new FieldLines();
        return true;
      }
      if (found === "object") {
        this.#open = { at: this.#at, depth: 0, stringEnd: "", isSuspect: false };
        return true;
      }
      if (found) {
        const tags = this.#text.slice(this.#at, found.keyEnd);
        this.#remove(found.keyEnd, { info: "key", content: keyInTagsToJson(tags) });
        return true;
      }
    }
    return isEnd ? this.#send(this.#text.length) : this.#hold();
  }

  #beginning(isEnd: boolean): "object" | "lines" | "more" | { keyEnd: number } | undefined {
    const one = this.#text[this.#at] as string;
    if (this.#at >= this.#plainUntil && this.#startsLine()) {
      const lines = this.#linesBegin(isEnd);
      if (lines) return lines;
    }
    if (one === "<") return this.#tagsBegin(isEnd);
    if (/[adfk]/i.test(one) && !/[\p{L}\p{N}_.]/u.test(this.#before())) {
      const isCall = isPythonCall(this.#text.slice(this.#at, this.#at + maxObjectBeginningCharacters), isEnd);
      return isCall === true ? "object" : isCall || undefined;
    }
    if (!/[{[\uFF5B]/.test(one)) return undefined;
    const rest = this.#text.slice(this.#at, this.#at + maxObjectBeginningCharacters);
    if (objectBegins.test(rest)) return "object";
    return !isEnd && objectMayBegin.test(rest) ? "more" : undefined;
  }

  #before(): string {
    return this.#text[this.#at - 1] ?? this.#lastSent;
  }

  #tagsBegin(isEnd: boolean): "more" | { keyEnd: number } | undefined {
    if (this.#at < this.#untaggedUntil) return undefined;
    if (!isEnd && this.#isSameTag()) return "more";
    this.#tag = { at: this.#at, end: this.#text.length };
    const tags = fieldTagsAt(this.#text, this.#at, isEnd);
    if (typeof tags !== "object") return tags;
    if (tags.isKey) return { keyEnd: tags.end };
    this.#untaggedUntil = tags.end;
    return undefined;
  }

  /** Only a bracket or a limit of length changes what a tag may become. */
  #isSameTag(): boolean {
    const { at, end } = this.#tag;
    const [before, now] = [end - at, this.#text.length - at];
    const isPastName =
      before > maxTagNameCharacters &&
      Math.trunc(before / maxTagCharacters) === Math.trunc(now / maxTagCharacters);
    return (
      at === this.#at && isPastName && now < maxHeldObjectCharacters && !/[<>]/.test(this.#text.slice(end))
    );
  }

  #startsLine(): boolean {
    return this.#at === 0 ? this.#isAtLineStart : this.#text[this.#at - 1] === "\n";
  }

  #linesBegin(isEnd: boolean): "lines" | "more" | undefined {
    const end = this.#text.indexOf("\n", this.#at);
    const written = this.#text.slice(this.#at, Math.min(end < 0 ? Infinity : end, this.#at + longestName));
    const line = plainSpelling(written);
    const isWhole = end >= 0 || isEnd;
    if (isFieldLine(line, isWhole)) return "lines";
    if (isWhole || written.length === longestName || line.startsWith("```")) return undefined;
    return mayBecomeFieldLine(line) ? "more" : undefined;
  }

  #readLines(lines: FieldLines, isEnd: boolean): boolean {
    const canGoOn = !isEnd && this.#text.length - this.#at < maxHeldObjectCharacters;
    if (!lines.readTo(this.#text.slice(this.#at), canGoOn)) return this.#hold();
    this.#lines = undefined;
    const end = this.#at + lines.end;
    const text = this.#text.slice(this.#at, end);
    const firstEnd = text.indexOf("\n") + 1 || text.length;
    const object = text.slice(0, firstEnd).includes("{") ? firstObjectIn(text) : "";
    // An object in the first line is read as one. The lines below may be a key of their own.
    if (isKeyShape(object) || isQuestionShape(object)) return this.#passLine(this.#at + firstEnd);
    if (!hasKeyLines(text)) return this.#passLine(end);
    this.#remove(end, { info: "key", content: yamlKeyToJson(text) });
    return true;
  }

  #passLine(end: number): true {
    this.#plainUntil = Math.max(end, this.#at + 1);
    return true;
  }

  #readObject(open: Open, isEnd: boolean): boolean {
    const start = this.#at;
    const isCall = /[a-z]/i.test(this.#text[start] as string);
    for (; open.at < this.#text.length; open.at += 1) {
      const one = this.#text[open.at] as string;
      if (one === "\\") open.at += 1;
      else if (one === "\n" && !open.isSuspect && this.#isBlankLineBefore(open.at, start)) {
        open.isSuspect = mayBecomeSecret(this.#text.slice(start, open.at));
        // JSON has no empty lines, so this is text.
        if (!open.isSuspect) return this.#passOver(open.at);
      } else if (open.stringEnd !== "") {
        if (one !== open.stringEnd) continue;
        const rest = this.#text.slice(open.at + 1, open.at + 50);
        if (one !== '"' && rest.trim() === "" && rest.length < 40 && !isEnd) return this.#hold();
        if (one === '"' || /^\s{0,40}(?:[,:}\])=]|$)/.test(rest)) open.stringEnd = "";
      } else if (one === '"') open.stringEnd = '"';
      else if (
        closingQuotes.has(one) &&
        /[{[,:(=>]\s{0,20}$/.test(this.#text.slice(Math.max(start, open.at - 21), open.at))
      )
        open.stringEnd = closingQuotes.get(one) as string;
      else if ("{[\uFF5B".includes(one) || (isCall && one === "(")) open.depth += 1;
      else if ("}]\uFF5D".includes(one) || (isCall && one === ")")) {
        open.depth -= 1;
        if (open.depth === 0) return this.#close(open.at + 1);
      }
    }
    if (!isEnd && open.at - start < maxHeldObjectCharacters) return this.#hold();
    const text = this.#text.slice(start);
    if (!mayBecomeSecret(text)) return this.#passOver(this.#text.length);
    this.#remove(this.#text.length, blockOf(text));
    return true;
  }

  #isBlankLineBefore(at: number, start: number): boolean {
    return /\n[ \t\r]*$/.test(this.#text.slice(Math.max(start, at - 20), at));
  }

  #close(end: number): boolean {
    const text = this.#text.slice(this.#at, end);
    if (!isKeyShape(text) && !isQuestionShape(text)) return this.#passOver(end);
    this.#remove(end, blockOf(text));
    return true;
  }

  #passOver(end: number): true {
    this.#open = undefined;
    this.#at = end;
    return true;
  }

  #remove(end: number, { info, content }: Pick<FencedBlock, "info" | "content">): void {
    const from = this.#openingBefore(this.#at);
    this.#isClosing = from < this.#at;
    this.#send(from);
    this.#drop(end - from);
    const raw = `\`\`\`${info}\n${content}\n\`\`\``;
    this.#parts.push({ type: "block", info, content, raw, isOpen: false, isInner: true });
    this.#open = undefined;
  }

  #removeClosing(isEnd: boolean): boolean {
    if (!isEnd && closingBegun.test(this.#text)) return false;
    const [marks = ""] = closing.exec(this.#text) ?? [];
    if (marks === "") this.#isClosing = false;
    this.#drop(marks.length);
    return marks === "" || this.#removeClosing(isEnd);
  }

  #hold(): false {
    this.#send(this.#openingBefore(this.#at));
    return false;
  }

  #openingBefore(end: number): number {
    const from = Math.max(0, end - maxObjectOpeningCharacters);
    const text = this.#text.slice(from, end);
    return /[`~<[]/.test(text) ? from + (opening.exec(text)?.index ?? text.length) : end;
  }

  #send(end: number): false {
    const text = this.#text.slice(0, end);
    if (text !== "") this.#parts.push({ type: "text", text });
    this.#drop(end);
    return false;
  }

  #drop(length: number): void {
    if (length > 0) {
      this.#lastSent = this.#text[length - 1] as string;
      this.#isAtLineStart = this.#lastSent === "\n";
    }
    this.#text = this.#text.slice(length);
    this.#at = Math.max(0, this.#at - length);
    this.#plainUntil = Math.max(0, this.#plainUntil - length);
    this.#untaggedUntil = Math.max(0, this.#untaggedUntil - length);
    this.#tag = { at: this.#tag.at - length, end: this.#tag.end - length };
    if (this.#open) this.#open.at -= length;
  }
}

function blockOf(text: string): Pick<FencedBlock, "info" | "content"> {
  const json = /^[a-z]/i.test(text) ? pythonCallToJson(text) : text;
  const content = parseLenientJson(json) ? json : plainSpelling(json);
  if (!isQuestionShape(text)) return { info: "key", content };
  const read = parseLenientJson(content);
  return { info: "mcq", content: read ? JSON.stringify(unwrapCallArguments(read.value)) : content };
}
