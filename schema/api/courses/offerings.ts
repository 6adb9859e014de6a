import * as z from "zod";
import { completionRules, enrollmentModes, visibilities } from "../../enums.ts";
import { ExternalId, nameThere } from "../identity/members.ts";
import { namesOnePerson, personOrAddresseeFields } from "../identity/named-person.ts";
import { AccountEmail } from "../platform/email.ts";
import { Id, IdText, Instant, integer, lowerEnum, text, upperEnum } from "../platform/fields.ts";
import { BooleanText, listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";
import { CourseSummary, courseFilters, PictureId } from "./courses.ts";
import { EnrollmentStatus } from "./enrollments.ts";
import { ofGroup } from "./groups.ts";
import { stuckAfterDays } from "./stuck.ts";

const Visibility = upperEnum(visibilities).meta({
  example: "PUBLIC",
  description: "PRIVATE offerings are listed only for staff, their instructors and enrolled people",
});

const EnrollmentMode = upperEnum(enrollmentModes).meta({
  example: "OPEN",
  description: "People allowed to enroll: everyone, people with the key, or only staff",
});

const CompletionRule = upperEnum(completionRules).meta({
  example: "ALL_ITEMS",
  description:
    "ALL_ITEMS: learners complete the course by completing every published item, and passing if it is " +
    "graded. MANUAL: staff complete it",
});

/** Minimum length of a new key. */
export const minEnrollmentKeyCharacters = 8;

const EnrollmentKey = text(128).nullable();

const writableFields = z
  .object({
    term_id: Id.nullable().meta({ description: "A term of the same university" }),
    term_name: text(255).nullable().meta({
      example: "Autumn 2026",
      description: "Name of the term; default: the name of the term `term_id`",
    }),
    starts_at: Instant.nullable(),
    ends_at: Instant.nullable().meta({
      description: "End, after starts_at",
      example: "2026-12-18T17:00:00.000Z",
    }),
    enrollment_start: Instant.nullable().meta({ description: "When enrollment opens; null for immediately" }),
    enrollment_end: Instant.nullable().meta({
      description: "When enrollment closes, after enrollment_start; null for the end of the offering",
      example: "2026-09-14T22:00:00.000Z",
    }),
    visibility: Visibility,
    capacity: integer(1).nullable().meta({ description: "The number of seats; null for no limit" }),
    enrollment_mode: EnrollmentMode,
    enrollment_key: EnrollmentKey.meta({
      example: "brave tiger 42",
      description: "Key for enrolling in mode KEY: at least 8 characters, or the existing shorter key",
    }),
    completion_rule: CompletionRule,
  })
  .partial();

/** An offering's two periods: the end must follow the start. */
export const periods = [
  { start: "starts_at", end: "ends_at" },
  { start: "enrollment_start", end: "enrollment_end" },
] as const;

type Dates = { [Moment in (typeof periods)[number]["start" | "end"]]?: string | null | undefined };

/** If a change has only one end of a period, the database compares it with the stored one. */
function endsFollowStarts({ value, issues }: z.core.ParsePayload<Dates>): void {
  for (const { start, end } of periods) {
    const [from, to] = [value[start], value[end]];
    if (!from || !to || Date.parse(from) < Date.parse(to)) continue;
    issues.push({ code: "custom", path: [end], message: endsTooEarly(start), input: to });
  }
}

/** The error for a period that ends before it starts. */
export const endsTooEarly = (start: string): string => `Input should be after ${start}`;

/** The error for the mode KEY without a key. */
export const keyIsMissing = "Input should not be empty where enrollment_mode is KEY";

/** The error for a key that is too short to be safe. */
export const keyIsTooShort = `String should have at least ${minEnrollmentKeyCharacters} characters`;

export const isShortKey = (key: unknown): key is string =>
  typeof key === "string" && [...key].length < minEnrollmentKeyCharacters;

/** For new keys; an existing short one may stay (`updateOffering`). */
function keyIsLong({ value, issues }: z.core.ParsePayload<{ enrollment_key?: unknown }>) {
  if (isShortKey(value.enrollment_key) && value.enrollment_key !== "")
    issues.push({
      code: "custom",
      path: ["enrollment_key"],
      message: keyIsTooShort,
      input: value.enrollment_key,
    });
}

/** If a change has only one of the two, the database compares it with the stored one. */
function keyModeHasKey({
  value,
  issues,
}: z.core.ParsePayload<{ enrollment_mode?: unknown; enrollment_key?: unknown }>) {
  if (value.enrollment_mode === "KEY" && value.enrollment_key === null)
    issues.push({ code: "custom", path: ["enrollment_key"], message: keyIsMissing, input: null });
  if (value.enrollment_key === "")
    issues.push({
      code: "custom",
      path: ["enrollment_key"],
      message: "Input should not be empty",
      input: "",
    });
}

export const OfferingCreate = writableFields
  .check(endsFollowStarts)
  .check(keyModeHasKey)
  .check(keyIsLong)
  .meta({ id: "OfferingCreate" });

export const OfferingUpdate = writableFields
  .check(endsFollowStarts)
  .check(keyModeHasKey)
  .meta({ id: "OfferingUpdate" });

export const Offering = z
  .object({
    id: Id,
    course_id: Id,
    university_id: Id,
    term_id: Id.nullable(),
    term_name: z.string().nullable(),
    starts_at: Instant.nullable(),
    ends_at: Instant.nullable(),
    enrollment_start: Instant.nullable(),
    enrollment_end: Instant.nullable(),
    visibility: Visibility,
    capacity: z.int().nullable(),
    enrollment_mode: EnrollmentMode,
    enrollment_key: z
      .string()
      .nullable()
      .meta({ description: "Only for staff of the course; null for others" }),
    completion_rule: CompletionRule,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Offering" });

export const InstructorCreate = z
  .object(personOrAddresseeFields)
  .check(namesOnePerson)
  .meta({ id: "InstructorCreate", example: { user_id: 1 } });

export const Instructor = z
  .object({ id: Id, course_offering_id: Id, user_id: Id, full_name: z.string() })
  .meta({ id: "Instructor" });

/** A new instructor; for people outside the caller's sight, only what the caller sent. */
export const NamedInstructor = Instructor.extend({
  full_name: z
    .string()
    .nullable()
    .meta({ description: "Null for a person who was not visible to the caller before" }),
}).meta({ id: "NamedInstructor" });

export const RosterEntry = z
  .object({
    id: Id.meta({ description: "The enrollment's id" }),
    user_id: Id,
    email: AccountEmail,
    full_name: z
      .string()
      .meta({ description: "The university's name for the person, else the person's own" }),
    ...nameThere,
    status: EnrollmentStatus,
    enrolled_at: Instant,
    completed_at: Instant.nullable(),
    progress_percent: z.number().min(0).max(100).meta({
      description: "Average progress of all published items of the course; 100 when completed",
    }),
    completed_items: z.int().min(0),
    last_activity_at: Instant.nullable().meta({
      description: "When the person was last active in the offering",
    }),
  })
  .meta({ id: "RosterEntry" });

export const Teacher = z.object({ user_id: Id, full_name: z.string() }).meta({ id: "Teacher" });

export const ListedOffering = Offering.extend({
  course: z.object({
    title: z.string(),
    code: z.string(),
    department_id: Id.nullable(),
    description: z.string().nullable(),
    level: CourseSummary.shape.level,
    language_code: z.string(),
    credit_hours: z.number().nullable(),
    picture_file_id: PictureId,
  }),
  teachers: z
    .array(Teacher)
    .meta({ description: "At most 20 instructors, in the order in which they were added" }),
  is_open: z.boolean().meta({ description: "Whether the enrollment window is open now" }),
}).meta({ id: "ListedOffering" });

const offeringFilters = {
  visibility: Visibility.optional(),
  term_id: IdText.optional(),
  teacher_id: IdText.optional().meta({ description: "Only offerings of this instructor" }),
  open: BooleanText.optional().meta({
    description: "`true`: only offerings whose enrollment window is open now; `false`: only others",
  }),
  sort: sortedBy(["id", "starts_at"]),
};

export const CourseOfferingQuery = listQuery({ q: searchIn("the term's name"), ...offeringFilters });

export const OfferingQuery = listQuery({
  q: searchIn("the code or the title of the course"),
  university_id: IdText.optional(),
  department_id: IdText.optional().meta({ description: "Only offerings of this department's courses" }),
  course_id: IdText.optional(),
  ...courseFilters,
  ...offeringFilters,
});

export const InstructorQuery = listQuery({
  q: searchIn("the name"),
  sort: sortedBy(["id", "full_name"]),
});

export const RosterQuery = listQuery({
  q: searchIn("the name, the email address or the external id"),
  status: EnrollmentStatus.optional(),
  external_id: ExternalId.optional().meta({ description: "Only the person with this id in the university" }),
  group_id: ofGroup,
  is_stuck: z
    .stringbool()
    .default(false)
    .meta({
      type: "boolean",
      description: `Only learners who have not completed it and were inactive in it for ${stuckAfterDays} days`,
    }),
  format: lowerEnum(["json", "csv"])
    .default("json")
    .meta({ description: "`csv` returns one line for each person" }),
  sort: sortedBy(["status", "enrolled_at", "full_name", "family_name", "external_id", "progress_percent"]),
});

export type OfferingCreate = z.output<typeof OfferingCreate>;
export type OfferingUpdate = z.output<typeof OfferingUpdate>;
export type Offering = z.input<typeof Offering>;
export type ListedOffering = z.input<typeof ListedOffering>;
export type CourseOfferingQuery = z.output<typeof CourseOfferingQuery>;
export type OfferingQuery = z.output<typeof OfferingQuery>;
export type InstructorCreate = z.output<typeof InstructorCreate>;
export type Instructor = z.input<typeof Instructor>;
export type InstructorQuery = z.output<typeof InstructorQuery>;
export type NamedInstructor = z.input<typeof NamedInstructor>;
export type RosterEntry = z.input<typeof RosterEntry>;
export type RosterQuery = z.output<typeof RosterQuery>;
