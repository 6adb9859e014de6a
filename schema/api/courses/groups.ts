import * as z from "zod";
import { groupRoles } from "../../enums.ts";
import { Id, IdText, Instant, integer, pagination, title, upperEnum } from "../platform/fields.ts";

const capacity = integer(1)
  .nullable()
  .meta({ example: 4, description: "Maximum number of members; null for no limit" });
const selfEnrollment = z.boolean().meta({
  description: "Whether people with a seat in the offering may join and leave the group themselves",
});

const example = { name: "Team A", capacity: 4, self_enrollment: true };
const fields = z.object({
  name: title(255).meta({ example: "Team A" }),
  capacity,
  self_enrollment: selfEnrollment,
});

export const GroupCreate = fields
  .extend({ capacity: capacity.default(null), self_enrollment: selfEnrollment.default(false) })
  .meta({ id: "GroupCreate", example });

export const GroupUpdate = fields.partial().meta({ id: "GroupUpdate", example });

export const Group = z
  .object({
    id: Id,
    course_offering_id: Id,
    name: z.string(),
    capacity,
    self_enrollment: selfEnrollment,
    member_count: z.int().meta({ description: "Number of members with a seat in the offering" }),
    own_role: upperEnum(groupRoles)
      .nullable()
      .meta({ description: "The caller's role in the group; null if not in it" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Group" });

export const GroupQuery = z.object(pagination);

export const GroupMemberPut = z
  .object({
    role: upperEnum(groupRoles).optional().meta({
      description:
        "STAFF requires the person to be staff of the offering. If absent, the role stays; MEMBER for a new one",
    }),
  })
  .meta({ id: "GroupMemberPut", example: { role: "MEMBER" } });

export const GroupMember = z
  .object({
    user_id: Id,
    full_name: z.string(),
    email: z.string().nullable(),
    role: upperEnum(groupRoles),
    has_place: z.boolean().meta({
      description: "Whether the person has a seat in the offering; members without one do not count",
    }),
    joined_at: Instant.meta({ description: "When the person joined" }),
  })
  .meta({ id: "GroupMember" });

/** Filters a list by membership in a group of the offering. */
export const ofGroup = IdText.optional().meta({
  description: "Only people in this group of the offering",
});

export type GroupCreate = z.output<typeof GroupCreate>;
export type GroupUpdate = z.output<typeof GroupUpdate>;
export type Group = z.input<typeof Group>;
export type GroupQuery = z.output<typeof GroupQuery>;
export type GroupMemberPut = z.output<typeof GroupMemberPut>;
export type GroupMember = z.input<typeof GroupMember>;
