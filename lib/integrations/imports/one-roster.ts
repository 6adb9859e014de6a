import {
  emailIn,
  type ImportRow,
  isDeletion,
  markRepeated,
  namesIn,
  RefusedLine,
  requiredText,
  rowsFrom,
  sourcedIdIn,
  textIn,
} from "./import-row.ts";
import { type Line, tablesIn, valueIn } from "./table.ts";

/** Supported files of OneRoster 1.2 and their required columns. */
const columns = {
  "academicSessions.csv": ["sourcedId", "title", "startDate", "endDate"],
  "courses.csv": ["sourcedId", "title"],
  "classes.csv": ["sourcedId", "courseSourcedId"],
  "users.csv": ["sourcedId", "givenName", "familyName"],
  "roles.csv": ["userSourcedId", "role"],
  "enrollments.csv": ["classSourcedId", "userSourcedId", "role"],
} as const;

export const oneRosterFiles = Object.keys(columns);

/**
 * In processing order. A class becomes an offering with its first term's title and dates. Roles and
 * enrollments are imported if they have a counterpart here.
 */
export function readOneRoster(files: Readonly<Record<string, string>>): ImportRow[] {
  const linesOf = tablesIn(files, columns);
  const sessions = byId(linesOf("academicSessions.csv"));
  const courses = byId(linesOf("courses.csv"));
  const read = (line: Line) => offeringOf(line, courses, sessions);
  return [
    ...markRepeated(rowsFrom("offering", "classes.csv", linesOf("classes.csv"), read)),
    ...markRepeated(rowsFrom("person", "users.csv", linesOf("users.csv"), personOf)),
    ...rowsFrom("role", "roles.csv", linesOf("roles.csv"), roleOf),
    ...rowsFrom("enrollment", "enrollments.csv", linesOf("enrollments.csv"), enrollmentOf),
  ];
}

const byId = (lines: readonly Line[]): Map<string | undefined, Line> =>
  new Map(lines.map((line) => [valueIn(line, "sourcedId")?.trim(), line]));

function idIn(line: Line, column = "sourcedId"): string {
  const id = sourcedIdIn(line, column);
  if (id === null) throw new RefusedLine("row_value_missing", { columns: column });
  return id;
}

type Lines = ReturnType<typeof byId>;

function offeringOf(line: Line, courses: Lines, sessions: Lines) {
  const about = { sourced_id: idIn(line), email: null, is_deletion: isDeletion(line) };
  if (about.is_deletion) return { ...about, details: {} };
  const course = courses.get(idIn(line, "courseSourcedId"));
  if (!course) throw new RefusedLine("row_course_not_in_file");
  const session = sessions.get(textIn(line, "termSourcedIds")?.split(",")[0]?.trim());
  const course_code = textIn(course, "courseCode") ?? idIn(course);
  if ([...course_code].length > 128)
    throw new RefusedLine("row_value_too_long", { column: "courseCode", count: 128 });
  const [starts_at, ends_at] = session
    ? [dayIn(session, "startDate", "00:00:00"), dayIn(session, "endDate", "23:59:59")]
    : [null, null];
  if (starts_at && ends_at && starts_at >= ends_at) throw new RefusedLine("row_session_ends_first");
  const term_name = session ? requiredText(session, "title") : null;
  const course_title = requiredText(course, "title");
  return { ...about, details: { course_code, course_title, term_name, starts_at, ends_at } };
}

/** In the university's time zone, which the database knows. */
function dayIn(line: Line, column: string, time: string): string | null {
  const day = textIn(line, column);
  if (day === null) return null;
  const moment = new Date(`${day}T${time}.000Z`);
  const isDay = /^[1-9]\d{3}-\d\d-\d\d$/.test(day) && !Number.isNaN(moment.getTime());
  if (!isDay || !moment.toISOString().startsWith(day)) throw new RefusedLine("row_date_invalid", { column });
  return `${day}T${time}`;
}

/** A person who is disabled at the source is removed here too. */
function personOf(line: Line) {
  const is_deletion = isDeletion(line) || textIn(line, "enabledUser")?.toLowerCase() === "false";
  const sourced_id = idIn(line);
  const email = emailIn(line);
  if (is_deletion) return { sourced_id, email: null, is_deletion, details: {} };
  if (email === null) throw new RefusedLine("row_value_missing", { columns: "email" });
  const column = (name: string) =>
    textIn(line, `preferred${name}`) === null
      ? `${name[0]?.toLowerCase()}${name.slice(1)}`
      : `preferred${name}`;
  return {
    sourced_id,
    email,
    is_deletion,
    details: namesIn(line, [column("GivenName"), column("FamilyName")]),
  };
}

/** Administrators are only appointed manually, never by an import. */
const roleNames = new Map([
  ["student", "student"],
  ["aide", "ta"],
  ["proctor", "ta"],
  ["teacher", "instructor"],
]);

function roleOf(line: Line) {
  const name = requiredText(line, "role");
  const role = roleNames.get(name);
  if (!role) throw new RefusedLine("row_role_not_granted", { role: name.slice(0, 64) });
  const sourced_id = idIn(line, "userSourcedId");
  return { sourced_id, email: null, is_deletion: isDeletion(line), details: { role, department_code: null } };
}

function enrollmentOf(line: Line) {
  const as = requiredText(line, "role");
  if (as !== "student" && as !== "teacher")
    throw new RefusedLine("row_not_enrolled_as", { role: as.slice(0, 64) });
  return {
    sourced_id: idIn(line, "userSourcedId"),
    email: null,
    is_deletion: isDeletion(line),
    details: { class_sourced_id: idIn(line, "classSourcedId"), as },
  };
}
