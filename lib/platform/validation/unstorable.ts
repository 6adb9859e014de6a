import { deepestJson } from "../../../schema/api/platform/json-depth.ts";
import { type FieldIssue, maxReportedIssues } from "../../errors.ts";
import { lostCharacter } from "../text/lost-character.ts";
import type { RequestPart } from "./issues.ts";

type Path = (string | number)[];

/** PostgreSQL cannot store NUL, unpaired surrogates, infinite numbers, and too deep JSON. Linear time. */
export function findUnstorableValues(source: RequestPart, input: unknown): FieldIssue[] {
  const issues: FieldIssue[] = [];
  look(input, [source], issues, problemWithText);
  return issues;
}

/** U+FFFD, which a program wrote for a character that it could not decode. */
export function findLostCharacters(source: RequestPart, input: unknown): FieldIssue[] {
  const issues: FieldIssue[] = [];
  look(input, [source], issues, (text) => (text.includes(lostCharacter) ? lost : undefined));
  return issues;
}

type ProblemOfText = (text: string) => string | undefined;

/** JSON's allowed depth bounds the recursion. The shared path array is copied only for an issue. */
function look(value: unknown, path: Path, issues: FieldIssue[], ofText: ProblemOfText): void {
  const problem = problemWith(value, path.length, ofText);
  if (problem) issues.push(issueAt(path, problem));
  else if (Array.isArray(value)) lookAtItems(value, path, issues, ofText);
  else if (typeof value === "object" && value !== null) lookAtMembers(value, path, issues, ofText);
}

function lookAtItems(
  items: readonly unknown[],
  path: Path,
  issues: FieldIssue[],
  ofText: ProblemOfText,
): void {
  for (let at = 0; at < items.length && issues.length < maxReportedIssues; at++) {
    path.push(at);
    look(items[at], path, issues, ofText);
    path.pop();
  }
}

function lookAtMembers(members: object, path: Path, issues: FieldIssue[], ofText: ProblemOfText): void {
  for (const [key, value] of Object.entries(members)) {
    if (issues.length >= maxReportedIssues) return;
    path.push(key);
    const problem = ofText(key);
    if (problem) issues.push(issueAt(path, problem));
    look(value, path, issues, ofText);
    path.pop();
  }
}

function problemWith(value: unknown, depth: number, ofText: ProblemOfText): string | undefined {
  if (typeof value === "string") return ofText(value);
  if (typeof value === "number" && !Number.isFinite(value)) return "Value error, the number is too large";
  if (depth > deepestJson && typeof value === "object" && value !== null)
    return `Value error, nested more than ${deepestJson} deep`;
  return undefined;
}

function problemWithText(text: string): string | undefined {
  if (text.includes("\0")) return "Value error, a NUL character is not allowed";
  return text.isWellFormed() ? undefined : notWellFormed;
}

const lost = "Value error, a character is U+FFFD: an earlier program could not decode it";

const notWellFormed = "Value error, the text is not well-formed Unicode";

const issueAt = (path: Path, msg: string): FieldIssue => ({ loc: [...path], msg, type: "value_error" });

/** Issues of path or query texts that are not valid UTF-8. */
export function findUndecodableTexts(
  source: RequestPart,
  encoded: Iterable<[name: string, text: string]>,
): FieldIssue[] {
  return [...encoded]
    .filter(([name, text]) => !isDecodable(name) || !isDecodable(text))
    .map(([name]) => issueAt([source, name], notWellFormed));
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
