import { Email } from "../../../schema/api/platform/email.ts";
import type { ImportKind } from "../../../schema/enums.ts";
import type { ErrorCode, MessageValuesFor } from "../../error-codes.ts";
import { encodeStoredReason, type StoredReason } from "../../platform/results/stored-reason.ts";
import { lostCharacter } from "../../platform/text/lost-character.ts";
import { type CsvLine, valueIn } from "./table.ts";

/** `refusal` says why it is invalid. */
export type ImportRow = {
  kind: ImportKind;
  file: string;
  line: number;
  sourced_id: string | null;
  email: string | null;
  is_deletion: boolean;
  details: Record<string, string | number | null>;
  refusal?: StoredReason;
};

export class RefusedLineError<Code extends ErrorCode = ErrorCode> extends Error {
  override name = "RefusedLineError";
  readonly reason: StoredReason;

  constructor(code: Code, ...values: MessageValuesFor<Code>) {
    const reason = encodeStoredReason(code, ...values);
    super(reason);
    this.reason = reason;
  }
}

const maxImportValueCharacters = 255;

/** At most 255 characters without control characters; null if empty. */
export function readOptionalText(line: CsvLine, column: string): string | null {
  if (line.hasSurplus) throw new RefusedLineError("row_has_surplus");
  const text = valueIn(line, column)?.trim();
  if (!text) return null;
  if (text.includes(lostCharacter)) throw new RefusedLineError("row_character_lost", { column });
  if ([...text].length > maxImportValueCharacters)
    throw new RefusedLineError("row_value_too_long", { column, count: maxImportValueCharacters });
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw new RefusedLineError("row_value_not_storable", { column });
  return text;
}

export function readRequiredText(line: CsvLine, ...columns: readonly string[]): string {
  const [found] = columns.map((column) => readOptionalText(line, column)).filter((text) => text !== null);
  if (found === undefined) throw new RefusedLineError("row_value_missing", { columns: columns.join(" or ") });
  return found;
}

/** Normalized; null if empty. */
export function readEmailField(line: CsvLine, column = "email"): string | null {
  const text = readOptionalText(line, column);
  if (text === null) return null;
  const { data } = Email.safeParse(text);
  if (!data) throw new RefusedLineError("row_email_invalid", { column });
  return data;
}

/** The parts, and the full name as given or joined from the parts. */
export function readPersonNames(
  line: CsvLine,
  [given, family]: readonly [string, string],
): { full_name: string; given_name?: string | null; family_name?: string | null } {
  const [given_name, family_name] = [readOptionalText(line, given), readOptionalText(line, family)];
  const together = [given_name, family_name].filter(Boolean).join(" ");
  const full_name = readOptionalText(line, "full_name") ?? together;
  if (full_name === "")
    throw new RefusedLineError("row_value_missing", { columns: `full_name, ${given} or ${family}` });
  if ([...full_name].length > maxImportValueCharacters)
    throw new RefusedLineError("row_name_too_long", { count: maxImportValueCharacters });
  return together === "" ? { full_name } : { full_name, given_name, family_name };
}

/** The source's id: printable ASCII characters. */
export function readSourcedId(line: CsvLine, column = "sourced_id"): string | null {
  const text =
    readOptionalText(line, column) ??
    (column === "sourced_id" ? readOptionalText(line, "external_id") : null);
  if (text !== null && !/^[\x20-\x7e]+$/.test(text))
    throw new RefusedLineError("row_value_beyond_ascii", { column });
  return text;
}

/** By source id, address or both. */
export function readPersonIdentifiers(line: CsvLine): Pick<ImportRow, "sourced_id" | "email"> {
  const person = { sourced_id: readSourcedId(line), email: readEmailField(line) };
  if (person.sourced_id === null && person.email === null)
    throw new RefusedLineError("row_value_missing", { columns: "sourced_id or email" });
  return person;
}

/** `tobedeleted` is OneRoster's word for removal; `active` by default. */
export function isDeletion(line: CsvLine): boolean {
  const status = readOptionalText(line, "status")?.toLowerCase() ?? "active";
  if (status === "tobedeleted") return true;
  if (status === "active") return false;
  throw new RefusedLineError("row_status_unknown");
}

export function toImportRows(
  kind: ImportKind,
  file: string,
  lines: readonly CsvLine[],
  read: (line: CsvLine) => Pick<ImportRow, "sourced_id" | "email" | "is_deletion" | "details">,
): ImportRow[] {
  return lines.map((line) => {
    const position = { kind, file, line: line.number };
    try {
      return { ...position, ...read(line) };
    } catch (error) {
      if (!(error instanceof RefusedLineError)) throw error;
      const empty = { sourced_id: null, email: null, is_deletion: false, details: {} };
      return { ...position, ...empty, refusal: error.reason };
    }
  });
}

/** Rejects rows for people of earlier rows: either could be right. */
export function refuseRepeatedIdentifiers(rows: readonly ImportRow[]): ImportRow[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    if (row.refusal !== undefined) return row;
    const names = [row.sourced_id && `id ${row.sourced_id}`, row.email && `at ${row.email}`].filter(
      (name) => name !== null,
    );
    const before = names.map((name) => seen.get(name)).find((line) => line !== undefined);
    for (const name of names) if (!seen.has(name)) seen.set(name, row.line);
    return before === undefined
      ? row
      : { ...row, refusal: encodeStoredReason("row_person_repeated", { line: before }) };
  });
}
