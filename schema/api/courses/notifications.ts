import * as z from "zod";
import { notificationKinds, notificationMails, rolloutStops } from "../../enums.ts";
import {
  Id,
  Instant,
  integer,
  integerText,
  list,
  lowerEnum,
  upperEnum,
  WideId,
  WideIdText,
} from "../platform/fields.ts";
import { CourseLanguage } from "./summaries.ts";

/** An event for a person; its subject is read in the current state. */
export const Notification = z
  .object({
    id: WideId,
    kind: lowerEnum(notificationKinds),
    title: z
      .string()
      .nullable()
      .meta({
        description:
          "Title of the announcement, discussion, content item or course. For a rollout, the prompt with its " +
          "version. Null without a title",
        example: "Beats",
      }),
    by_name: z
      .string()
      .nullable()
      .meta({
        description:
          "Sender. For an announcement, the author, or the course or university if the account is gone. For a " +
          "discussion_reply, tutor_handover or private_message, the author",
      }),
    university_id: Id.nullable(),
    course_offering_id: Id.nullable(),
    language_code: CourseLanguage,
    content_item_id: Id.nullable().meta({ description: "The content item that is due or was graded" }),
    announcement_id: Id.nullable(),
    thread_id: Id.nullable(),
    post_id: WideId.nullable().meta({
      description: "The reply (discussion_reply), question (tutor_handover) or message (private_message)",
    }),
    due_at: Instant.nullable().meta({ description: "Due date, for due_soon" }),
    rollout: z
      .object({
        id: Id,
        prompt_name: z.string(),
        version: z.int().meta({ description: "The candidate version" }),
        stop_reason: upperEnum(rolloutStops).nullable().meta({ description: "Why it stopped" }),
      })
      .nullable()
      .meta({ description: "The rollout and its stop reason, for rollout_stopped" }),
    created_at: Instant,
    read_at: Instant.nullable(),
  })
  .meta({ id: "Notification" });

export const NotificationPage = z
  .object({
    notifications: z.array(Notification).meta({ description: "Newest first" }),
    has_more: z.boolean().meta({ description: "Whether older notifications exist" }),
    unread_count: z
      .int()
      .min(0)
      .meta({ description: "Number of unread notifications of enabled kinds, counted up to 1000" }),
  })
  .meta({ id: "NotificationPage" });

export const NotificationQuery = z.object({
  unread: lowerEnum(["true", "false"])
    .default("false")
    .meta({ description: "`true` returns only unread notifications" }),
  kind: lowerEnum(notificationKinds).optional(),
  before: WideIdText.optional().meta({
    description: "Only notifications before this id: the last of the previous page",
  }),
  limit: integerText(integer(1, 100)).default(50),
});

export const NotificationsRead = z
  .object({
    ids: list(WideId, { min: 1, max: 100 }).meta({ description: "Ids of notifications to mark" }),
    up_to: WideId.meta({
      description: "Marks this notification and all before it; newer ones stay unread",
    }),
  })
  .partial()
  .refine(({ ids, up_to }) => ids || up_to, "Either ids or up_to is required")
  .meta({ id: "NotificationsRead" });

export const UnreadCount = z
  .object({
    unread_count: z
      .int()
      .min(0)
      .meta({ description: "Number of unread notifications left, counted up to 1000" }),
  })
  .meta({ id: "UnreadCount" });

const wish = {
  in_app: z.boolean().meta({ description: "Whether it appears in the list" }),
  mail: lowerEnum(notificationMails).meta({
    description:
      "When to send mails: never, immediately, or once a day at 7:00 in the person's time zone. Only to a " +
      "verified address",
  }),
};

const kinds = <S extends z.ZodType>(schema: S) =>
  Object.fromEntries(notificationKinds.map((kind) => [kind, schema])) as Record<
    (typeof notificationKinds)[number],
    S
  >;

export const NotificationPreferences = z
  .object(kinds(z.object(wish).meta({ id: "NotificationPreference" })))
  .meta({ id: "NotificationPreferences" });

export const NotificationPreferencesUpdate = z
  .object(kinds(z.object(wish).partial().meta({ id: "NotificationPreferenceUpdate" })))
  .partial()
  .meta({ id: "NotificationPreferencesUpdate" });

export type Notification = z.input<typeof Notification>;
export type NotificationPage = z.input<typeof NotificationPage>;
export type NotificationQuery = z.output<typeof NotificationQuery>;
export type NotificationsRead = z.output<typeof NotificationsRead>;
export type NotificationPreferences = z.input<typeof NotificationPreferences>;
export type NotificationPreferencesUpdate = z.output<typeof NotificationPreferencesUpdate>;
