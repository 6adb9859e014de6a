/** A reference from one prompt to another: by label or by version, never both. */
export type Reference = { child_name: string; child_version: number | null; child_label: string | null };

/** A prompt's text cut at its reference tags: plain text and references in their order. */
export type Segment = string | Reference;

const tag = /@@@refPrompt:name=((?:(?!@@@)[^|])+)\|(?:label=([a-z0-9_.-]{1,36})|version=([1-9]\d{0,8}))@@@/g;

/**
 * Cuts a text at its tags `@@@refPrompt:name=<name>|label=<label>@@@` and `…|version=<n>@@@`. The name comes
 * first and there are exactly two parts; whatever else looks like a tag is plain text.
 */
export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [];
  let end = 0;
  for (const match of text.matchAll(tag)) {
    const [whole, name = "", label, version] = match;
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

/** The references of a text in order of appearance, repetitions included. */
export const referencesOf = (text: string): Reference[] =>
  segmentsOf(text).filter((segment) => typeof segment !== "string");

/** How people write a reference: `tone (label formal)`, `tone (version 3)`. */
export const describeReference = ({ child_name, child_version, child_label }: Reference): string =>
  child_version === null
    ? `${child_name} (label ${child_label})`
    : `${child_name} (version ${child_version})`;
