import { pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { id, instant, now, reference } from "../platform/columns.ts";
import { universities } from "./universities.ts";

/**
 * Domains that the platform granted to a university: verified addresses make people its own, and its identity
 * providers vouch for them. Subdomains are separate domains.
 */
export const universityDomains = pgTable(
  "university_domains",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    /** In lowercase. */
    domain: varchar({ length: 255 }).notNull(),
    created_at: instant().notNull().default(now),
  },
  (table) => [unique().on(table.university_id, table.domain)],
);
