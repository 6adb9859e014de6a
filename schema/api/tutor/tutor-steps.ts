import * as z from "zod";
import { Id, IdText } from "../platform/fields.ts";
import { Question } from "./chat.ts";
import { fewestPeople } from "./tutor-inbox.ts";

export const TutorProgressQuery = z.object({
  user_id: IdText.optional().meta({
    description: "Whose, for the course's staff; the audit log is told. If it is absent, one's own",
  }),
});

export const TutorProgress = z
  .object({
    content_item_id: Id,
    user_id: Id,
    questions: z.int().meta({ description: "Questions that they answered, told apart by text and options" }),
    right_at_first_try: z.int().meta({
      description: "Of them, those that they answered right the first time and without asking for help",
    }),
    answers: z.int().meta({ description: "All answers, further tries too" }),
    in_a_row: z.int().meta({ description: "How many of the last questions were right at the first try" }),
    known: z.boolean().meta({ description: "Whether three in a row ever were" }),
    estimate: z.number().min(0).max(1).nullable().meta({
      description:
        "The probability that they know it, by Bayesian knowledge tracing (Corbett and Anderson 1995) over the first tries; null before the first",
    }),
    observations: z.int().meta({ description: "How many first tries the estimate is made of" }),
  })
  .meta({ id: "TutorProgress" });

const Share = z.number().min(0).max(1);

const People = (description: string) => z.int().min(fewestPeople).meta({ description });

export const TutorMisconceptions = z
  .object({
    question: Question,
    answer: z.string().meta({ description: "The id of the right option" }),
    skill: z.string().nullable().meta({ description: "What it asks for; null where the key does not say" }),
    people: People("How many have answered it"),
    first_try: z
      .object({
        share: Share.meta({ description: "From 0 to 1" }),
        low: Share.meta({ description: "The lower end of the interval" }),
        high: Share.meta({ description: "The upper end of the interval" }),
      })
      .meta({
        description:
          "The share of them who were right the first time and without asking for help, with Wilson's interval at 95 %",
      }),
    errors: z
      .array(
        z.object({
          id: z.string().meta({ description: "The option's id" }),
          text: z.string().meta({ description: "The option's text" }),
          misconception: z.string().nullable().meta({ description: "What whoever takes it may believe" }),
          people: People("How many took it the first time"),
        }),
      )
      .meta({
        description: `Wrong options that ${fewestPeople} people or more took the first time, the most frequent first. So that no smaller number can be worked out, the least of them is left out where 1 to ${fewestPeople - 1} people are in no row`,
      }),
  })
  .meta({ id: "TutorMisconceptions" });

export type TutorProgressQuery = z.output<typeof TutorProgressQuery>;
export type TutorProgress = z.input<typeof TutorProgress>;
export type TutorMisconceptions = z.input<typeof TutorMisconceptions>;
