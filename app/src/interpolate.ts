export type Values = Record<string, string | number>;

/**
 * A text with its `{values}`, by the rules of that language. What follows from a count has both of its forms:
 * `{n} {n:course|courses}`.
 */
export function interpolate(text: string, values: Values, tag: string): string {
  return text
    .replaceAll(/\{(\w+):([^{|}]*)\|([^{}]*)\}/g, (_, name, one, other) =>
      new Intl.PluralRules(tag).select(Number(values[name])) === "one" ? one : other,
    )
    .replaceAll(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
