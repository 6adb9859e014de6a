import { roles } from "../../../schema/enums.ts";
import {
  type ImportRow,
  isDeletion,
  RefusedLineError,
  readOptionalText,
  readPersonIdentifiers,
  readPersonNames,
  readRequiredText,
  readSourcedId,
  refuseRepeatedIdentifiers,
  toImportRows,
} from "./import-row.ts";
import type { CsvLine, CsvTables } from "./table.ts";

/** Supported files and their columns. */
const person = ["sourced_id", "external_id", "email", "status"];
const columns = {
  "people.csv": {
    required: ["email", ["full_name", "given_name", "family_name"]],
    optional: [...person, "full_name", "given_name", "family_name"],
  },
  "roles.csv": { required: ["role"], optional: [...person, "department_code"] },
  "enrollments.csv": { required: [], optional: [...person, "course_offering_id", "class_sourced_id", "as"] },
};

export const nativeFileNames = Object.keys(columns);

/** In processing order. */
export function readNativeFiles(tables: CsvTables): ImportRow[] {
  const linesOf = (file: keyof typeof columns) => tables.linesOf(file, columns[file]);
  return [
    ...refuseRepeatedIdentifiers(toImportRows("person", "people.csv", linesOf("people.csv"), personOf)),
    ...toImportRows("role", "roles.csv", linesOf("roles.csv"), roleOf),
    ...toImportRows("enrollment", "enrollments.csv", linesOf("enrollments.csv"), enrollmentOf),
  ];
}

function personOf(line: CsvLine) {
  const is_deletion = isDeletion(line);
  const person = readPersonIdentifiers(line);
  if (is_deletion) return { ...person, is_deletion, details: {} };
  if (person.email === null) throw new RefusedLineError("row_value_missing", { columns: "email" });
  return { ...person, is_deletion, details: readPersonNames(line, ["given_name", "family_name"]) };
}

function roleOf(line: CsvLine) {
  const role = readRequiredText(line, "role").toLowerCase();
  if (!roles.some((one) => one === role)) throw new RefusedLineError("row_role_unknown");
  return {
    ...readPersonIdentifiers(line),
    is_deletion: isDeletion(line),
    details: { role, department_code: readOptionalText(line, "department_code") },
  };
}

function enrollmentOf(line: CsvLine) {
  const offering = readOptionalText(line, "course_offering_id");
  const class_sourced_id = readSourcedId(line, "class_sourced_id");
  if ((offering === null) === (class_sourced_id === null))
    throw new RefusedLineError("row_offering_ambiguous");
  if (offering !== null && !/^[1-9]\d{0,8}$/.test(offering))
    throw new RefusedLineError("row_offering_id_invalid");
  const as = readOptionalText(line, "as")?.toLowerCase() ?? "student";
  if (as !== "student" && as !== "teacher") throw new RefusedLineError("row_as_unknown");
  const offered = offering === null ? { class_sourced_id } : { course_offering_id: Number(offering) };
  return { ...readPersonIdentifiers(line), is_deletion: isDeletion(line), details: { ...offered, as } };
}
