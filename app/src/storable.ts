/** Removes characters that JSON storage cannot hold: NUL and unpaired surrogates. Pure. */
export const stripUnstorableCharacters = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, "");

export const stringifyStorableJson = (body: unknown): string =>
  JSON.stringify(body, (_, value) => (typeof value === "string" ? stripUnstorableCharacters(value) : value));
