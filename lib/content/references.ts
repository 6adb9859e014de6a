import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { contentTypes } from "../../schema/db/content-types.ts";
import { questionPools } from "../../schema/db/questions.ts";
import type { ContentTypeName } from "../../schema/enums.ts";
import type { Actor } from "../auth/actor.ts";
import { assetFileUsableBy } from "../courses/asset-files.ts";
import { poolAllows } from "../courses/question-pools.ts";
import { valueAs } from "../db/query/rows.ts";
import { atField, badRequest, noSuchFile } from "../errors.ts";

/** What tells that a row named by id is one that the item may use; `former` is the `data_json` of the same type before. */
type IsThere = (actor: Actor, former: SQL, path: string) => SQL;

type Reference = { field: string; path: string; isThere: IsThere };

const asset = (path: string): Reference => ({ field: "asset_id", path, isThere: assetIsThere });
const file = (path: string): Reference => ({ field: "file_id", path, isThere: fileIsThere });

/** Where `data_json` names a row, by content type. */
const references: Partial<Record<ContentTypeName, readonly Reference[]>> = {
  video: [asset("$.asset_id"), file("$.file_id")],
  text: [asset("$.blocks[*].asset_id"), file("$.blocks[*].file_id")],
  quiz: [{ field: "question_pool_id", path: "$.question_pool_id", isThere: poolIsThere }],
  resource: [file("$.resources[*].file_id")],
  assignment: [asset("$.blocks[*].asset_id"), file("$.blocks[*].file_id"), file("$.resources[*].file_id")],
  engineering_lab: [file("$.files[*].file_id")],
};

function assetIsThere(): SQL {
  return sql`select from assets
    where assets.id = named.id and coalesce(assets.university_id, courses.university_id) = courses.university_id`;
}

/** What stands there already stays, whoever put it there. */
function fileIsThere(actor: Actor, former: SQL, path: string): SQL {
  return sql`select from files
    where files.id = named.id and (${assetFileUsableBy(actor, sql`courses.university_id`)}
      or jsonb_path_exists(${former}, ${`${path} ? (@ == $id)`}::jsonpath, jsonb_build_object('id', named.id)))`;
}

/** Who has a quiz draw questions reads their keys: only who may read them anyway names a pool; one that stands there stays. */
function poolIsThere(actor: Actor, former: SQL): SQL {
  return sql`select from question_pools
    where question_pools.id = named.id and ${questionPools.university_id} = courses.university_id and (
      named.id::text = ${former} ->> 'question_pool_id' or ${poolAllows(actor, "question:read")})`;
}

/** The ids of a kind that a `data_json` names; those out of range are a 422, not looked at. */
const namedIn = (dataJson: SQL, path: string): SQL => sql`
  select (found #>> '{}')::numeric::bigint as id
  from jsonb_path_query(${dataJson}, ${`${path} ? (@ >= 1 && @ <= 9007199254740991)`}::jsonpath) as found`;

/**
 * The first reference in a `data_json` that names nothing for the actor, as `asset_id 5`, in a statement over `courses` and
 * `content_types`; null when all is there. `former` is what an item of the same type held.
 */
export function missingReference(
  actor: Actor,
  dataJson: SQL,
  former: SQL = sql`null::jsonb`,
): SQL<string | null> {
  const cases = Object.entries(references).map(([type, ones]) => {
    const missing = ones.map(
      ({ field, path, isThere }) => sql`(
        select ${sql.raw(`'${field} '`)} || named.id from (${namedIn(dataJson, path)}) as named
        where not exists (${isThere(actor, former, path)}) limit 1)`,
    );
    return sql`when ${type} then coalesce(${sql.join(missing, sql`, `)})`;
  });
  return valueAs(z.string().nullable())`case ${contentTypes.name} ${sql.join(cases, sql` `)} end`;
}

/** Throws the 400 for a reference in `data_json` that names nothing. */
export function ensureNoneMissing(missing: string | null): void {
  if (missing === null) return;
  const [field = "", id] = missing.split(" ");
  throw field === "file_id"
    ? noSuchFile(Number(id))
    : badRequest("does_not_exist", atField("Content item", field, id));
}

/** A given `data_json` for a statement that looks for references in it: most name none, and are not sent twice. */
export function forReferences(dataJson: object): SQL {
  const text = JSON.stringify(dataJson);
  return /"(asset_id|question_pool_id|file_id)":/.test(text) ? sql`${text}::jsonb` : sql`null::jsonb`;
}
