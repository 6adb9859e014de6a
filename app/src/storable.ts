/** Removes characters that JSON storage cannot hold: NUL and unpaired surrogates. Pure. */
export const storable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, "");

export const storableJson = (body: unknown): string =>
  JSON.stringify(body, (_, value) => (typeof value === "string" ? storable(value) : value));
