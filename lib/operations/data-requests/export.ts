import { sql } from "drizzle-orm";
import * as z from "zod";
import {
  attemptOfPersonCondition,
  closeAndGradeExpiredAttempts,
} from "../../assessment/close-expired-attempts.ts";
import { badRequest, forbidden } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { streamPersonalDataJson } from "../personal-data/export.ts";
import {
  type DataRequestPath,
  explainMissingDataRequest,
  universityWithDataRequestRightQuery,
} from "./requests.ts";
import { personalTablesAtUniversity } from "./university-tables.ts";

const Found = z.object({ user_id: z.int(), is_available: z.boolean(), noted: z.string().nullable() });

/**
 * One JSON object with a university's data on the person. Each download is audited. 404 if there is no such
 * export. 400 before approval and after a week. 403 for the caller's own and without the permission.
 */
export async function streamDataRequestExport(
  db: Db,
  actor: Actor,
  { university_id, data_request_id }: DataRequestPath,
  now: Date,
): Promise<AsyncGenerator<string>> {
  const act = {
    action: "data_request.exported",
    actor: actor.id,
    subject: sql`taken.user_id`,
    university: sql`taken.university_id`,
    details: sql`jsonb_build_object('request_id', taken.id)`,
  } as const;
  const [found] = await rowsOf(
    db,
    Found,
    sql`
      with permitted as materialized (${universityWithDataRequestRightQuery(actor, university_id)}),
      asked as materialized (
        select one.id, one.university_id, one.user_id,
               coalesce(one.available_until > ${now.toISOString()}::timestamptz, false) as is_available
        from permitted join data_requests as one on one.university_id = permitted.id
        where one.id = ${data_request_id} and one.kind = 'export'
      ), taken as (select * from asked where is_available and user_id <> ${actor.id}),
      audited as (${insertAuditEventsQuery(act, sql`taken`)} returning id::text)
      select asked.user_id, asked.is_available, (select id from audited) as noted from asked`,
  );
  if (!found) return explainMissingDataRequest(db, actor, university_id);
  if (found.user_id === actor.id) throw forbidden("own_data_request");
  if (found.noted === null) throw badRequest("data_request_export_unavailable");
  await closeAndGradeExpiredAttempts(db, now, attemptOfPersonCondition(found.user_id));
  return streamPersonalDataJson(
    db,
    found.user_id,
    found.noted,
    now,
    personalTablesAtUniversity(university_id),
  );
}
