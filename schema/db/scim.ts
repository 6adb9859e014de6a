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
import { type DirectoryRole, directoryRoles } from "../enums.ts";
import { apiKeys } from "./api-keys.ts";
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
} from "./columns.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/**
 * What a university's directory says of a person, by SCIM: a record of the directory's, whoever it turns out to be about.
 * The person is found by it, made, or offered to be one of the university's own (schema/functions/scim.sql).
 */
export const scimUsers = pgTable(
  "scim_users",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    /** As the directory spells it; case does not tell two apart. */
    user_name: varchar({ length: 255 }).notNull(),
    external_id: varchar({ length: 255 }),
    /** By which the person is found; null where the directory names none. */
    email: varchar({ length: 255 }),
    /** The name of an account that is made. */
    full_name: varchar({ length: 255 }).notNull(),
    is_active: boolean().notNull(),
    /** What the directory sent, in the words of SCIM, without what the service says itself. */
    attributes: jsonObject().notNull(),
    /** Whose record it is; null until somebody accepts what it offers. */
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

/** A group of a directory, which gives its members something once an administrator has mapped it to a role. */
export const scimGroups = pgTable(
  "scim_groups",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    display_name: varchar({ length: 255 }).notNull(),
    external_id: varchar({ length: 255 }),
    /** What its members hold in the university; null: it gives nothing. */
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
 * What a university's directory asked last, and what was refused to it last, a bounded number of each: for whoever sets it
 * up. Of a request its body and its query are not here, and of a refusal no value that was sent.
 */
export const scimRequests = pgTable(
  "scim_requests",
  {
    id: bigId(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    api_key_id: reference(() => apiKeys.id, "cascade").notNull(),
    asked_at: instant().notNull(),
    method: varchar({ length: 16 }).notNull(),
    /** Below the address of SCIM, such as `/Users/7`. */
    path: varchar({ length: 128 }).notNull(),
    status: integer().notNull(),
    /** SCIM's word for a refusal, and what it said. */
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
