/**
 * Quotes lines that begin with three or more dashes, because such lines end a prompt's material. Covers all
 * line breaks and dash characters. Idempotent and pure.
 */
export const quoteFences = (text: string): string =>
  text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n").replace(/^(?=[^\S\n]*[\p{Pd}\u2212]{3})/gmu, "> ");
