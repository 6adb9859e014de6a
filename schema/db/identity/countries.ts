import { char, pgTable, varchar } from "drizzle-orm/pg-core";
import { id } from "../platform/columns.ts";

/** A country of ISO 3166-1; `iso_code` is its alpha-2 code. */
export const countries = pgTable("countries", {
  id: id(),
  iso_code: char({ length: 2 }).notNull().unique(),
  name: varchar({ length: 255 }).notNull(),
  region_name: varchar({ length: 255 }),
});
