import { sql } from "drizzle-orm";
import { index, integer, pgTable, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { type MailKind, mailKinds } from "../../enums.ts";
import { users } from "../identity/users.ts";
import { bigId, instant, lowerEnum, oneOf, reference } from "./columns.ts";

/**
 * Outgoing mail; lib/platform/mail/outbox.ts sends it. A row names content and recipient, and the text is composed on
 * sending, so no token or text is stored. Deleted a day after it ended.
 */
export const mailOutbox = pgTable(
  "mail_outbox",
  {
    id: bigId(),
    kind: lowerEnum<MailKind>().notNull(),
    address: varchar({ length: 255 }).notNull(),
    /** The person concerned; null if found by address on sending. */
    user_id: reference(() => users.id, "cascade"),
    /** The network address of the request, which the mail mentions; null without one. */
    from_address: varchar({ length: 64 }),
    /** The network and person of the request, for fair queuing; null without one. */
    from_network: varchar({ length: 64 }),
    from_person: integer(),
    created_at: instant().notNull(),
    due_at: instant().notNull(),
    tries: integer().notNull().default(0),
    /** The sender's lease. */
    lease_until: instant(),
    /** When it was sent, dropped or given up, with the reason unless sent. */
    ended_at: instant(),
    failure: varchar({ length: 255 }),
  },
  (table) => [
    // Mail that a person waits for goes before notifications.
    index("mail_outbox_turn_index")
      .on(sql`(kind = 'notifications')`, table.due_at, table.id)
      .where(sql`ended_at is null`),
    index().on(table.ended_at),
    index().on(table.address, table.kind, table.created_at),
    index().on(table.user_id),
    // At most one pending mail of these kinds for an address.
    uniqueIndex("mail_outbox_waiting_key").on(table.kind, table.address).where(sql`ended_at is null`),
    oneOf(table.kind, mailKinds),
  ],
);
