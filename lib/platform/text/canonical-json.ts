/** Sorted keys, no white space: equal values give equal text, for hashing. */
export function canonicalJson(value: unknown, options: { trimStrings?: boolean } = {}): string {
  const spell = (part: unknown): string => {
    if (typeof part === "string") return JSON.stringify(options.trimStrings ? part.trim() : part);
    if (Array.isArray(part)) return `[${part.map(spell).join(",")}]`;
    if (typeof part !== "object" || part === null) return JSON.stringify(part) ?? "null";
    const entries = Object.entries(part).filter(([, entry]) => entry !== undefined);
    const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${sorted.map(([key, entry]) => `${JSON.stringify(key)}:${spell(entry)}`).join(",")}}`;
  };
  return spell(value);
}
