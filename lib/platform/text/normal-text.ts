/**
 * Equal for texts that readers take as equal. Ignores case by the language's rules, the number of spaces,
 * invisible characters, and the typographic form of quotes, dashes and slashes. Accents count.
 */
export const normalizeForComparison = (text: string, language = ""): string =>
  plainMarks(foldCase(plainCharacters(text), caseRulesOf(language)).normalize("NFKC"))
    .replace(/\s+/gu, " ")
    .trim();

/**
 * NFKC makes ligatures, full-width letters, superscripts and fractions plain. After a digit that would change a
 * number: 10⁸ becomes 10^8, and 1½ becomes 1 1/2.
 */
const plainCharacters = (text: string): string =>
  text
    // Spanish and Portuguese keyboards have an ordinal sign that looks like the degree.
    .replace(/(?<=\p{Nd}\s?)[º˚∘](?=\s?[CFK](?!\p{L}))/gu, "°")
    .replace(/(?<=\p{Nd})(?=[¼-¾⅐-⅞↉])/gu, " ")
    .replace(/(?<=\p{Nd})(?=[⁺⁻]?[⁰¹²³⁴-⁹ⁱⁿ])/gu, "^")
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "");

/** Languages whose case rules differ from the default; a dotless ı is a separate letter in Turkish. */
const specialCase = ["az", "el", "lt", "tr"];

const caseRulesOf = (language: string): string =>
  specialCase.find((code) => code === language.toLowerCase().split("-")[0]) ?? "en";

/**
 * Upper case maps ß to SS and ς to Σ; lower case unifies both spellings. Upper case leaves the capital ẞ
 * unchanged, so it is lower-cased first.
 */
const foldCase = (text: string, rules: string): string =>
  text.toLocaleLowerCase(rules).toLocaleUpperCase(rules).toLocaleLowerCase(rules).replaceAll("ς", "σ");

/** NFKC writes a free acute accent as a space and a combining accent. */
const plainMarks = (text: string): string =>
  text
    .replace(/ \u0301|[‘’‚‛′‵`ʹʻʼʽˈ‹›＇]/gu, "'")
    .replace(/[“”„‟«»〃〝〞〟]|''/gu, '"')
    .replace(/[\p{Dash}˗⁃➖]/gu, "-")
    .replace(/[⁄∕⧸]/gu, "/");
