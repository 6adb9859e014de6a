const tagOfPrompt = /<\/([A-Za-z][\w-]*)>/g;

/** Also with blanks, combining marks and invisible characters in it. */
const anyTag =
  /[<\uff1c](?=[\s\p{M}\p{C}\p{Default_Ignorable_Code_Point}]*[/\uff0f]((?:[\s\p{M}\p{C}\p{Default_Ignorable_Code_Point}]*[A-Za-z0-9_-])+))/gu;

const unseen = /[\s\p{M}\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Values without the closing tags that the prompt itself has, such as `</material>`: a value cannot end the
 * part of the prompt that it is in.
 */
export function escapePromptClosingTags(
  template: string,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = [...template.matchAll(tagOfPrompt)].map(([, name = ""]) => name.toLowerCase());
  if (names.length === 0) return values;
  const harmless = (value: string) =>
    value.replace(anyTag, (opening, written: string) => {
      const name = written.replace(unseen, "").toLowerCase();
      return names.some((one) => name.startsWith(one)) ? "&lt;" : opening;
    });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, harmless(value)]));
}
