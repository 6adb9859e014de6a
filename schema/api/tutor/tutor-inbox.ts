import * as z from "zod";
import { threadAudiences } from "../../enums.ts";
import { Id, Instant, upperEnum, WideId } from "../platform/fields.ts";
import { NotRead } from "./chat.ts";

/** Minimum number of people in any statistic, so none reveals a single person. */
export const fewestPeople = 5;

const counted = (of: string) =>
  z
    .int()
    .nullable()
    .meta({ description: `${of}; null where they are of fewer than ${fewestPeople} people` });

export const TutorInbox = z
  .object({
    handovers: z
      .array(
        z.object({
          thread_id: Id,
          content_item_id: Id.nullable(),
          title: z.string().nullable(),
          visible: upperEnum(threadAudiences).meta({ description: "Who reads it" }),
          user_id: Id.nullable(),
          user_name: z.string().nullable(),
          question: z.string().meta({ description: "At most its first 500 characters" }),
          node_id: WideId.nullable().meta({
            description: "The stored answer that the excerpt ends with; null where it is none",
          }),
          post_count: z.int().meta({ description: "Of all posts, the question too" }),
          last_post_at: Instant,
          created_at: Instant,
        }),
      )
      .meta({
        description:
          "Threads that were handed over, are not locked, have no answer, and in which staff did not speak last: who waits longest first, at most 50",
      }),
    worst_nodes: z
      .array(
        z.object({
          node_id: WideId,
          content_item_id: Id,
          title: z.string(),
          message: z.string().meta({ description: "What it answers, in its normal form" }),
          answer: z.string().meta({ description: "At most its first 300 characters" }),
          downs: counted("Thumbs down"),
          departures: counted("Conversations that left the tree after it"),
        }),
      )
      .meta({
        description: `Stored answers after which the offering's people left or which they marked down, ${fewestPeople} of them or more; the worst first, at most 20`,
      }),
    malformed: z
      .array(
        z.object({
          content_item_id: Id,
          title: z.string(),
          answers: z.int().meta({ description: "How many" }),
        }),
      )
      .meta({
        description: `Items whose tutor asked what could not be read within 30 days, of ${fewestPeople} people or more; at most 20`,
      }),
    not_read: z
      .array(
        z.object({
          content_item_id: Id,
          title: z.string(),
          not_read: z.array(NotRead).meta({ description: "What is not read" }),
        }),
      )
      .meta({
        description:
          "What the tutor has not read, of the items that are talked about most; at most 30, each with at most 20",
      }),
  })
  .meta({ id: "TutorInbox" });

export type TutorInbox = z.input<typeof TutorInbox>;
