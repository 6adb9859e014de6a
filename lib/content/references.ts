import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { contentTypes } from "../../schema/db/content-types.ts";
import { questionPools } from "../../schema/db/questions.ts";
import type { ContentTypeName } from "../../schema/enums.ts";
import type { Actor } from "../auth/actor.ts";
import { poolAllows } from "../courses/question-pools.ts";
import { valueAs } from "../db/query/rows.ts";
import { badRequest } from "../errors.ts";

/** What tells that a row named by id is one that the item may use; `former` is the `data_json` of the same type before. */
type IsThere = (actor: Actor, former: SQL) => SQL;

/** Where `data_json` names a row, by content type. */
const references: Partial<Record<ContentTypeName, { field: string; path: string; isThere: IsThere }>> = {
  video: { field: "asset_id", path: "$.asset_id", isThere: assetIsThere },
  text: { field: "asset_id", path: "$.blocks[*].asset_id", isThere: assetIsThere },
  quiz: { field: "question_pool_id", path: "$.question_pool_id", isThere: poolIsThere },
};

function assetIsThere(): SQL {
  return sql`select from assets
    where assets.id = named.id and coalesce(assets.university_id, courses.university_id) = courses.university_id`;
}

/** Who has a quiz draw questions reads their keys: only who may read them anyway names a pool; one that stands there stays. */
function poolIsThere(actor: Actor, former: SQL): SQL {
  return sql`select from question_pools
    where question_pools.id = named.id and ${questionPools.university_id} = courses.university_id and (
      named.id::text = ${former} ->> 'question_pool_id' or ${poolAllows(actor, "question:read")})`;
}

/**
 * The first id in a `data_json` that names nothing for the actor, in a statement over `courses` and `content_types`; null
 * when all is there. `former` is what an item of the same type held. Ids that are out of range are a 422, not looked at.
 */
export function missingReference(
  actor: Actor,
  dataJson: SQL,
  former: SQL = sql`null::jsonb`,
): SQL<number | null> {
  const cases = Object.entries(references).map(
    ([type, { path, isThere }]) => sql`when ${type} then (
      select named.id from (
        select (found #>> '{}')::numeric::int as id
        from jsonb_path_query(${dataJson}, ${`${path} ? (@ >= 1 && @ <= 2147483647)`}::jsonpath) as found
      ) as named
      where not exists (${isThere(actor, former)}) limit 1)`,
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
