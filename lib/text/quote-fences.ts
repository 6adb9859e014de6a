/**
 * Prefixes lines that begin with three or more dashes with `> `: prompts end their material with such lines.
 * Treats all line breaks and dash characters alike. Idempotent and pure.
 */
export const quoteFences = (text: string): string =>
  text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n").replace(/^(?=[^\S\n]*[\p{Pd}\u2212]{3})/gmu, "> ");
