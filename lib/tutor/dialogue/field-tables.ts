import { keyFields, namesPattern, questionFields } from "./key-fields.ts";
import { normalizeFieldName } from "./object-fields.ts";

const namesOf = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(normalizeFieldName));
const answers = namesOf(keyFields.answer);
const others = namesOf([...keyFields.misconceptions, ...keyFields.skill, ...keyFields.because]);
/** Of columns before those of the key. */
const firsts = [...namesOf([...questionFields, "id", "option", "number"])];

const maxHeaderCharacters = 400;

const cellsOf = (line: string): string[] =>
  line
    .slice(0, maxHeaderCharacters)
    .split(/[,;|\t]/)
    .map((cell) => normalizeFieldName(cell.replaceAll(/["'*`]/g, "")))
    .filter((cell) => cell !== "");

/** The header of a key as CSV or a table: `id,answer,skill`. */
export function beginsTable(line: string): boolean {
  if (line.length > maxHeaderCharacters || !/[,;|\t]/.test(line)) return false;
  const cells = cellsOf(line);
  return cells.some((cell) => answers.has(cell)) && cells.some((cell) => others.has(cell));
}

const header = /^\|?[\w "'-]{1,34}(?:[,;|\t][\w "'-]{0,34}){0,8}$/;

/** The header of columns that begin with those of the question. */
export function mayBeginTable(line: string): boolean {
  if (!header.test(line)) return false;
  const [first = ""] = cellsOf(line);
  return firsts.some((name) => (/[,;|\t]/.test(line.slice(1)) ? name === first : name.startsWith(first)));
}

/** Not of words that begin sentences, such as "Correct, …". */
const separated = new RegExp(
  `^([^\\p{L}\\p{N}\\n]{0,30}${namesPattern(
    Object.values({ ...keyFields, key: [], reason: [] })
      .flat()
      .filter((name) => name !== "correct"),
  )}["'*_\`]{0,3})[ \\t]{0,4}(?:[,;\\t→⇒⟶–—]|-{1,2}>|--?(?=[ \\t]))`,
  "iu",
);

/** Lines of CSV, and those with arrows or dashes, as `answer: B`. */
export const fieldsWithColons = (text: string): string =>
  text
    .split("\n")
    .map((line) =>
      beginsTable(line) ? cellsOf(line).map((cell) => `${cell}:`).join("\n") : line.replace(separated, "$1:"),
    )
    .join("\n");
