import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { questionPools } from "../../../schema/db/assessment/questions.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import type { ContentTypeName } from "../../../schema/enums.ts";
import { badRequest, fieldValueMessagePlaceholders, nonexistentFileBadRequest } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { attachableAssetFileCondition } from "../asset-files.ts";
import { poolPermissionCondition } from "../question-pools.ts";

/** The row exists and may be used; `former` is the previous `data_json` of the same type. */
type IsThere = (actor: Actor, former: SQL, path: string) => SQL;

/** `found` describes the row in the refusal; by default its id. */
type Reference = { field: string; path: string; isThere: IsThere; found?: SQL };

const asset = (path: string): Reference => ({ field: "asset_id", path, isThere: assetIsThere });
const file = (path: string): Reference => ({ field: "file_id", path, isThere: fileIsThere });

/** The media type of the named file, as its bytes say (lib/files/detect-media-type.ts). */
const kindOfFile = sql`(select media_type from files where files.id = named.id)`;
const kindOfAsset = sql`(
  select files.media_type from assets join files on files.id = assets.file_id where assets.id = named.id)`;

/** An asset may be a link. A film that the item already has stays. */
const film = (path: string, kind: SQL): Reference => ({
  field: "film",
  path,
  isThere: (_, former) => sql`select from (select ${kind} as kind) as film
    where film.kind is null or film.kind ~ '^(audio|video)/|^application/ogg$' or ${isIn(former, path)}`,
  found: kind,
});

const references: Partial<Record<ContentTypeName, readonly Reference[]>> = {
  video: [
    ...[asset("$.asset_id"), file("$.file_id")],
    ...[film("$.asset_id", kindOfAsset), film("$.file_id", kindOfFile)],
  ],
  text: [asset("$.blocks[*].asset_id"), file("$.blocks[*].file_id")],
  quiz: [{ field: "question_pool_id", path: "$.question_pool_id", isThere: poolIsThere }],
  resource: [file("$.resources[*].file_id")],
  assignment: [asset("$.blocks[*].asset_id"), file("$.blocks[*].file_id"), file("$.resources[*].file_id")],
  engineering_lab: [file("$.files[*].file_id")],
  scorm: [
    file("$.file_id"),
    {
      field: "package",
      path: "$.file_id",
      isThere: () => sql`select from scorm_packages where scorm_packages.file_id = named.id`,
    },
  ],
  external_tool: [{ field: "lti_tool_id", path: "$.lti_tool_id", isThere: toolIsThere }],
};

function assetIsThere(): SQL {
  return sql`select from assets
    where assets.id = named.id and coalesce(assets.university_id, courses.university_id) = courses.university_id`;
}

/** A file that the item already has stays, even if the caller may not use it. */
function fileIsThere(actor: Actor, former: SQL, path: string): SQL {
  return sql`select from files
    where files.id = named.id and (${attachableAssetFileCondition(actor, sql`courses.university_id`)} or ${isIn(former, path)})`;
}

const isIn = (former: SQL, path: string): SQL =>
  sql`coalesce(jsonb_path_exists(${former}, ${`${path} ? (@ == $id)`}::jsonpath, jsonb_build_object('id', named.id)), false)`;

/**
 * A quiz exposes its pool's keys, so naming a pool needs the right to read them; the quiz's current pool
 * stays.
 */
function poolIsThere(actor: Actor, former: SQL): SQL {
  return sql`select from question_pools
    where question_pools.id = named.id and ${questionPools.university_id} = courses.university_id and (
      named.id::text = ${former} ->> 'question_pool_id' or ${poolPermissionCondition(actor, "question:read")})`;
}

/** The platform's, or deployed in the course; the item's current tool stays. */
function toolIsThere(_actor: Actor, former: SQL): SQL {
  return sql`select from lti_tools
    where lti_tools.id = named.id and coalesce(lti_tools.university_id, courses.university_id) = courses.university_id and (
      lti_tools.university_id is null or named.id::text = ${former} ->> 'lti_tool_id' or exists (
        select from lti_tool_deployments as placed
        where placed.tool_id = lti_tools.id and coalesce(placed.course_id, courses.id) = courses.id))`;
}

/** Validation rejects ids out of range with 422. */
const namedIn = (dataJson: SQL, path: string): SQL => sql`
  select (found #>> '{}')::numeric::bigint as id
  from jsonb_path_query(${dataJson}, ${`${path} ? (@ >= 1 && @ <= 9007199254740991)`}::jsonpath) as found`;

/**
 * The first reference in `data_json` that the caller cannot use, such as `asset_id 5`, or null. For a
 * statement over `courses` and `content_types`; `former` is the previous data.
 */
export function unusableReferenceSql(
  actor: Actor,
  dataJson: SQL,
  former: SQL = sql`null::jsonb`,
): SQL<string | null> {
  const cases = Object.entries(references).map(([type, ones]) => {
    const missing = ones.map(
      ({ field, path, isThere, found = sql`named.id` }) => sql`(
        select ${sql.raw(`'${field} '`)} || ${found} from (${namedIn(dataJson, path)}) as named
        where not exists (${isThere(actor, former, path)}) limit 1)`,
    );
    return sql`when ${type} then coalesce(${sql.join(missing, sql`, `)})`;
  });
  return typedSql(z.string().nullable())`case ${contentTypes.name} ${sql.join(cases, sql` `)} end`;
}

/** 400 for a missing reference, a film that is neither audio nor video, or an unchecked package. */
export function ensureNoUnusableReference(missing: string | null): void {
  if (missing === null) return;
  const [field = "", id] = missing.split(" ");
  if (field === "film") throw badRequest("file_not_a_film", { kind: id });
  if (field === "package") throw badRequest("file_not_a_scorm_package", { id });
  throw field === "file_id"
    ? nonexistentFileBadRequest(Number(id))
    : badRequest("does_not_exist", fieldValueMessagePlaceholders("Content item", field, id));
}

/** Most data has no references and is not sent twice. */
export function dataJsonIfReferencingSql(dataJson: object): SQL {
  const text = JSON.stringify(dataJson);
  return /"(asset_id|question_pool_id|file_id|lti_tool_id)":/.test(text)
    ? sql`${text}::jsonb`
    : sql`null::jsonb`;
}
