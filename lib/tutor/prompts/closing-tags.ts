import { unseen } from "../../platform/text/quote-fences.ts";

const closingTag = /<\/([A-Za-z][\w-]*)>/g;

/**
 * The values of a prompt's placeholders without the closing tags that the prompt itself has, such as
 * `</material>`: a value cannot end the part of the prompt that it is in.
 */
export function withoutClosingTags(template: string, values: Record<string, string>): Record<string, string> {
  const names = new Set([...template.matchAll(closingTag)].map(([, name = ""]) => name.toLowerCase()));
  if (names.size === 0) return values;
  const spelled = [...names].map((name) => [...name].join(unseen));
  const tag = new RegExp(`[<\\uff1c](?=${unseen}[/\\uff0f]${unseen}(?:${spelled.join("|")}))`, "giu");
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value.replace(tag, "&lt;")]),
  );
}
