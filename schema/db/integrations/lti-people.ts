import { sql } from "drizzle-orm";
import { check, index, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { type LtiLinking, ltiLinkings } from "../../enums.ts";
import { users } from "../identity/users.ts";
import { id, instant, now, oneOf, reference, upperEnum } from "../platform/columns.ts";
import { ltiPlatforms } from "./lti-platforms.ts";

/**
 * People of a platform by their subject (`sub`), linked to accounts. An account may belong to people of
 * several platforms.
 */
export const ltiPeople = pgTable(
  "lti_people",
  {
    id: id(),
    platform_id: reference(() => ltiPlatforms.id, "cascade").notNull(),
    subject: varchar({ length: 255 }).notNull(),
    /** Null after staff removed the link: then only a sign-in or a new account links the subject. */
    user_id: reference(() => users.id, "cascade"),
    linked_by: upperEnum<LtiLinking>(),
    /** When staff last removed a wrong link; no link is made automatically after that. */
    unlinked_at: instant(),
    /** The name from the last launch or roster. */
    told_name: varchar({ length: 255 }),
    told_email: varchar({ length: 255 }),
    told_sourced_id: varchar({ length: 255 }),
    /** Null for people known only from a roster. */
    last_launched_at: instant(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    unique().on(table.platform_id, table.subject),
    index().on(table.user_id),
    index().on(table.platform_id, table.last_launched_at),
    oneOf(table.linked_by, ltiLinkings),
    check("lti_people_linked_check", sql`num_nonnulls(${table.user_id}, ${table.linked_by}) <> 1`),
  ],
);
