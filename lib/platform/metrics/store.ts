import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db, ReadDb } from "../db/client.ts";
import { backlogLagQuery } from "../db/query/backlog-lag.ts";
import { rowsOf } from "../db/query/rows.ts";
import { scheduleLagQuery } from "../db/query/schedule-lag.ts";
import { sequencesOverHalfQuery } from "../db/query/sequences.ts";
import type { MetricAddition } from "./tally.ts";

/** Batch numbers increase; a batch that is sent twice counts once. */
export type MetricBatch = {
  instance: string;
  number: number;
  requestsInProgress: number;
  additions: readonly MetricAddition[];
};

/** A histogram's buckets are not cumulative here. */
const Sample = z.object({
  sample: z.string(),
  labels: z.record(z.string(), z.string()),
  value: z.number(),
});

export type MetricSample = z.output<typeof Sample>;

/** Marked statements are not measured. Otherwise each report would cause another one. */
export const metricsReportSqlComment = "/* metrics report */";

/** An instance counts as running this long after its last report. */
const LIVENESS_SECONDS = 15;

/**
 * One statement. All writers lock rows in the same order, which prevents deadlocks. Also deletes instances
 * without a report for an hour.
 */
export async function storeMetricBatch(
  db: Db,
  { instance, number, requestsInProgress, additions }: MetricBatch,
) {
  await db.execute(sql`${sql.raw(metricsReportSqlComment)}
    with instance as (
      insert into metric_instances as known (id, requests_in_progress, last_batch)
      values (${instance}, ${requestsInProgress}, ${number})
      on conflict (id) do update
        set requests_in_progress = excluded.requests_in_progress, last_batch = excluded.last_batch, seen_at = now()
        where known.last_batch < excluded.last_batch
      returning id
    ), forgotten as (
      delete from metric_instances where id in (
        select id from metric_instances
        where seen_at < now() - interval '1 hour' and id <> ${instance}
        for update skip locked)
    )
    insert into metric_samples as stored (sample, labels, value)
    select sample, labels, amount
    from jsonb_to_recordset(${JSON.stringify(additions)}::jsonb) as added (sample text, labels jsonb, amount float8)
    where exists (select from instance)
    order by sample, labels
    on conflict (sample, labels) do update set value = stored.value + excluded.value`);
}

export async function removeInstance(db: Db, instance: string): Promise<void> {
  await db.execute(
    sql`${sql.raw(metricsReportSqlComment)} delete from metric_instances where id = ${instance}`,
  );
}

/** All samples in one snapshot. */
export async function readSamples(db: ReadDb): Promise<MetricSample[]> {
  const statement = sql`
    select sample, labels, value from metric_samples
    union all
    select 'http_requests_in_progress', '{}'::jsonb, coalesce(sum(requests_in_progress), 0)::float8
    from metric_instances where seen_at > now() - make_interval(secs => ${LIVENESS_SECONDS})
    union all
    select 'db_sequence_used_ratio', jsonb_build_object('sequence', sequence), used
    from (${sequencesOverHalfQuery}) as drawn
    union all
    select 'db_behind_seconds', jsonb_build_object('of', of), seconds from (${backlogLagQuery}) as shared
    union all
    select 'schedule_overdue_seconds', jsonb_build_object('of', of), seconds from (${scheduleLagQuery}) as overdue
    union all
    select 'files_stored_bytes', '{}'::jsonb, coalesce(sum(bytes), 0)::float8 from file_usage
    order by 1, 2`;
  const samples = await rowsOf(db, Sample, statement);
  return samples;
}
