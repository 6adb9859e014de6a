import { type CsvRow, readCsv } from "../csv.ts";
import type { Entry } from "./setting-grades.ts";

/** A line or a field of a file that says no grade. */
type CsvFault = {
  line: number;
  user_id: number | null;
  content_item_id: number | null;
  detail: string;
};

/** What a file of grades says: an entry for each field that is not empty, with its line. */
export type GradesRead = { entries: (Entry & { line: number })[]; faults: CsvFault[] };

const mostLines = 1000;
const mostItems = 200;

/** Text that stands for an integer which a column can hold. */
const idOf = (text: string): number | undefined => {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return id >= 1 && id <= 2_147_483_647 ? id : undefined;
};

/** None where the text is no CSV. */
function rowsIn(csv: string): CsvRow[] {
  try {
    return readCsv(csv);
  } catch {
    return [];
  }
}

/**
 * Reads grades from CSV as the gradebook is exported: the column `user_id`, and columns that begin with the id of an
 * item, a number for a score and `EX` for who is excused. Where the file as a whole says nothing, a text says why. Pure.
 */
export function readGrades(csv: string): GradesRead | string {
  const [head, ...rows] = rowsIn(csv);
  if (!head) return "Input should be CSV with a line of names";
  const names = head.fields.map((name) => name.trim());
  const person = names.indexOf("user_id");
  if (person < 0) return "Input should have a column user_id";
  if (rows.length > mostLines) return `Input should have at most ${mostLines} lines`;
  const items = names.flatMap((name, at) => {
    const id = idOf(/^(\d+)(?:\s|$)/.exec(name)?.[1] ?? "");
    return id ? [{ at, id }] : [];
  });
  if (items.length === 0 || items.length > mostItems)
    return `Input should have a column for an item, and at most ${mostItems}`;
  if (new Set(items.map(({ id }) => id)).size < items.length) return "Input should name each item once";

  const read: GradesRead = { entries: [], faults: [] };
  const seen = new Set<number>();
  for (const { line, fields } of rows) {
    const user_id = idOf(fields[person]?.trim() ?? "");
    const fault = (content_item_id: number | null, detail: string) =>
      read.faults.push({ line, user_id: user_id ?? null, content_item_id, detail });
    if (!user_id) fault(null, "user_id should be the id of a person");
    else if (seen.has(user_id)) fault(null, "The person has a line before this one");
    else
      for (const { at, id } of items) {
        const grade = gradeIn(fields[at]?.trim() ?? "");
        if (grade === "faulty")
          fault(id, "Input should be a number from 0 to 9999.99 with at most 2 decimals, or EX");
        else if (grade) read.entries.push({ line, user_id, content_item_id: id, ...grade });
      }
    if (user_id) seen.add(user_id);
  }
  return read;
}

/** What a field says; undefined for an empty one. */
function gradeIn(text: string): { score: number | null; is_excused: boolean } | "faulty" | undefined {
  if (text === "") return undefined;
  if (/^ex$/i.test(text)) return { score: null, is_excused: true };
  return /^\d{1,4}(\.\d{1,2})?$/.test(text) ? { score: Number(text), is_excused: false } : "faulty";
}
