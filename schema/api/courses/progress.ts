import * as z from "zod";
import { hundredths, Id, IdText, Instant, pagination, WideId } from "../platform/fields.ts";

const Percent = hundredths(0, 100).meta({ example: 62.5 });

const posted = {
  course_offering_id: Id.meta({ description: "An offering that the caller is enrolled in" }),
  progress_percent: Percent,
  completed_at: Instant.nullish().meta({
    example: null,
    description:
      "When it was completed, not before the enrollment and not after now; absent or null at 100 percent means now, " +
      "or when it already was",
  }),
};

export const ModuleProgressPost = z.object({ module_id: Id, ...posted }).meta({ id: "ModuleProgressPost" });

export const ContentProgressPost = z
  .object({ content_item_id: Id, ...posted })
  .meta({ id: "ContentProgressPost" });

export const ModuleProgress = z
  .object({
    id: WideId,
    user_id: Id,
    course_offering_id: Id,
    module_id: Id,
    started_at: Instant,
    completed_at: Instant.nullable(),
    progress_percent: Percent.meta({ description: "As it was posted" }),
    computed_percent: Percent.nullable().meta({
      description:
        "The mean of the module's own items and of the published modules right below, which is what counts; null " +
        "where there are no items in or below it",
    }),
  })
  .meta({ id: "ModuleProgress" });

/**
 * Progress of a person in a content item of an offering. Quizzes, labs and assignments are completed by their
 * result.
 */
export const ContentProgress = z
  .object({
    id: WideId,
    user_id: Id,
    course_offering_id: Id,
    content_item_id: Id,
    first_started_at: Instant,
    last_interacted_at: Instant,
    completed_at: Instant.nullable(),
    progress_percent: Percent,
    attempts_count: z.int().meta({ description: "How often progress was posted while it was below 100" }),
  })
  .meta({ id: "ContentProgress" });

export const ProgressQuery = z.object({
  course_offering_id: IdText.optional().meta({ description: "Only the progress in this offering" }),
  ...pagination,
});

export type ModuleProgressPost = z.output<typeof ModuleProgressPost>;
export type ContentProgressPost = z.output<typeof ContentProgressPost>;
export type ModuleProgress = z.input<typeof ModuleProgress>;
export type ContentProgress = z.input<typeof ContentProgress>;
export type ProgressQuery = z.output<typeof ProgressQuery>;
