import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { id, reference, timestamps } from "../platform/columns.ts";
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
    /** Whether rights there require a sign-in by its own identity provider. */
    requires_own_provider: boolean().notNull().default(false),
    search_text: text().generatedAlwaysAs(sql`searched(name || ' ' || short_code)`),
    /** Shown to its people instead of the platform's name; null for `name`. */
    display_name: varchar({ length: 60 }),
    /** `#rrggbb`, from which shades with sufficient contrast are computed; null for the platform's. */
    color: varchar({ length: 7 }),
    /** Public token of its logo, changed with each logo; null without one. */
    logo_token: varchar({ length: 32 }).unique(),
    ...timestamps(),
  },
  (table) => [
    index().on(table.country_id),
    index("universities_search_index").using("gin", sql`${table.search_text} gin_trgm_ops`),
    index().on(table.search_text, table.id),
    index("universities_own_provider_index").on(table.id).where(sql`requires_own_provider`),
    check("universities_color_check", sql`${table.color} ~ '^#[0-9a-f]{6}$'`),
  ],
);
