import * as z from "zod";
import { ltiSources, offeringStaffRoles } from "../../enums.ts";
import { Id, Instant, upperEnum } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

export const OfferingStaff = z
  .object({
    id: Id,
    user_id: Id,
    full_name: z.string().meta({ example: "Mary Shaw" }),
    role: upperEnum(offeringStaffRoles).meta({ description: "What the LMS said last that they are" }),
    source: upperEnum(ltiSources).meta({ description: "Whether a launch or a roster said so" }),
    lti_context_id: Id.nullable().meta({
      description: "The bound course of the LMS that says so; null once that is unbound",
    }),
    context_title: z.string().nullable().meta({ description: "What it is called there" }),
    platform_name: z.string().nullable().meta({ description: "What the university calls the LMS" }),
    created_at: Instant.meta({ description: "When they became staff" }),
    removed_at: Instant.nullable().meta({
      description: "When staff removed them: they are none since, whatever the LMS says",
    }),
  })
  .meta({ id: "OfferingStaff" });

export const OfferingStaffUpdate = z
  .object({
    is_removed: z
      .boolean()
      .meta({ description: "Whether they are none of the staff, whatever the LMS says" }),
  })
  .meta({ id: "OfferingStaffUpdate" });

export const OfferingStaffQuery = listQuery({});

export type OfferingStaff = z.input<typeof OfferingStaff>;
export type OfferingStaffQuery = z.output<typeof OfferingStaffQuery>;
export type OfferingStaffUpdate = z.output<typeof OfferingStaffUpdate>;
