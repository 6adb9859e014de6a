import { characterCount } from "./references.ts";

const placeholder = /\{\{ *([A-Za-z][A-Za-z0-9_]*) *\}\}/g;

/**
 * Replaces `{{name}}` by its value. Values go in as they are: what looks like a placeholder or a tag inside one is
 * not looked at again. A name without a value is left standing or becomes empty, as `missing` says.
 */
export function render(text: string, values: Record<string, string>, missing: "empty" | "leave"): string {
  return text.replaceAll(placeholder, (whole, name: string) => {
    if (Object.hasOwn(values, name)) return values[name] ?? "";
    return missing === "leave" ? whole : "";
  });
}

/** How many characters `render` would make of it, names without a value left standing. */
export function renderedLength(text: string, values: Record<string, string>): number {
  const counts = new Map(Object.entries(values).map(([name, value]) => [name, characterCount(value)]));
  let length = characterCount(text);
  for (const [whole, name = ""] of text.matchAll(placeholder))
    length += (counts.get(name) ?? whole.length) - whole.length;
  return length;
}

/** The names of a text's placeholders, each once, in order of appearance. */
export const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(placeholder)].map((match) => match[1] ?? "")),
];
