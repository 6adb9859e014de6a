export type InterpolationValues = Record<string, string | number>;

/** Fills `{values}` by the language's rules. `{n:course|courses}` is the plural form for a count. */
export function interpolatePlaceholders(text: string, values: InterpolationValues, tag: string): string {
  return text
    .replaceAll(/\{(\w+):([^{|}]*)\|([^{}]*)\}/g, (_, name, one, other) =>
      new Intl.PluralRules(tag).select(Number(values[name])) === "one" ? one : other,
    )
    .replaceAll(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
