import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  check,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import { type CertificateIssuance, certificateIssuances } from "../../enums.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { users } from "../identity/users.ts";
import { id, instant, jsonObject, oneOf, reference, timestamps, upperEnum } from "../platform/columns.ts";

/** A certificate of completion, verifiable by its code. Its printed fields never change. */
export const certificates = pgTable(
  "certificates",
  {
    id: id(),
    /** Null if the erased person chose to keep the certificate, which names them itself. */
    user_id: reference(() => users.id, "set null"),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    certificate_code: varchar({ length: 64 }).notNull().unique(),
    printed_name: varchar({ length: 255 }).notNull(),
    course_title: varchar({ length: 255 }).notNull(),
    university_name: varchar({ length: 255 }).notNull(),
    completed_at: instant(),
    issued_at: instant().notNull(),
    expires_at: instant(),
    revoked_at: instant(),
    /** For staff and the person; verification shows only that it is revoked. */
    revocation_reason: text(),
    /** Its successor references it. */
    replaced_at: instant(),
    replaces_id: integer().references((): AnyPgColumn => certificates.id, { onDelete: "set null" }),
    metadata_json: jsonObject(),
  },
  (table) => [
    // Concurrent issues and completions create only one.
    uniqueIndex("certificates_standing_unique")
      .on(table.user_id, table.course_offering_id)
      .where(sql`replaced_at is null`),
    index().on(table.user_id, table.id),
    index().on(table.course_offering_id, table.id),
    index().on(table.replaces_id),
    // Source of status lists.
    index("certificates_withdrawn_index")
      .on(table.id)
      .where(sql`revoked_at is not null or replaced_at is not null`),
    check(
      "certificates_revocation_check",
      sql`(${table.revoked_at} is null) = (${table.revocation_reason} is null)`,
    ),
  ],
);

/**
 * An offering's settings for certificates if they differ from the default: issued on completion, without
 * expiry.
 */
export const certificateSettings = pgTable(
  "certificate_settings",
  {
    course_offering_id: integer()
      .primaryKey()
      .references(() => courseOfferings.id, { onDelete: "cascade" }),
    issuance: upperEnum<CertificateIssuance>().notNull().default(sql`'automatic'`),
    /** Null for no expiry. */
    valid_for_days: integer(),
    ...timestamps(),
  },
  (table) => [oneOf(table.issuance, certificateIssuances)],
);
