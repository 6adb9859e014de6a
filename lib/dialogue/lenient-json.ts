import { jsonrepair } from "jsonrepair";
import { withLatexEscaped } from "./latex-escapes.ts";
import { outlineOf } from "./quoted-strings.ts";

/** The value of a text that is JSON, or nearly; `end` is where the value ends in the text. */
export type Lenient = { value: unknown; end: number };

/** A longer block is not read. This bounds the time of a repair, which may grow faster than its text. */
export const longestBlock = 20_000;

/**
 * Reads JSON as models write it: with commas too many or too few, comments, any quotes or none around keys, LaTeX with
 * single backslashes, and the last bracket missing. Numbers are answered as texts, as they were written. Undefined for
 * what is none, breaks off, or could be read in two ways.
 */
export function lenientJson(text: string): Lenient | undefined {
  if (text.length > longestBlock) return undefined;
  const strict = parsed(withLatexEscaped(text));
  if (strict) return { ...strict, end: text.length };
  const outline = outlineOf(text);
  const repaired = outline && parsed(repairedJson(outline.json));
  return outline && repaired && { value: filledIn(repaired.value, outline.strings), end: outline.end };
}

function parsed(json: string | undefined): { value: unknown } | undefined {
  if (json === undefined) return undefined;
  try {
    return { value: JSON.parse(json, asWritten) };
  } catch {
    return undefined;
  }
}

const asWritten = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === "number" ? (context?.source ?? String(value)) : value;

function repairedJson(json: string): string | undefined {
  try {
    return jsonrepair(json);
  } catch {
    return undefined;
  }
}

/** An outline's value with its strings. */
function filledIn(value: unknown, strings: readonly string[]): unknown {
  if (typeof value === "string") return strings[Number(value)];
  if (Array.isArray(value)) return value.map((entry) => filledIn(entry, strings));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    strings[Number(key)],
    filledIn(inner, strings),
  ]);
  return Object.fromEntries(entries);
}
