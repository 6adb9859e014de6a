import * as z from "zod";
import { invitationStatuses, roles } from "../../enums.ts";
import { Id, Instant, upperEnum } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

const RoleName = upperEnum(roles).meta({ example: "INSTRUCTOR" });

const OfferMade = z
  .object({
    id: Id,
    email: z.string().meta({ description: "Email of the addressee" }),
    role: RoleName.optional().meta({ description: "Role granted on acceptance" }),
    department_id: Id.optional().meta({ description: "The department to which the role is limited" }),
    course_offering_id: Id.optional().meta({
      description: "Offering for a seat as learner or instructor",
    }),
    course_id: Id.optional().meta({
      description: "Course with an exemption from a prerequisite",
    }),
    prerequisite_course_id: Id.optional().meta({
      description: "Prerequisite from which the person is exempted",
    }),
    expires_at: Instant.meta({ description: "When the offer expires" }),
  })
  .meta({ id: "OfferMade" });

/** The response if a grant to a person outside the university became an offer. */
export const Offered = z
  .object({ offer: OfferMade.meta({ description: "The offer and its addressee" }) })
  .meta({
    id: "Offered",
    example: {
      offer: { id: 1, email: "ada@example.edu", role: "INSTRUCTOR", expires_at: "2026-09-08T08:00:00.000Z" },
    },
  });

export const Offer = z
  .object({
    id: Id,
    university_id: Id.meta({ description: "The university that makes the offer" }),
    university_name: z.string().meta({ description: "The university's name" }),
    role: RoleName.nullable().meta({ description: "Role granted on acceptance; null for none" }),
    department_id: Id.nullable().meta({ description: "The department to which the role is limited" }),
    department_name: z.string().nullable().meta({ description: "The department's name" }),
    course_offering_id: Id.nullable().meta({
      description: "Offering for a seat as learner or instructor; null for none",
    }),
    course_title: z
      .string()
      .nullable()
      .meta({ description: "Title of the offering's course, or of the course with the exemption" }),
    teaches: z.boolean().meta({
      description: "Whether the person becomes an instructor of the offering instead of a learner",
    }),
    course_id: Id.nullable().meta({
      description: "Course with an exemption from a prerequisite; null for none",
    }),
    prerequisite_course_id: Id.nullable().meta({
      description: "Prerequisite from which the person is exempted",
    }),
    prerequisite_title: z.string().nullable().meta({ description: "The prerequisite's title" }),
    status: upperEnum(invitationStatuses).meta({ description: "OPEN until accepted or declined" }),
    created_at: Instant.meta({ description: "When the offer was first made" }),
    expires_at: Instant.meta({ description: "When the offer expires" }),
  })
  .meta({ id: "Offer" });

export const OfferQuery = listQuery({});

export type Offered = z.input<typeof Offered>;
export type Offer = z.input<typeof Offer>;
export type OfferQuery = z.output<typeof OfferQuery>;
