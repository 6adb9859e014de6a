import { doublePrecision, integer, pgTable, primaryKey, uuid, varchar } from "drizzle-orm/pg-core";
import { instant, jsonObject, machineNow } from "./columns.ts";

/**
 * Metrics summed over all instances: a row for each sample, and for each histogram bucket. Values only
 * increase, and labels have few values, so the table stays small.
 */
export const metricSamples = pgTable(
  "metric_samples",
  {
    sample: varchar({ length: 64 }).notNull(),
    labels: jsonObject<Record<string, string>>().notNull(),
    value: doublePrecision().notNull(),
  },
  (table) => [primaryKey({ columns: [table.sample, table.labels] })],
);

/** Recently active instances; deleted without renewal. */
export const metricInstances = pgTable("metric_instances", {
  id: uuid().primaryKey(),
  requests_in_progress: integer().notNull(),
  /** The last batch added, which makes adding idempotent. */
  last_batch: integer().notNull(),
  seen_at: instant().notNull().default(machineNow),
});
