import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { calendarDate, id, instant, reference, timestamps } from "./columns.ts";
import { universities } from "./universities.ts";

/**
 * A person's account. It is global: universities know people by their roles and enrollments. Of an account that is erased
 * the row stays as a number, on which the record of examinations and the sums of reports hang.
 */
export const users = pgTable(
  "users",
  {
    id: id(),
    /** Null when the account is erased, and of one that an LMS has made, which no address finds and no mail reaches. */
    email: varchar({ length: 255 }).unique(),
    /** Empty when the account is erased. */
    full_name: varchar({ length: 255 }).notNull(),
    /** bcrypt; null for people who sign in only through an identity provider. */
    password_hash: text(),
    locale: varchar({ length: 16 }).notNull().default("en"),
    time_zone: varchar({ length: 64 }).notNull().default("UTC"),
    is_active: boolean().notNull().default(true),
    /** Whether the tutor is told in private what they did at its topic: their choice. */
    tutor_sees_results: boolean().notNull().default(false),
    /** When the person showed that mail to the address reaches them; null until then. */
    email_verified_at: instant(),
    /** Of an account that an import made: whose own person it is until someone enters it. */
    made_by_university_id: reference(() => universities.id, "set null"),
    /** Goes up to end all tokens that were made before. */
    token_version: integer().notNull().default(0),
    current_streak_days: integer().notNull().default(0),
    /** In the person's own time zone. */
    last_activity_date: calendarDate(),
    /** By which anyone reads the person's picture: another one with each picture; null without one. */
    avatar_token: varchar({ length: 32 }).unique(),
    /** Since when it is a number and no account. */
    erased_at: instant(),
    /** What people are searched by, and put in order of; null for an erased account. The database keeps it. */
    search_text: text(),
    ...timestamps(),
  },
  (table) => [
    index().on(table.created_at, table.id),
    index("users_search_index").using("gin", sql`${table.search_text} gin_trgm_ops`),
    index().on(table.search_text, table.id),
    index("users_email_index").on(sql`coalesce(${table.email}, '')`, table.id),
    index("users_name_index").on(sql`folded(${table.full_name})`),
    // Few of all.
    index("users_inactive_index").on(table.id).where(sql`not ${table.is_active}`),
    // Few of all, too.
    index("users_erased_index").on(table.erased_at).where(sql`${table.erased_at} is not null`),
    index().on(table.made_by_university_id).where(sql`${table.made_by_university_id} is not null`),
    // Streaks that are still alive are those of people who were active in the last days.
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

/** The name by which a record of examinations calls a person: null for an erased account. */
export const nameOnRecord = sql<
  string | null
>`case when ${users.erased_at} is null then ${users.full_name} end`;

/** What such a record is searched by, and put in order of. */
export const searchedOnRecord = sql`coalesce(${users.search_text}, '')`;
