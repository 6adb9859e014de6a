import { pgTable, text } from "drizzle-orm/pg-core";
import { id, timestamps } from "./columns.ts";

/** A kind of content. The six that every installation starts with are seeded by a migration. */
export const contentTypes = pgTable("content_types", {
  id: id(),
  name: text().notNull().unique(),
  label: text().notNull(),
  description: text(),
  ...timestamps(),
});
