import { pgTable, text, varchar } from "drizzle-orm/pg-core";
import { id, timestamps } from "../platform/columns.ts";

export const domains = pgTable("domains", {
  id: id(),
  code: varchar({ length: 64 }).notNull().unique(),
  name: text().notNull(),
  description: text(),
  ...timestamps(),
});
