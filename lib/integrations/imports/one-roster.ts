import { truncate } from "../../platform/text/truncate.ts";
import {
  type ImportRow,
  isDeletion,
  RefusedLineError,
  readEmailField,
  readOptionalText,
  readPersonNames,
  readRequiredText,
  readSourcedId,
  refuseRepeatedIdentifiers,
  toImportRows,
} from "./import-row.ts";
import { type CsvLine, type CsvTables, valueIn } from "./table.ts";

/** OneRoster 1.2. */
const columns = {
  "academicSessions.csv": { required: ["sourcedId", "title", "startDate", "endDate"], optional: [] },
  "courses.csv": { required: ["sourcedId", "title"], optional: ["courseCode"] },
  "classes.csv": { required: ["sourcedId", "courseSourcedId"], optional: ["status", "termSourcedIds"] },
  "users.csv": {
    required: ["sourcedId", "givenName", "familyName"],
    optional: ["status", "enabledUser", "email", "preferredGivenName", "preferredFamilyName", "full_name"],
  },
  "roles.csv": { required: ["userSourcedId", "role"], optional: ["status"] },
  "enrollments.csv": { required: ["classSourcedId", "userSourcedId", "role"], optional: ["status"] },
};

export const oneRosterFileNames = Object.keys(columns);

/**
 * In processing order. A class becomes an offering from the start of its earliest term to the end of its
 * latest. Roles and enrollments without a counterpart here are not imported.
 */
export function readOneRoster(tables: CsvTables): ImportRow[] {
  const linesOf = (file: keyof typeof columns) => tables.linesOf(file, columns[file]);
  const sessions = linesById("academicSessions.csv", linesOf("academicSessions.csv"));
  const courses = linesById("courses.csv", linesOf("courses.csv"));
  const read = (line: CsvLine) => offeringOf(line, courses, sessions);
  return [
    ...refuseRepeatedIdentifiers(toImportRows("offering", "classes.csv", linesOf("classes.csv"), read)),
    ...refuseRepeatedIdentifiers(toImportRows("person", "users.csv", linesOf("users.csv"), personOf)),
    ...toImportRows("role", "roles.csv", linesOf("roles.csv"), roleOf),
    ...toImportRows("enrollment", "enrollments.csv", linesOf("enrollments.csv"), enrollmentOf),
  ];
}

type Lines = { file: string; byId: ReadonlyMap<string, CsvLine | "ambiguous"> };

/** Of lines with one id that differ, either could be right. */
function linesById(file: keyof typeof columns, lines: readonly CsvLine[]): Lines {
  const { required, optional } = columns[file];
  const said = (line: CsvLine) =>
    [...required, ...optional].map((name) => valueIn(line, name) ?? "").join("\n");
  const byId = new Map<string, CsvLine | "ambiguous">();
  for (const line of lines) {
    const id = valueIn(line, "sourcedId")?.trim() ?? "";
    const former = byId.get(id);
    const isSame = former !== "ambiguous" && former && said(former) === said(line);
    byId.set(id, !former || isSame ? line : "ambiguous");
  }
  return { file, byId };
}

function lineOf({ file, byId }: Lines, id: string): CsvLine | undefined {
  const line = byId.get(id);
  if (line === "ambiguous") throw new RefusedLineError("row_id_ambiguous", { file, id: id.slice(0, 64) });
  return line;
}

function idIn(line: CsvLine, column = "sourcedId"): string {
  const id = readSourcedId(line, column);
  if (id === null) throw new RefusedLineError("row_value_missing", { columns: column });
  return id;
}

function offeringOf(line: CsvLine, courses: Lines, sessions: Lines) {
  const about = { sourced_id: idIn(line), email: null, is_deletion: isDeletion(line) };
  if (about.is_deletion) return { ...about, details: {} };
  const course_sourced_id = idIn(line, "courseSourcedId");
  const course = courseOf(lineOf(courses, course_sourced_id));
  return { ...about, details: { course_sourced_id, ...course, ...termsOf(line, sessions) } };
}

/** Nulls for a course outside the file: the database knows those of earlier imports. */
function courseOf(course: CsvLine | undefined) {
  if (!course) return { course_code: null, course_title: null };
  const course_code = readOptionalText(course, "courseCode") ?? idIn(course);
  if ([...course_code].length > 128)
    throw new RefusedLineError("row_value_too_long", { column: "courseCode", count: 128 });
  return { course_code, course_title: readRequiredText(course, "title") };
}

