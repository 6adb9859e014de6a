import { sql } from "drizzle-orm";
import { index, integer, pgTable, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { type MailKind, mailKinds } from "../enums.ts";
import { bigId, instant, lowerEnum, oneOf, reference } from "./columns.ts";
import { users } from "./users.ts";

/**
 * Mail that is to be sent: by whom and when stands in lib/mail/outbox.ts. A row says what is to be told to whom, and is
 * put into words when it is sent, so that no token and no text lies here. It stays for a day after it has ended.
 */
export const mailOutbox = pgTable(
  "mail_outbox",
  {
    id: bigId(),
    kind: lowerEnum<MailKind>().notNull(),
    address: varchar({ length: 255 }).notNull(),
    /** Whom it is about; null where that is looked up by the address, when it is sent. */
    user_id: reference(() => users.id, "cascade"),
    /** From which network address it was asked for, which the mail says; null where nobody asked. */
    from_address: varchar({ length: 64 }),
    /** The network and the person whose request gave the reason for it, who have their turns; null where none did. */
    from_network: varchar({ length: 64 }),
    from_person: integer(),
    created_at: instant().notNull(),
    /** When it is next to be tried. */
    due_at: instant().notNull(),
    tries: integer().notNull().default(0),
    /** Until when whoever tries to send it has it alone. */
    lease_until: instant(),
    /** When it was sent, dropped or given up, and why, unless it was sent. */
    ended_at: instant(),
    failure: varchar({ length: 255 }),
  },
  (table) => [
    // What someone waits for goes before what a class is told.
    index("mail_outbox_turn_index")
      .on(sql`(kind = 'notifications')`, table.due_at, table.id)
      .where(sql`ended_at is null`),
    index().on(table.ended_at),
    index().on(table.address, table.kind, table.created_at),
    index().on(table.user_id),
    // However often someone asks, one such mail waits for an address.
    uniqueIndex("mail_outbox_waiting_key").on(table.kind, table.address).where(sql`ended_at is null`),
    oneOf(table.kind, mailKinds),
  ],
);
