import { encodedKeyAt } from "./encoded-key.ts";
import type { AnswerSegment, FencedBlock } from "./fenced-blocks.ts";
import {
  FieldLineScanner,
  firstObjectIn,
  inlineFieldPattern,
  isFieldLine,
  mayBecomeFieldLine,
  mayBecomeInlineField,
} from "./field-lines.ts";
import { fieldTagsAt, keyInTagsToJson, maxTagCharacters, maxTagNameCharacters } from "./field-tags.ts";
import { parseLenientJson } from "./lenient-json.ts";
import { beginsHtmlRow, normalizeLinesForFields } from "./line-spelling.ts";
import { normalizeTextForFields } from "./plain-spelling.ts";
import { isPythonCall, pythonCallToJson } from "./python-call.ts";
import {
  hasInlineKey,
  hasKeyLines,
  isKeyedQuestionShape,
  isKeyShape,
  isPartOfKey,
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
/** The name of a line's field, with the text and tags before it. */
const maxFieldNameCharacters = 400;
/** Fields within a line of prose. */
const maxInlineFieldCharacters = 300;

/** Of strings that contain an object's brackets; `"` ends without a look at the text behind it. */
const closingQuotes = new Map(Object.entries({ "'": "'", "‘": "’", "“": "”", "„": "“", "«": "»", "`": "`" }));

type FoundKey = { keyEnd: number; content: string };

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
  #lines: FieldLineScanner | undefined;
  #untaggedUntil = 0;
  /** A tag that was not complete, and the end of the text at that time. */
  #tag = { at: -1, end: 0 };
  #lastSent = "";
  #isClosing = false;
  #isBehindKey = false;
  #parts: AnswerSegment[] = [];

  take(text: string): AnswerSegment[] {
    this.#text += text;
    return this.#scan(false);
  }

  end(): AnswerSegment[] {
    const parts = this.#scan(true);
    this.#isAtLineStart = true;
    this.#isClosing = false;
    this.#isBehindKey = false;
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
        this.#lines = new FieldLineScanner();
        return true;
      }
      if (found === "object") {
        this.#open = { at: this.#at, depth: 0, stringEnd: "", isSuspect: false };
        return true;
      }
      if (found) {
        this.#remove(found.keyEnd, { info: "key", content: found.content });
        return true;
      }
    }
    return isEnd ? this.#send(this.#text.length) : this.#hold();
  }

  #beginning(isEnd: boolean): "object" | "lines" | "more" | FoundKey | undefined {
    const one = this.#text[this.#at] as string;
    if (this.#at >= this.#plainUntil && this.#startsLine()) {
      const lines = this.#linesBegin(isEnd);
      if (lines) return lines;
    }
    if (one === "<") return this.#tagsBegin(isEnd);
    if (/[a-z\d]/i.test(one)) return this.#wordBegins(one, isEnd);
    if (!/[{[\uFF5B]/.test(one)) return undefined;
    const rest = this.#text.slice(this.#at, this.#at + maxObjectBeginningCharacters);
    if (objectBegins.test(rest)) return "object";
    return !isEnd && objectMayBegin.test(rest) ? "more" : undefined;
  }

  #wordBegins(one: string, isEnd: boolean): "object" | "lines" | "more" | FoundKey | undefined {
    const before = this.#before();
    if (/[\p{L}\p{N}_]/u.test(before)) return undefined;
    if (/[adfk]/i.test(one) && before !== ".") {
      const isCall = isPythonCall(this.#text.slice(this.#at, this.#at + maxObjectBeginningCharacters), isEnd);
      if (isCall) return isCall === true ? "object" : isCall;
    }
    return this.#inlineFieldsBegin(isEnd) ?? encodedKeyAt(this.#text, this.#at, isEnd);
  }

  #inlineFieldsBegin(isEnd: boolean): "lines" | "more" | undefined {
    if (this.#at < this.#plainUntil) return undefined;
    const held = this.#text.slice(this.#at, this.#at + maxInlineFieldCharacters);
    // The language of a code block.
    if (/[`~]{3}$/.test(this.#text.slice(Math.max(0, this.#at - 3), this.#at))) return undefined;
    if (!inlineFieldPattern.test(held)) return !isEnd && mayBecomeInlineField(held) ? "more" : undefined;
    const [line = ""] = held.split("\n", 1);
    const isWhole = isEnd || line.length < held.length || held.length === maxInlineFieldCharacters;
    if (!isWhole) return "more";
    return hasInlineKey(line) ? "lines" : undefined;
  }

  #before(): string {
    return this.#text[this.#at - 1] ?? this.#lastSent;
  }

  #tagsBegin(isEnd: boolean): "more" | FoundKey | undefined {
    if (this.#at < this.#untaggedUntil) return undefined;
    if (!isEnd && this.#isSameTag()) return "more";
    this.#tag = { at: this.#at, end: this.#text.length };
    const tags = fieldTagsAt(this.#text, this.#at, isEnd);
    if (typeof tags !== "object") return tags;
    if (tags.isKey)
      return { keyEnd: tags.end, content: keyInTagsToJson(this.#text.slice(this.#at, tags.end)) };
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
    if (this.#at === 0 ? this.#isAtLineStart : this.#text[this.#at - 1] === "\n") return true;
    return this.#text[this.#at] === "<" && beginsHtmlRow(this.#text, this.#at);
  }

  #linesBegin(isEnd: boolean): "lines" | "more" | undefined {
    const end = this.#text.indexOf("\n", this.#at);
    const written = this.#text.slice(
      this.#at,
      Math.min(end < 0 ? Infinity : end, this.#at + maxFieldNameCharacters),
    );
    const isWhole = end >= 0 || isEnd;
    const line = normalizeLinesForFields(written, isWhole);
    if (isFieldLine(line, isWhole)) return "lines";
    if (isWhole || written.length === maxFieldNameCharacters || line.startsWith("```")) return undefined;
    return mayBecomeFieldLine(line) ? "more" : undefined;
  }

  #readLines(lines: FieldLineScanner, isEnd: boolean): boolean {
    const canGoOn = !isEnd && this.#text.length - this.#at < maxHeldObjectCharacters;
    if (!lines.readTo(this.#text.slice(this.#at), canGoOn)) return this.#hold();
    this.#lines = undefined;
    const end = this.#at + lines.end;
    const text = this.#text.slice(this.#at, end);
    const firstEnd = text.indexOf("\n") + 1 || text.length;
    const object = text.slice(0, firstEnd).includes("{") ? firstObjectIn(text) : "";
    // An object in the first line is read as one. The lines below may be a key of their own.
    if (isKeyShape(object) || isKeyedQuestionShape(object)) return this.#passLine(this.#at + firstEnd);
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
        if (open.depth === 0) {
          const further = this.#furtherObject(open.at + 1, isEnd);
          if (further === "none") return this.#close(open.at + 1);
          if (further === "more") {
            open.depth = 1;
            return this.#hold();
          }
        }
      }
    }
    if (!isEnd && open.at - start < maxHeldObjectCharacters) return this.#hold();
    const text = this.#text.slice(start);
    if (!mayBecomeSecret(text)) return this.#passOver(this.#text.length);
    this.#remove(this.#text.length, blockOf(text));
    return true;
  }

  /** Objects with one of a key's fields each are read as one. "more": the text may go on with another one. */
  #furtherObject(end: number, isEnd: boolean): "object" | "more" | "none" {
    const [blanks = ""] = /^[\s,;]{0,20}/.exec(this.#text.slice(end, end + 20)) ?? [];
    const next = this.#text[end + blanks.length];
    const mayGoOn = next === "{" || (next === undefined && !isEnd && blanks.length < 20);
    const text = this.#text.slice(this.#at, end);
    if (!mayGoOn || !isPartOfKey(text) || isKeyShape(text) || isKeyedQuestionShape(text)) return "none";
    return next === "{" ? "object" : "more";
  }

  #isBlankLineBefore(at: number, start: number): boolean {
    return /\n[ \t\r]*$/.test(this.#text.slice(Math.max(start, at - 20), at));
  }

  #close(end: number): boolean {
    const text = this.#text.slice(this.#at, end);
    if (isKeyShape(text) || isKeyedQuestionShape(text)) this.#remove(end, blockOf(text));
    else if (this.#isBehindKey && isGap(this.#text.slice(0, this.#at)) && isPartOfKey(text))
      this.#remove(end, undefined);
    else return this.#passOver(end);
    return true;
  }

  #passOver(end: number): true {
    this.#open = undefined;
    this.#at = end;
    return true;
  }

  /** Without a block, the rest of the key before it. */
  #remove(end: number, block: Pick<FencedBlock, "info" | "content"> | undefined): void {
    const from = this.#openingBefore(this.#at);
    this.#isClosing = from < this.#at;
    this.#send(from);
    this.#drop(end - from);
    this.#open = undefined;
    this.#isBehindKey = block?.info !== "mcq";
    if (!block) return;
    const raw = `\`\`\`${block.info}\n${block.content}\n\`\`\``;
    this.#parts.push({ type: "block", ...block, raw, isOpen: false, isInner: true });
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
    if (!isGap(text)) this.#isBehindKey = false;
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

/** Between objects of one key. */
const isGap = (text: string): boolean => /^[\s,;]*$/.test(text);

function blockOf(text: string): Pick<FencedBlock, "info" | "content"> {
  const json = /^[a-z]/i.test(text) ? pythonCallToJson(text) : text;
  const content = parseLenientJson(json) ? json : normalizeTextForFields(json);
  // The first line would be read as one of a fence.
  if (!isKeyedQuestionShape(text))
    return { info: "key", content: content.replaceAll(/(\}[,;]?)\s{0,20}\n\s{0,20}(?=\{)/g, "$1 ") };
  const read = parseLenientJson(content);
  return { info: "mcq", content: read ? JSON.stringify(unwrapCallArguments(read.value)) : content };
}
