import * as z from "zod";
import { Id, Instant, integer, paginationOf, title, WideId } from "../platform/fields.ts";
import { BooleanText } from "../platform/search-and-sort.ts";

const Rating = integer(1, 5).meta({ example: 4, description: "1 to 5" });

export const CourseReviewWrite = z
  .object({
    rating: Rating,
    review_text: title(5000).nullish().meta({
      description: "Null for none; if absent, the present one stays",
    }),
  })
  .meta({ id: "CourseReviewWrite" });

export const CourseReview = z
  .object({
    id: WideId,
    course_offering_id: Id,
    term_name: z.string().nullable(),
    rating: Rating,
    review_text: z.string().nullable().meta({
      description: "Plain text. If hidden, null except for its author and staff",
    }),
    is_hidden: z.boolean(),
    user_id: Id.nullable().meta({ description: "Null for people not visible to the caller" }),
    user_name: z.string().nullable(),
    is_own: z.boolean(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "CourseReview" });

export const CourseReviewPage = z
  .object({
    average_rating: z.number().min(1).max(5).nullable(),
    review_count: z.int().min(0),
    reviews: z.array(CourseReview).meta({ description: "Newest first" }),
  })
  .meta({ id: "CourseReviewPage" });

export const CourseReviewQuery = z.object({
  own: BooleanText.optional().meta({
    description: "`true`: only the caller's reviews; `false`: only those of others",
  }),
  ...paginationOf({ limit: 20, max: 100 }),
});

export type CourseReviewWrite = z.output<typeof CourseReviewWrite>;
export type CourseReview = z.input<typeof CourseReview>;
export type CourseReviewQuery = z.output<typeof CourseReviewQuery>;
export type CourseReviewPage = z.input<typeof CourseReviewPage>;
