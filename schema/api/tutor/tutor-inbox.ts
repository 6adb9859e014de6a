import * as z from "zod";
import { answerChecks, threadAudiences } from "../../enums.ts";
import { Id, Instant, upperEnum, WideId } from "../platform/fields.ts";
import { NotRead } from "./chat.ts";

/** Minimum number of people in any statistic, so none reveals a single person. */
export const minPeopleInStatistic = 5;

const counted = (of: string) =>
  z
    .int()
    .nullable()
    .meta({ description: `${of}; null for fewer than ${minPeopleInStatistic} people` });

const failedChecks = z.array(
  z.object({
    check: z.enum(answerChecks).meta({ description: "Name of the check" }),
    reason: z.string().meta({ description: "May quote the teachers' notes or the prompt" }),
  }),
);

export const TutorInbox = z
  .object({
    handovers: z
      .array(
        z.object({
          thread_id: Id,
          content_item_id: Id.nullable(),
          title: z.string().nullable(),
          visible: upperEnum(threadAudiences).meta({
            description: "Readers of the thread: the class, or only its author and staff",
          }),
          user_id: Id.nullable(),
          user_name: z.string().nullable(),
          question: z.string().meta({ description: "At most the first 500 characters" }),
          node_id: WideId.nullable().meta({
            description: "The stored answer at the end of the excerpt; null without one",
          }),
          post_count: z.int().meta({ description: "Number of posts, including the question" }),
          last_post_at: Instant,
          created_at: Instant,
        }),
      )
      .meta({
        description:
          "Unlocked hand-off threads without an answer in which staff did not post last; longest waiting " +
          "first, at most 50",
      }),
    worst_nodes: z
      .array(
        z.object({
          node_id: WideId,
          content_item_id: Id,
          title: z.string(),
          message: z.string().meta({ description: "Message that is answered, in normalized form" }),
          answer: z.string().meta({ description: "At most the first 300 characters" }),
          downs: counted("Number of bad ratings"),
          departures: counted("Conversations that left the tree after it"),
        }),
      )
      .meta({
        description: `Stored answers that at least ${minPeopleInStatistic} people of the offering rated bad or after which they left the tree; worst first, at most 20`,
      }),
    malformed: z
      .array(
        z.object({
          content_item_id: Id,
          title: z.string(),
          answers: z.int().meta({ description: "Number of answers" }),
        }),
      )
      .meta({
        description: `Items with unreadable tutor questions within 30 days, for at least ${minPeopleInStatistic} people; at most 20`,
      }),
    failed_answers: z
      .array(
        z.object({
          id: WideId,
          content_item_id: Id,
          title: z.string(),
          message: z.string().meta({ description: "Message that is answered, in normalized form" }),
          prompt_name: z.string(),
          prompt_version: z.int(),
          model: z.string(),
          failed: failedChecks.meta({ description: "Checks that the first answer failed" }),
          answer: z.string().meta({ description: "The first answer" }),
          second_failed: failedChecks.nullable().meta({
            description: "Checks that the second answer failed; null if no complete answer followed",
          }),
          second_answer: z.string().nullable().meta({ description: "Null if the second call gave no text" }),
          node_id: WideId.nullable().meta({
            description: "The stored answer, if the second one passed and is still stored",
          }),
          created_at: Instant,
        }),
      )
      .meta({
        description:
          "Answers on shared paths that failed a check within 30 days, with the answer of the second call; newest " +
          "first, at most 20",
      }),
    not_read: z
      .array(
        z.object({
          content_item_id: Id,
          title: z.string(),
          not_read: z.array(NotRead).meta({ description: "Material that the tutor has not read" }),
        }),
      )
      .meta({
        description:
          "Unread material of the most discussed items; at most 30 items, each with at most 20 entries",
      }),
  })
  .meta({ id: "TutorInbox" });

export type TutorInbox = z.input<typeof TutorInbox>;
