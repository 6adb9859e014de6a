import * as z from "zod";
import { attemptStates, labSubmissionStatuses } from "../../enums.ts";
import { Id, IdText, Instant, lowerEnum, optionalWindow, upperEnum } from "../platform/fields.ts";
import { EnrollmentStatus } from "./enrollments.ts";
import { Module } from "./modules.ts";
import { CourseInBrief, OfferingInBrief } from "./summaries.ts";

export const OutlineQuery = z.strictObject({
  user_id: IdText.optional().meta({
    description: "Person whose progress to show, for staff. Default: the caller",
  }),
  ...optionalWindow,
});

const lockReasons = ["ENROLLMENT_REQUIRED", "NOT_AVAILABLE_YET", "MODULES_INCOMPLETE"] as const;

const Lock = z
  .object({
    reason: z.enum(lockReasons).meta({ description: "The first reason that applies" }),
    available_from: Instant.nullable().meta({
      description: "When it opens, including modules above",
    }),
    module_ids: z.array(Id).meta({ description: "Modules to complete first" }),
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
      description:
        "Number among the attempts that count. After a returned attempt, the next one reuses its number",
    }),
    of: z.int().nullable().meta({
      example: 2,
      description: "Maximum number of attempts including overrides; null for no limit",
    }),
    score: z.number().nullable().meta({
      example: 7.5,
      description: "Null until there is a score that the caller may see",
    }),
    passed: z
      .boolean()
      .nullable()
      .meta({ description: "For quizzes, visible like the score; null for other work" }),
    state: upperEnum(attemptStates).meta({
      description:
        "OPEN: a quiz in progress. SUBMITTED: awaits its grade. RETURNED: given back for another attempt",
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
      description: "When it opens for the person in the offering, including all modules above",
    }),
    due_at: Instant.nullable().meta({
      description:
        "When it is due for the person in the offering, by its own date or that of the nearest module above",
    }),
    progress_percent: percent.meta({ description: "The recorded progress; 0 before the first record" }),
    completed_at: Instant.nullable(),
    last_interacted_at: Instant.nullable(),
    submission: OutlineSubmission.nullable().meta({
      description: "The last submission of a lab or assignment",
    }),
    attempt: OutlineAttempt.nullable(),
    lock: Lock.nullable(),
  })
  .meta({ id: "OutlineItem" });

const { id, parent_module_id, module_type, title, sequence_index, depth, is_published } = Module.shape;

export const OutlineModule = z
  .object({
    ...{ id, parent_module_id, module_type, title, sequence_index, depth, is_published },
    available_from: Instant.nullable().meta({
      description: "The module's own opening date in the offering; null for none",
    }),
    due_at: Instant.nullable().meta({
      description: "The module's own due date in the offering; null for none",
    }),
    requires_module_ids: z.array(Id),
    computed_percent: percent.nullable().meta({ description: "Null if there are no items in or below it" }),
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
    user_id: Id.nullable().meta({ description: "The person whose progress is shown; null for none" }),
    enrollment: z
      .object({ id: Id, status: EnrollmentStatus, progress_percent: percent })
      .nullable()
      .meta({ description: "The person's enrollment in the offering" }),
    total_modules: z.int().meta({ description: "Number of modules in the whole tree" }),
    modules: z.array(OutlineModule).meta({
      description: "Depth first, siblings in order: all, or the page of `skip` and `limit`",
    }),
  })
  .meta({ id: "Outline" });

export type OutlineQuery = z.output<typeof OutlineQuery>;
export type Outline = z.input<typeof Outline>;
export type OutlineModule = z.input<typeof OutlineModule>;
export type OutlineItem = z.input<typeof OutlineItem>;
export type Lock = z.input<typeof Lock>;
