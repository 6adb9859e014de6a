import { hash } from "node:crypto";
import { type Cursor, markLength, notACursor, writeCursor } from "../../schema/api/cursor.ts";
import type { FieldIssue } from "../errors.ts";
import type { Contract } from "./endpoint.ts";

/** What a request asks for, as its contract reads it. */
export type Asked = { params: unknown; query: unknown };

/** The text that goes on behind this key, in the list that was asked for and no other. */
export const cursorBehind = (contract: Contract, asked: Asked, key: string): string =>
  writeCursor(markOf(contract, asked), key);

/** The fault of a cursor that another list gave, or this one with other filters or in another order. */
export function cursorIssue(contract: Contract, { params, query }: Asked): FieldIssue | undefined {
  const { after } = (query ?? {}) as { after?: unknown };
  if (!isCursor(after) || after.list === markOf(contract, { params, query })) return undefined;
  return { loc: ["query", "after"], msg: notACursor, type: "value_error" };
}

const isCursor = (after: unknown): after is Cursor =>
  typeof after === "object" && after !== null && "list" in after;

/** How many are asked for is no part of which list it is. */
function markOf({ id }: Contract, { params, query }: Asked): string {
  const { skip: _, limit: __, after: ___, ...which } = (query ?? {}) as Record<string, unknown>;
  return hash("sha256", JSON.stringify([id, params, which]), "base64url").slice(0, markLength);
}
