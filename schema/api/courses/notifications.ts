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
    title: z.string().nullable().meta({
      description:
        "Of the announcement, the discussion, the content item or the course; of a rollout the prompt with the version's number; null for one without a title",
      example: "Beats",
    }),
    by_name: z.string().nullable().meta({
      description:
        "Who announces, of an announcement: without an account now the course or the university. Who answered, of a discussion_reply; who asks, of a tutor_handover; who writes, of a private_message",
    }),
    university_id: Id.nullable(),
    course_offering_id: Id.nullable(),
    language_code: CourseLanguage,
    content_item_id: Id.nullable().meta({ description: "What is due or was graded" }),
    announcement_id: Id.nullable(),
    thread_id: Id.nullable(),
    post_id: WideId.nullable().meta({
      description:
        "The answer, of a discussion_reply; the question, of a tutor_handover; what was written, of a private_message",
    }),
    due_at: Instant.nullable().meta({ description: "Of due_soon: when" }),
    rollout: z
      .object({
        id: Id,
        prompt_name: z.string(),
        version: z.int().meta({ description: "The candidate" }),
        stop_reason: upperEnum(rolloutStops).nullable().meta({ description: "Why it has stopped" }),
      })
      .nullable()
      .meta({ description: "Of rollout_stopped: which, and why" }),
    created_at: Instant,
    read_at: Instant.nullable(),
  })
  .meta({ id: "Notification" });

export const NotificationPage = z
  .object({
    notifications: z.array(Notification).meta({ description: "Newest first" }),
    has_more: z.boolean().meta({ description: "Whether there are older ones" }),
    unread_count: z
      .int()
      .min(0)
      .meta({ description: "Of all that the person wants to see, counted as far as 1000" }),
  })
  .meta({ id: "NotificationPage" });

export const NotificationQuery = z.object({
  unread: lowerEnum(["true", "false"])
    .default("false")
    .meta({ description: "`true`: those that are not read" }),
  kind: lowerEnum(notificationKinds).optional(),
  before: WideIdText.optional().meta({
    description: "Only notifications before this one: the last of the page before",
  }),
  limit: integerText(integer(1, 100)).default(50),
});

export const NotificationsRead = z
  .object({
    ids: list(WideId, { min: 1, max: 100 }).meta({ description: "These" }),
    up_to: WideId.meta({
      description: "This one and all before it: what has come since it was looked at stays unread",
    }),
  })
  .partial()
  .refine(({ ids, up_to }) => ids || up_to, "Either ids or up_to is required")
  .meta({ id: "NotificationsRead" });

export const UnreadCount = z
  .object({ unread_count: z.int().min(0).meta({ description: "What is left, counted as far as 1000" }) })
  .meta({ id: "UnreadCount" });

const wish = {
  in_app: z.boolean().meta({ description: "Whether it stands in the list" }),
  mail: lowerEnum(notificationMails).meta({
    description:
      "Whether a mail tells of it, at once or with others once a day, at 7 in the morning of the person's time zone. Only to an address that was verified",
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
