import { normalizeTextForFields } from "./plain-spelling.ts";

export type ObjectFields = Record<string, unknown>;

/** Undefined unless the value is an object. */
export const asObjectFields = (value: unknown): ObjectFields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ObjectFields) : undefined;

/** For comparison: without case, blanks, dashes and invisible characters. */
export const normalizeFieldName = (key: string): string =>
  normalizeTextForFields(key)
    .toLowerCase()
    .replaceAll(/[\s_-]/g, "");

export function findField(fields: ObjectFields, called: readonly string[]): unknown {
  for (const name of called)
    for (const [key, value] of Object.entries(fields))
      if (normalizeFieldName(key) === normalizeFieldName(name)) return value;
  return undefined;
}
