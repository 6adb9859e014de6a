import { and, or, type SQL, sql } from "drizzle-orm";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import type { RoleHolder } from "../../identity/rbac/scopes.ts";
import { courseStaffCondition } from "../course-permissions.ts";
import { visibleModuleCondition } from "../modules/visibility.ts";

/** On `content_items`, joined with `courses`: active ones, and all for staff. */
export const activeItemOrStaffCondition = (caller: RoleHolder): SQL =>
  or(contentItems.is_active, courseStaffCondition(caller)) ?? sql`false`;

/** On `content_items`, joined with `modules` and `courses`. */
export const visibleContentItemCondition = (caller: RoleHolder): SQL =>
  and(activeItemOrStaffCondition(caller), visibleModuleCondition(caller)) ?? sql`false`;
