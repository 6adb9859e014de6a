import {
  badRequest,
  fieldValueMessagePlaceholders,
  type HttpError,
  nonexistentFileBadRequest,
  tooManyRequests,
} from "../../../errors.ts";

type Refusal = { code: string; message: string; detail?: string; table?: string; constraint?: string };

/** Names in messages, if not the table's name in the singular. */
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

/** Restrict, foreign key, unique, check and exclusion. */
const ofConstraints = new Set(["23001", "23503", "23505", "23514", "23P01"]);

/** In either driver's error. Other errors, such as a failed cast, are bugs in our SQL. */
export const constraintViolationIn = (error: unknown): Refusal | undefined =>
  errorWith(error, (code) => ofConstraints.has(code));

/** Throws the 400 for a missing file (schema/functions/files/files.sql), otherwise the error. */
export function rethrowMissingFile(error: unknown): never {
  const refusal = constraintViolationIn(error);
  throw refusal?.constraint === "file_exists" ? nonexistentFileBadRequest(Number(refusal.detail)) : error;
}

function errorWith(error: unknown, isWanted: (code: string) => boolean): Refusal | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && isWanted(code)) return cause as Error & Refusal;
  }
  return undefined;
}

/**
 * 400 for a violated constraint, with field and value; 429 for a limit of
 * schema/functions/platform/rate-limits.sql, with the start of the next hour. Requests race on constraints,
 * so these answers are normal.
 */
export function violationToHttpError(error: unknown): HttpError | undefined {
  const limit = errorWith(error, (code) => code === "LIMIT");
  if (limit) return tooManyRequests("too_often", Number(limit.detail));
  const refusal = constraintViolationIn(error);
  if (!refusal) return undefined;
  const resource = resourceName(refusal.table ?? "value");
  const { columns, values } = keyIn(refusal.detail ?? "");

  switch (refusal.code) {
    case "23505": // Of a composite key, the caller chose the last column.
      return badRequest(
        "already_taken",
        fieldValueMessagePlaceholders(resource, lastOf(columns), lastOf(values)),
      );
    case "23503":
      return refusal.detail?.includes("is not present")
        ? badRequest(
            "does_not_exist",
            fieldValueMessagePlaceholders(resource, firstOf(columns), firstOf(values)),
          )
        : inUse(refusal);
    case "23001":
      return inUse(refusal);
    default:
      // From `raise_if_university_inactive` (invitations.sql).
      if (refusal.constraint === "university_is_active") return badRequest("university_inactive");
      return badRequest("breaks_rule", { resource, rule: refusal.constraint });
  }
}

/** Parses `Key (columns)=(values) already exists.`; a value may be any text. */
function keyIn(detail: string): { columns: string; values: string } {
  const [start, between, end] = [detail.indexOf("("), detail.indexOf(")=("), detail.lastIndexOf(") ")];
  return between < 0
    ? { columns: "", values: "" }
    : { columns: detail.slice(start + 1, between), values: detail.slice(between + 3, end) };
}

/** PostgreSQL reports the referring table. Only the message names the deleted row's table. */
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
