/**
 * Short answers are compared in this form. Compatibility forms (ligatures, full-width letters, superscripts)
 * become plain; case and the number of spaces do not matter. Accents do.
 */
export const normalText = (text: string): string =>
  foldCase(text.normalize("NFKC")).normalize("NFKC").replace(/\s+/gu, " ").trim();

/**
 * Upper case maps ß to SS and ς to Σ; lower case unifies both spellings. The first lower-casing is for the
 * capital ẞ alone, which upper case leaves unchanged.
 */
const foldCase = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
