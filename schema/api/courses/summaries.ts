import * as z from "zod";
import { Id, Instant } from "../platform/fields.ts";

/** The course's language, next to texts shown outside of their course. */
export const CourseLanguage = z.string().nullable().meta({
  example: "en",
  description: "Language of the course that the texts are from; null for texts of no course",
});

/** A course in the responses of its parts. */
export const CourseInBrief = z.object({
  id: Id,
  title: z.string(),
  code: z.string(),
  university_id: Id,
  language_code: z.string().meta({ example: "en", description: "Language of the course's content" }),
});

export const OfferingInBrief = z.object({
  id: Id,
  term_id: Id.nullable(),
  term_name: z.string().nullable(),
  starts_at: Instant.nullable(),
  ends_at: Instant.nullable(),
});
