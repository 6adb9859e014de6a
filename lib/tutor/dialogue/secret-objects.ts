import type { AnswerSegment, FencedBlock } from "./fenced-blocks.ts";
import { parseLenientJson } from "./lenient-json.ts";
import { isKeyShape, isQuestionShape, mayBecomeSecret, unwrapCallArguments } from "./secret-shapes.ts";
import { yamlKeyToJson } from "./yaml-key.ts";

/** Longest object that waits for its end. */
const longestObject = 20_000;

/** Marks of code and tags around an object, complete or not. */
const opening =
  /(?:(?:(?<![`~])(?:`{1,128}|~{1,128})[ \t]{0,8}(?:\n[ \t]{0,20})?|<(?:[A-Za-z|][^<>\n]{0,60}(?:>\s{0,20})?)?|\[[A-Z_]{0,20}\]?\s{0,4})){1,4}$/;
/** The longest text that `opening` matches. */
const longestOpening = 200;
const closing = /^\s{0,20}(?:`{1,128}|~{1,128}|<\/?[A-Za-z|][^<>\n]{0,60}>|\])/;
const closingBegun = /^\s{0,20}(?:$|`{1,128}$|~{1,128}$|<(?:\/?(?:[A-Za-z|][^<>\n]{0,60})?)?$)/;

const objectBegins = /^(?:\[\s{0,50})?\{\s{0,200}(?:["'“”‘’`]|[\p{L}_$][\p{L}\p{N}_$-]{0,40}\s{0,4}:)/u;
const objectMayBegin =
  /^(?:\[\s{0,50}|(?:\[\s{0,50})?\{\s{0,200}(?:[\p{L}_$][\p{L}\p{N}_$-]{0,40}\s{0,4})?)$/u;
const longestBeginning = 310;

const fieldLine =
  /^[ \t>*-]{0,20}["'*_`]{0,3}(?:answers?|correct(?:[ _-]?(?:answer|option))?|right[ _-]?(?:answer|option)|misconceptions?|skills?|because|(?:answer[ _-]?)?key)["'*_`]{0,3}[ \t]{0,4}:/i;
const words = [
  "answers",
  "correct answer",
  "correct option",
  "right answer",
  "right option",
  "misconceptions",
  "skills",
  "because",
  "key",
  "answer key",
];
const continued = /^(?:[ \t>]+\S|[ \t>]*[-*] )/;

type Open = { at: number; depth: number; inString: boolean; isSuspect: boolean };

/**
 * Finds keys and questions in streamed text by their shape: JSON objects, and lines of fields. Passes them on
 * as blocks without the marks around them. Linear; holds at most one object.
 */
export class StreamedKeyAndQuestionFinder {
  #text = "";
  /** Text before it has no beginning of a secret. */
  #at = 0;
  #open: Open | undefined;
  #isAtLineStart = true;
  #plainUntil = 0;
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
    for (; this.#at < this.#text.length; this.#at += 1) {
      const found = this.#beginning(isEnd);
      if (found === "more") return this.#hold();
      if (found === "lines") return this.#readLines(isEnd);
      if (found === "object") {
        this.#open = { at: this.#at, depth: 0, inString: false, isSuspect: false };
        return true;
      }
    }
    return isEnd ? this.#send(this.#text.length) : this.#hold();
  }

  #beginning(isEnd: boolean): "object" | "lines" | "more" | undefined {
    const one = this.#text[this.#at];
    if (this.#at >= this.#plainUntil && this.#startsLine()) {
      const lines = this.#linesBegin(isEnd);
      if (lines) return lines;
    }
    if (one !== "{" && one !== "[") return undefined;
    const rest = this.#text.slice(this.#at, this.#at + longestBeginning);
    if (objectBegins.test(rest)) return "object";
    return !isEnd && objectMayBegin.test(rest) ? "more" : undefined;
  }

  #startsLine(): boolean {
    return this.#at === 0 ? this.#isAtLineStart : this.#text[this.#at - 1] === "\n";
  }

  #linesBegin(isEnd: boolean): "lines" | "more" | undefined {
    const end = this.#text.indexOf("\n", this.#at);
    const line = this.#text.slice(this.#at, end < 0 ? this.#at + 80 : Math.min(end, this.#at + 80));
    if (fieldLine.test(line)) return "lines";
    if (end >= 0 || isEnd || line.length === 80 || line.startsWith("```")) return undefined;
    const [, word = ""] = /^[ \t>*-]{0,20}["'*_`]{0,3}([a-z _-]*)["'*_`]{0,3}[ \t]{0,4}$/i.exec(line) ?? [
      undefined,
      "?",
    ];
    const said = word.trim().toLowerCase().replaceAll(/[_-]/g, " ");
    return words.some(
      (name) => name.startsWith(said) || (said.startsWith(name) && said.length <= name.length),
    )
      ? "more"
      : undefined;
  }

  #readLines(isEnd: boolean): boolean {
    let end = this.#at;
    let isAfterBlank = false;
    for (let at = this.#at; ; ) {
      const lineEnd = this.#text.indexOf("\n", at);
      if (lineEnd < 0 && !isEnd && this.#text.length - this.#at < longestObject) return this.#hold();
      const next = lineEnd < 0 ? this.#text.length : lineEnd + 1;
      const line = this.#text.slice(at, next);
      // An object in the first line is read as one. The lines below may be a key of their own.
      if (at === this.#at && line.includes("{")) return this.#passLine(next);
      const isField = fieldLine.test(line);
      if (line.trim() === "" && at < this.#text.length) isAfterBlank = true;
      else if (line === "" || !(isField || (!isAfterBlank && at > this.#at && continued.test(line)))) break;
      else {
        end = next;
        isAfterBlank = false;
      }
      at = next;
      if (at >= this.#text.length && (isEnd || this.#text.length - this.#at >= longestObject)) break;
      if (at >= this.#text.length) return this.#hold();
    }
    const text = this.#text.slice(this.#at, end);
    if (!isKeyShape(text)) return this.#passLine(end);
    this.#remove(end, { info: "key", content: yamlKeyToJson(text) });
    return true;
  }

  #passLine(end: number): true {
    this.#plainUntil = Math.max(end, this.#at + 1);
    return true;
  }

  #readObject(open: Open, isEnd: boolean): boolean {
    const start = this.#at;
    for (; open.at < this.#text.length; open.at += 1) {
      const one = this.#text[open.at];
      if (one === "\\") open.at += 1;
      else if (one === '"') open.inString = !open.inString;
      else if (
        one === "\n" &&
        !open.isSuspect &&
        /\n[ \t\r]*$/.test(this.#text.slice(Math.max(start, open.at - 20), open.at))
      ) {
        open.isSuspect = mayBecomeSecret(this.#text.slice(start, open.at));
        // JSON has no empty lines, so this is text.
        if (!open.isSuspect) return this.#passOver(open.at);
      } else if (open.inString) continue;
      else if (one === "{" || one === "[") open.depth += 1;
      else if (one === "}" || one === "]") {
        open.depth -= 1;
        if (open.depth === 0) return this.#close(open.at + 1);
      }
    }
    if (!isEnd && open.at - start < longestObject) return this.#hold();
    const text = this.#text.slice(start);
    if (!mayBecomeSecret(text)) return this.#passOver(this.#text.length);
    this.#remove(this.#text.length, blockOf(text));
    return true;
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
    const from = Math.max(0, end - longestOpening);
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
    if (length > 0) this.#isAtLineStart = this.#text[length - 1] === "\n";
    this.#text = this.#text.slice(length);
    this.#at = Math.max(0, this.#at - length);
    this.#plainUntil = Math.max(0, this.#plainUntil - length);
    if (this.#open) this.#open.at -= length;
  }
}

function blockOf(text: string): Pick<FencedBlock, "info" | "content"> {
  if (!isQuestionShape(text)) return { info: "key", content: text };
  const read = parseLenientJson(text);
  return { info: "mcq", content: read ? JSON.stringify(unwrapCallArguments(read.value)) : text };
}
