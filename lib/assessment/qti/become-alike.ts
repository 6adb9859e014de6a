/** Two options that differ in the file have the same text. */
export function hasOptionsWithEqualPlainText(texts: readonly string[], contents: readonly string[]): boolean {
  const contentOf = new Map<string, string>();
  return texts.some((text, at) => {
    const content = contents[at] ?? "";
    const before = contentOf.get(text);
    if (before === undefined) contentOf.set(text, content);
    return before !== undefined && before !== content;
  });
}
