import { hash } from "node:crypto";
import { type Cursor, markLength, notACursor, writeCursor } from "../../schema/api/platform/cursor.ts";
import type { FieldIssue } from "../errors.ts";
import type { Contract } from "./endpoint.ts";

export type ListRequest = { params: unknown; query: unknown };

/** Continues after this key, for the same list and filters only. */
export const cursorAfter = (contract: Contract, asked: ListRequest, key: string): string =>
  writeCursor(markOf(contract, asked), key);

/** The cursor belongs to another list, or to other filters or sorting. */
export function findForeignCursorIssue(
  contract: Contract,
  { params, query }: ListRequest,
): FieldIssue | undefined {
  const { after } = (query ?? {}) as { after?: unknown };
  if (!isCursor(after) || after.list === markOf(contract, { params, query })) return undefined;
  return { loc: ["query", "after"], msg: notACursor, type: "value_error" };
}

const isCursor = (after: unknown): after is Cursor =>
  typeof after === "object" && after !== null && "list" in after;

/** The page size may change between pages. */
function markOf({ id }: Contract, { params, query }: ListRequest): string {
  const { skip: _, limit: __, after: ___, ...which } = (query ?? {}) as Record<string, unknown>;
  return hash("sha256", JSON.stringify([id, params, which]), "base64url").slice(0, markLength);
}
