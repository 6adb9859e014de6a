import { integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/**
 * What those were called who have erased their account and had done something to others in an office. The audit log alone
 * is told, and for as long as it has them. It refers to nothing, as the log does.
 */
export const auditPeople = pgTable("audit_people", {
  user_id: integer().primaryKey(),
  full_name: varchar({ length: 255 }).notNull(),
  email: varchar({ length: 255 }).notNull(),
  erased_at: instant().notNull(),
});
