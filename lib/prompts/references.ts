import type { PromptReference } from "../../schema/api/prompts.ts";

/** A reference from one prompt to another: by label or by version, never both. */
export type Reference = PromptReference;

/** A prompt's text cut at its reference tags: plain text and references in their order. */
export type Segment = string | Reference;

const tag =
  /@@@refPrompt:name=((?:(?!@@@)[^|\p{Cc}]){1,255})\|(?:label=([a-z0-9_.-]{1,36})|version=([1-9]\d{0,8}))@@@/gu;

/**
 * Cuts a text at its tags `@@@refPrompt:name=<name>|label=<label>@@@` and `…|version=<n>@@@`. The name comes
 * first and there are exactly two parts; whatever else looks like a tag is plain text.
 */
export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [];
  let end = 0;
  for (const match of text.matchAll(tag)) {
    const [whole, name = "", label, version] = match;
    if (name.trim() === "") continue;
    if (match.index > end) segments.push(text.slice(end, match.index));
    segments.push({
      child_name: name.trim(),
      child_version: version ? Number(version) : null,
      child_label: label ?? null,
    });
    end = match.index + whole.length;
  }
  if (end < text.length) segments.push(text.slice(end));
  return segments;
}

/** The references of a text, each once, in order of appearance. */
export function referencesOf(text: string): Reference[] {
  const references = segmentsOf(text).filter((segment) => typeof segment !== "string");
  return [...new Map(references.map((reference) => [describeReference(reference), reference])).values()];
}

/** How people write a reference: `tone (label formal)`, `tone (version 3)`. No two are written alike. */
export const describeReference = ({ child_name, child_version, child_label }: Reference): string =>
  child_version === null
    ? `${child_name} (label ${child_label})`
    : `${child_name} (version ${child_version})`;
