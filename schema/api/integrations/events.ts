import * as z from "zod";
import { activityVerbs } from "../../enums.ts";
import { Id, Instant, integer, integerText, lowerEnum, upperEnum, WideId } from "../platform/fields.ts";

export const EventCursor = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}$/, "Input should be a cursor from a response")
  .meta({ example: "1815-42" });

export const EventQuery = z.strictObject({
  after: EventCursor.optional().meta({
    description: "Only events after this cursor; by default from the start",
  }),
  format: lowerEnum(["json", "xapi"])
    .default("json")
    .meta({ description: "`xapi` returns xAPI 1.0.3 statements" }),
  limit: integerText(integer(1, 1000)).default(500),
});

/** A learning activity, without texts, notes or cards of the person. */
const Event = z
  .object({
    id: WideId,
    cursor: z.string().meta({ example: "1815-42", description: "Cursor of the event" }),
    user_id: Id,
    external_id: z.string().nullable().meta({
      example: "s-1815",
      description: "The person's id in the university's own system; null without one",
    }),
    verb: upperEnum(activityVerbs).meta({ example: "COMPLETED", description: "The action" }),
    object_type: z.string().meta({ example: "content_item", description: "Type of the object" }),
    object_id: WideId.meta({ description: "Id of the object within its type" }),
    content_item_id: Id.nullable(),
    course_offering_id: Id.nullable(),
    occurred_at: Instant,
    result: z
      .object({ completion: z.boolean().meta({ description: "Whether the object is completed now" }) })
      .nullable()
      .meta({ description: "Result of the action; null without one" }),
  })
  .meta({ id: "LearningEvent" });

const constant = <Value extends string>(value: Value) =>
  z.literal(value).meta({ description: "Fixed value required by xAPI" });

const ActivityReference = z.object({
  objectType: constant("Activity"),
  id: z.string().meta({
    example: "https://learn.example.edu/xapi/content_item/12",
    description: "Address that identifies the object",
  }),
});

/** The event as an xAPI statement. */
const Statement = z
  .object({
    id: z.uuid().meta({
      example: "6f1d4a0e-2c53-5b8a-9a35-0c8f0c0b7d11",
      description: "The same at each read of the event",
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
            name: z.string().meta({ example: "7", description: "The person's id in this service" }),
          })
          .meta({ description: "The person's account in this service" }),
      })
      .meta({ description: "The acting person" }),
    verb: z
      .object({
        id: z.string().meta({
          example: "http://adlnet.gov/expapi/verbs/completed",
          description: "Address that identifies the verb",
        }),
        display: z
          .object({ en: z.string().meta({ example: "completed", description: "English text" }) })
          .meta({ description: "The verb in words" }),
      })
      .meta({ description: "The action" }),
    object: ActivityReference.meta({ description: "The object of the action" }),
    result: z
      .object({ completion: z.boolean().meta({ description: "Whether the object is completed now" }) })
      .optional()
      .meta({ description: "Result of the action" }),
    context: z
      .object({
        contextActivities: z
          .object({
            grouping: z.array(ActivityReference).meta({ description: "The offering" }),
          })
          .meta({ description: "Related activities" }),
      })
      .optional()
      .meta({ description: "The offering of the action" }),
    timestamp: Instant.meta({ description: "When the action happened" }),
  })
  .meta({ id: "XapiStatement" });

const delay = {
  replica_delay_seconds: z.int().optional().meta({
    description: "Number of latest seconds that may be missing; only if a replica is read",
  }),
};

/** A page of the feed; `statements` and `more` are xAPI's names. */
export const EventFeed = z
  .object({
    events: z.array(Event).optional().meta({ description: "Only with `format=json`" }),
    statements: z.array(Statement).optional().meta({ description: "Only with `format=xapi`" }),
    more: z.string().optional().meta({
      description: "Only with `format=xapi`: address of the next page; empty at the end",
      example: "",
    }),
    next: z.string().nullable().meta({
      example: "1815-42",
      description: "The `after` for the next request, now or later; null if there are no events yet",
    }),
    ...delay,
  })
  .meta({ id: "EventFeed" });

export type EventQuery = z.output<typeof EventQuery>;
export type EventFeed = z.input<typeof EventFeed>;
export type LearningEvent = z.input<typeof Event>;
export type XapiStatement = z.input<typeof Statement>;
