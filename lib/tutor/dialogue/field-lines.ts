import { beginsKeyTable, mayBeginKeyTable } from "./field-tables.ts";
import { keyFieldAliases, namesPattern } from "./key-fields.ts";
import { normalizeLinesForFields } from "./line-spelling.ts";

const names = Object.entries(keyFieldAliases).flatMap(([field, all]) => (field === "reason" ? [] : all));
const words = names.map((name) => name.replaceAll(" ", ""));

/** Signs before a name: bullets, arrows, emoji and numbers, but nothing that begins an object or a tag. */
const sign = "[^\\p{L}\\p{N}\\n\\r{}[\\]<\"'“`~&\\\\]";
const start = `(?:<!--)?${sign}{0,24}(?:(?:\\d{1,2}|[a-h])[.)]${sign}{1,6}|\\[[ x]\\]${sign}{1,6})?["'*_\`]{0,3}`;
const pattern = namesPattern(names);
/** Also of CSV, and arrows and dashes between a field and its value. */
const separator = "(?:[:=|,;\\t→⇒⟶–—]|-{1,2}>|--?(?=[ \\t]))";
const field = new RegExp(`^${start}${pattern}["'*_\`]{0,3}[ \\t]{0,4}${separator}`, "iu");
const heading = new RegExp(
  `^(?:[ \\t]{0,3}#{1,6}[ \\t]{1,4}${sign}{0,8}|\\*\\*|__)?${pattern}(?:\\*\\*|__)?[ \\t]{0,4}$`,
  "iu",
);
/** The name is bounded, because each possible start of a long line would read all of it. */
const begun = new RegExp(`^${start}([a-z _-]{0,60})["'*_\`]{0,3}[ \\t]{0,4}$`, "iu");
const numberBegun = new RegExp(
  `^(?:<(?:!-{0,2})?|(?:<!--)?${sign}{0,24}(?:(?:\\d{1,2}|[a-h])[.)]?${sign}{0,6}|\\[[ x]?\\]?${sign}{0,6}))$`,
  "iu",
);

/**
 * A field's line, such as `answer: A`, `| Answer | A |` and, if it is whole, `### Answer`. Rows of HTML are lines of
 * their own, of which the first counts.
 */
export const isFieldLine = (line: string, isWhole: boolean): boolean =>
  field.test(line) || ((isWhole || line.includes("\n")) && (isHeading(line) || beginsKeyTable(line)));

function isHeading(lines: string): boolean {
  const [first = ""] = lines.split("\n", 1);
  return heading.test(first.trimEnd());
}

export function mayBecomeFieldLine(line: string): boolean {
  const [, word] = begun.exec(line) ?? [];
  if (word === undefined) return numberBegun.test(line) || mayBeginKeyTable(line);
  const said = word.toLowerCase().replaceAll(/[ _-]/g, "");
  return words.some((name) => name.startsWith(said)) || mayBeginKeyTable(line);
}

/** Within prose: `the key is answer: A, skill: loops`, or a pair of quoted texts. */
export const inlineFieldPattern = new RegExp(
  `^${pattern}(?:["'*_\`]{0,3}[ \\t]{0,2}[:=](?!=)|["'][ \\t]{0,2},)`,
  "i",
);
export const mayBecomeInlineField = (text: string): boolean => {
  const [, word] = /^([a-z][a-z _-]{0,30})["'*_`]{0,3}[ \t]{0,2}$/i.exec(text) ?? [];
  const said = word?.toLowerCase().replaceAll(/[ _-]/g, "");
  return said !== undefined && words.some((name) => name.startsWith(said));
};

const hasNoValue = (line: string): boolean => /[:=][*_\s]*$/.test(line) || isHeading(line);
/** An object or a block below a field is read as one. */
const value = /^\s*[^\s{[`~<]/;
/** A value of YAML over several lines, also with empty ones. */
const opensBlock = /[:=]\s*[|>][-+\d]{0,2}\s*$/;
const continued = /^(?:[ \t>]+\S|[ \t>]*[-*+•] |[ \t>]*\|)/;

const depthOf = (line: string): number =>
  line.replaceAll(/[^{[]/g, "").length - line.replaceAll(/[^}\]]/g, "").length;

/** Field lines from the beginning of a text on, with their values. Each line is read once. */
export class FieldLineScanner {
  /** The end of the last field or value. */
  end = 0;
  #read = 0;
  #isAfterBlank = false;
  #isValueNext = false;
  #isBlock = false;
  #isTable = false;
  #depth = 0;

  /** True if they ended; false if the text may go on. */
  readTo(text: string, canGoOn: boolean): boolean {
    while (this.#read < text.length || canGoOn) {
      const lineEnd = text.indexOf("\n", this.#read);
      if (lineEnd < 0 && canGoOn) return false;
      const next = lineEnd < 0 ? text.length : lineEnd + 1;
      if (!this.#take(normalizeLinesForFields(text.slice(this.#read, next)), next)) return true;
      this.#read = next;
    }
    return true;
  }

  #take(line: string, next: number): boolean {
    if (line.trim() === "") {
      this.#isAfterBlank = true;
      return true;
    }
    const isField = isFieldLine(line, true);
    const isInBlock = this.#isBlock && /^[ \t]/.test(line);
    const isInTable = this.#isTable && !this.#isAfterBlank && /[,;|\t]/.test(line);
    const isContinued = !this.#isAfterBlank && this.#read > 0 && (this.#depth > 0 || continued.test(line));
    const isValue = isContinued || isInBlock || isInTable || (this.#isValueNext && value.test(line));
    if (!isField && !isValue) return false;
    this.end = next;
    this.#isAfterBlank = false;
    this.#isValueNext = isField && hasNoValue(line);
    this.#isTable = beginsKeyTable(line) || isInTable;
    this.#isBlock = isField ? opensBlock.test(line) : isInBlock;
    this.#depth = Math.max(this.#depth + depthOf(line), 0);
    return true;
  }
}

/** The first object of a text, up to its last bracket. */
export function firstObjectIn(text: string): string {
  const from = text.indexOf("{");
  let depth = 0;
  for (let at = Math.max(from, 0); at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    else if (text[at] === "}" && --depth === 0) return text.slice(from, at + 1);
  }
  return from < 0 ? "" : text.slice(from);
}
