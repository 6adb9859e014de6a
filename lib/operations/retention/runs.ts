import { sql } from "drizzle-orm";
import * as z from "zod";
import type { RetentionRun } from "../../../schema/api/operations/retention.ts";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import { retentionRuns } from "../../../schema/db/operations/retention.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { explainUniversityRightRefusal } from "../../identity/universities/offices.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../../platform/db/query/page.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { universityWithRetentionRightQuery } from "./settings.ts";

const { id, begun_at, ended_at, forgotten } = retentionRuns;
const columns = {
  ...{ id, begun_at, ended_at, forgotten },
  archived_rows: typedSql(z.int())`(
    select coalesce(sum(rows), 0)::int from retention_archives where run_id = retention_runs.id)`,
};

/** Newest first. 404 without the university, 403 without the permission. */
export async function listRetentionRuns(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  window: Pagination,
): Promise<JsonListPage<RetentionRun>> {
  const listed = await queryJsonPageOfOwner<RetentionRun>(
    db,
    sql`(${universityWithRetentionRightQuery(actor, universityId)}) as permitted`,
    createPageQuery(window, [descending(id)]).rows(
      columns,
      sql`retention_runs`,
      sql`retention_runs.university_id = permitted.id`,
    ),
  );
  return listed ?? explainUniversityRightRefusal(db, universityId);
}
