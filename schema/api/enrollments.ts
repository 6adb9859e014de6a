import * as z from "zod";
import { enrollmentStatuses } from "../enums.ts";
import { Id, Instant, upperEnum } from "./fields.ts";

export const EnrollmentStatus = upperEnum(enrollmentStatuses).meta({ example: "ACTIVE" });

export const EnrollmentCreate = z.object({ course_offering_id: Id }).meta({ id: "EnrollmentCreate" });

export const EnrollmentUpdate = z
  .object({ status: EnrollmentStatus })
  .partial()
  .meta({ id: "EnrollmentUpdate" });

/** A person's seat in an offering, with the offering's and the course's names. */
export const Enrollment = z
  .object({
    id: Id,
    user_id: Id,
    course_offering_id: Id,
    status: EnrollmentStatus,
    enrolled_at: Instant.meta({ description: "Since when; while waitlisted, it decides who comes next" }),
    completed_at: Instant.nullable().meta({ description: "Set while the status is COMPLETED" }),
    course_offering: z.object({
      term_name: z.string().nullable(),
      course: z.object({ title: z.string(), code: z.string() }),
    }),
  })
  .meta({ id: "Enrollment" });

export type EnrollmentCreate = z.output<typeof EnrollmentCreate>;
export type EnrollmentUpdate = z.output<typeof EnrollmentUpdate>;
export type EnrollmentStatus = z.output<typeof EnrollmentStatus>;
export type Enrollment = z.input<typeof Enrollment>;
