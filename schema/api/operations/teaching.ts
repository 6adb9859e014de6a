import * as z from "zod";
import { stuckAfterDays } from "../courses/stuck.ts";
import { CourseInBrief, OfferingInBrief } from "../courses/summaries.ts";
import { Id, Instant } from "../platform/fields.ts";

/** Number of days ahead for which deadlines are listed. */
export const deadlineDays = 14;

const waiting = (what: string) =>
  z
    .object({
      count: z.int().min(0),
      oldest_at: Instant.nullable().meta({ description: "Since when the first of them waits" }),
    })
    .meta({ description: what });

const stuck = z
  .object({
    count: z.int().min(0),
    people: z
      .array(
        z.object({
          user_id: Id,
          full_name: z.string(),
          progress_percent: z.number(),
          last_activity_at: Instant.nullable().meta({
            description: "When they last did anything there; null: never",
          }),
        }),
      )
      .meta({ description: "The first 5 of them" }),
  })
  .meta({
    description: `Who takes it, has not completed it and has done nothing there for ${stuckAfterDays} days; the first 5 by how far they are`,
  });

const TaughtOffering = z
  .object({
    course: CourseInBrief,
    course_offering: OfferingInBrief,
    teaches: z.boolean().meta({ description: "Whether the caller is named as one who teaches it" }),
    to_grade: waiting("Work that was handed in and waits for its grade; of a group once"),
    unanswered_threads: waiting(
      "Threads without an answer, open, in which staff did not speak last; without what was handed over",
    ),
    handovers: waiting("Questions to the tutor that were handed over, and wait in the same way"),
    stuck,
    deadlines: z
      .array(z.object({ content_item_id: Id, title: z.string(), due_at: Instant }))
      .meta({ description: `What is due within ${deadlineDays} days; at most 5` }),
  })
  .meta({ id: "TaughtOffering" });

/** The start page of a teacher. */
export const Teaching = z
  .object({
    offerings: z.array(TaughtOffering).meta({
      description:
        "Where the caller is staff and which ended less than 28 days ago: those that they teach first, newest first; at most 20",
    }),
  })
  .meta({ id: "Teaching" });

export const OfferingWeek = z
  .object({
    starts_at: Instant.meta({ description: "Monday's first moment, by the university's time zone" }),
    ends_at: Instant.meta({ description: "That of the Monday after" }),
    learners: z.int().min(0).meta({ description: "Who takes it now" }),
    due: z
      .array(
        z.object({
          content_item_id: Id,
          title: z.string(),
          content_type: z.string().meta({ example: "quiz" }),
          due_at: Instant,
          handed_in: z.int().min(0).meta({
            description: "How many of them have handed in work or an attempt, or have completed the item",
          }),
        }),
      )
      .meta({ description: "What is due in the week for nobody in particular; the first 20" }),
    inactive: stuck,
    new_threads: z.int().min(0).meta({ description: "Threads that learners began in the week" }),
    unanswered_threads: waiting("As `GET /users/me/teaching` counts them"),
    handovers: waiting("Questions to the tutor that were handed over, and wait in the same way"),
    tutor: z
      .object({
        sessions: z.int().min(0).meta({ description: "How many were begun" }),
        people: z.int().min(0).meta({ description: "By how many learners" }),
      })
      .meta({
        description:
          "Conversations with the tutor that learners began in the week about the course, and how many did",
      }),
  })
  .meta({ id: "OfferingWeek" });

export type OfferingWeek = z.input<typeof OfferingWeek>;
export type Teaching = z.input<typeof Teaching>;
