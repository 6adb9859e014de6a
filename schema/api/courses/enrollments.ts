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
    enrollment_key: text(128)
      .optional()
      .meta({ description: "Required if the offering has an enrollment key" }),
    ...personOrAddresseeFields,
    override: z.boolean().optional().meta({
      description: "Staff only: ignores the enrollment window, prerequisites, capacity and other seats",
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
    enrolled_at: Instant.meta({
      description: "When the person enrolled; while waitlisted, it decides the order",
    }),
    completed_at: Instant.nullable().meta({ description: "Set while the status is COMPLETED" }),
    completion_source: upperEnum(completionSources)
      .nullable()
      .meta({
        description:
          "Origin of the completion: SELF (declared by the learner; ignored for prerequisites and reports), " +
          "STAFF, or RESULT (achieved)",
      }),
    progress_percent: z.number().min(0).max(100).meta({
      description: "Average progress of all published items of the course; 100 when completed",
    }),
    position: z
      .int()
      .nullable()
      .meta({ description: "Position on the waiting list, from 1; null if not waitlisted" }),
    course_id: Id,
    university_id: Id,
    starts_at: Instant.nullable().meta({ description: "Start of the offering" }),
    ends_at: Instant.nullable().meta({ description: "End of the offering" }),
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
