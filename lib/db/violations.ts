import { badRequest, type HttpError } from "../errors.ts";

/** What the database says of a statement that it refused. */
type Refusal = { code: string; message: string; detail?: string; table?: string; constraint?: string };

/** What people call a row of a table, where it is not the table's name in the singular. */
const resourceNames: Record<string, string> = {
  user_university_roles: "Role",
  user_module_progress: "Progress",
  user_content_progress: "Progress",
  course_prerequisites: "Prerequisite",
  course_offerings: "Offering",
  course_offering_instructors: "Instructor",
  prompt_names: "Prompt",
};

/** The refusal of a value or a constraint (SQLSTATE classes 22 and 23) in an error of either driver. */
export function refusalIn(error: unknown): Refusal | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && /^2[23]/.test(code)) return cause as Error & Refusal;
  }
  return undefined;
}

/** Whether the error is the violation of a unique constraint: of that one, or of any when none is named. */
export function isTaken(error: unknown, constraint?: string): boolean {
  const refusal = refusalIn(error);
  return refusal?.code === "23505" && (!constraint || refusal.constraint === constraint);
}

/**
 * The 400 for what a constraint refused, naming the field and the value. Rules that two requests can race on
 * are held by constraints, so this is an everyday answer and not a fault of ours.
 */
export function violationAnswer(error: unknown): HttpError | undefined {
  const refusal = refusalIn(error);
  if (!refusal) return undefined;
  const resource = resourceName(refusal.table ?? "value");
  const [, columns = "", values = ""] = /^Key \((.+?)\)=\((.*)\) /s.exec(refusal.detail ?? "") ?? [];

  switch (refusal.code) {
    case "23505": // Of a key over several columns the last is what the caller chose, within the first.
      return badRequest(`${resource} ${lastOf(columns)} '${lastOf(values)}' is already taken`);
    case "23503":
      return refusal.detail?.includes("is not present")
        ? badRequest(`${resource} ${firstOf(columns)} '${firstOf(values)}' does not exist`)
        : inUse(refusal);
    case "23001":
      return inUse(refusal);
    case "23514":
      return badRequest(`${resource} breaks the rule ${refusal.constraint}`);
    default:
      return badRequest(`${resource} has a value that cannot be stored`);
  }
}

/** Of a deletion the database names the table that refers; only the message says what was to be deleted. */
function inUse({ message }: Refusal): HttpError {
  const [, table = "value"] = /^update or delete on table "(.+?)"/.exec(message) ?? [];
  return badRequest(`${resourceName(table)} is still in use`);
}

function resourceName(table: string): string {
  const words = table.replaceAll("_", " ").replace(/ies$/, "y").replace(/s$/, "");
  return resourceNames[table] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const firstOf = (list: string): string => list.split(", ")[0] ?? "";
const lastOf = (list: string): string => list.split(", ").at(-1) ?? "";
