import * as z from "zod";
import { attemptStates, labSubmissionStatuses } from "../../enums.ts";
import { Id, IdText, Instant, lowerEnum, optionalWindow, upperEnum } from "../platform/fields.ts";
import { EnrollmentStatus } from "./enrollments.ts";
import { Module } from "./modules.ts";
import { CourseInBrief, OfferingInBrief } from "./summaries.ts";

export const OutlineQuery = z.strictObject({
  user_id: IdText.optional().meta({
    description: "Whose state to show, for staff: by default the caller's own",
  }),
  ...optionalWindow,
});

const lockReasons = ["ENROLLMENT_REQUIRED", "NOT_AVAILABLE_YET", "MODULES_INCOMPLETE"] as const;

const Lock = z
  .object({
    reason: z.enum(lockReasons).meta({ description: "The first of these that holds" }),
    available_from: Instant.nullable().meta({
      description: "The moment to wait for, of this or of a module above",
    }),
    module_ids: z.array(Id).meta({ description: "The modules to complete first" }),
  })
  .meta({ id: "Lock" });

const percent = z.number().min(0).max(100);

const OutlineSubmission = z.object({
  attempt_number: z.int(),
  status: lowerEnum(labSubmissionStatuses).meta({ example: "submitted" }),
  submitted_at: Instant,
  is_late: z.boolean(),
});

const OutlineAttempt = z
  .object({
    number: z.int().min(1).meta({
      description: "Which it is of those that count; the next after one that was returned takes its number",
    }),
    of: z.int().nullable().meta({
      example: 2,
      description: "How many the person has, with what they were granted; null without a limit",
    }),
    score: z.number().nullable().meta({
      example: 7.5,
      description: "Null until there is one that the reader sees at the attempt itself",
    }),
    passed: z.boolean().nullable().meta({ description: "Of a quiz, like the score; null of other work" }),
    state: upperEnum(attemptStates).meta({
      description:
        "OPEN: a quiz under way. SUBMITTED: it waits for its grade. RETURNED: given back for another attempt",
    }),
  })
  .meta({ id: "OutlineAttempt" });

const OutlineItem = z
  .object({
    id: Id,
    title: z.string(),
    content_type: z.string().meta({ example: "video" }),
    sequence_index: z.int(),
    estimated_duration_seconds: z.int().nullable(),
    is_active: z.boolean(),
    available_from: Instant.nullable().meta({
      description: "When it opens for that person in the offering, with all modules above it",
    }),
    due_at: Instant.nullable().meta({
      description:
        "When it is due for that person in the offering, by itself or by the nearest module above it",
    }),
    progress_percent: percent.meta({ description: "As it was posted; 0 before anything was" }),
    completed_at: Instant.nullable(),
    last_interacted_at: Instant.nullable(),
    submission: OutlineSubmission.nullable().meta({
      description: "Of a lab or an assignment: the last attempt that was handed in",
    }),
    attempt: OutlineAttempt.nullable(),
    lock: Lock.nullable(),
  })
  .meta({ id: "OutlineItem" });

const { id, parent_module_id, module_type, title, sequence_index, depth, is_published } = Module.shape;

export const OutlineModule = z
  .object({
    ...{ id, parent_module_id, module_type, title, sequence_index, depth, is_published },
    available_from: Instant.nullable().meta({ description: "In the offering, of the module alone" }),
    due_at: Instant.nullable().meta({ description: "In the offering, of the module alone" }),
    requires_module_ids: z.array(Id),
    computed_percent: percent.nullable().meta({ description: "Null where no items are in or below it" }),
    completed_at: Instant.nullable().meta({ description: "When the last item in or below it was completed" }),
    lock: Lock.nullable(),
    items: z.array(OutlineItem),
  })
  .meta({ id: "OutlineModule" });

/** The tree of an offering's course with a person's progress. */
export const Outline = z
  .object({
    course: CourseInBrief,
    course_offering: OfferingInBrief,
    user_id: Id.nullable().meta({ description: "Whose state it is; null for nobody's" }),
    enrollment: z
      .object({ id: Id, status: EnrollmentStatus, progress_percent: percent })
      .nullable()
      .meta({ description: "Theirs in this offering" }),
    total_modules: z.int().meta({ description: "Of the whole tree" }),
    modules: z.array(OutlineModule).meta({
      description: "Depth first, siblings in their order: all, or the window that `skip` and `limit` ask for",
    }),
  })
  .meta({ id: "Outline" });

export type OutlineQuery = z.output<typeof OutlineQuery>;
export type Outline = z.input<typeof Outline>;
export type OutlineModule = z.input<typeof OutlineModule>;
export type OutlineItem = z.input<typeof OutlineItem>;
export type Lock = z.input<typeof Lock>;
