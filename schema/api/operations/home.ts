import * as z from "zod";
import { EnrollmentStatus } from "../courses/enrollments.ts";
import { Teacher } from "../courses/offerings.ts";
import { CourseInBrief, OfferingInBrief } from "../courses/summaries.ts";
import { Id, Instant, windowOf } from "../platform/fields.ts";

/** Pages over courses; due items are of the same courses. */
export const HomeQuery = z.strictObject(windowOf({ limit: 20, max: 100 }));

/** The first unlocked task in course order; an ungraded practice quiz only if nothing else is left. */
const NextItem = z
  .object({
    id: Id.meta({ description: "The content item's id" }),
    module_id: Id,
    title: z.string(),
    content_type: z.string().meta({ example: "video" }),
    due_at: Instant.nullable().meta({ description: "Its own, or else that of the nearest module above it" }),
  })
  .meta({ id: "NextItem" });

/** A course that the person takes, has completed, or is on the waiting list of. */
const HomeCourse = z
  .object({
    enrollment_id: Id,
    status: EnrollmentStatus,
    position: z.int().nullable().meta({ description: "While waitlisted: the place in line, from 1" }),
    progress_percent: z.number().min(0).max(100),
    course: CourseInBrief,
    course_offering: OfferingInBrief,
    teachers: z.array(Teacher).meta({ description: "At most 20, as they were added" }),
    next_item: NextItem.nullable(),
  })
  .meta({ id: "HomeCourse" });

const DueItem = z
  .object({
    ...NextItem.shape,
    due_at: Instant,
    is_locked: z.boolean(),
    course_id: Id,
    course_offering_id: Id,
  })
  .meta({ id: "DueItem" });

export const Home = z
  .object({
    courses: z.array(HomeCourse).meta({
      description:
        "Taken, completed, waited for or pending; newest first. A course is here until its term ends, else until `ends_at`, else for 14 days after it was completed",
    }),
    due: z.array(DueItem).meta({
      description:
        "At most 50 of what these courses want done: first what is to come, soonest first, then what is overdue. Not among it is what was handed in and waits for its grade, and what can no longer be done: closed, or without an attempt left",
    }),
    open_offers: z.int().min(0).meta({
      description: "What universities offer to the caller: roles, and places to learn or to teach",
    }),
    unread_announcements: z.int().min(0).meta({
      description:
        "Of the offerings that the person takes, has completed or teaches, and of their universities",
    }),
    unread_notifications: z.int().min(0).meta({ description: "Counted as far as 1000" }),
  })
  .meta({ id: "Home" });

export type HomeQuery = z.output<typeof HomeQuery>;
export type Home = z.input<typeof Home>;
