/**
 * The form in which short answers are compared: what looks or reads the same is the same. Compatibility forms (a
 * ligature, full-width letters, a superscript) become plain, case and the number of spaces do not matter. Accents do.
 */
export const normalText = (text: string): string =>
  foldCase(text.normalize("NFKC")).normalize("NFKC").replace(/\s+/gu, " ").trim();

/**
 * Upper case takes ß for SS and ς for Σ; lower case makes one of both spellings. Lower case stands first for the
 * capital ẞ alone, which upper case leaves as it is.
 */
const foldCase = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
