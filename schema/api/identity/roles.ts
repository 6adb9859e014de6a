import * as z from "zod";
import { roles } from "../../enums.ts";
import { AccountEmail } from "../platform/email.ts";
import { Id, IdText, Instant, upperEnum } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";
import { namesOnePerson, personOrAddresseeFields } from "./named-person.ts";

const RoleName = upperEnum(roles).meta({ example: "INSTRUCTOR" });

const departmentScope = Id.nullable().meta({
  description: "The department to which the role is limited; null for the whole university",
});

export const RoleGrant = z
  .object({ ...personOrAddresseeFields, role: RoleName, department_id: departmentScope.optional() })
  .check(namesOnePerson)
  .meta({ id: "RoleGrant", example: { user_id: 1, role: "INSTRUCTOR" } });

export const Role = z
  .object({
    id: Id,
    user_id: Id,
    email: AccountEmail,
    full_name: z.string(),
    university_id: Id,
    role: RoleName,
    department_id: departmentScope,
    created_at: Instant,
  })
  .meta({ id: "Role" });

/** A new role; for people outside the granter's sight, only what the granter sent. */
export const GrantedRole = Role.extend({
  full_name: z
    .string()
    .nullable()
    .meta({ description: "Null for a person who was not visible to the caller before" }),
}).meta({ id: "GrantedRole" });

export const RoleQuery = listQuery({
  q: searchIn("the name or the email address"),
  role: RoleName.optional(),
  user_id: IdText.optional(),
  department_id: IdText.optional().meta({ description: "Only roles limited to this department" }),
  sort: sortedBy(["id", "full_name"]),
});

export type RoleGrant = z.output<typeof RoleGrant>;
export type Role = z.input<typeof Role>;
export type GrantedRole = z.input<typeof GrantedRole>;
export type RoleQuery = z.output<typeof RoleQuery>;
