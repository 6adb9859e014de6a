import * as z from "zod";
import { Id, IdText } from "../platform/fields.ts";
import { Question } from "./chat.ts";
import { minPeopleInStatistic } from "./tutor-inbox.ts";

export const TutorProgressQuery = z.object({
  user_id: IdText.optional().meta({
    description: "The learner, for course staff; recorded in the audit log. Default: the caller",
  }),
});

export const TutorProgress = z
  .object({
    content_item_id: Id,
    user_id: Id,
    questions: z
      .int()
      .meta({ description: "Number of answered questions, distinguished by text and options" }),
    right_at_first_try: z.int().meta({
      description: "Questions answered correctly at the first try without help",
    }),
    answers: z.int().meta({ description: "Number of answers, including further tries" }),
    in_a_row: z.int().meta({ description: "Number of latest questions in a row with a correct first try" }),
    known: z.boolean().meta({ description: "Whether `in_a_row` ever reached three" }),
    estimate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({
        description:
          "Probability that the learner knows it, by Bayesian knowledge tracing (Corbett and Anderson 1995) " +
          "over first tries; null before the first",
      }),
    observations: z.int().meta({ description: "Number of first tries in the estimate" }),
  })
  .meta({ id: "TutorProgress" });

const Share = z.number().min(0).max(1);

const People = (description: string) => z.int().min(minPeopleInStatistic).meta({ description });

export const TutorMisconceptions = z
  .object({
    question: Question,
    answer: z.string().meta({ description: "The id of the correct option" }),
    skill: z
      .string()
      .nullable()
      .meta({ description: "Skill tested by the question; null if the key has none" }),
    people: People("Number of people who answered it"),
    first_try: z
      .object({
        share: Share.meta({ description: "From 0 to 1" }),
        low: Share.meta({ description: "The lower end of the interval" }),
        high: Share.meta({ description: "The upper end of the interval" }),
      })
      .meta({
        description: "Share of people with a correct first try without help, with the 95 % Wilson interval",
      }),
    errors: z
      .array(
        z.object({
          id: z.string().meta({ description: "The option's id" }),
          text: z.string().meta({ description: "The option's text" }),
          misconception: z
            .string()
            .nullable()
            .meta({ description: "Misconception of learners who choose it" }),
          people: People("Number of people who chose it at the first try"),
        }),
      )
      .meta({
        description: `Wrong options chosen by at least ${minPeopleInStatistic} people at the first try, most frequent first. To prevent inference of smaller numbers, the least frequent is omitted if 1 to ${minPeopleInStatistic - 1} people are in no row`,
      }),
  })
  .meta({ id: "TutorMisconceptions" });

export type TutorProgressQuery = z.output<typeof TutorProgressQuery>;
export type TutorProgress = z.input<typeof TutorProgress>;
export type TutorMisconceptions = z.input<typeof TutorMisconceptions>;
