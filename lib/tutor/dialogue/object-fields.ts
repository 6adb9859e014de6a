export type ObjectFields = Record<string, unknown>;

/** Undefined unless the value is an object. */
export const asObjectFields = (value: unknown): ObjectFields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ObjectFields) : undefined;

/** For comparison: without case, blanks and dashes. */
export const normalizeFieldName = (key: string): string => key.toLowerCase().replaceAll(/[\s_-]/g, "");

export function findField(fields: ObjectFields, called: readonly string[]): unknown {
  for (const name of called)
    for (const [key, value] of Object.entries(fields)) if (normalizeFieldName(key) === name) return value;
  return undefined;
}
