import { boolean, pgTable, text } from "drizzle-orm/pg-core";
import { id, timestamps } from "../platform/columns.ts";

/** A content type. Migrations seed the built-in ones. */
export const contentTypes = pgTable("content_types", {
  id: id(),
  name: text().notNull().unique(),
  label: text().notNull(),
  description: text(),
  /** Whether only a result completes an item: a passed quiz or graded work. Set by migrations. */
  takes_result: boolean().notNull().default(false),
  ...timestamps(),
});
