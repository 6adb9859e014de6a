import { sql } from "drizzle-orm";
import { index, integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { type LtiRosterMode, type LtiRosterState, ltiRosterModes, ltiRosterStates } from "../../enums.ts";
import { users } from "../identity/users.ts";
import { instant, jsonObject, oneOf, reference, timestamps, upperEnum } from "../platform/columns.ts";
import { ltiContexts } from "./lti-contexts.ts";

/** The result of a roster or of its dry run. */
export type RosterCounts = {
  members: number;
  enrolled: number;
  staff: number;
  dropped: number;
  unchanged: number;
  /** People whom staff dropped, so they are not enrolled again. */
  kept_dropped: number;
  /** People who may have an account that only they can link, by signing in at their first launch. */
  awaiting_sign_in: number;
  refused: number;
};

/** The roster of a bound LMS course (NRPS): the next read, and the result of the last. */
export const ltiRosters = pgTable(
  "lti_rosters",
  {
    context_id: integer()
      .primaryKey()
      .references(() => ltiContexts.id, { onDelete: "cascade" }),
    state: upperEnum<LtiRosterState>().notNull(),
    /** The mode of the next or last read. */
    mode: upperEnum<LtiRosterMode>().notNull(),
    asked_by_user_id: reference(() => users.id, "set null"),
    due_at: instant().notNull(),
    tries: integer().notNull().default(0),
    lease_until: instant(),
    ended_at: instant(),
    counts: jsonObject<RosterCounts>(),
    /** Why it could not be read. */
    failure: varchar({ length: 255 }),
    /** When it was last read completely and applied, and the platform's URL for changes since. */
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
