import { sql } from "drizzle-orm";
import * as z from "zod";
import type { RetentionRun } from "../../../schema/api/operations/retention.ts";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import { retentionRuns } from "../../../schema/db/operations/retention.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { explainOfficeRefusal } from "../../identity/universities/offices.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { jsonListIn } from "../../platform/db/query/json-rows.ts";
import { descending, pageOf } from "../../platform/db/query/page.ts";
import { valueAs } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { permitted } from "./settings.ts";

const { id, begun_at, ended_at, forgotten } = retentionRuns;
const columns = {
  ...{ id, begun_at, ended_at, forgotten },
  archived_rows: valueAs(z.int())`(
    select coalesce(sum(rows), 0)::int from retention_archives where run_id = retention_runs.id)`,
};

/** Newest first. 404 without the university, 403 without the permission. */
export async function listRetentionRuns(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  window: Pagination,
): Promise<JsonListPage<RetentionRun>> {
  const listed = await jsonListIn<RetentionRun>(
    db,
    sql`(${permitted(actor, universityId)}) as permitted`,
    pageOf(window, [descending(id)]).rows(
      columns,
      sql`retention_runs`,
      sql`retention_runs.university_id = permitted.id`,
    ),
  );
  return listed ?? explainOfficeRefusal(db, universityId);
}
