import { integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { instant } from "../platform/columns.ts";

/**
 * Names of erased people who acted on others in an official role. Only the audit log reads them, and as long
 * as it mentions them. No foreign keys, like the log.
 */
export const auditPeople = pgTable("audit_people", {
  user_id: integer().primaryKey(),
  full_name: varchar({ length: 255 }).notNull(),
  email: varchar({ length: 255 }).notNull(),
  erased_at: instant().notNull(),
});
