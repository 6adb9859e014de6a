import * as z from "zod";
import { courseLevels, prerequisiteTypes } from "../enums.ts";
import { hundredths, Id, IdText, Instant, text, title, upperEnum, usualSlice } from "./fields.ts";

const Level = upperEnum(courseLevels).meta({ example: "UNDERGRADUATE" });

const written = {
  title: title(255).meta({ example: "Introduction to Signals" }),
  code: title(128).meta({ example: "EE-101" }),
  description: text(100_000).nullable(),
  level: Level,
  language_code: title(8).meta({ example: "en" }),
  credit_hours: hundredths(0, 99.99).nullable(),
  department_id: Id.nullable(),
  primary_subject_id: Id.nullable(),
  llm_model: title(128).nullable(),
  cache_enabled: z.boolean(),
  is_published: z.boolean(),
};

const { title: courseTitle, code, ...rest } = written;

export const CourseCreate = z
  .object({ ...z.object(rest).partial().shape, title: courseTitle, code, university_id: Id })
  .meta({ id: "CourseCreate" });

export const CourseUpdate = z.object(written).partial().meta({ id: "CourseUpdate" });

/** A course as the list shows it. */
export const CourseSummary = z
  .object({
    id: Id,
    title: z.string(),
    code: z.string(),
    description: z.string().nullable(),
    level: Level,
    credit_hours: z.number().nullable(),
    is_published: z.boolean(),
    university_id: Id,
    department_id: Id.nullable(),
  })
  .meta({ id: "CourseSummary" });

export const CourseSubject = z.object({
  id: Id,
  name: z.string(),
  code: z.string(),
  is_primary: z.boolean(),
});

export const Prerequisite = z.object({
  id: Id,
  prerequisite_course_id: Id,
  title: z.string(),
  code: z.string(),
  prerequisite_type: upperEnum(prerequisiteTypes),
});

/** A course in full. */
export const Course = z
  .object({
    ...CourseSummary.shape,
    language_code: z.string(),
    cache_enabled: z.boolean(),
    llm_model: z.string().nullable(),
    primary_subject_id: Id.nullable(),
    subjects: z.array(CourseSubject),
    prerequisites: z.array(Prerequisite),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Course" });

export const CourseQuery = z.object({ university_id: IdText.optional(), ...usualSlice });

export type CourseCreate = z.output<typeof CourseCreate>;
export type CourseUpdate = z.output<typeof CourseUpdate>;
export type CourseSummary = z.input<typeof CourseSummary>;
export type Course = z.input<typeof Course>;
export type CourseQuery = z.output<typeof CourseQuery>;
