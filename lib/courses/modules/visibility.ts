import { and, or, type SQL, sql } from "drizzle-orm";
import { modules } from "../../../schema/db/courses/modules.ts";
import type { RoleHolder } from "../../identity/rbac/scopes.ts";
import { courseStaffCondition, visibleCourseCondition } from "../course-permissions.ts";

/** On `modules`, joined with `courses`; staff see all. */
export const visibleModuleCondition = (caller: RoleHolder): SQL =>
  and(
    visibleCourseCondition(caller),
    or(courseStaffCondition(caller), sql`is_module_published_with_ancestors(${modules.id})`),
  ) ?? sql`false`;
