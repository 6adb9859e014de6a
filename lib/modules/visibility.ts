import { and, or, type SQL, sql } from "drizzle-orm";
import { modules } from "../../schema/db/modules.ts";
import { courseVisibleTo, staffOfCourse } from "../courses/visibility.ts";
import type { RoleHolder } from "../rbac/scopes.ts";

/** Whether a module and every module above it is published: what is below an unpublished one is hidden with it. */
const publishedWithAncestors = sql`(${modules.is_published} and not exists (
  with recursive ancestors as (
    select parent_module_id, is_published from modules as parent where id = ${modules.parent_module_id}
    union all
    select parent.parent_module_id, parent.is_published
    from modules as parent join ancestors on parent.id = ancestors.parent_module_id)
  select from ancestors where not is_published))`;

/** Rows of `modules`, joined with their `courses`, that the caller may see: all of them for the course's staff. */
export const moduleVisibleTo = (caller: RoleHolder): SQL =>
  and(courseVisibleTo(caller), or(staffOfCourse(caller), publishedWithAncestors)) ?? sql`false`;
