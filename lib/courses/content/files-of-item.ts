import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { typedSql } from "../../platform/db/query/rows.ts";

type Json = Record<string, unknown>;

/** By file id, or by an asset that may be a file. */
export type ItemFileReferences = { files: { file_id: number; is_for_staff: boolean }[]; asset_ids: number[] };

/**
 * A lab's files are for staff unless `student_visible`. A file hidden in one place is for staff, even if
 * shown elsewhere.
 */
export function collectItemFileReferences(contentTypeName: string, dataJson: Json): ItemFileReferences {
  const entries = entriesIn(contentTypeName, dataJson).filter(isObject);
  const named = entries.flatMap(({ file_id, role }) =>
    isId(file_id)
      ? [{ file_id, is_for_staff: contentTypeName === "engineering_lab" && role !== "student_visible" }]
      : [],
  );
  const forStaff = new Set(named.flatMap(({ file_id, is_for_staff }) => (is_for_staff ? [file_id] : [])));
  const ids = [...new Set(named.map(({ file_id }) => file_id))];
  const assets = ["video", "text", "assignment"].includes(contentTypeName)
    ? entries.map(({ asset_id }) => asset_id)
    : [];
  return {
    files: ids.map((file_id) => ({ file_id, is_for_staff: forStaff.has(file_id) })),
    asset_ids: [...new Set(assets.filter(isId))],
  };
}

function entriesIn(contentTypeName: string, data: Json): unknown[] {
  switch (contentTypeName) {
    case "video":
    case "scorm":
      return [data];
    case "text":
      return listIn(data["blocks"]);
    case "assignment":
      return [...listIn(data["blocks"]), ...listIn(data["resources"])];
    case "resource":
      return listIn(data["resources"]);
    case "engineering_lab":
      return listIn(data["files"]);
    default:
      return [];
  }
}

/** Replaces the files of the `content_items` row that a statement returns. */
export const replaceItemFilesSql = ({ files, asset_ids }: ItemFileReferences): SQL<unknown> =>
  typedSql(
    z.unknown(),
  )`replace_item_files(content_items, ${JSON.stringify(files)}::jsonb, ${sql.param(asset_ids)}::int[])`;

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
