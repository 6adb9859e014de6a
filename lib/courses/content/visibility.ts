import { and, or, type SQL, sql } from "drizzle-orm";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import type { RoleHolder } from "../../identity/rbac/scopes.ts";
import { isStaffOfCourse } from "../course-permissions.ts";
import { moduleVisibleTo } from "../modules/visibility.ts";

/** On `content_items`, joined with `courses`: active ones, and all for staff. */
export const isItemActiveOrForStaff = (caller: RoleHolder): SQL =>
  or(contentItems.is_active, isStaffOfCourse(caller)) ?? sql`false`;

/** On `content_items`, joined with `modules` and `courses`. */
export const contentVisibleTo = (caller: RoleHolder): SQL =>
  and(isItemActiveOrForStaff(caller), moduleVisibleTo(caller)) ?? sql`false`;
