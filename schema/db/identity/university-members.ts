import { sql } from "drizzle-orm";
import { boolean, index, pgTable, primaryKey, text, varchar } from "drizzle-orm/pg-core";
import { type MemberSource, memberSources } from "../../enums.ts";
import { instant, now, oneOf, reference, upperEnum } from "../platform/columns.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/**
 * Everyone who has or had a role, enrollment or staff assignment in a university, with the columns of `users`
 * for lists. Maintained by the database. Roles and enrollments decide current membership. Also has the
 * university's own names, for rosters and gradebooks.
 */
export const universityMembers = pgTable(
  "university_members",
  {
    university_id: reference(() => universities.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    full_name: varchar({ length: 255 }).notNull(),
    /** Empty for accounts without an address, created by an LMS. */
    email: varchar({ length: 255 }).notNull(),
    created_at: instant().notNull(),
    search_text: text().notNull(),
    /** False while suspended: the person keeps their rights there, without effect. */
    is_active: boolean().notNull().default(true),
    /** Whether the directory suspended them; then only the directory can restore them. */
    suspended_by_directory: boolean().notNull().default(false),
    /**
     * When they were last suspended: earlier sign-ins that reach only this university are revoked
     * permanently.
     */
    tokens_ended_at: instant(),
    given_name: varchar({ length: 255 }),
    family_name: varchar({ length: 255 }),
    /** The only source that may change these names; null for any. */
    source: upperEnum<MemberSource>(),
    /** Of this row or the person's roles here. Set by the database, for readers of changes. */
    updated_at: instant().notNull().default(now),
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
    // Search by the university's names for people.
    index("university_members_names_index")
      .using("gin", sql`searched(coalesce(given_name, '') || ' ' || coalesce(family_name, '')) gin_trgm_ops`)
      .where(sql`given_name is not null or family_name is not null`),
    index().on(table.user_id),
    index("university_members_tokens_ended_index").on(table.user_id).where(sql`tokens_ended_at is not null`),
    oneOf(table.source, memberSources),
  ],
);
