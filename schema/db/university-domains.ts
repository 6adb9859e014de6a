import { pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { id, instant, now, reference } from "./columns.ts";
import { universities } from "./universities.ts";

/**
 * The domains of a university's own addresses, as the platform granted them: whoever has verified one is its own person,
 * and its identity providers vouch for them. Subdomains are domains of their own.
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
