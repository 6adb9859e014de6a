/** The fields of an object that a model wrote. */
export type Fields = Record<string, unknown>;

/** Undefined for what is no object. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

/** A field's name as it is compared: without capitals, blanks and dashes. */
export const plainName = (key: string): string => key.toLowerCase().replaceAll(/[\s_-]/g, "");

/** What the field says that has one of these names; the first of them wins. */
export function field(fields: Fields, called: readonly string[]): unknown {
  for (const name of called)
    for (const [key, value] of Object.entries(fields)) if (plainName(key) === name) return value;
  return undefined;
}
