import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { type FeatureRequestStatus, featureRequestStatuses } from "../../enums.ts";
import { users } from "../identity/users.ts";
import { id, lowerEnum, oneOf, reference, timestamps } from "../platform/columns.ts";

export const featureRequests = pgTable(
  "feature_requests",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    title: text().notNull(),
    description: text().notNull(),
    status: lowerEnum<FeatureRequestStatus>().notNull().default("pending"),
    admin_notes: text(),
    ...timestamps(),
  },
  (table) => [
    index().on(table.user_id, table.created_at, table.id),
    index().on(table.status, table.created_at, table.id),
    index().on(table.created_at, table.id),
    oneOf(table.status, featureRequestStatuses),
  ],
);

/** Number of requests by status, maintained by the database, so pages need not count all. */
export const featureRequestTotals = pgTable(
  "feature_request_totals",
  {
    status: lowerEnum<FeatureRequestStatus>().primaryKey(),
    requests: integer().notNull().default(0),
  },
  (table) => [oneOf(table.status, featureRequestStatuses)],
);
