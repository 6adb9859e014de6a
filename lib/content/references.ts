import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { contentTypes } from "../../schema/db/content-types.ts";
import type { ContentTypeName } from "../../schema/enums.ts";
import { valueAs } from "../db/rows.ts";
import { badRequest } from "../errors.ts";

/** Where `data_json` names a row, by content type, and what tells that it is one the item's university may use. */
const references: Partial<Record<ContentTypeName, { field: string; path: string; isThere: SQL }>> = {
  video: { field: "asset_id", path: "$.asset_id", isThere: assetIsThere() },
  text: { field: "asset_id", path: "$.blocks[*].asset_id", isThere: assetIsThere() },
  quiz: {
    field: "question_pool_id",
    path: "$.question_pool_id",
    isThere: sql`select from question_pools
      where question_pools.id = named.id and question_pools.university_id = courses.university_id`,
  },
};

function assetIsThere(): SQL {
  return sql`select from assets
    where assets.id = named.id and coalesce(assets.university_id, courses.university_id) = courses.university_id`;
}

/**
 * The first id in a `data_json` that names nothing, in a statement over `courses` and `content_types`; null when all
 * is there. Ids that are out of range are not looked at: they are a 422.
 */
export function missingReference(dataJson: SQL): SQL<number | null> {
  const cases = Object.entries(references).map(
    ([type, { path, isThere }]) => sql`when ${type} then (
      select named.id from (
        select (found #>> '{}')::numeric::int as id
        from jsonb_path_query(${dataJson}, ${`${path} ? (@ >= 1 && @ <= 2147483647)`}::jsonpath) as found
      ) as named
      where not exists (${isThere}) limit 1)`,
  );
  return valueAs(z.int().nullable())`case ${contentTypes.name} ${sql.join(cases, sql` `)} end`;
}

/** Throws the 400 for an id in `data_json` that names nothing. */
export function refuseMissing(contentTypeName: string, id: number | null): void {
  if (id === null) return;
  const field = references[contentTypeName as ContentTypeName]?.field;
  throw badRequest(`Content item ${field} '${id}' does not exist`);
}

/** A given `data_json` for a statement that looks for references in it: most name none, and are not sent twice. */
export function forReferences(dataJson: object): SQL {
  const text = JSON.stringify(dataJson);
  return /"(asset_id|question_pool_id)":/.test(text) ? sql`${text}::jsonb` : sql`null::jsonb`;
}
