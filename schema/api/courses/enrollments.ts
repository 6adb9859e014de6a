import * as z from "zod";
import { completionSources, enrollmentStatuses } from "../../enums.ts";
import { type NamedPerson, namesNoPersonTwice, personOrAddresseeFields } from "../identity/named-person.ts";
import { Id, IdText, Instant, text, upperEnum } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

export const EnrollmentStatus = upperEnum(enrollmentStatuses).meta({ example: "ACTIVE" });

/** Another person must be named in exactly one way; only then `override` is allowed. */
function namesNobodyTwice(payload: z.core.ParsePayload<NamedPerson & { override?: unknown }>): void {
  const { value, issues } = payload;
  const { user_id, email, external_id, override } = value;
  namesNoPersonTwice(payload);
  if (override === true && user_id === undefined && email === undefined && external_id === undefined)
    issues.push({
      code: "custom",
      path: ["override"],
      message: "Input should come with user_id, email or external_id",
      input: override,
    });
}

export const EnrollmentCreate = z
  .object({
    course_offering_id: Id,
    enrollment_key: text(128).optional().meta({ description: "Where enrolling in the offering takes one" }),
    ...personOrAddresseeFields,
    override: z.boolean().optional().meta({
      description:
        "Staff alone: whatever the window, the prerequisites, the capacity and a seat elsewhere say",
    }),
  })
  .check(namesNobodyTwice)
  .meta({ id: "EnrollmentCreate", example: { course_offering_id: 1 } });

export const EnrollmentUpdate = z
  .object({ status: EnrollmentStatus })
  .partial()
  .meta({ id: "EnrollmentUpdate" });

/** A person's seat in an offering, with the names of offering and course. */
export const Enrollment = z
  .object({
    id: Id,
    user_id: Id,
    course_offering_id: Id,
    status: EnrollmentStatus,
    enrolled_at: Instant.meta({ description: "Since when; while waitlisted, it decides who comes next" }),
    completed_at: Instant.nullable().meta({ description: "Set while the status is COMPLETED" }),
    completion_source: upperEnum(completionSources)
      .nullable()
      .meta({
        description:
          "Who completed it. SELF is the owner's own word, which counts for nothing: not for prerequisites, not in " +
          "reports; STAFF is the staff's, RESULT what was achieved",
      }),
    progress_percent: z.number().min(0).max(100).meta({
      description: "The mean of all published items of the course: 100 for a complete one",
    }),
    position: z.int().nullable().meta({ description: "While waitlisted: the place in line, from 1" }),
    course_id: Id,
    university_id: Id,
    starts_at: Instant.nullable().meta({ description: "The offering's first moment" }),
    ends_at: Instant.nullable().meta({ description: "The offering's last moment" }),
    course_offering: z.object({
      term_name: z.string().nullable(),
      course: z.object({ title: z.string(), code: z.string() }),
    }),
  })
  .meta({ id: "Enrollment" });

export const EnrollmentQuery = listQuery({
  q: searchIn("the code or the title of the course"),
  status: EnrollmentStatus.optional(),
  university_id: IdText.optional(),
  course_id: IdText.optional(),
  sort: sortedBy(["enrolled_at", "title"], "-enrolled_at"),
});

export type EnrollmentQuery = z.output<typeof EnrollmentQuery>;
export type EnrollmentCreate = z.output<typeof EnrollmentCreate>;
export type EnrollmentUpdate = z.output<typeof EnrollmentUpdate>;
export type EnrollmentStatus = z.output<typeof EnrollmentStatus>;
export type Enrollment = z.input<typeof Enrollment>;
