import * as z from "zod";
import { Description, Id, IdText, Instant, title } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const about = {
  title: title(255).meta({ example: "Newton's laws" }),
  description: Description.nullish(),
};

export const QuestionPoolCreate = z
  .object({
    university_id: Id,
    course_id: Id.nullish().meta({
      description: "A course of the university; without one, the pool is for all its courses",
    }),
    ...about,
  })
  .meta({ id: "QuestionPoolCreate" });

export const QuestionPoolUpdate = z.object(about).partial().meta({ id: "QuestionPoolUpdate" });

export const QuestionPool = z
  .object({
    id: Id,
    university_id: Id,
    course_id: Id.nullable(),
    title: z.string(),
    description: z.string().nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "QuestionPool" });

export const QuestionPoolQuery = listQuery({
  q: searchIn("the title"),
  university_id: IdText.optional(),
  course_id: IdText.optional(),
  sort: sortedBy(["id", "title"]),
});

export type QuestionPoolCreate = z.output<typeof QuestionPoolCreate>;
export type QuestionPoolUpdate = z.output<typeof QuestionPoolUpdate>;
export type QuestionPool = z.input<typeof QuestionPool>;
export type QuestionPoolQuery = z.output<typeof QuestionPoolQuery>;
