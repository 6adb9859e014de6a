import * as z from "zod";
import { hundredths, Id, IdText, Instant, pagination, WideId } from "../platform/fields.ts";

const Percent = hundredths(0, 100).meta({ example: 62.5 });

const posted = {
  course_offering_id: Id.meta({ description: "An offering in which the caller is enrolled" }),
  progress_percent: Percent,
  completed_at: Instant.nullish().meta({
    example: null,
    description:
      "When it was completed, between the enrollment and now. If absent or null at 100 percent: now, or " +
      "the earlier completion",
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
    progress_percent: Percent.meta({ description: "The recorded progress" }),
    computed_percent: Percent.nullable().meta({
      description:
        "Average of the module's own items and of published modules directly below, the value that counts; " +
        "null without items in or below it",
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
    attempts_count: z
      .int()
      .meta({ description: "Number of times that progress below 100 percent was recorded" }),
  })
  .meta({ id: "ContentProgress" });

export const ProgressQuery = z.object({
  course_offering_id: IdText.optional().meta({ description: "Only progress in this offering" }),
  ...pagination,
});

export type ModuleProgressPost = z.output<typeof ModuleProgressPost>;
export type ContentProgressPost = z.output<typeof ContentProgressPost>;
export type ModuleProgress = z.input<typeof ModuleProgress>;
export type ContentProgress = z.input<typeof ContentProgress>;
export type ProgressQuery = z.output<typeof ProgressQuery>;
