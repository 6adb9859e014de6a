import { keyFieldAliases, namesPattern, questionFieldAliases } from "./key-fields.ts";
import { normalizeFieldName } from "./object-fields.ts";

const namesOf = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(normalizeFieldName));
const answers = namesOf(keyFieldAliases.answer);
const others = namesOf([
  ...keyFieldAliases.misconceptions,
  ...keyFieldAliases.skill,
  ...keyFieldAliases.because,
]);
/** Of columns before those of the key. */
const firsts = [...namesOf([...questionFieldAliases, "id", "option", "number"])];

const maxHeaderCharacters = 400;

const cellsOf = (line: string): string[] =>
  line
    .slice(0, maxHeaderCharacters)
    .split(/[,;|\t]/)
    .map((cell) => normalizeFieldName(cell.replaceAll(/["'*`]/g, "")))
    .filter((cell) => cell !== "");

/** The header of a key as CSV or a table: `id,answer,skill`. */
export function beginsKeyTable(lines: string): boolean {
  const [line = ""] = lines.split("\n", 1);
  if (line.length > maxHeaderCharacters || !/[,;|\t]/.test(line)) return false;
  const cells = cellsOf(line);
  return cells.some((cell) => answers.has(cell)) && cells.some((cell) => others.has(cell));
}

const header = /^\|?[\w "'-]{1,34}(?:[,;|\t][\w "'-]{0,34}){0,8}$/;

/** The header of columns that begin with those of the question. */
export function mayBeginKeyTable(line: string): boolean {
  if (!header.test(line)) return false;
  const [first = ""] = cellsOf(line);
  return firsts.some((name) => (/[,;|\t]/.test(line.slice(1)) ? name === first : name.startsWith(first)));
}

const nameBegins = "^([^\\p{L}\\p{N}\\n]{0,30}";
const marks = `["'*_\`]{0,3}`;
const separator = "[ \\t]{0,4}(?:[,;\\t→⇒⟶–—]|-{1,2}>|--?(?=[ \\t]))";
/** Prose begins with "Answer, …", too. */
const optionId =
  "(?=[ \\t]{0,4}[\"'(*]{0,3}(?:(?:option|choice|letter) ?)?(?:[A-H]|[1-9])[\"')*]{0,3}\\.?\\s{0,4}(?:[,;|]|$))";
const separatedAnswer = new RegExp(
  `${nameBegins}${namesPattern(keyFieldAliases.answer)}${marks})${separator}${optionId}`,
  "iu",
);
const separatedOther = new RegExp(
  `${nameBegins}${namesPattern([...keyFieldAliases.misconceptions, ...keyFieldAliases.skill, ...keyFieldAliases.because])}${marks})${separator}`,
  "iu",
);

const pair = new RegExp(
  `(["'])(${namesPattern(Object.values({ ...keyFieldAliases, reason: [] }).flat())})\\1\\s{0,2},\\s{0,2}(?=["'])`,
  "giu",
);

/** `("answer", "B")` as `(answer: "B")`. */
const pairsWithColons = (text: string): string => text.replaceAll(pair, "$2: ");

/** Lines of CSV, and those with arrows or dashes, as `answer: B`. */
export const fieldsWithColons = (text: string): string =>
  text
    .split("\n")
    .map((line) =>
      beginsKeyTable(line)
        ? cellsOf(line)
            .map((cell) => `${cell}:`)
            .join("\n")
        : pairsWithColons(line).replace(separatedAnswer, "$1: ").replace(separatedOther, "$1: "),
    )
    .join("\n");
