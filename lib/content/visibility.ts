import { and, or, type SQL, sql } from "drizzle-orm";
import { contentItems } from "../../schema/db/content-items.ts";
import { staffOfCourse } from "../courses/visibility.ts";
import { moduleVisibleTo } from "../modules/visibility.ts";
import type { RoleHolder } from "../rbac/scopes.ts";

/** Rows of `content_items`, joined with their `courses`, that are shown where their module is: active ones. */
export const shownTo = (caller: RoleHolder): SQL =>
  or(contentItems.is_active, staffOfCourse(caller)) ?? sql`false`;

/** Rows of `content_items`, joined with their `modules` and `courses`, that the caller may see. */
export const contentVisibleTo = (caller: RoleHolder): SQL =>
  and(shownTo(caller), moduleVisibleTo(caller)) ?? sql`false`;
