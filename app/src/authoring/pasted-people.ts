/** Why a pasted line is sent or not. */
export type PastedLineState =
  | "ready"
  | "enrolled"
  | "twice"
  | "address"
  | "name"
  | "elsewhere"
  | "teacher"
  | "removed";

/** A person of a pasted list, by address or by number in the university's own system. */
export type PastedPerson = {
  line: number;
  words: string;
  state: PastedLineState;
  person: { email: string } | { external_id: string } | undefined;
};

/** The class that the list is for. `names` has the addresses and numbers of its people in lowercase. */
export type OfferingWithEnrolledNames = { offering: number; names: ReadonlySet<string> };

const cellPattern = /(?:^|[,;\t])(?: *"((?:[^"]|"")*)" *(?=[,;\t]|$)|([^,;\t]*))/g;
const address = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]+$/;
const number = /^(?=.*\d)[\w./-]{1,64}$/;

const emailColumns = ["email", "e-mail", "address"];
const numberColumns = ["external_id", "sourced_id", "number"];

/** Titles of columns, of the template, of exports and of the university's import. */
const titles = new Set([
  ...[...emailColumns, ...numberColumns, "name", "full_name", "full name", "given_name", "family_name"],
  ...["status", "course_offering_id", "class_sourced_id", "as"],
]);

/**
 * The people of a pasted list or CSV file. Cells end with a comma, semicolon, tab or line. An address names the
 * person of its line, else a number does. A line of titles says what the columns below it are.
 */
export function parsePastedPeople(
  text: string,
  { offering, names }: OfferingWithEnrolledNames,
): PastedPerson[] {
  const seen = new Set<string>();
  let columns: string[] = [];
  return text.split(/\r?\n/).flatMap((written, at) => {
    const all = cellsOf(written);
    const cells = all.filter(Boolean);
    if (cells.length === 0) return [];
    const small = all.map((cell) => cell.toLowerCase());
    if (small.every((cell) => cell === "" || titles.has(cell))) {
      columns = small;
      return [];
    }
    const words = cells.join(", ");
    const one = (state: PastedLineState, person?: PastedPerson["person"], shown = words): PastedPerson => ({
      ...{ line: at + 1, words: shown, state, person },
    });
    const titled = (wanted: readonly string[]) =>
      all.filter((_, index) => wanted.includes(columns[index] ?? ""));
    const [run = ""] = titled(["course_offering_id"]);
    if (run !== "" && Number(run) !== offering) return [one("elsewhere")];
    if (titled(["as"])[0]?.toLowerCase() === "teacher") return [one("teacher")];
    if (titled(["status"])[0]?.toLowerCase() === "tobedeleted") return [one("removed")];
    const numbers = columns.some((title) => numberColumns.includes(title)) ? titled(numberColumns) : cells;
    const addresses = cells.flatMap(addressIn);
    const id = numbers.find((cell) => number.test(cell));
    const named = addresses.length > 0 ? addresses : id === undefined ? [] : [id];
    if (named.length === 0) return [one("name")];
    return named.map((name) => {
      const key = name.toLowerCase();
      const shown = named.length > 1 ? name : words;
      const isAddress = name.includes("@");
      if (isAddress && !address.test(name)) return one("address", undefined, shown);
      if (seen.has(key)) return one("twice", undefined, shown);
      seen.add(key);
      if (names.has(key)) return one("enrolled", undefined, shown);
      return one("ready", isAddress ? { email: name } : { external_id: name }, shown);
    });
  });
}

/** The cells of a line. Quoted ones may contain separators. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(cellPattern)].map(([, quoted, plain = ""]) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );

/** The address of `Ada Lovelace <ada@example.edu>`, or a cell that has an `@`. */
const addressIn = (cell: string): string[] => {
  const inside = /<([^<>]*)>/.exec(cell)?.[1]?.trim();
  const found = inside ?? cell;
  return found.includes("@") ? [found] : [];
};
