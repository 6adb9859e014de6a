import { doublePrecision, integer, pgTable, primaryKey, uuid, varchar } from "drizzle-orm/pg-core";
import { instant, jsonObject, machineNow } from "./columns.ts";

/**
 * What all instances counted together: a row for each sample that is shown, and for each bucket of a histogram
 * by itself. Values are only ever added to, and the labels take few values, so that the table stays small.
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

/** The instances that reported lately. One that stops seeing to its row is forgotten. */
export const metricInstances = pgTable("metric_instances", {
  id: uuid().primaryKey(),
  requests_in_progress: integer().notNull(),
  /** The number of the last batch that was added, so that one that is sent again is not added again. */
  last_batch: integer().notNull(),
  seen_at: instant().notNull().default(machineNow),
});
