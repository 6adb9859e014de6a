import type { GradeImport } from "../../schema/api/assessment/grades.ts";
import type { FileText } from "../../schema/api/platform/file-text.ts";
import { type ErrorCode, formatErrorMessage } from "../error-codes.ts";
import { invalidField } from "../errors.ts";
import { BeyondBounds } from "../platform/readers/beyond-bounds.ts";
import { columnFinder } from "../platform/readers/column-names.ts";
import {
  type CsvBounds,
  type CsvSeparator,
  countNamedColumns,
  hasValuesBeyondColumns,
  readCsv,
  UnreadableCsv,
} from "../platform/readers/csv.ts";
import { UndecodableTextError } from "../platform/readers/decode-text.ts";
import { decodeFileText } from "../platform/readers/given-text.ts";
import { receiveBytes } from "../platform/readers/reader-thread.ts";
import { lostCharacter } from "../platform/text/lost-character.ts";
import { parseCellVersionLookup } from "./cell-versions.ts";
import type { GradeEntry } from "./set-grades.ts";

/** A line or field that contains no valid grade. */
export type GradesCsvIssue = {
  line: number;
  user_id: number | null;
  content_item_id: number | null;
  detail: string;
  code: ErrorCode;
};

/**
 * With its cell's version at export, if given. A line without `user_id` has the external id, or the code of
 * an anonymous item.
 */
type ReadGrade = Omit<GradeEntry, "user_id"> & {
  user_id: number | null;
  external_id?: string;
  code?: string;
  line: number;
};

/** An entry with its line per non-empty field, and how the file was understood. */
export type ParsedGrades = {
  entries: ReadGrade[];
  faults: GradesCsvIssue[];
  read_as: { separator: CsvSeparator; decimal: "." | ","; encoding: string };
};

/** Entries as JSON with their lines, the first faults, and their number. */
export type ParsedGradesForDatabase = {
  entries: string;
  faults: GradesCsvIssue[];
  faultsInAll: number;
  read_as: ParsedGrades["read_as"];
};

const maxGradeCsvItemColumns = 200;

/** Includes the header; allows for a file's items next to the exported columns about people. */
const bounds: CsvBounds = { rows: 1001, columns: 300, cells: 250_000 };

/** If an integer column can hold it. */
const idOf = (text: string): number | undefined => {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return id >= 1 && id <= 2_147_483_647 ? id : undefined;
};

const ownColumns = ["user_id", "external_id", "code", "version"];

const columnOf = columnFinder(ownColumns);

/** A column's name begins with its item's id. */
const itemOf = (name: string): number | undefined => idOf(/^\s*(\d+)(?:\s|$)/.exec(name)?.[1] ?? "");

/** A text if the file is not CSV or exceeds a limit. */
function fileIn(csv: string): ReturnType<typeof readCsv> | string {
  try {
    return readCsv(csv, bounds, (name) => itemOf(name) !== undefined || columnOf(name) !== undefined);
  } catch (error) {
    if (error instanceof BeyondBounds) return `Input ${error.message}`;
    if (error instanceof UnreadableCsv) return `Not readable as CSV: ${error.message}`;
    throw error;
  }
}

/**
 * The gradebook's export format. People are in `user_id`, or if it is empty in `external_id` or `code`. Item
 * columns begin with the item's id. Fields are scores with decimal point or comma, or `EX` for excused. Reads
 * `version` too. Returns a text if the file is unusable.
 */
