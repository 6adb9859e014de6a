import { sqlStateOf } from "../unavailable.ts";
import type { SchemaStatement } from "./function-texts.ts";

type Position = { position?: string; internalPosition?: string; internalQuery?: string; where?: string };

/**
 * Adds file and line: `files.sql:12: type "shelf" does not exist`. `before`: characters that PostgreSQL read
 * before the statement. Lock errors stay unchanged.
 */
export function errorWithSourceLine(cause: unknown, source: SchemaStatement | string, before = 0): unknown {
  if (isLockFailure(cause) || !(cause instanceof Error)) return cause;
  const message =
    typeof source === "string"
      ? `${cause.message}, in\n${source}`
      : `schema/functions/${source.file}:${source.line + lineWithin(source.text, cause as Position, before)}: ${cause.message}`;
  return Object.assign(new Error(message, { cause }), { code: sqlStateOf(cause) });
}

/** A lock timeout (55P03) or a deadlock (40P01). */
export const isLockFailure = (error: unknown): boolean =>
  ["55P03", "40P01"].includes(sqlStateOf(error) ?? "");

/** PostgreSQL counts from the start of the statement or function body. */
function lineWithin(text: string, error: Position, before: number): number {
  const linesIn = (part: string) => part.split("\n").length - 1;
  if (error.position) return linesIn(text.slice(0, Number(error.position) - 1 - before));
  const body = text.indexOf("$$") + 2;
  const above = linesIn(text.slice(0, body));
  const at = /near line (\d+)/.exec(error.where ?? "")?.[1];
  if (at) return above + Number(at) - 1;
  if (error.internalPosition && text.startsWith(error.internalQuery ?? "", body))
    return above + linesIn((error.internalQuery ?? "").slice(0, Number(error.internalPosition) - 1));
  return 0;
}
