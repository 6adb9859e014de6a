import * as z from "zod";
import { dueFollowsAvailable } from "../../../schema/api/courses/dates.ts";
import { Instant } from "../../../schema/api/platform/fields.ts";
import { contentTypeNames } from "../../../schema/enums.ts";
import { ensureValidDataJson } from "../../courses/content/data-json.ts";
import { ValidationError } from "../../errors.ts";
import { decodeText, UndecodableTextError } from "../../platform/readers/decode-text.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { createRefusedPartError } from "./refused-part.ts";

/** Our own format of an item next to its page, with file paths. */
export const NativeItem = z
  .object({
    type: z.enum(contentTypeNames),
    title: z.string().trim().min(1).max(255),
    description: z.string().max(20_000).nullable(),
    estimated_duration_seconds: z.int().min(0).nullable(),
    available_from: Instant.nullable().default(null),
    due_at: Instant.nullable().default(null),
    data_json: z.record(z.string(), z.unknown()),
  })
  .check(dueFollowsAvailable);

export type NativeItem = z.output<typeof NativeItem>;

/** Validates it like a request, since the uploader wrote it. Throws RefusedPart. */
export function parseNativeItem(bytes: Uint8Array): NativeItem {
  const text = textOf(bytes);
  let given: unknown;
  try {
    given = JSON.parse(text, (key, value) => (key === "__proto__" ? undefined : value));
  } catch {
    throw unreadable("not JSON");
  }
  const { data, error } = NativeItem.safeParse(given);
  if (!data) throw unreadable(error?.issues[0]?.message ?? "another shape");
  if (text.includes("\\u0000")) throw unreadable("a NUL character");
  const {
    question_pool_id: _,
    asset_id: __,
    file_id: ___,
    lti_tool_id: ____,
    line_item: _____,
    ...kept
  } = data.data_json;
  const item = { ...data, data_json: withoutIds(kept) as Record<string, unknown> };
  try {
    ensureValidDataJson(
      item.type,
      replaceFilePathsWithIds(item.data_json, () => 1),
    );
  } catch (error) {
    if (error instanceof ValidationError) throw unreadable(error.issues[0]?.msg ?? "another shape");
    throw error;
  }
  return item;
}

function textOf(bytes: Uint8Array): string {
  try {
    return decodeText(bytes).text;
  } catch (error) {
    throw error instanceof UndecodableTextError ? unreadable(error.message) : error;
  }
}

const unreadable = (fault: string) =>
  createRefusedPartError("cartridge_own_item_unreadable", { fault: truncate(fault, 200) });

/** Ids of another service or course are meaningless here. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      ["file_id", "asset_id"].includes(key) ? [] : [[key, withoutIds(inner)] as const],
    ),
  );
}

/** Used instead of the file's id. */
export const filePathKey = "file_path";

export function findNativeFilePaths(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(findNativeFilePaths);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === filePathKey && typeof inner === "string" ? [inner] : findNativeFilePaths(inner),
  );
}

export function replaceFilePathsWithIds(
  value: Record<string, unknown>,
  idOf: (path: string) => number | undefined,
): Record<string, unknown> {
  const replaced = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(replaced);
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).flatMap(([key, inner]) => {
        if (key !== filePathKey || typeof inner !== "string") return [[key, replaced(inner)] as const];
        const id = idOf(inner);
        return id === undefined ? [] : [["file_id", id] as const];
      }),
    );
  };
  return replaced(value) as Record<string, unknown>;
}
