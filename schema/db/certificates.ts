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
import { type CertificateIssuance, certificateIssuances } from "../enums.ts";
import { id, instant, jsonObject, oneOf, reference, timestamps, upperEnum } from "./columns.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** Proof that a person completed an offering; anyone who has its code can verify it. What is printed on it stays. */
export const certificates = pgTable(
  "certificates",
  {
    id: id(),
    /** Null when the person has erased their account and chose to keep the certificate, which says whose it is itself. */
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
    /** For staff and the person; whoever verifies is told that it is revoked, and not why. */
    revocation_reason: text(),
    /** The one that was issued in place of it is the row that names it. */
    replaced_at: instant(),
    replaces_id: integer().references((): AnyPgColumn => certificates.id, { onDelete: "set null" }),
    metadata_json: jsonObject(),
  },
  (table) => [
    // Two who issue at once, and a completion beside them, leave one.
    uniqueIndex("certificates_standing_unique")
      .on(table.user_id, table.course_offering_id)
      .where(sql`replaced_at is null`),
    index().on(table.user_id, table.id),
    index().on(table.course_offering_id, table.id),
    index().on(table.replaces_id),
    // What a status list is read from.
    index("certificates_withdrawn_index")
      .on(table.id)
      .where(sql`revoked_at is not null or replaced_at is not null`),
    check(
      "certificates_revocation_check",
      sql`(${table.revoked_at} is null) = (${table.revocation_reason} is null)`,
    ),
  ],
);

/** How an offering issues certificates, where it is not as everywhere: when someone completes it, for ever. */
export const certificateSettings = pgTable(
  "certificate_settings",
  {
    course_offering_id: integer()
      .primaryKey()
      .references(() => courseOfferings.id, { onDelete: "cascade" }),
    issuance: upperEnum<CertificateIssuance>().notNull().default(sql`'automatic'`),
    /** Null for ever. */
    valid_for_days: integer(),
    ...timestamps(),
  },
  (table) => [oneOf(table.issuance, certificateIssuances)],
);
