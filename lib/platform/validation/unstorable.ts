import { deepestJson } from "../../../schema/api/platform/json-depth.ts";
import { type FieldIssue, mostIssues } from "../../errors.ts";
import type { Source } from "./issues.ts";

type Path = (string | number)[];

/**
 * Values that PostgreSQL cannot store: NUL or an unpaired surrogate in texts or keys, infinite numbers, and
 * too deep JSON. Linear time; stops at `mostIssues` faults.
 */
export function unstorable(source: Source, input: unknown): FieldIssue[] {
  const faults: FieldIssue[] = [];
  look(input, [source], faults);
  return faults;
}

/**
 * Recursion is bounded by the allowed depth of JSON. One path array is shared, so only a fault costs a copy.
 */
function look(value: unknown, path: Path, faults: FieldIssue[]): void {
  const problem = problemWith(value, path.length);
  if (problem) faults.push(faultAt(path, problem));
  else if (Array.isArray(value)) lookAtItems(value, path, faults);
  else if (typeof value === "object" && value !== null) lookAtMembers(value, path, faults);
}

function lookAtItems(items: readonly unknown[], path: Path, faults: FieldIssue[]): void {
  for (let at = 0; at < items.length && faults.length < mostIssues; at++) {
    path.push(at);
    look(items[at], path, faults);
    path.pop();
  }
}

function lookAtMembers(members: object, path: Path, faults: FieldIssue[]): void {
  for (const [key, value] of Object.entries(members)) {
    if (faults.length >= mostIssues) return;
    path.push(key);
    const problem = problemWithText(key);
    if (problem) faults.push(faultAt(path, problem));
    look(value, path, faults);
    path.pop();
  }
}

function problemWith(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return problemWithText(value);
  if (typeof value === "number" && !Number.isFinite(value)) return "Value error, the number is too large";
  if (depth > deepestJson && typeof value === "object" && value !== null)
    return `Value error, nested more than ${deepestJson} deep`;
  return undefined;
}

function problemWithText(text: string): string | undefined {
  if (text.includes("\0")) return "Value error, a NUL character is not allowed";
  return text.isWellFormed() ? undefined : notWellFormed;
}

const notWellFormed = "Value error, the text is not well-formed Unicode";

const faultAt = (path: Path, msg: string): FieldIssue => ({ loc: [...path], msg, type: "value_error" });

/** Path or query texts that are not valid UTF-8. */
export function undecodable(source: Source, encoded: Iterable<[name: string, text: string]>): FieldIssue[] {
  return [...encoded]
    .filter(([name, text]) => !isDecodable(name) || !isDecodable(text))
    .map(([name]) => faultAt([source, name], notWellFormed));
}

/** A percent sign without hex digits is literal. */
export function isDecodable(encoded: string): boolean {
  try {
    decodeURIComponent(encoded.replaceAll(/%(?![\da-f]{2})/gi, "%25"));
    return true;
  } catch {
    return false;
  }
}
