import { index, pgTable, varchar } from "drizzle-orm/pg-core";
import { id, instant, jsonObject, reference } from "./columns.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** Proof that a person completed an offering; anyone who has its code can verify it. */
export const certificates = pgTable(
  "certificates",
  {
    id: id(),
    /** Null when the person has erased their account and chose to keep the certificate, which says whose it is itself. */
    user_id: reference(() => users.id, "set null"),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    certificate_code: varchar({ length: 64 }).notNull().unique(),
    issued_at: instant().notNull(),
    expires_at: instant(),
    metadata_json: jsonObject(),
  },
  (table) => [
    // Not unique: an expired certificate may be issued again.
    index().on(table.user_id, table.course_offering_id),
    index().on(table.course_offering_id),
  ],
);
