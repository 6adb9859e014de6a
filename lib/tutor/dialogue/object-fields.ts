export type ObjectFields = Record<string, unknown>;

/** Undefined unless the value is an object. */
export const fieldsOf = (value: unknown): ObjectFields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ObjectFields) : undefined;

/** For comparison: without case, blanks and dashes. */
export const plainName = (key: string): string => key.toLowerCase().replaceAll(/[\s_-]/g, "");

export function findField(fields: ObjectFields, called: readonly string[]): unknown {
  for (const name of called)
    for (const [key, value] of Object.entries(fields)) if (plainName(key) === name) return value;
  return undefined;
}
