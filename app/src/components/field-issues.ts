import type { ErrorBody } from "learning-platform-client";

/** What a refusal says of each field, by its name, and what it says of none. */
export type FieldIssues = { at: Record<string, string>; rest: string };

/** Says of a fault what a program may want to know, and people need not. */
const prefix = /^Value error, /;

/**
 * Puts what the service refused to the fields of a form. A 422 says where each fault is; of a 400 the words name the
 * field, as in `Course code 'PHY101' is already taken`, whatever their language. A field is named as the body has it:
 * `data_json.blocks.0.text`.
 */
export function issuesAt(
  detail: ErrorBody["detail"],
  names: readonly string[],
  code?: string | null,
): FieldIssues {
  const faults =
    typeof detail === "string" ? [{ name: fieldOf(code, names) ?? fieldIn(detail, names), msg: detail }] : [];
  if (typeof detail !== "string")
    for (const { loc, msg } of detail)
      faults.push({ name: longestOf(loc, names), msg: msg.replace(prefix, "") });
  const at: Record<string, string> = {};
  for (const { name, msg } of faults) if (name !== undefined) at[name] ??= msg;
  const rest = faults.filter(({ name }) => name === undefined).map(({ msg }) => msg);
  return { at, rest: rest.join(". ") };
}

/** The field, or what it is in, that a fault's path names. */
function longestOf(loc: readonly (string | number)[], names: readonly string[]): string | undefined {
  const path = loc.slice(1).map(String);
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join(".");
    if (names.includes(name)) return name;
  }
  return undefined;
}

/** Whose words name no field. */
const fieldsOfCodes: Record<string, readonly string[]> = {
  email_taken: ["email"],
  incorrect_password: ["current_password", "password"],
};

const fieldOf = (code: string | null | undefined, names: readonly string[]): string | undefined =>
  fieldsOfCodes[code ?? ""]?.find((name) => names.includes(name));

function fieldIn(detail: string, names: readonly string[]): string | undefined {
  // Between its quotation marks a value may be any text.
  const keys = [/(?<!\w)(\w+) '/, /^([\w.]+)\b/].map((pattern) => pattern.exec(detail)?.[1]);
  return names.find((name) => keys.some((key) => key && (name === key || name.endsWith(`.${key}`))));
}
