import { characterCount } from "./references.ts";

const placeholder = /\{\{ *([A-Za-z][A-Za-z0-9_]*) *\}\}/g;

/**
 * Replaces `{{name}}` by its value in one pass, so values are not parsed. `missing`: names without a value
 * stay or become empty.
 */
export function renderPrompt(
  text: string,
  values: Record<string, string>,
  missing: "empty" | "leave",
): string {
  return text.replaceAll(placeholder, (whole, name: string) => {
    if (Object.hasOwn(values, name)) return values[name] ?? "";
    return missing === "leave" ? whole : "";
  });
}

/** With missing names kept. */
export function renderedLength(text: string, values: Record<string, string>): number {
  const counts = new Map(Object.entries(values).map(([name, value]) => [name, characterCount(value)]));
  let length = characterCount(text);
  for (const [whole, name = ""] of text.matchAll(placeholder))
    length += (counts.get(name) ?? whole.length) - whole.length;
  return length;
}

export const findVariableNames = (text: string): string[] => [
  ...new Set([...text.matchAll(placeholder)].map((match) => match[1] ?? "")),
];
