import { sql } from "drizzle-orm";
import { index, integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { type LtiRosterMode, type LtiRosterState, ltiRosterModes, ltiRosterStates } from "../enums.ts";
import { instant, jsonObject, oneOf, reference, timestamps, upperEnum } from "./columns.ts";
import { ltiContexts } from "./lti-contexts.ts";
import { users } from "./users.ts";

/** What a roster came to: how many people it names, and what became or would become of them. */
export type RosterCounts = {
  members: number;
  enrolled: number;
  staff: number;
  dropped: number;
  unchanged: number;
  /** Whom staff have dropped, so that nothing enrolls them again. */
  kept_dropped: number;
  /** Whose account may be one that only they can say is theirs: by a sign-in, at their first launch. */
  awaiting_sign_in: number;
  refused: number;
};

/** The roster of a bound course of an LMS (NRPS): when it is read next, and what the last reading came to. */
export const ltiRosters = pgTable(
  "lti_rosters",
  {
    context_id: integer()
      .primaryKey()
      .references(() => ltiContexts.id, { onDelete: "cascade" }),
    state: upperEnum<LtiRosterState>().notNull(),
    /** How it is to be read next, or was. */
    mode: upperEnum<LtiRosterMode>().notNull(),
    asked_by_user_id: reference(() => users.id, "set null"),
    due_at: instant().notNull(),
    tries: integer().notNull().default(0),
    lease_until: instant(),
    /** When the last reading ended, well or not. */
    ended_at: instant(),
    counts: jsonObject<RosterCounts>(),
    /** Why it could not be read. */
    failure: varchar({ length: 255 }),
    /** When it was last read to its last page and taken, and where the platform tells what has changed since. */
    taken_at: instant(),
    differences_url: varchar({ length: 2000 }),
    ...timestamps(),
  },
  (table) => [
    index("lti_rosters_due_index").on(sql`greatest(due_at, coalesce(lease_until, due_at))`),
    index().on(table.asked_by_user_id),
    oneOf(table.state, ltiRosterStates),
    oneOf(table.mode, ltiRosterModes),
  ],
);
