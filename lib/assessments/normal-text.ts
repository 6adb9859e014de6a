/**
 * The form in which short answers are compared: what looks or reads the same is the same. Compatibility forms (a
 * ligature, full-width letters, a superscript) become plain, case and the number of spaces do not matter. Accents do.
 */
export const normalText = (text: string): string =>
  foldCase(text.normalize("NFKC")).normalize("NFKC").replace(/\s+/gu, " ").trim();

/** Upper case first, which takes ß for SS and ς for Σ; then lower case, which makes one of both spellings. */
const foldCase = (text: string): string => text.toUpperCase().toLowerCase().replaceAll("ς", "σ");
