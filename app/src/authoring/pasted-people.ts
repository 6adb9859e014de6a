/** Why a pasted line is sent or not. */
export type PastedLineState = "ready" | "enrolled" | "twice" | "address" | "name";

/** A person of a pasted list, by address or by number in the university's own system. */
export type PastedPerson = {
  line: number;
  words: string;
  state: PastedLineState;
  person: { email: string } | { external_id: string } | undefined;
};

const separators = /[,;\t]/;
const address = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]+$/;
const number = /^(?=.*\d)[\w./-]{1,64}$/;

/** Titles of columns, of the template and of exports. */
const titles = new Set([
  ...["email", "e-mail", "address", "name", "full_name", "full name", "external_id", "sourced_id", "number"],
]);

/**
 * The people of a pasted list or CSV file. Cells end with a comma, semicolon, tab or line. An address names the
 * person of its line, else a number does. `known` has the addresses and numbers of the class.
 */
export function parsePastedPeople(text: string, known: ReadonlySet<string>): PastedPerson[] {
  const seen = new Set<string>();
  return text.split(/\r?\n/).flatMap((written, at) => {
    const cells = written.split(separators).map(plainCell).filter(Boolean);
    if (cells.length === 0 || cells.every((cell) => titles.has(cell.toLowerCase()))) return [];
    const words = cells.join(", ");
    const one = (state: PastedLineState, person: PastedPerson["person"], shown = words): PastedPerson => ({
      ...{ line: at + 1, words: shown, state, person },
    });
    const addresses = cells.flatMap(addressIn);
    const id = cells.find((cell) => number.test(cell));
    const named = addresses.length > 0 ? addresses : id === undefined ? [] : [id];
    if (named.length === 0) return [one("name", undefined)];
    return named.map((name) => {
      const key = name.toLowerCase();
      const shown = named.length > 1 ? name : words;
      const isAddress = name.includes("@");
      if (isAddress && !address.test(name)) return one("address", undefined, shown);
      if (seen.has(key)) return one("twice", undefined, shown);
      seen.add(key);
      if (known.has(key)) return one("enrolled", undefined, shown);
      return one("ready", isAddress ? { email: name } : { external_id: name }, shown);
    });
  });
}

/** Without the quotes of CSV. */
const plainCell = (cell: string): string =>
  cell
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();

/** The address of `Ada Lovelace <ada@example.edu>`, or a cell that has an `@`. */
const addressIn = (cell: string): string[] => {
  const inside = /<([^<>]*)>/.exec(cell)?.[1]?.trim();
  const found = inside ?? cell;
  return found.includes("@") ? [found] : [];
};