export function parseGradesCsv(csv: string, encoding = "utf-8"): ParsedGrades | string {
  const file = fileIn(csv);
  if (typeof file === "string") return file;
  const [head, ...rows] = file.rows;
  if (!head) return "Input should be CSV with a header line";
  const titles = head.fields.map((name) => name.trim());
  const names = titles.map((name) => columnOf(name) ?? name);
  const columns = countNamedColumns(names);
  const [person, number, coded, version] = ownColumns.map((name) => names.indexOf(name)) as [
    number,
    number,
    number,
    number,
  ];
  if (person < 0 && number < 0 && coded < 0) return "Input should have a column user_id, external_id or code";
  const items = names.flatMap((name, at) => {
    const id = itemOf(name);
    return id ? [{ at, id }] : [];
  });
  if (items.length === 0 || items.length > maxGradeCsvItemColumns)
    return `Input should have a column for an item, and at most ${maxGradeCsvItemColumns}`;
  if (new Set(items.map(({ id }) => id)).size < items.length) return "Input should name each item once";

  const read: ParsedGrades = {
    entries: [],
    faults: [],
    read_as: { separator: file.separator, decimal: ".", encoding },
  };
  const seen = new Set<number | string>();
  for (const { line, fields } of rows) {
    const id = fields[person]?.trim() ?? "";
    const user_id = idOf(id);
    const external_id = id === "" ? fields[number]?.trim() || undefined : undefined;
    const code = id === "" && !external_id ? fields[coded]?.trim().toUpperCase() || undefined : undefined;
    const who = user_id ?? external_id ?? (code && `code ${code}`);
    const versions = parseCellVersionLookup(fields[version]?.trim() ?? "");
    const fault = (content_item_id: number | null, code: ErrorCode) =>
      read.faults.push({
        line,
        user_id: user_id ?? null,
        content_item_id,
        detail: formatErrorMessage(code),
        code,
      });
    if (hasValuesBeyondColumns(fields, columns)) fault(null, "row_has_surplus");
    else if (who?.toString().includes(lostCharacter)) fault(null, "row_person_character_lost");
    else if (!who) fault(null, "row_user_id_invalid");
    else if (seen.has(who)) fault(null, "row_person_has_line");
    else if (versions === "faulty") fault(null, "row_version_invalid");
    else
      for (const { at, id } of items) {
        const text = fields[at]?.trim() ?? "";
        const grade = gradeIn(text);
        if (grade === "faulty") fault(id, "row_score_invalid");
        else if (grade) {
          if (text.includes(",")) read.read_as.decimal = ",";
          read.entries.push({
            line,
            user_id: user_id ?? null,
            ...(external_id && { external_id }),
            ...(code && { code }),
            content_item_id: id,
            ...grade,
            versions: versions?.(id),
          });
        }
      }
    if (who) seen.add(who);
  }
  return read;
}

/** Of an upload; rows are counted while reading. */
const maxGradeCsvMegabytes = 32;

/** Without `csv`, the worker thread reads the uploaded file. */
export type GradesCsvInput = Pick<GradeImport, "csv" | "overwrite"> & { maxIssues: number };

/** Ignores versions if `overwrite` is set. Returns 422 for an unusable file. */
export async function parseGradesForDatabase({
  csv,
  overwrite,
  maxIssues,
}: GradesCsvInput): Promise<ParsedGradesForDatabase> {
  const read = await readGiven(csv);
  if (typeof read === "string") throw invalidField([csv === undefined ? "file_id" : "csv"], read);
  const entries = overwrite ? read.entries.map(({ versions: _, ...entry }) => entry) : read.entries;
  return {
    entries: JSON.stringify(entries),
    faults: read.faults.slice(0, maxIssues),
    faultsInAll: read.faults.length,
    read_as: read.read_as,
  };
}

async function readGiven(csv: FileText | undefined): Promise<ParsedGrades | string> {
  try {
    const { text, read_as } = decodeFileText(csv ?? (await receiveBytes(maxGradeCsvMegabytes)));
    return parseGradesCsv(text, read_as);
  } catch (error) {
    if (error instanceof UndecodableTextError) return error.message;
    if (error instanceof BeyondBounds) return `Input ${error.message}`;
    throw error;
  }
}

/** Undefined if the field is empty. */
function gradeIn(text: string): { score: number | null; is_excused: boolean } | "faulty" | undefined {
  if (text === "") return undefined;
  if (/^ex$/i.test(text)) return { score: null, is_excused: true };
  if (!/^\d{1,4}([.,]\d{1,2})?$/.test(text)) return "faulty";
  return { score: Number(text.replace(",", ".")), is_excused: false };
}
