import { sql } from "drizzle-orm";
import { boolean, index, pgTable, primaryKey, text, varchar } from "drizzle-orm/pg-core";
import { type MemberSource, memberSources } from "../enums.ts";
import { instant, oneOf, reference, upperEnum } from "./columns.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/**
 * Everyone who has or had a role or an enrollment in a university, with what lists say of people and put them in order
 * of, as it is in `users`. The database keeps it. Who still belongs there is asked of roles and enrollments. Beside that
 * stands what the university itself calls them, which its rosters and gradebooks show.
 */
export const universityMembers = pgTable(
  "university_members",
  {
    university_id: reference(() => universities.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    full_name: varchar({ length: 255 }).notNull(),
    email: varchar({ length: 255 }).notNull(),
    created_at: instant().notNull(),
    search_text: text().notNull(),
    /** False while the university has suspended them: they keep what they have there, and it counts for nothing. */
    is_active: boolean().notNull().default(true),
    given_name: varchar({ length: 255 }),
    family_name: varchar({ length: 255 }),
    /** Who wrote these names, and alone writes them anew; null where anyone may. */
    source: upperEnum<MemberSource>(),
  },
  (table) => [
    primaryKey({ columns: [table.university_id, table.user_id] }),
    index().on(table.university_id, table.search_text, table.user_id),
    index().on(table.university_id, table.email, table.user_id),
    index().on(table.university_id, table.created_at, table.user_id),
    index().on(table.user_id),
    // Few of all.
    index("university_members_suspended_index").on(table.user_id).where(sql`not is_active`),
    oneOf(table.source, memberSources),
  ],
);
