import { sql } from "drizzle-orm";
import { boolean, index, pgTable, primaryKey, text, varchar } from "drizzle-orm/pg-core";
import { type MemberSource, memberSources } from "../enums.ts";
import { instant, oneOf, reference, upperEnum } from "./columns.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/**
 * Everyone who has or had a role, an enrollment or an offering as its staff in a university, with what lists say of people and put them in order
 * of, as it is in `users`. The database keeps it. Who still belongs there is asked of roles and enrollments. Beside that
 * stands what the university itself calls them, which its rosters and gradebooks show.
 */
export const universityMembers = pgTable(
  "university_members",
  {
    university_id: reference(() => universities.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    full_name: varchar({ length: 255 }).notNull(),
    /** Empty for whoever has none: an LMS made their account. */
    email: varchar({ length: 255 }).notNull(),
    created_at: instant().notNull(),
    search_text: text().notNull(),
    /** False while the university has suspended them: they keep what they have there, and it counts for nothing. */
    is_active: boolean().notNull().default(true),
    /** Whether the directory suspended them, which alone restores what it suspended. */
    suspended_by_directory: boolean().notNull().default(false),
    /** When they were last suspended: their sign-ins of until then that reach this university alone have ended for good. */
    tokens_ended_at: instant(),
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
    index("university_members_family_name_index").on(
      table.university_id,
      sql`coalesce(searched(family_name), '')`,
      table.search_text,
      table.user_id,
    ),
    // What people are found by who look for a name that the university has of them.
    index("university_members_names_index")
      .using("gin", sql`searched(coalesce(given_name, '') || ' ' || coalesce(family_name, '')) gin_trgm_ops`)
      .where(sql`given_name is not null or family_name is not null`),
    index().on(table.user_id),
    // Few of all.
    index("university_members_tokens_ended_index").on(table.user_id).where(sql`tokens_ended_at is not null`),
    oneOf(table.source, memberSources),
  ],
);
