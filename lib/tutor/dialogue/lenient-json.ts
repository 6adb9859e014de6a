import { jsonrepair } from "jsonrepair";
import { outlineLenientJson } from "./json-outline.ts";
import { escapeLatexBackslashes } from "./latex-escapes.ts";

/** `end`: its end in the text. */
export type LenientJsonResult = { value: unknown; end: number };

/** Limits a repair's time, which may grow faster than its text; longer blocks are not read. */
export const maxRepairedBlockCharacters = 20_000;

/**
 * Parses JSON as models write it: missing or extra commas, comments, any or no quotes around keys, single
 * backslashes of LaTeX, a missing last bracket. Numbers stay text. Undefined if incomplete or ambiguous.
 */
export function parseLenientJson(text: string): LenientJsonResult | undefined {
  if (text.length > maxRepairedBlockCharacters) return undefined;
  const strict = parsed(escapeLatexBackslashes(text));
  if (strict) return { ...strict, end: text.length };
  const outline = outlineLenientJson(text);
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
