import type { PromptReference } from "../../../schema/api/tutor/prompts.ts";

export type Reference = PromptReference;

/** Plain text or a reference, in order of the text. */
export type PromptSegment = string | Reference;

const tag =
  /@@@refPrompt:name=((?:(?!@@@)[^|\p{Cc}]){1,255})\|(?:label=([a-z0-9_.-]{1,36})|version=([1-9]\d{0,8}))@@@/gu;

export type CountedReference = Reference & { occurrences: number; tag_characters: number };

type Tag = { start: number; end: number; characters: number; reference: Reference };

/**
 * Splits a text at its tags `@@@refPrompt:name=<name>|label=<label>@@@` and `…|version=<n>@@@`: exactly two
 * parts, name first. Other text is plain.
 */
export function splitAtReferences(text: string): PromptSegment[] {
  const segments: PromptSegment[] = [];
  let read = 0;
  for (const { start, end, reference } of tagsIn(text)) {
    if (start > read) segments.push(text.slice(read, start));
    segments.push(reference);
    read = end;
  }
  if (read < text.length) segments.push(text.slice(read));
  return segments;
}

/** Distinct, in order of appearance. */
export const distinctReferences = (text: string): Reference[] =>
  countReferences(text).map(({ occurrences: _, tag_characters: __, ...reference }) => reference);

/** Distinct. */
export function countReferences(text: string): CountedReference[] {
  const counted = new Map<string, CountedReference>();
  for (const { characters, reference } of tagsIn(text)) {
    const key = describeReference(reference);
    const { occurrences, tag_characters } = counted.get(key) ?? { occurrences: 0, tag_characters: 0 };
    counted.set(key, {
      ...reference,
      occurrences: occurrences + 1,
      tag_characters: tag_characters + characters,
    });
  }
  return [...counted.values()];
}

function* tagsIn(text: string): Generator<Tag> {
  for (const match of text.matchAll(tag)) {
    const [whole, name = "", label, version] = match;
    if (name.trim() === "") continue;
    const reference = {
      child_name: name.trim(),
      child_version: version ? Number(version) : null,
      child_label: label ?? null,
    };
    const end = match.index + whole.length;
    yield { start: match.index, end, characters: characterCount(whole), reference };
  }
}

/** Counts code points, as the database does. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Unique: `tone (label formal)`, `tone (version 3)`. */
export const describeReference = ({ child_name, child_version, child_label }: Reference): string =>
  child_version === null
    ? `${child_name} (label ${child_label})`
    : `${child_name} (version ${child_version})`;
