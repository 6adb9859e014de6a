import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { calendarDate, id, instant, reference, timestamps } from "../platform/columns.ts";
import { universities } from "./universities.ts";

/**
 * A person's account, global across universities. An erased account's row stays as a number, for examination
 * records and report totals.
 */
export const users = pgTable(
  "users",
  {
    id: id(),
    /** Null for erased accounts and those that an LMS created without one. */
    email: varchar({ length: 255 }).unique(),
    /** Empty after erasure. */
    full_name: varchar({ length: 255 }).notNull(),
    /** bcrypt; null for people who sign in only through an identity provider. */
    password_hash: text(),
    locale: varchar({ length: 16 }).notNull().default("en"),
    time_zone: varchar({ length: 64 }).notNull().default("UTC"),
    is_active: boolean().notNull().default(true),
    /** Whether the tutor may use their results in private answers: their choice. */
    tutor_sees_results: boolean().notNull().default(false),
    /** When the person confirmed the address; null until then. */
    email_verified_at: instant(),
    /** For accounts from imports: the university that owns the person until they first sign in. */
    made_by_university_id: reference(() => universities.id, "set null"),
    /** Incremented to revoke all earlier tokens. */
    token_version: integer().notNull().default(0),
    current_streak_days: integer().notNull().default(0),
    /** In the person's own time zone. */
    last_activity_date: calendarDate(),
    /** Public token of the person's picture, changed with each picture; null without one. */
    avatar_token: varchar({ length: 32 }).unique(),
    erased_at: instant(),
    /** Used for search and sorting; null after erasure. Maintained by the database. */
    search_text: text(),
    ...timestamps(),
  },
  (table) => [
    index().on(table.created_at, table.id),
    index("users_search_index").using("gin", sql`${table.search_text} gin_trgm_ops`),
    index().on(table.search_text, table.id),
    index("users_email_index").on(sql`coalesce(${table.email}, '')`, table.id),
    index("users_name_index").on(sql`folded(${table.full_name})`),
    index("users_inactive_index").on(table.id).where(sql`not ${table.is_active}`),
    index("users_erased_index").on(table.erased_at).where(sql`${table.erased_at} is not null`),
    index().on(table.made_by_university_id).where(sql`${table.made_by_university_id} is not null`),
    // Current streaks belong to people active in the last days.
    index().on(table.last_activity_date),
    check("users_email_lowercase", sql`${table.email} = lower(${table.email})`),
    check(
      "users_erased_check",
      sql`${table.erased_at} is null
          or num_nonnulls(${table.email}, ${table.password_hash}, ${table.email_verified_at}) = 0
             and ${table.full_name} = '' and not ${table.is_active}`,
    ),
  ],
);

/** The name in examination records: null for an erased account. */
export const nameOnRecord = sql<
  string | null
>`case when ${users.erased_at} is null then ${users.full_name} end`;

/** Search and sort text of such a record. */
export const searchedOnRecord = sql`coalesce(${users.search_text}, '')`;
