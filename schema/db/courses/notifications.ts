import { sql } from "drizzle-orm";
import { bigint, boolean, index, pgTable, primaryKey, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import {
  type NotificationKind,
  type NotificationMail,
  notificationKinds,
  notificationMails,
} from "../../enums.ts";
import { discussionPosts } from "../community/discussions.ts";
import { users } from "../identity/users.ts";
import { bigId, bigReference, instant, lowerEnum, oneOf, reference } from "../platform/columns.ts";
import { mailOutbox } from "../platform/mail.ts";
import { promptRollouts } from "../tutor/rollouts.ts";
import { announcements } from "./announcements.ts";
import { contentItems } from "./content-items.ts";
import { courseOfferings } from "./offerings.ts";

/**
 * An event for a person. It references its subject without any text, so it always shows the current state.
 * Written only by `notify` (schema/functions/courses/notifications.sql).
 */
export const notifications = pgTable(
  "notifications",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    kind: lowerEnum<NotificationKind>().notNull(),
    /** The event as one word, unique by person, so each is notified once. */
    cause: varchar({ length: 128 }).notNull(),
    course_offering_id: reference(() => courseOfferings.id, "cascade"),
    content_item_id: reference(() => contentItems.id, "cascade"),
    discussion_post_id: bigReference(() => discussionPosts.id, "cascade"),
    announcement_id: reference(() => announcements.id, "cascade"),
    prompt_rollout_id: reference(() => promptRollouts.id, "cascade"),
    /** For due dates. */
    due_at: instant(),
    created_at: instant().notNull(),
    read_at: instant(),
    /** When it is mailed; null if not, or if the mail is in the outbox. */
    mail_due_at: instant(),
    /** Its mail while in the outbox. */
    mail_id: bigint({ mode: "number" }).references(() => mailOutbox.id, { onDelete: "set null" }),
  },
  (table) => [
    uniqueIndex("notifications_cause_unique").on(table.user_id, table.kind, table.cause),
    index().on(table.user_id, table.id),
    index("notifications_mail_due_index").on(table.mail_due_at).where(sql`${table.mail_due_at} is not null`),
    index().on(table.mail_id),
    index().on(table.created_at),
    index().on(table.course_offering_id),
    index().on(table.content_item_id),
    index().on(table.discussion_post_id),
    index().on(table.announcement_id, table.user_id),
    index().on(table.prompt_rollout_id).where(sql`${table.prompt_rollout_id} is not null`),
    oneOf(table.kind, notificationKinds),
  ],
);

/** A person's preference for a kind that differs from the default. */
export const notificationPreferences = pgTable(
  "notification_preferences",
  {
    user_id: reference(() => users.id, "cascade").notNull(),
    kind: lowerEnum<NotificationKind>().notNull(),
    in_app: boolean().notNull(),
    mail: lowerEnum<NotificationMail>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.user_id, table.kind] }),
    oneOf(table.kind, notificationKinds),
    oneOf(table.mail, notificationMails),
  ],
);

/** Reminders sent to an offering's people: a due item with its date. */
export const dueReminders = pgTable(
  "due_reminders",
  {
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    due_at: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.course_offering_id, table.content_item_id, table.due_at] }),
    index().on(table.content_item_id),
    index().on(table.due_at),
  ],
);
