import type { InterpolationValues } from "./interpolate.ts";

/** The values for a template's braces, or undefined if the text does not match. */
export function matchMessageTemplate(sentence: string, said: string): InterpolationValues | undefined {
  const [start = "", ...parts] = sentence.split(/\{(\w{1,32})\}/);
  if (!said.startsWith(start)) return undefined;
  const values: InterpolationValues = {};
  let at = start.length;
  for (let part = 0; part < parts.length; part += 2) {
    const [name = "", text = ""] = parts.slice(part, part + 2);
    const isLast = part + 2 >= parts.length;
    const end = isLast ? said.length - text.length : said.indexOf(text, at);
    if (end < at || !said.startsWith(text, end)) return undefined;
    values[name] = said.slice(at, end);
    at = end + text.length;
  }
  return at === said.length ? values : undefined;
}

/** The template that matches, with its values. Among several, the one with the most literal text. */
export function findMatchingMessageTemplate(
  sentences: Readonly<Record<string, string>>,
  said: string,
): [name: string, values: InterpolationValues] | undefined {
  let found: [name: string, values: InterpolationValues] | undefined;
  let length = -1;
  for (const [name, sentence] of Object.entries(sentences)) {
    const values = sentence.length > length ? matchMessageTemplate(sentence, said) : undefined;
    if (!values) continue;
    found = [name, values];
    length = sentence.length;
  }
  return found;
}
