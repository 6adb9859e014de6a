import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { questionPools } from "../../schema/db/assessment/questions.ts";
import { attachableAssetFileCondition } from "../courses/asset-files.ts";
import { nonexistentFileBadRequest } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { ReadDb } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { pictureIdsIn } from "./picture-ids.ts";

/** On `questions`: one in the same pool uses the row of `files`. */
const usedInPool: SQL = sql`exists (
  select from file_uses join questions on questions.id = file_uses.question_id
  where file_uses.file_id = files.id and questions.question_pool_id = ${questionPools.id})`;

/** 400 for a picture that the caller may not use in the pool. */
export async function ensurePicturesUsable(
  db: ReadDb,
  actor: Actor,
  poolId: number,
  questions: unknown,
): Promise<void> {
  const [missing] = await findUnusablePictures(db, actor, poolId, questions);
  if (missing !== undefined) throw nonexistentFileBadRequest(missing);
}

/** Ids of the pictures that the caller may not use in the pool. */
export async function findUnusablePictures(
  db: ReadDb,
  actor: Actor,
  poolId: number,
  questions: unknown,
): Promise<number[]> {
  const ids = pictureIdsIn(questions);
  if (ids.length === 0) return [];
  const missing = await rowsOf(
    db,
    z.object({ id: z.int() }),
    sql`
      select named.id::float8 as id from unnest(${sql.param(ids)}::bigint[]) with ordinality as named (id, number)
      where not exists (
        select from question_pools join files on files.id = named.id
        where question_pools.id = ${poolId} and (${usedInPool}
          or ${attachableAssetFileCondition(actor, sql`question_pools.university_id`)}))
      order by named.number`,
  );
  return missing.map(({ id }) => id);
}
