import { index, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { id, instant, now, reference } from "../platform/columns.ts";
import { users } from "./users.ts";

/** An account at an external identity provider; `subject` is the provider's id. */
export const userIdentities = pgTable(
  "user_identities",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    provider: varchar({ length: 64 }).notNull(),
    subject: varchar({ length: 255 }).notNull(),
    created_at: instant().notNull().default(now),
  },
  (table) => [unique().on(table.provider, table.subject), index().on(table.user_id)],
);
