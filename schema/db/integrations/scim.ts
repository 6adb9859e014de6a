import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  unique,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import { type DirectoryRole, directoryRoles } from "../../enums.ts";
import { apiKeys } from "../identity/api-keys.ts";
import { universities } from "../identity/universities.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  id,
  instant,
  jsonObject,
  oneOf,
  reference,
  rowVersion,
  timestamps,
  upperEnum,
} from "../platform/columns.ts";

/**
 * A SCIM record of a person in a university's directory. The person is matched, created, or offered
 * membership (schema/functions/integrations/scim.sql).
 */
export const scimUsers = pgTable(
  "scim_users",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    /** The directory's spelling; comparison ignores case. */
    user_name: varchar({ length: 255 }).notNull(),
    external_id: varchar({ length: 255 }),
    /** Used for matching; null if the directory has none. */
    email: varchar({ length: 255 }),
    /** The name for a new account. */
    full_name: varchar({ length: 255 }).notNull(),
    is_active: boolean().notNull(),
    /** Attributes from the directory in SCIM's format, without those of the service. */
    attributes: jsonObject().notNull(),
    /** The matched person; null until an offer is accepted. */
    user_id: reference(() => users.id, "cascade"),
    version: rowVersion(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("scim_users_user_name_key").on(table.university_id, sql`lower(${table.user_name})`),
    unique("scim_users_external_id_key").on(table.university_id, table.external_id),
    unique("scim_users_user_id_key").on(table.university_id, table.user_id),
    index().on(table.university_id, table.email),
    index().on(table.university_id, table.id),
    index().on(table.user_id),
  ],
);

/** A directory's group; grants its members a role once mapped by an administrator. */
export const scimGroups = pgTable(
  "scim_groups",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    display_name: varchar({ length: 255 }).notNull(),
    external_id: varchar({ length: 255 }),
    /** The members' role in the university; null for none. */
    role: upperEnum<DirectoryRole>(),
    version: rowVersion(),
    ...timestamps(),
  },
  (table) => [
    unique("scim_groups_external_id_key").on(table.university_id, table.external_id),
    index().on(table.university_id, table.id),
    oneOf(table.role, directoryRoles),
  ],
);

export const scimGroupMembers = pgTable(
  "scim_group_members",
  {
    group_id: reference(() => scimGroups.id, "cascade").notNull(),
    scim_user_id: reference(() => scimUsers.id, "cascade").notNull(),
  },
  (table) => [primaryKey({ columns: [table.group_id, table.scim_user_id] }), index().on(table.scim_user_id)],
);

/**
 * The latest requests and rejections of a university's directory, a bounded number of each, for setting it
 * up. Contains no bodies, queries or sent values.
 */
export const scimRequests = pgTable(
  "scim_requests",
  {
    id: bigId(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    api_key_id: reference(() => apiKeys.id, "cascade").notNull(),
    asked_at: instant().notNull(),
    method: varchar({ length: 16 }).notNull(),
    /** Below SCIM's base path, such as `/Users/7`. */
    path: varchar({ length: 128 }).notNull(),
    status: integer().notNull(),
    /** SCIM's error type and detail. */
    scim_type: varchar({ length: 32 }),
    detail: varchar({ length: 255 }),
    request_id: varchar({ length: 128 }).notNull(),
  },
  (table) => [
    unique().on(table.university_id, table.asked_at, table.request_id),
    index().on(table.api_key_id),
    index().on(table.asked_at),
  ],
);
