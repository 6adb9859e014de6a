import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import {
  type OneRosterSyncMode,
  type OneRosterSyncState,
  oneRosterSyncModes,
  oneRosterSyncStates,
} from "../../enums.ts";
import { universities } from "../identity/universities.ts";
import { users } from "../identity/users.ts";
import { id, instant, oneOf, reference, timestamps, upperEnum } from "../platform/columns.ts";
import { imports } from "./imports.ts";

/** A OneRoster service that a university's people, classes and enrollments are read from, by request or each night. */
export const oneRosterSources = pgTable(
  "one_roster_sources",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    name: varchar({ length: 255 }).notNull(),
    /** The rostering service, such as `https://sis.example.edu/ims/oneroster/rostering/v1p2`. */
    service_url: varchar({ length: 2000 }).notNull(),
    token_url: varchar({ length: 2000 }).notNull(),
    client_id: varchar({ length: 255 }).notNull(),
    /** Encrypted for this university (lib/platform/secrets/encryption.ts). */
    secret_ciphertext: text().notNull(),
    /** The person in whose name imports run; null after account deletion, which stops them. */
    created_by_user_id: reference(() => users.id, "set null"),
    /** Of the next or last sync. */
    mode: upperEnum<OneRosterSyncMode>().notNull(),
    state: upperEnum<OneRosterSyncState>().notNull(),
    due_at: instant().notNull(),
    tries: integer().notNull().default(0),
    lease_until: instant(),
    ended_at: instant(),
    /** When the last applied sync began: the next one reads changes since. */
    synced_at: instant(),
    /** Why it could not be read. */
    failure: varchar({ length: 255 }),
    /** Of the last sync: people and enrollments that it would remove. */
    removals: integer(),
    /** The import of the last sync; null if nothing changed. */
    import_id: reference(() => imports.id, "set null"),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.university_id, table.service_url),
    index("one_roster_sources_due_index").on(sql`greatest(due_at, coalesce(lease_until, due_at))`),
    index().on(table.created_by_user_id),
    index().on(table.import_id),
    oneOf(table.mode, oneRosterSyncModes),
    oneOf(table.state, oneRosterSyncStates),
  ],
);
