import * as z from "zod";
import { courseAccesses, courseLevels, enrollmentStatuses, prerequisiteTypes } from "../../enums.ts";
import {
  Description,
  hundredths,
  hundredthsText,
  Id,
  IdText,
  Instant,
  list,
  title,
  upperEnum,
  Version,
  WideId,
} from "../platform/fields.ts";
import { BooleanText, listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";
import { TutorLine, TutorLineShown } from "../tutor/tutor-notes.ts";

const Level = upperEnum(courseLevels).meta({ example: "UNDERGRADUATE" });
const PrerequisiteType = upperEnum(prerequisiteTypes).meta({
  example: "STRICT",
  description: "STRICT prerequisites must be completed before enrolling; others are recommendations",
});

const Access = upperEnum(courseAccesses).meta({
  example: "OPEN",
  description:
    "OPEN: content requires no enrollment. ENROLLED: content and tutor require a seat in an offering, " +
    "except for staff",
});

const writableFields = {
  title: title(255).meta({ example: "Introduction to Signals" }),
  code: title(128).meta({ example: "EE-101" }),
  description: Description.nullable(),
  level: Level,
  language_code: title(8).meta({ example: "en" }),
  credit_hours: hundredths(0, 99.99).nullable(),
  department_id: Id.nullable(),
  primary_subject_id: Id.nullable(),
  picture_file_id: WideId.nullable().meta({
    description:
      "An image of purpose ASSET of the same university, visible to everyone who may see the course",
    example: null,
  }),
  llm_model: title(128)
    .nullable()
    .meta({ description: "Model of the course's tutor; null for the configured one", example: null }),
  tutor_line: TutorLine,
  cache_enabled: z
    .boolean()
    .meta({ description: "Whether learners of the course share the tutor's answers" }),
  is_published: z.boolean(),
  access: Access,
};

const { title: courseTitle, code, ...rest } = writableFields;

export const CourseCreate = z
  .object({ ...z.object(rest).partial().shape, title: courseTitle, code, university_id: Id })
  .meta({ id: "CourseCreate" });

export const CourseUpdate = z
  .object({
    ...writableFields,
    university_id: Id.meta({ description: "Must be the university of the course" }),
  })
  .partial()
  .meta({ id: "CourseUpdate" });

export const PictureId = WideId.nullable().meta({
  description: "The file of the course's picture, readable by everyone who may see the course",
});

export const CourseSummary = z
  .object({
    id: Id,
    title: z.string(),
    code: z.string(),
    description: z.string().nullable(),
    level: Level,
    language_code: z.string(),
    credit_hours: z.number().nullable(),
    primary_subject_id: Id.nullable(),
    picture_file_id: PictureId,
    is_published: z.boolean(),
    university_id: Id,
    department_id: Id.nullable(),
    version: Version.meta({
      description: "Version for `If-Match`, which also covers the order of the outline",
    }),
  })
  .meta({ id: "CourseSummary" });

export const CourseSubject = z
  .object({
    id: Id.meta({ description: "The subject's id" }),
    name: z.string(),
    code: z.string(),
    is_primary: z.boolean(),
  })
  .meta({ id: "CourseSubject" });

/** All of a course's subjects; replaces the previous set. */
export const CourseSubjects = list(z.object({ subject_id: Id, is_primary: z.boolean().default(false) }), {
  max: 100,
})
  .refine(
    (set) => new Set(set.map((one) => one.subject_id)).size === set.length,
    "Subjects should not repeat",
  )
  .refine((set) => set.filter((one) => one.is_primary).length <= 1, "At most one subject should be primary")
  .meta({ id: "CourseSubjects" });

/** A course to take before or together with another. */
export const Prerequisite = z
  .object({
    id: Id,
    course_id: Id.meta({ description: "The course that has the prerequisite" }),
    prerequisite_course_id: Id,
    title: z.string(),
    code: z.string(),
    prerequisite_type: PrerequisiteType,
    created_at: Instant,
  })
  .meta({ id: "Prerequisite" });

export const PrerequisiteCreate = z
  .object({ prerequisite_course_id: Id, prerequisite_type: PrerequisiteType.default("STRICT") })
  .meta({ id: "PrerequisiteCreate" });

export const Course = z
  .object({
    ...CourseSummary.shape,
    access: Access,
    cache_enabled: z.boolean(),
    llm_model: z.string().nullable(),
    tutor_line: TutorLineShown,
    subjects: z.array(CourseSubject),
    prerequisites: z.array(Prerequisite),
    average_rating: z
      .number()
      .min(1)
      .max(5)
      .nullable()
      .meta({ description: "Average rating of all reviews; null without any" }),
    review_count: z.int().min(0),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Course" });

const count = z.int().min(0);
const rate = z.number().min(0).max(1).nullable();
const countsByStatus = Object.fromEntries(
  enrollmentStatuses.map((status) => [status.toUpperCase(), count]),
) as Record<Uppercase<(typeof enrollmentStatuses)[number]>, typeof count>;

/** Rates are 0 to 1; a mean or rate without data is null. */
export const CourseStats = z
  .object({
    course_id: Id,
    enrollment_counts_by_status: z.object(countsByStatus),
    completion_rate: rate.meta({
      description:
        "Completed enrollments as a share of all enrollments that ever had a seat; null without any",
    }),
    average_progress_percent: z.number().min(0).max(100).nullable().meta({
      description:
        "Average over all active or completed enrollments and all published items; null without any",
    }),
    offerings: count,
    modules: count,
    content_items: count,
    average_rating: z.number().min(1).max(5).nullable(),
    reviews: count,
    chat_sessions: count,
    chat_messages: count,
    cache_hit_rate: rate.meta({
      description: "Share of stored answers among all answers to cacheable messages; null without any",
    }),
  })
  .meta({ id: "CourseStats" });

export const courseFilters = {
  subject_id: IdText.optional().meta({
    description: "Only courses of this subject or a subject below it",
  }),
  level: Level.optional(),
  language_code: title(8).optional().meta({
    example: "en",
    description: "Only courses in this language: `en` also finds `en-GB`, `en-GB` finds only itself",
  }),
  credits_from: hundredthsText(0, 99.99).optional().meta({ description: "Minimum number of credits" }),
  credits_to: hundredthsText(0, 99.99).optional().meta({ description: "Maximum number of credits" }),
};

export const CourseQuery = listQuery({
  q: searchIn("the code or the title"),
  university_id: IdText.optional(),
  department_id: IdText.optional(),
  ...courseFilters,
  is_published: BooleanText.optional(),
  sort: sortedBy(["id", "title", "code"]),
});

export const PrerequisiteQuery = listQuery({
  q: searchIn("the code or the title of the other course"),
  prerequisite_type: PrerequisiteType.optional(),
  sort: sortedBy(["id", "title", "code"]),
});

export type CourseCreate = z.output<typeof CourseCreate>;
export type CourseUpdate = z.output<typeof CourseUpdate>;
export type CourseSubject = z.input<typeof CourseSubject>;
export type CourseSubjects = z.output<typeof CourseSubjects>;
export type Prerequisite = z.input<typeof Prerequisite>;
export type PrerequisiteCreate = z.output<typeof PrerequisiteCreate>;
export type PrerequisiteQuery = z.output<typeof PrerequisiteQuery>;
export type CourseStats = z.input<typeof CourseStats>;
export type CourseSummary = z.input<typeof CourseSummary>;
export type Course = z.input<typeof Course>;
export type CourseQuery = z.output<typeof CourseQuery>;
