import * as z from "zod";
import { Id, Instant } from "./fields.ts";

/** Beside words that stand outside of their course. */
export const CourseLanguage = z.string().nullable().meta({
  example: "en",
  description: "In which the course is written that these words are from; null for words of no course",
});

/** What a screen about something in a course says of the course. */
export const CourseInBrief = z.object({
  id: Id,
  title: z.string(),
  code: z.string(),
  university_id: Id,
  language_code: z.string().meta({ example: "en", description: "In which its content is written" }),
});

/** The same of the offering in which it is taken. */
export const OfferingInBrief = z.object({
  id: Id,
  term_id: Id.nullable(),
  term_name: z.string().nullable(),
  starts_at: Instant.nullable(),
  ends_at: Instant.nullable(),
});
