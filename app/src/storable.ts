/**
 * A text without what no service can store and nobody sees: NUL characters, as some programs leave in what is copied from
 * them, and halves of pairs, as are left of an emoji that was cut. Pure.
 */
export const storable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, "");

/** A body as JSON, each of its texts so. */
export const storableJson = (body: unknown): string =>
  JSON.stringify(body, (_, value) => (typeof value === "string" ? storable(value) : value));
