import * as z from "zod";
import { ltiSources, offeringStaffRoles } from "../../enums.ts";
import { Id, Instant, upperEnum } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

export const OfferingStaff = z
  .object({
    id: Id,
    user_id: Id,
    full_name: z.string().meta({ example: "Mary Shaw" }),
    role: upperEnum(offeringStaffRoles).meta({ description: "Latest role that the LMS assigned" }),
    source: upperEnum(ltiSources).meta({ description: "Source of the role: a launch or a roster" }),
    lti_context_id: Id.nullable().meta({
      description: "The bound LMS course that assigned the role; null if it was unbound",
    }),
    context_title: z.string().nullable().meta({ description: "Title of the LMS course" }),
    platform_name: z.string().nullable().meta({ description: "Name of the LMS in the university" }),
    created_at: Instant.meta({ description: "When the person became staff" }),
    removed_at: Instant.nullable().meta({
      description: "When staff removed the person; the LMS cannot restore them",
    }),
  })
  .meta({ id: "OfferingStaff" });

export const OfferingStaffUpdate = z
  .object({
    is_removed: z
      .boolean()
      .meta({ description: "Whether the person is removed from the staff, regardless of the LMS" }),
  })
  .meta({ id: "OfferingStaffUpdate" });

export const OfferingStaffQuery = listQuery({});

export type OfferingStaff = z.input<typeof OfferingStaff>;
export type OfferingStaffQuery = z.output<typeof OfferingStaffQuery>;
export type OfferingStaffUpdate = z.output<typeof OfferingStaffUpdate>;
