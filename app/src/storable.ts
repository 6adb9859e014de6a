/** Removes characters that JSON storage cannot hold: NUL and unpaired surrogates. Pure. */
export const stripUnstorable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, "");

export const storableJson = (body: unknown): string =>
  JSON.stringify(body, (_, value) => (typeof value === "string" ? stripUnstorable(value) : value));
