import { boolean, index, pgTable, varchar } from "drizzle-orm/pg-core";
import { id, reference, timestamps } from "./columns.ts";
import { countries } from "./countries.ts";

/** The tenant: courses, offerings, enrollments and content belong to one. */
export const universities = pgTable(
  "universities",
  {
    id: id(),
    name: varchar({ length: 255 }).notNull(),
    short_code: varchar({ length: 64 }).notNull().unique(),
    country_id: reference(() => countries.id, "restrict").notNull(),
    time_zone: varchar({ length: 64 }).notNull().default("UTC"),
    website_url: varchar({ length: 512 }),
    is_active: boolean().notNull().default(true),
    ...timestamps(),
  },
  (table) => [index().on(table.country_id)],
);
