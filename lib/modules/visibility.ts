import { and, or, type SQL, sql } from "drizzle-orm";
import { modules } from "../../schema/db/modules.ts";
import { courseVisibleTo, staffOfCourse } from "../courses/visibility.ts";
import type { RoleHolder } from "../rbac/scopes.ts";

/** Condition on `modules`, joined with `courses`, that the caller may see; staff see all. */
export const moduleVisibleTo = (caller: RoleHolder): SQL =>
  and(courseVisibleTo(caller), or(staffOfCourse(caller), sql`is_module_published(${modules.id})`)) ??
  sql`false`;
