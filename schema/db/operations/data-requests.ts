import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import {
  type DataRequestKind,
  type DataRequestState,
  dataRequestKinds,
  dataRequestStates,
} from "../../enums.ts";
import { universities } from "../identity/universities.ts";
import { users } from "../identity/users.ts";
import { calendarDate, id, instant, jsonObject, oneOf, reference, upperEnum } from "../platform/columns.ts";

/** A correction of a person's data, as `update_university_member` takes it. */
export type Correction = {
  external_id?: string | null;
  given_name?: string | null;
  family_name?: string | null;
};

/** Data protection requests at a university, and their handling. */
export const dataRequests = pgTable(
  "data_requests",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    kind: upperEnum<DataRequestKind>().notNull(),
    state: upperEnum<DataRequestState>().notNull().default(sql`'open'`),
    /** The day of the request in the university's time zone, which must answer within a month. */
    received_on: calendarDate().notNull(),
    /** For corrections: the new values; null after the decision. */
    correction: jsonObject<Correction>(),
    /** The person who recorded the request; null after account deletion. */
    made_by_user_id: reference(() => users.id, "set null"),
    made_at: instant().notNull(),
    decided_by_user_id: reference(() => users.id, "set null"),
    decided_at: instant(),
    reason: text(),
    /** For running erasures: the number that replaces the person; null at the end. */
    erased_user_id: reference(() => users.id, "set null"),
    done_at: instant(),
    /** For exports: when the download expires. */
    available_until: instant(),
  },
  (table) => [
    index().on(table.university_id, table.id),
    index().on(table.user_id),
    index().on(table.made_by_user_id),
    index().on(table.decided_by_user_id),
    index().on(table.erased_user_id),
    index("data_requests_approved_index").on(table.id).where(sql`${table.state} = 'approved'`),
    uniqueIndex("data_requests_open_unique")
      .on(table.university_id, table.user_id, table.kind)
      .where(sql`${table.state} in ('open', 'approved')`),
    oneOf(table.kind, dataRequestKinds),
    oneOf(table.state, dataRequestStates),
    // Four eyes: the creator may withdraw a request, another person must approve it.
    check(
      "data_requests_four_eyes_check",
      sql`${table.state} in ('open', 'rejected') or ${table.made_by_user_id} <> ${table.decided_by_user_id}`,
    ),
    check(
      "data_requests_own_check",
      sql`${table.user_id} <> ${table.made_by_user_id} and ${table.user_id} <> ${table.decided_by_user_id}`,
    ),
    check(
      "data_requests_decided_check",
      sql`(${table.state} = 'open') = (${table.decided_at} is null) and (${table.state} = 'done') = (${table.done_at} is not null)`,
    ),
    check(
      "data_requests_erased_check",
      sql`${table.erased_user_id} is null or (${table.kind} = 'erase' and ${table.state} = 'approved')`,
    ),
    check(
      "data_requests_correction_check",
      sql`${table.correction} is null or (${table.kind} = 'rectify' and ${table.state} = 'open')`,
    ),
  ],
);
