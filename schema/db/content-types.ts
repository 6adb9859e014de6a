import { boolean, pgTable, text } from "drizzle-orm/pg-core";
import { id, timestamps } from "./columns.ts";

/** A kind of content. The six that every installation starts with are seeded by a migration. */
export const contentTypes = pgTable("content_types", {
  id: id(),
  name: text().notNull().unique(),
  label: text().notNull(),
  description: text(),
  /** Whether an item of it is complete by a result alone: a quiz that was passed, work that was graded. Migrations say so. */
  takes_result: boolean().notNull().default(false),
  ...timestamps(),
});
