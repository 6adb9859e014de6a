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
    due_at: Instant.nullable().meta({
      description: "The item's own due date, else that of the nearest module above",
    }),
  })
  .meta({ id: "NextItem" });

/** A course that the person takes, has completed, or is on the waiting list of. */
const HomeCourse = z
  .object({
    enrollment_id: Id,
    status: EnrollmentStatus,
    position: z
      .int()
      .nullable()
      .meta({ description: "Position on the waiting list, from 1; null if not waitlisted" }),
    progress_percent: z.number().min(0).max(100),
    course: CourseInBrief,
    course_offering: OfferingInBrief,
    teachers: z
      .array(Teacher)
      .meta({ description: "At most 20 instructors, in the order in which they were added" }),
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
        "Active, completed, waitlisted and pending courses, newest first. A course is listed until its term " +
        "ends, else until `ends_at`, else for 14 days after completion",
    }),
    due: z.array(DueItem).meta({
      description:
        "At most 50 due items of these courses: upcoming ones first, soonest first, then overdue ones. " +
        "Excludes submitted work that awaits its grade, closed items, and items without attempts left",
    }),
    open_offers: z.int().min(0).meta({
      description: "Number of open offers of roles and seats",
    }),
    unread_announcements: z
      .int()
      .min(0)
      .meta({
        description:
          "Number of unread announcements of offerings that the person takes, has completed or teaches, and " +
          "of their universities",
      }),
    unread_notifications: z.int().min(0).meta({ description: "Counted up to 1000" }),
  })
  .meta({ id: "Home" });

export type HomeQuery = z.output<typeof HomeQuery>;
export type Home = z.input<typeof Home>;