/** Nulls if none of the terms is in the file. With only some, the dates would be wrong. */
function termsOf(line: CsvLine, sessions: Lines) {
  const ids = (valueIn(line, "termSourcedIds") ?? "")
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  const terms = ids.flatMap((id) => lineOf(sessions, id) ?? []).map(termOf);
  if (terms.length === 0) return { term_name: null, starts_at: null, ends_at: null };
  const missing = ids.find((id) => !sessions.byId.has(id));
  if (missing !== undefined) throw new RefusedLineError("row_term_not_in_file", { id: missing.slice(0, 64) });
  const inOrder = terms.toSorted((one, other) => (one.starts_at ?? "").localeCompare(other.starts_at ?? ""));
  const titles = [...new Set([inOrder[0]?.title, inOrder.at(-1)?.title])];
  return {
    term_name: truncate(titles.join(" – "), maxOneRosterTermNameCharacters),
    starts_at: inOrder.find(({ starts_at }) => starts_at !== null)?.starts_at ?? null,
    ends_at:
      terms
        .map(({ ends_at }) => ends_at)
        .toSorted(byTime)
        .at(-1) ?? null,
  };
}

const maxOneRosterTermNameCharacters = 255;

const byTime = (one: string | null, other: string | null): number => (one ?? "").localeCompare(other ?? "");

function termOf(session: CsvLine) {
  const starts_at = dayIn(session, "startDate", "00:00:00");
  const ends_at = dayIn(session, "endDate", "23:59:59");
  if (starts_at && ends_at && starts_at >= ends_at) throw new RefusedLineError("row_session_ends_first");
  return { title: readRequiredText(session, "title"), starts_at, ends_at };
}

/** In the university's time zone, which the database knows. */
function dayIn(line: CsvLine, column: string, time: string): string | null {
  const day = readOptionalText(line, column);
  if (day === null) return null;
  const moment = new Date(`${day}T${time}.000Z`);
  const isDay = /^[1-9]\d{3}-\d\d-\d\d$/.test(day) && !Number.isNaN(moment.getTime());
  if (!isDay || !moment.toISOString().startsWith(day))
    throw new RefusedLineError("row_date_invalid", { column });
  return `${day}T${time}`;
}

/** A person who is disabled at the source is removed here too. */
function personOf(line: CsvLine) {
  const is_deletion = isDeletion(line) || readOptionalText(line, "enabledUser")?.toLowerCase() === "false";
  const sourced_id = idIn(line);
  const email = readEmailField(line);
  if (is_deletion) return { sourced_id, email: null, is_deletion, details: {} };
  if (email === null) throw new RefusedLineError("row_value_missing", { columns: "email" });
  const column = (name: string) =>
    readOptionalText(line, `preferred${name}`) === null
      ? `${name[0]?.toLowerCase()}${name.slice(1)}`
      : `preferred${name}`;
  return {
    sourced_id,
    email,
    is_deletion,
    details: readPersonNames(line, [column("GivenName"), column("FamilyName")]),
  };
}

/** Administrators are only appointed manually, never by an import. */
const roleNames = new Map([
  ["student", "student"],
  ["aide", "ta"],
  ["proctor", "ta"],
  ["teacher", "instructor"],
]);

function roleOf(line: CsvLine) {
  const name = readRequiredText(line, "role");
  const role = roleNames.get(name);
  if (!role) throw new RefusedLineError("row_role_not_granted", { role: name.slice(0, 64) });
  const sourced_id = idIn(line, "userSourcedId");
  return { sourced_id, email: null, is_deletion: isDeletion(line), details: { role, department_code: null } };
}

function enrollmentOf(line: CsvLine) {
  const as = readRequiredText(line, "role");
  if (as !== "student" && as !== "teacher")
    throw new RefusedLineError("row_not_enrolled_as", { role: as.slice(0, 64) });
  return {
    sourced_id: idIn(line, "userSourcedId"),
    email: null,
    is_deletion: isDeletion(line),
    details: { class_sourced_id: idIn(line, "classSourcedId"), as },
  };
}
