import * as z from "zod";
import { activityVerbs } from "../enums.ts";
import { Id, Instant, integer, integerText, lowerEnum, upperEnum, WideId } from "./fields.ts";

/** Where a reader of events is: behind the one with these numbers. */
const EventCursor = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}$/, "Input should be a cursor as it was answered")
  .meta({ example: "1815-42" });

export const EventQuery = z.strictObject({
  after: EventCursor.optional().meta({ description: "Only what comes behind it; without it from the first" }),
  format: lowerEnum(["json", "xapi"])
    .default("json")
    .meta({ description: "`xapi` answers statements of xAPI 1.0.3" }),
  limit: integerText(integer(1, 1000)).default(500),
});

/** Something that a person did to learn: never their words, notes or cards. */
const Event = z
  .object({
    id: WideId,
    cursor: z.string().meta({ example: "1815-42", description: "Behind which the feed goes on" }),
    user_id: Id,
    external_id: z.string().nullable().meta({
      example: "s-1815",
      description: "By which the university's own system knows them; null without one",
    }),
    verb: upperEnum(activityVerbs).meta({ example: "COMPLETED" }),
    object_type: z.string().meta({ example: "content_item" }),
    object_id: WideId,
    content_item_id: Id.nullable(),
    course_offering_id: Id.nullable(),
    occurred_at: Instant,
    result: z
      .object({ completion: z.boolean() })
      .nullable()
      .meta({ description: "What came of it; null where nothing did" }),
  })
  .meta({ id: "LearningEvent" });

const ActivityReference = z.object({
  objectType: z.literal("Activity"),
  id: z.string().meta({ example: "https://learn.example.edu/xapi/content_item/12" }),
});

/** The same as a statement of xAPI, by its keys. */
const Statement = z
  .object({
    id: z.uuid(),
    version: z.literal("1.0.3"),
    actor: z.object({
      objectType: z.literal("Agent"),
      account: z.object({
        homePage: z.string().meta({ example: "https://learn.example.edu" }),
        name: z.string().meta({ example: "7", description: "The person's id here" }),
      }),
    }),
    verb: z.object({
      id: z.string().meta({ example: "http://adlnet.gov/expapi/verbs/completed" }),
      display: z.object({ en: z.string().meta({ example: "completed" }) }),
    }),
    object: ActivityReference,
    result: z.object({ completion: z.boolean() }).optional(),
    context: z
      .object({ contextActivities: z.object({ grouping: z.array(ActivityReference) }) })
      .optional()
      .meta({ description: "The offering in which it was done" }),
    timestamp: Instant,
  })
  .meta({ id: "XapiStatement" });

const delay = {
  replica_delay_seconds: z.int().optional().meta({
    description: "For how many seconds back something may be missing; only where a replica is read",
  }),
};

/** A part of the feed; `statements` and `more` are xAPI's words for it. */
export const EventFeed = z
  .object({
    events: z.array(Event).optional().meta({ description: "Of `format=json`" }),
    statements: z.array(Statement).optional().meta({ description: "Of `format=xapi`" }),
    more: z.string().optional().meta({
      description: "Of `format=xapi`: where the feed goes on at once; empty at its end",
      example: "",
    }),
    next: z.string().nullable().meta({
      example: "1815-42",
      description: "The cursor to go on behind, also later; null where nothing has happened yet",
    }),
    ...delay,
  })
  .meta({ id: "EventFeed" });

export type EventQuery = z.output<typeof EventQuery>;
export type EventFeed = z.input<typeof EventFeed>;
export type LearningEvent = z.input<typeof Event>;
export type XapiStatement = z.input<typeof Statement>;
