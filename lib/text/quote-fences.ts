/**
 * A text in which each line that begins with three dashes or more stands behind `> `: such lines are what a prompt ends
 * its material with. Line breaks of every kind are one, and dashes of any length are dashes. Once more is the same. Pure.
 */
export const quoteFences = (text: string): string =>
  text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n").replace(/^(?=[^\S\n]*[\p{Pd}\u2212]{3})/gmu, "> ");
