import * as z from "zod";
import { roles } from "../enums.ts";
import { Id, Instant, upperEnum } from "./fields.ts";

const RoleName = upperEnum(roles).meta({ example: "INSTRUCTOR" });

const departmentScope = Id.nullable().meta({
  description: "The one department in which the role counts; null: the whole university",
});

export const RoleGrant = z
  .object({ user_id: Id, role: RoleName, department_id: departmentScope.optional() })
  .meta({ id: "RoleGrant" });

/** A role that someone holds in a university, with who that is. */
export const Role = z
  .object({
    id: Id,
    user_id: Id,
    email: z.string(),
    full_name: z.string(),
    university_id: Id,
    role: RoleName,
    department_id: departmentScope,
    created_at: Instant,
  })
  .meta({ id: "Role" });

export type RoleGrant = z.output<typeof RoleGrant>;
export type Role = z.input<typeof Role>;
