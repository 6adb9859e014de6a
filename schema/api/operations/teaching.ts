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
      oldest_at: Instant.nullable().meta({
        description: "When the oldest of them started to wait; null without any",
      }),
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
            description: "When the learner was last active in the offering; null for never",
          }),
        }),
      )
      .meta({ description: "The first 5 learners" }),
  })
  .meta({
    description: `Learners who have not completed it and were inactive for ${stuckAfterDays} days; the first 5 by progress`,
  });

const TaughtOffering = z
  .object({
    course: CourseInBrief,
    course_offering: OfferingInBrief,
    teaches: z.boolean().meta({ description: "Whether the caller is an instructor of the offering" }),
    to_grade: waiting("Submitted work that awaits its grade; group work counts once"),
    unanswered_threads: waiting(
      "Open threads without an answer in which staff did not post last, excluding hand-offs",
    ),
    handovers: waiting("Hand-offs from the tutor without an answer"),
    stuck,
    deadlines: z
      .array(z.object({ content_item_id: Id, title: z.string(), due_at: Instant }))
      .meta({ description: `Items due within ${deadlineDays} days; at most 5` }),
  })
  .meta({ id: "TaughtOffering" });

/** The start page of a teacher. */
export const Teaching = z
  .object({
    offerings: z.array(TaughtOffering).meta({
      description:
        "Offerings of which the caller is staff and that ended less than 28 days ago. Offerings with " +
        "the caller as instructor first, then newest; at most 20",
    }),
  })
  .meta({ id: "Teaching" });

export const OfferingWeek = z
  .object({
    starts_at: Instant.meta({ description: "Start of Monday in the university's time zone" }),
    ends_at: Instant.meta({ description: "Start of the following Monday" }),
    learners: z.int().min(0).meta({ description: "Number of current learners" }),
    due: z
      .array(
        z.object({
          content_item_id: Id,
          title: z.string(),
          content_type: z.string().meta({ example: "quiz" }),
          due_at: Instant,
          handed_in: z.int().min(0).meta({
            description: "Number of learners who have submitted work or an attempt, or completed the item",
          }),
        }),
      )
      .meta({ description: "Items due in the week, without individual overrides; the first 20" }),
    inactive: stuck,
    new_threads: z.int().min(0).meta({ description: "Threads started by learners in the week" }),
    unanswered_threads: waiting("Counted as in `GET /users/me/teaching`"),
    handovers: waiting("Hand-offs from the tutor without an answer"),
    tutor: z
      .object({
        sessions: z.int().min(0).meta({ description: "Number of conversations" }),
        people: z.int().min(0).meta({ description: "Number of learners" }),
      })
      .meta({
        description: "Tutor conversations about the course started by learners in the week",
      }),
  })
  .meta({ id: "OfferingWeek" });

export type OfferingWeek = z.input<typeof OfferingWeek>;
export type Teaching = z.input<typeof Teaching>;
