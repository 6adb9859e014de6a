import * as z from "zod";
import { invitationStatuses, roles } from "../../enums.ts";
import { Id, Instant, upperEnum } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

const RoleName = upperEnum(roles).meta({ example: "INSTRUCTOR" });

const OfferMade = z
  .object({
    id: Id,
    email: z.string().meta({ description: "Who is offered it: whoever has this address" }),
    role: RoleName.optional().meta({ description: "The role that accepting grants" }),
    department_id: Id.optional().meta({ description: "The one department in which the role counts" }),
    course_offering_id: Id.optional().meta({
      description: "The offering in which accepting enrolls, or which one then teaches",
    }),
    course_id: Id.optional().meta({
      description: "The course that one may then take without a prerequisite",
    }),
    prerequisite_course_id: Id.optional().meta({
      description: "The prerequisite that accepting excuses from",
    }),
    expires_at: Instant.meta({ description: "Until when it can be accepted" }),
  })
  .meta({ id: "OfferMade" });

/** The response if a grant to a person outside the university became an offer. */
export const Offered = z
  .object({ offer: OfferMade.meta({ description: "What is offered, and to whom" }) })
  .meta({
    id: "Offered",
    example: {
      offer: { id: 1, email: "ada@example.edu", role: "INSTRUCTOR", expires_at: "2026-09-08T08:00:00.000Z" },
    },
  });

export const Offer = z
  .object({
    id: Id,
    university_id: Id.meta({ description: "The university that offers it" }),
    university_name: z.string().meta({ description: "Its name" }),
    role: RoleName.nullable().meta({ description: "The role that accepting grants; null: none" }),
    department_id: Id.nullable().meta({ description: "The one department in which the role counts" }),
    department_name: z.string().nullable().meta({ description: "Its name" }),
    course_offering_id: Id.nullable().meta({
      description: "The offering in which accepting enrolls, or which one then teaches; null: none",
    }),
    course_title: z
      .string()
      .nullable()
      .meta({ description: "The title of its course, or of the course that accepting excuses in" }),
    teaches: z.boolean().meta({
      description: "Whether accepting makes one an instructor of the offering, in place of enrolling in it",
    }),
    course_id: Id.nullable().meta({
      description: "The course that one may then take without a prerequisite; null: none",
    }),
    prerequisite_course_id: Id.nullable().meta({
      description: "The prerequisite that accepting excuses from",
    }),
    prerequisite_title: z.string().nullable().meta({ description: "Its title" }),
    status: upperEnum(invitationStatuses).meta({ description: "OPEN until it is accepted or declined" }),
    created_at: Instant.meta({ description: "When it was made first" }),
    expires_at: Instant.meta({ description: "Until when it can be accepted" }),
  })
  .meta({ id: "Offer" });

export const OfferQuery = listQuery({});

export type Offered = z.input<typeof Offered>;
export type Offer = z.input<typeof Offer>;
export type OfferQuery = z.output<typeof OfferQuery>;
