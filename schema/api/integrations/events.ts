import * as z from "zod";
import { activityVerbs } from "../../enums.ts";
import { Id, Instant, integer, integerText, lowerEnum, upperEnum, WideId } from "../platform/fields.ts";

export const EventCursor = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}$/, "Input should be a cursor from a response")
  .meta({ example: "1815-42" });

export const EventQuery = z.strictObject({
  after: EventCursor.optional().meta({ description: "Only what comes behind it; without it from the first" }),
  format: lowerEnum(["json", "xapi"])
    .default("json")
    .meta({ description: "`xapi` answers statements of xAPI 1.0.3" }),
  limit: integerText(integer(1, 1000)).default(500),
});

/** A learning activity, without texts, notes or cards of the person. */
const Event = z
  .object({
    id: WideId,
    cursor: z.string().meta({ example: "1815-42", description: "Behind which the feed goes on" }),
    user_id: Id,
    external_id: z.string().nullable().meta({
      example: "s-1815",
      description: "By which the university's own system knows them; null without one",
    }),
    verb: upperEnum(activityVerbs).meta({ example: "COMPLETED", description: "What they did" }),
    object_type: z.string().meta({ example: "content_item", description: "What they did it to" }),
    object_id: WideId.meta({ description: "Its id, among those of its type" }),
    content_item_id: Id.nullable(),
    course_offering_id: Id.nullable(),
    occurred_at: Instant,
    result: z
      .object({ completion: z.boolean().meta({ description: "Whether it is completed now" }) })
      .nullable()
      .meta({ description: "What came of it; null where nothing did" }),
  })
  .meta({ id: "LearningEvent" });

const constant = <Value extends string>(value: Value) =>
  z.literal(value).meta({ description: "As xAPI asks for it" });

const ActivityReference = z.object({
  objectType: constant("Activity"),
  id: z.string().meta({
    example: "https://learn.example.edu/xapi/content_item/12",
    description: "What it is, as an address that names it",
  }),
});

/** The event as an xAPI statement. */
const Statement = z
  .object({
    id: z.uuid().meta({
      example: "6f1d4a0e-2c53-5b8a-9a35-0c8f0c0b7d11",
      description: "The same whenever the event is read",
    }),
    version: constant("1.0.3"),
    actor: z
      .object({
        objectType: constant("Agent"),
        account: z
          .object({
            homePage: z.string().meta({
              example: "https://learn.example.edu",
              description: "The address of this service",
            }),
            name: z.string().meta({ example: "7", description: "The person's id here" }),
          })
          .meta({ description: "Their account here" }),
      })
      .meta({ description: "Who did it" }),
    verb: z
      .object({
        id: z.string().meta({
          example: "http://adlnet.gov/expapi/verbs/completed",
          description: "The verb, as an address that names it",
        }),
        display: z
          .object({ en: z.string().meta({ example: "completed", description: "In English" }) })
          .meta({ description: "The verb in words" }),
      })
      .meta({ description: "What they did" }),
    object: ActivityReference.meta({ description: "What they did it to" }),
    result: z
      .object({ completion: z.boolean().meta({ description: "Whether it is completed now" }) })
      .optional()
      .meta({ description: "What came of it" }),
    context: z
      .object({
        contextActivities: z
          .object({
            grouping: z.array(ActivityReference).meta({ description: "The offering" }),
          })
          .meta({ description: "What it belongs to" }),
      })
      .optional()
      .meta({ description: "The offering in which it was done" }),
    timestamp: Instant.meta({ description: "When it was done" }),
  })
  .meta({ id: "XapiStatement" });

const delay = {
  replica_delay_seconds: z.int().optional().meta({
    description: "For how many seconds back something may be missing; only where a replica is read",
  }),
};

/** A page of the feed; `statements` and `more` are xAPI's names. */
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
