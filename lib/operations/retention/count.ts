import { sql } from "drizzle-orm";
import * as z from "zod";
import type { RetentionCount } from "../../../schema/api/operations/retention.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { retentionKinds } from "../../../schema/enums.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { explainUniversityRightRefusal } from "../../identity/universities/offices.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { retentionTables, rowsDueForDeletionCtes } from "./retention-tables.ts";
import { universityWithRetentionRightQuery } from "./settings.ts";

/** The user needs only an order of magnitude. */
const maxRetentionRowsCounted = 50_000;
const maxRetentionContainersScanned = 100_000;

const Counted = z.object({
  counts: z.array(
    z.object({ kind: z.enum(retentionKinds), as_of: StoredInstant, rows: z.int(), is_more: z.boolean() }),
  ),
});

/**
 * The rows that each period would delete when it takes effect. Records that this was read, which deletion
 * requires. For holders of the permission; 404 without the university, 403 otherwise.
 */
export async function countRowsToDeleteRecordingReview(
  db: Db,
  actor: Actor,
  universityId: number,
  now: Date,
): Promise<RetentionCount[]> {
  const looked = {
    container: 0,
    row: 0,
    rows: maxRetentionRowsCounted + 1,
    containers: maxRetentionContainersScanned,
  };
  const counts = retentionTables.map((part) => {
    const before = sql`(select before from period where kind = ${part.kind})`;
    return sql`
      select ${part.kind} as kind, (
        with ${rowsDueForDeletionCtes(part, universityId, before, now.toISOString(), looked)}
        select json_build_array((select count(*) from due), (select count(*) from seen)) as counted
        where ${before} is not null) as counted`;
  });
  const act = { action: "retention.counted", actor: actor.id, university: sql`permitted.id` } as const;
  const [row] = await rowsOf(
    db,
    Counted,
    sql`
      with permitted as materialized (${universityWithRetentionRightQuery(actor, universityId)}),
      period as materialized (
        select university_id, kind, set_at, greatest(${now.toISOString()}, set_at + interval '30 days') as as_of,
          greatest(${now.toISOString()}, set_at + interval '30 days') - make_interval(days => days) as before
        from permitted join retention_periods on university_id = permitted.id
      ),
      counted as materialized (
        select kind, sum(least((counted ->> 0)::int, ${maxRetentionRowsCounted}))::int as rows, bool_or((counted ->> 1)::int > ${maxRetentionRowsCounted}) as is_more
        from (${sql.join(counts, sql` union all `)}) as part where counted is not null group by kind
      ),
      -- What was set anew meanwhile waits for a dry run of its own.
      noted as (
        update retention_periods as one set counted_at = ${now.toISOString()} from period, counted
        where one.university_id = period.university_id and one.kind = period.kind and one.set_at = period.set_at
          and counted.kind = one.kind
      ),
      audited as (${insertAuditEventsQuery(act, sql`permitted`)})
      select coalesce((
        select json_agg(json_build_object('kind', kind, 'as_of', as_of, 'rows', rows, 'is_more', is_more))
        from counted join period using (kind)), '[]') as counts
      from permitted`,
  );
  if (!row) return explainUniversityRightRefusal(db, universityId);
  const known = new Map(row.counts.map((one) => [one.kind, one]));
  return retentionKinds.flatMap((kind) => {
    const one = known.get(kind);
    return one ? [{ ...one, as_of: toInstant(one.as_of) }] : [];
  });
}
