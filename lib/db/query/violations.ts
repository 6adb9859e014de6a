import { atField, badRequest, type HttpError, noSuchFile, tooManyRequests } from "../../errors.ts";

/** What the database says of a statement that a constraint refused. */
type Refusal = { code: string; message: string; detail?: string; table?: string; constraint?: string };

/** What people call a row of a table, where it is not the table's name in the singular. */
const resourceNames: Record<string, string> = {
  user_university_roles: "Role",
  enrollment_progress: "Progress",
  user_module_progress: "Progress",
  user_content_progress: "Progress",
  course_prerequisites: "Prerequisite",
  course_offerings: "Offering",
  offering_groups: "Group",
  course_offering_instructors: "Instructor",
  prompt_names: "Prompt",
};

/** SQLSTATEs of the constraints that a request may meet: restrict, foreign key, unique, check and exclusion. */
const ofConstraints = new Set(["23001", "23503", "23505", "23514", "23P01"]);

/**
 * The refusal of a constraint in an error of either driver. No other error of the database counts as one: input is
 * checked before it gets there, so a value that cannot be cast, or a null in a required column, is our SQL's fault.
 */
export const refusalIn = (error: unknown): Refusal | undefined =>
  errorWith(error, (code) => ofConstraints.has(code));

/** Throws the 400 for a file that a statement was to put somewhere and could not (schema/functions/files.sql), else the error. */
export function throwNoSuchFile(error: unknown): never {
  const refusal = refusalIn(error);
  throw refusal?.constraint === "file_exists" ? noSuchFile(Number(refusal.detail)) : error;
}

function errorWith(error: unknown, isWanted: (code: string) => boolean): Refusal | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && isWanted(code)) return cause as Error & Refusal;
  }
  return undefined;
}

/**
 * The 400 for what a constraint refused, naming the field and the value, and the 429 for what is beyond a limit of
 * schema/functions/rate-limits.sql, which says when the next hour begins. Rules that two requests can race on
 * are held by constraints, so this is an everyday answer and not a fault of ours.
 */
export function violationAnswer(error: unknown): HttpError | undefined {
  const limit = errorWith(error, (code) => code === "LIMIT");
  if (limit) return tooManyRequests("too_often", Number(limit.detail));
  const refusal = refusalIn(error);
  if (!refusal) return undefined;
  const resource = resourceName(refusal.table ?? "value");
  const { columns, values } = keyIn(refusal.detail ?? "");

  switch (refusal.code) {
    case "23505": // Of a key over several columns the last is what the caller chose, within the first.
      return badRequest("already_taken", atField(resource, lastOf(columns), lastOf(values)));
    case "23503":
      return refusal.detail?.includes("is not present")
        ? badRequest("does_not_exist", atField(resource, firstOf(columns), firstOf(values)))
        : inUse(refusal);
    case "23001":
      return inUse(refusal);
    default:
      // `ensure_active` (invitations.sql) raises it.
      if (refusal.constraint === "university_is_active") return badRequest("university_inactive");
      return badRequest("breaks_rule", { resource, rule: refusal.constraint });
  }
}

/** Of `Key (columns)=(values) already exists.`; a value may be any text. */
function keyIn(detail: string): { columns: string; values: string } {
  const [start, between, end] = [detail.indexOf("("), detail.indexOf(")=("), detail.lastIndexOf(") ")];
  return between < 0
    ? { columns: "", values: "" }
    : { columns: detail.slice(start + 1, between), values: detail.slice(between + 3, end) };
}

/** Of a deletion the database names the table that refers; only the message says what was to be deleted. */
function inUse({ message }: Refusal): HttpError {
  const [, table = "value"] = /^update or delete on table "(.+?)"/.exec(message) ?? [];
  return badRequest("still_in_use", { thing: resourceName(table) });
}

function resourceName(table: string): string {
  const words = table.replaceAll("_", " ").replace(/ies$/, "y").replace(/s$/, "");
  return resourceNames[table] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const firstOf = (list: string): string => list.split(", ")[0] ?? "";
const lastOf = (list: string): string => list.split(", ").at(-1) ?? "";
